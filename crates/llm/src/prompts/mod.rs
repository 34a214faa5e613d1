//! Prompts are files: `prompts/<name>/<version>.md`, rendered with one engine in which an undefined variable is an
//! error.
//!
//! A file may be cut into messages by lines that hold `<!-- system -->`, `<!-- user -->` or `<!-- assistant -->`; one
//! without such lines is one user message. The cut is made before anything is filled in, so that no conversation can
//! make itself a system message. Versions are `v1`, `v2`, …: a file is never changed once its results are stored, a
//! new version is added beside it.

mod sections;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use crate::message::{Prompt, Speaker};

/// A file of the `prompts` folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    pub name: &'static str,
    pub version: &'static str,
    pub source: &'static str,
}

/// Includes `prompts/<name>/<version>.md` of the calling crate.
#[macro_export]
macro_rules! prompt_file {
    ($name:literal, $version:literal) => {
        $crate::prompts::Template {
            name: $name,
            version: $version,
            source: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/prompts/",
                $name,
                "/",
                $version,
                ".md"
            )),
        }
    };
}

/// The templates of this crate: one, which proves the engine.
pub const OWN: &[Template] = &[prompt_file!("self-test", "v1")];

/// Why there is no prompt.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("prompt `{0}` does not exist")]
    Unknown(String),
    #[error("prompt `{0}` is there twice")]
    Twice(String),
    #[error("version `{0}` is not `v` and a number")]
    Version(String),
    /// The template is wrong, or a variable it uses was not given.
    #[error("prompt `{id}` cannot be rendered: {reason}")]
    Template { id: String, reason: String },
    /// The folder and the list of templates differ.
    #[error("prompt files and their registry differ: {0}")]
    Folder(String),
}

/// All prompts, parsed.
pub struct Registry {
    environment: Environment<'static>,
    /// The versions of a name, by number.
    names: BTreeMap<&'static str, BTreeMap<u32, Entry>>,
}

struct Entry {
    id: String,
    speakers: Vec<Speaker>,
}

impl Registry {
    /// Parses all templates, so that a mistake in one is found when the program starts and not when it is used.
    pub fn new(templates: impl IntoIterator<Item = Template>) -> Result<Self, PromptError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        let mut registry = Self { environment, names: BTreeMap::new() };
        for template in templates {
            registry.add(template)?;
        }
        Ok(registry)
    }

    fn add(&mut self, template: Template) -> Result<(), PromptError> {
        let id = format!("{}@{}", template.name, template.version);
        let number = number(template.version)?;
        let mut speakers = Vec::new();
        for (index, (speaker, text)) in sections::split(template.source).into_iter().enumerate() {
            let added = self.environment.add_template_owned(format!("{id}#{index}"), text.to_owned());
            added.map_err(|error| broken(&id, &error))?;
            speakers.push(speaker);
        }
        let entry = Entry { id: id.clone(), speakers };
        let twice = self.names.entry(template.name).or_default().insert(number, entry);
        if twice.is_some() { Err(PromptError::Twice(id)) } else { Ok(()) }
    }

    /// Renders the newest version of a prompt. Its version, which callers store with results, is in
    /// [`Prompt::version`].
    pub fn render(&self, name: &str, context: impl Serialize) -> Result<Prompt, PromptError> {
        let newest = self.names.get(name).and_then(|versions| versions.last_key_value());
        let (_, entry) = newest.ok_or_else(|| PromptError::Unknown(name.to_owned()))?;
        self.render_entry(entry, context)
    }

    /// Renders one version of a prompt.
    pub fn render_version(
        &self,
        name: &str,
        version: &str,
        context: impl Serialize,
    ) -> Result<Prompt, PromptError> {
        let entry = self.names.get(name).and_then(|versions| versions.get(&number(version).ok()?));
        let entry = entry.ok_or_else(|| PromptError::Unknown(format!("{name}@{version}")))?;
        self.render_entry(entry, context)
    }

    fn render_entry(&self, entry: &Entry, context: impl Serialize) -> Result<Prompt, PromptError> {
        let context = minijinja::Value::from(Serde(&context));
        let mut prompt = Prompt::default().with_version(&entry.id);
        for (index, speaker) in entry.speakers.iter().enumerate() {
            let template = self.environment.get_template(&format!("{}#{index}", entry.id));
            let text = template.and_then(|template| template.render(context.clone()));
            let text = text.map_err(|error| broken(&entry.id, &error))?;
            prompt = prompt.with(*speaker, text.trim());
        }
        Ok(prompt)
    }

    /// The ids of all prompts, `name@version`.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.names.values().flat_map(BTreeMap::values).map(|entry| entry.id.as_str())
    }

    /// The variables that the newest version of a prompt uses.
    pub fn variables(&self, name: &str) -> BTreeSet<String> {
        let newest = self.names.get(name).and_then(|versions| versions.last_key_value());
        let parts = newest
            .into_iter()
            .flat_map(|(_, entry)| (0..entry.speakers.len()).map(|index| format!("{}#{index}", entry.id)));
        let templates = parts.filter_map(|part| self.environment.get_template(&part).ok());
        templates.flat_map(|template| template.undeclared_variables(false)).collect()
    }

    /// Fails when a prompt file is not in the registry or the other way round; a test calls it.
    pub fn matches_folder(&self, folder: &Path) -> Result<(), PromptError> {
        let files = sections::ids_in(folder).map_err(|error| PromptError::Folder(error.to_string()))?;
        let known: BTreeSet<String> = self.ids().map(str::to_owned).collect();
        let difference: Vec<&str> = files.symmetric_difference(&known).map(String::as_str).collect();
        if difference.is_empty() { Ok(()) } else { Err(PromptError::Folder(difference.join(", "))) }
    }
}

fn number(version: &str) -> Result<u32, PromptError> {
    let number = version.strip_prefix('v').and_then(|number| number.parse().ok());
    number.ok_or_else(|| PromptError::Version(version.to_owned()))
}

/// The engine's message names the line and never the values.
fn broken(id: &str, error: &minijinja::Error) -> PromptError {
    let line = error.line().map(|line| format!(" (line {line})")).unwrap_or_default();
    let reason = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    PromptError::Template { id: id.to_owned(), reason: format!("{reason}{line}") }
}

#[cfg(test)]
mod tests;
