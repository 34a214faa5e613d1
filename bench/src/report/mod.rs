//! From results to the Markdown section that people read.

mod format;
mod learning;
mod machine;
mod plot;
mod publish;
mod scale;
mod section;
mod startup;
mod table;
mod targets;

use crate::args::Command;
use crate::{learning as learned, publish as publishing, scale as scaling, startup as starting};

pub(crate) use machine::Machine;
pub(crate) use section::put_section;

/// Everything one run has to say.
pub(crate) struct Report {
    /// The heading of its section.
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) is_debug_build: bool,
    pub(crate) machine: Machine,
    pub(crate) startup: Option<starting::Results>,
    pub(crate) publish: Option<publishing::Results>,
    pub(crate) scale: Option<scaling::Results>,
    pub(crate) learning: Option<learned::Results>,
    /// Benchmarks that did not come to their end, and why.
    pub(crate) failures: Vec<String>,
}

impl Report {
    pub(crate) fn new(name: String, command: String, is_debug_build: bool, machine: Machine) -> Self {
        let (startup, publish, scale, learning) = (None, None, None, None);
        let failures = Vec::new();
        Self { name, command, is_debug_build, machine, startup, publish, scale, learning, failures }
    }

    /// The results, or a note why there are none.
    pub(crate) fn keep<T>(&mut self, which: Command, results: anyhow::Result<T>) -> Option<T> {
        results.map_err(|error| self.failures.push(format!("{}: {error:#}", which.name()))).ok()
    }

    pub(crate) fn markdown(&self) -> String {
        let mut parts = vec![format!("## {}", self.name), self.circumstances()];
        parts.extend(self.failures.iter().map(|failure| format!("**Failed:** {failure}")));
        parts.push(format!("### Targets\n\n{}", targets::table(self)));
        parts.extend(self.publish.as_ref().map(publish::markdown));
        parts.extend(self.startup.as_ref().map(startup::markdown));
        parts.extend(self.scale.as_ref().map(scale::markdown));
        parts.extend(self.learning.as_ref().map(learning::markdown));
        parts.join("\n\n") + "\n"
    }

    fn circumstances(&self) -> String {
        let machine = &self.machine;
        let mut lines = vec![
            format!("- date: {}", machine.date),
            format!("- commit: {}", machine.commit),
            format!("- command: `{}`", self.command),
            format!(
                "- machine: {}, {} cores, {} memory, Linux {}",
                machine.processor,
                machine.cores,
                format::bytes(machine.memory),
                machine.kernel
            ),
            format!("- disk: {}", machine.disk),
            format!("- load average when it began: {}", machine.load),
        ];
        if self.is_debug_build {
            lines.push("- **debug build: these numbers say nothing about speed**".to_owned());
        }
        lines.join("\n")
    }
}
