//! What an org may call is for whoever runs the server to say.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reflexio_llm::Reach;
use reflexio_types::config::PlaybookOptimizerConfig;

use crate::backend::Backend;
use crate::patient::{Patient, Pauses};
use crate::script::Script;
use crate::webhook::Webhook;
use crate::{Assistant, Error, Result};

/// An answer is a message, not a download.
const LARGEST_ANSWER: usize = 1 << 20;

/// Where scripts may lie, and what they get to see.
#[derive(Debug, Clone)]
pub struct Scripts {
    /// Absolute and without symbolic links.
    folder: PathBuf,
    /// The whole environment of a script: nothing is inherited, so that it sees no secret of the server.
    pub(crate) environment: Vec<(String, String)>,
}

impl Scripts {
    /// Scripts in this folder, which must be there.
    pub fn from(folder: &Path, environment: Vec<(String, String)>) -> std::io::Result<Self> {
        Ok(Self { folder: folder.canonicalize()?, environment })
    }

    /// The file that a path of a configuration names, if it may run. A relative path counts from the folder.
    pub(crate) fn admit(&self, path: &str) -> Result<PathBuf> {
        let refuse = |why: &str| Err(Error::Misconfigured(format!("`assistant_script_path` `{path}` {why}")));
        let Ok(file) = self.folder.join(path).canonicalize() else { return refuse("does not exist") };
        // After links were followed: one that leads out of the folder leads nowhere.
        if !file.starts_with(&self.folder) {
            return refuse("is outside of the folder from which the operator allows scripts");
        }
        let Ok(about) = file.metadata() else { return refuse("cannot be read") };
        if !about.is_file() {
            return refuse("is not a file");
        }
        if !executable(&about) {
            return refuse("is not executable; `chmod +x` it");
        }
        Ok(file)
    }
}

fn executable(about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o111 != 0
}

/// The operator's part of every assistant.
#[derive(Debug, Clone)]
pub struct Operator {
    /// Where webhooks may stand.
    pub reach: Reach,
    /// Without it, no script runs.
    pub scripts: Option<Scripts>,
}

impl Default for Operator {
    /// Webhooks on the public internet, and no scripts.
    fn default() -> Self {
        Self { reach: Reach::Public, scripts: None }
    }
}

impl Operator {
    /// The assistant of a configuration that names a stranger, patient as the configuration says.
    pub fn assistant(&self, config: &PlaybookOptimizerConfig) -> Result<Arc<dyn Assistant>> {
        let (limit, pauses) = (Limit::of(config), Pauses::of(config));
        Ok(match Backend::of(config)? {
            Backend::Webhook(url) => {
                let header = config.webhook_auth_header.as_ref();
                Arc::new(Patient::new(Webhook::new(url, header, self.reach, limit)?, pauses))
            }
            Backend::Script(path) => {
                let Some(scripts) = &self.scripts else {
                    return Err(Error::Misconfigured(
                        "`assistant_script_path` is set, but this server runs no scripts; its operator can allow them \
                         with `--assistant-scripts FOLDER`"
                            .to_owned(),
                    ));
                };
                Arc::new(Patient::new(
                    Script::new(scripts, path, &config.assistant_script_args, limit)?,
                    pauses,
                ))
            }
            Backend::Playbook(name) => {
                return Err(Error::Misconfigured(format!(
                    "`assistant_script_path` names the playbook `{name}`, which only a server that has it can replay"
                )));
            }
        })
    }
}

/// How long and how large one answer may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) total: Duration,
    pub(crate) largest_answer: usize,
}

impl Limit {
    pub(crate) fn of(config: &PlaybookOptimizerConfig) -> Self {
        Self {
            total: Duration::from_secs(u64::from(config.webhook_timeout_seconds.max(1))),
            largest_answer: LARGEST_ANSWER,
        }
    }
}
