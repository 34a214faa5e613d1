use std::collections::BTreeMap;
use std::io::{self, Write};

use clap::{Args, ValueEnum};
use playbook_lang::render::{self, fancy};
use playbook_lang::{Diagnostic, Fixes, Program, Severity, fixed};
use serde::Serialize;
use serde_json::{Value, json};

use super::counted;
use super::disk::{self, Disk, STDIN};
use super::given::{Group, Paths};
use super::run::mcp_tools;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;

/// A fix may bring another one to light, but not for ever.
const ROUNDS: usize = 10;

/// Arguments of `playbook check`.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 nothing that counts, 1 errors (or warnings with --deny-warnings), \
                        2 a file cannot be read.")]
pub(crate) struct Check {
    #[command(flatten)]
    given: Paths,
    /// Apply the fixes whose meaning is certain; standard input is printed with them.
    #[arg(long)]
    fix: bool,
    /// How to print what is found; fancy unless --json.
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Ask the servers of MCP agents which tools they have, and compare calls with them.
    #[arg(long)]
    tools: bool,
    /// Fail on warnings too.
    #[arg(long)]
    deny_warnings: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Fancy,
    Text,
    Json,
    Sarif,
}

/// Files that were changed, with what was done to them.
type Fixed = BTreeMap<String, Vec<String>>;

impl Check {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        let format = match self.format {
            Some(format) => format,
            None if context.out.is_json() => Format::Json,
            None => Format::Fancy,
        };
        if self.fix && self.given.is_stdin() && matches!(format, Format::Json | Format::Sarif) {
            return Err(Failure::usage("with --fix, standard output is the text itself")
                .hint("leave --format away, or name a file instead of -")
                .into());
        }
        let groups = self.given.groups()?;
        let mut fixes = Fixed::new();
        let mut programs = Vec::new();
        for group in &groups {
            programs.push(if self.fix { fix(group, &mut fixes)? } else { group.parse(&Disk::default()) });
        }
        if self.tools {
            crate::run::wait(compare_tools(&mut programs))?;
        }
        let summary = Summary::of(&programs);
        let text = shown(&programs, &summary, &fixes, format, &context.out);
        if self.fix && self.given.is_stdin() {
            // The text is on standard output already.
            io::stderr().lock().write_all(text.as_bytes())?;
        } else {
            io::stdout().lock().write_all(text.as_bytes())?;
        }
        for (file, done) in &fixes {
            context.out.note(format!("fixed {file}: {}", done.join(", ")));
        }
        self.verdict(context, &summary)
    }

    fn verdict(&self, context: &Context, summary: &Summary) -> anyhow::Result<()> {
        let words = summary.words();
        if summary.errors == 0 && (summary.warnings == 0 || !self.deny_warnings) {
            context.out.note(words);
            return Ok(());
        }
        let mut failure = Failure::failed(words);
        if summary.fixable > 0 && !self.fix {
            failure = failure.hint(format!("--fix settles {} of them", summary.fixable));
        }
        Err(failure.into())
    }
}

#[derive(Debug, Default, Serialize)]
struct Summary {
    files: usize,
    errors: usize,
    warnings: usize,
    /// What `--fix` would settle.
    fixable: usize,
}

impl Summary {
    fn of(programs: &[Program]) -> Self {
        let all = || programs.iter().flat_map(Program::diagnostics);
        let count = |fits: &dyn Fn(&Diagnostic) -> bool| all().filter(|found| fits(found)).count();
        Self {
            files: programs.iter().map(|program| program.sources().iter().count()).sum(),
            errors: count(&|found| found.severity == Severity::Error),
            warnings: count(&|found| found.severity == Severity::Warning),
            fixable: count(&|found| found.fix.as_ref().is_some_and(|fix| fix.is_safe)),
        }
    }

    fn words(&self) -> String {
        let files = counted(self.files, "file");
        let found = match (self.errors, self.warnings) {
            (0, 0) => "no problems".to_owned(),
            (errors, 0) => counted(errors, "error"),
            (0, warnings) => counted(warnings, "warning"),
            (errors, warnings) => {
                format!("{} and {}", counted(errors, "error"), counted(warnings, "warning"))
            }
        };
        format!("{found} in {files}")
    }
}

fn shown(programs: &[Program], summary: &Summary, fixes: &Fixed, format: Format, out: &Output) -> String {
    let style = if out.color { fancy::Style::Colour } else { fancy::Style::Plain };
    match format {
        Format::Fancy => programs.iter().map(|program| fancy::fancy(program, style, out.width)).collect(),
        Format::Text => programs.iter().map(render::text).collect(),
        Format::Json => {
            let found = joined(programs.iter().map(|program| render::json(program)["diagnostics"].take()));
            format!("{:#}\n", json!({ "diagnostics": found, "summary": summary, "fixed": fixes }))
        }
        Format::Sarif => format!("{:#}\n", sarif(programs)),
    }
}

async fn compare_tools(programs: &mut [Program]) -> anyhow::Result<()> {
    let mcp = mcp_tools();
    for program in programs {
        for (agent, tools) in mcp.headings(program).await {
            program.compare_tools(&agent, &tools);
        }
    }
    Ok(())
}

/// One run of the tool over all programs.
fn sarif(programs: &[Program]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let mut logs = programs.iter().map(|program| render::sarif(program, "reflexio playbook check", version));
    let mut log = logs.next().unwrap_or_default();
    let first = log["runs"][0]["results"].take();
    log["runs"][0]["results"] =
        joined(std::iter::once(first).chain(logs.map(|mut log| log["runs"][0]["results"].take())));
    log
}

fn joined(lists: impl Iterator<Item = Value>) -> Value {
    Value::Array(
        lists
            .filter_map(|list| if let Value::Array(list) = list { Some(list) } else { None })
            .flatten()
            .collect(),
    )
}

/// Applies safe fixes until there are none, then writes the files; the program is read from what was written.
fn fix(group: &Group, fixes: &mut Fixed) -> anyhow::Result<Program> {
    let mut disk = Disk::default();
    let mut files = Group(group.0.clone());
    let mut program = files.parse(&disk);
    for _ in 0..ROUNDS {
        let mut changed = BTreeMap::new();
        for (id, file) in program.sources().iter() {
            let (text, applied) = fixed(&program, id, Fixes::Safe);
            // A file that is imported twice is fixed once.
            if !applied.is_empty() && !changed.contains_key(&file.name) {
                let titles = applied
                    .iter()
                    .map(|fix| format!("{} (line {})", fix.title, program.sources().start(fix.span).line));
                fixes.entry(file.name.clone()).or_default().extend(titles);
                changed.insert(file.name.clone(), text);
            }
        }
        if changed.is_empty() {
            break;
        }
        for file in &mut files.0 {
            if let Some(text) = changed.get(&file.name) {
                file.text.clone_from(text);
            }
        }
        disk.changed.extend(changed);
        program = files.parse(&disk);
    }
    for (name, text) in disk.changed.iter().filter(|(name, _)| *name != STDIN) {
        disk::replace(name, text)?;
    }
    if let Some(file) = files.0.iter().find(|file| file.name == STDIN) {
        io::stdout().lock().write_all(file.text.as_bytes())?;
    }
    Ok(program)
}
