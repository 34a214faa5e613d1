use std::path::PathBuf;

use async_trait::async_trait;

use crate::error::tail;
use crate::operator::{Limit, Scripts};
use crate::payload::read;
use crate::process::{self, Program};
use crate::{Assistant, Error, Payload, Result};

/// The most of a script's complaints that is shown.
const LONGEST_WORDS: usize = 1_000;

/// An assistant that is a program on this machine.
pub(crate) struct Script {
    program: Program,
    limit: Limit,
}

impl Script {
    pub(crate) fn new(scripts: &Scripts, path: &str, arguments: &[String], limit: Limit) -> Result<Self> {
        let file = scripts.admit(path)?;
        let folder = file.parent().map(PathBuf::from).unwrap_or_default();
        let program =
            Program { file, arguments: arguments.to_vec(), folder, environment: scripts.environment.clone() };
        Ok(Self { program, limit })
    }
}

#[async_trait]
impl Assistant for Script {
    async fn respond(&self, payload: &Payload) -> Result<String> {
        let input = serde_json::to_vec(payload).map_err(|error| Error::Failed(error.to_string()))?;
        let printed = process::run(&self.program, &input, &self.limit).await?;
        if !printed.status.success() {
            let complaint = tail(&printed.complaint, LONGEST_WORDS);
            let complaint = if complaint.is_empty() { "it said nothing".to_owned() } else { complaint };
            return Err(Error::Failed(format!("{}: {complaint}", printed.status)));
        }
        read(&printed.out).map_err(|error| with_complaint(error, &printed.complaint))
    }

    fn label(&self) -> String {
        let words: Vec<&str> = self.program.arguments.iter().map(String::as_str).collect();
        format!("script {} {}", self.program.file.display(), words.join(" ")).trim_end().to_owned()
    }
}

/// What a script complains about is often the reason why its answer is none.
fn with_complaint(error: Error, complaint: &str) -> Error {
    let complaint = tail(complaint, LONGEST_WORDS);
    if let Error::Unusable(why) = &error
        && !complaint.is_empty()
    {
        return Error::Unusable(format!("{why}; it complained: {complaint}"));
    }
    error
}
