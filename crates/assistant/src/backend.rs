use reflexio_types::config::PlaybookOptimizerConfig;

use crate::{Error, Result};

/// Begins an `assistant_script_path` that names a program of the server instead of a script.
const PLAYBOOK: &str = "playbook:";

/// Which kind of assistant a configuration names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend<'a> {
    /// An address.
    Webhook(&'a str),
    /// The path of an executable file.
    Script(&'a str),
    /// A program of Markdown playbooks that the server itself runs, by its name.
    Playbook(&'a str),
}

impl<'a> Backend<'a> {
    pub fn of(config: &'a PlaybookOptimizerConfig) -> Result<Self> {
        match (named(config.webhook_url.as_deref()), named(config.assistant_script_path.as_deref())) {
            (Some(url), None) => Ok(Self::Webhook(url)),
            (None, Some(path)) => match path.strip_prefix(PLAYBOOK) {
                Some(file) => playbook(file.trim()),
                None => Ok(Self::Script(path)),
            },
            (Some(_), Some(_)) => Err(Error::Misconfigured(
                "set either `webhook_url` or `assistant_script_path`, not both".to_owned(),
            )),
            (None, None) => Err(Error::Misconfigured(
                "there is no assistant to replay conversations with; set \
                 `playbook_optimizer_config.webhook_url` or `playbook_optimizer_config.assistant_script_path`"
                    .to_owned(),
            )),
        }
    }
}

/// A program goes by the name of its file, with or without the ending.
fn playbook(file: &str) -> Result<Backend<'_>> {
    match file.strip_suffix(".md").unwrap_or(file) {
        "" => Err(Error::Misconfigured(
            "`assistant_script_path` names no playbook; write `playbook:FILE.md`".to_owned(),
        )),
        name => Ok(Backend::Playbook(name)),
    }
}

fn named(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backend(webhook: Option<&str>, script: Option<&str>) -> Result<String> {
        let config = PlaybookOptimizerConfig {
            webhook_url: webhook.map(str::to_owned),
            assistant_script_path: script.map(str::to_owned),
            ..PlaybookOptimizerConfig::default()
        };
        Backend::of(&config).map(|backend| format!("{backend:?}"))
    }

    #[test]
    fn exactly_one_assistant_is_named() {
        assert_eq!(backend(Some("https://x.example/"), None).unwrap(), "Webhook(\"https://x.example/\")");
        assert_eq!(backend(Some(" "), Some("a.sh")).unwrap(), "Script(\"a.sh\")");
        let said = |found: Result<String>| found.unwrap_err().to_string();
        assert!(said(backend(None, None)).contains("webhook_url"));
        assert!(said(backend(Some("https://x.example/"), Some("playbook:a.md"))).contains("not both"));
    }

    #[test]
    fn a_playbook_is_named_with_or_without_its_ending() {
        for path in ["playbook:order_status.md", "playbook:order_status", " playbook: order_status.md "] {
            assert_eq!(backend(None, Some(path)).unwrap(), "Playbook(\"order_status\")", "{path}");
        }
        for path in ["playbook:", "playbook:.md"] {
            let error = backend(None, Some(path)).unwrap_err().to_string();
            assert!(error.contains("playbook:FILE.md"), "{path}: {error}");
        }
    }
}
