use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use reflexio_api_types::{AgentPlaybookView, GetAgentPlaybooksRequest, Positive};
use serde::Serialize;

use super::super::ReviewStatus;
use super::render;
use crate::commands::delete::counted;
use crate::context::Context;

/// More than anybody reviews.
const MOST_RULES: i64 = 100_000;

/// Arguments of `agent-playbooks export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder to write to; files of the same rules are replaced, others stay.
    #[arg(long, value_name = "DIR")]
    markdown: PathBuf,
    /// Write folders with a SKILL.md instead of single files.
    #[arg(long)]
    skill: bool,
    /// Only those in this state; may be given several times. All that are in use if missing.
    #[arg(long)]
    status: Vec<ReviewStatus>,
    /// Only those of this agent version.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    /// Only those of this name.
    #[arg(long, alias = "name", value_name = "NAME")]
    playbook_name: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct Written {
    written: Vec<PathBuf>,
    unchanged: Vec<PathBuf>,
}

impl Export {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let mut done = Written::default();
        for rule in self.rules(context).await? {
            let (path, text) = self.file(&rule);
            match put(&path, &text)? {
                true => done.written.push(path),
                false => done.unchanged.push(path),
            }
        }
        let words = || {
            let written = counted(done.written.len() as u64, "file");
            let kept = done.unchanged.len();
            format!("wrote {written} to {}, {kept} had not changed", self.markdown.display())
        };
        Ok(context.out.done(&done, words)?)
    }

    /// By id, each once.
    async fn rules(&self, context: &Context) -> anyhow::Result<Vec<AgentPlaybookView>> {
        let client = context.client()?;
        let wanted: Vec<Option<ReviewStatus>> = match self.status.is_empty() {
            true => vec![None],
            false => self.status.iter().copied().map(Some).collect(),
        };
        let mut rules = Vec::new();
        for status in wanted {
            let (status_filter, playbook_status_filter) = ReviewStatus::filters(status);
            let request = GetAgentPlaybooksRequest {
                limit: Some(Positive(MOST_RULES)),
                agent_version: self.agent_version.clone(),
                playbook_name: self.playbook_name.clone(),
                status_filter,
                playbook_status_filter,
                ..GetAgentPlaybooksRequest::default()
            };
            rules.extend(client.agent_playbooks(&request).await?);
        }
        rules.sort_by_key(|rule| rule.agent_playbook_id);
        rules.dedup_by_key(|rule| rule.agent_playbook_id);
        Ok(rules)
    }

    fn file(&self, rule: &AgentPlaybookView) -> (PathBuf, String) {
        let name = render::name(rule);
        match self.skill {
            true => (self.markdown.join(name).join("SKILL.md"), render::skill(rule)),
            false => (self.markdown.join(name + ".md"), render::markdown(rule)),
        }
    }
}

/// Says whether the file is another one now. Nobody ever sees half of it.
fn put(path: &Path, text: &str) -> anyhow::Result<bool> {
    if fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        #[cfg(unix)]
        fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}
