use std::future::Future;
use std::time::Instant;

use serde::Serialize;

use crate::output::Output;
use crate::report::Report;

/// One thing that was checked.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Step {
    name: &'static str,
    ok: bool,
    milliseconds: f64,
    /// What was found, or what is wrong.
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// The checks so far; each is printed as soon as it is done.
pub(super) struct Steps<'a> {
    out: &'a Output,
    list: Vec<Step>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(out: &'a Output) -> Self {
        Self { out, list: Vec::new() }
    }

    pub(super) fn list(&self) -> &[Step] {
        &self.list
    }

    pub(super) fn failures(&self) -> usize {
        self.list.iter().filter(|step| !step.ok).count()
    }

    /// Runs a check and answers what it gave, or nothing when it failed.
    pub(super) async fn run<T>(
        &mut self,
        name: &'static str,
        check: impl Future<Output = anyhow::Result<(T, String)>>,
    ) -> anyhow::Result<Option<T>> {
        let started = Instant::now();
        let outcome = check.await;
        let milliseconds = (started.elapsed().as_secs_f64() * 1e4).round() / 10.0;
        let (value, step) = match outcome {
            Ok((value, message)) => {
                (Some(value), Step { name, ok: true, milliseconds, message, details: Vec::new(), hint: None })
            }
            Err(error) => (None, failed(name, milliseconds, &error)),
        };
        self.print(&step)?;
        self.list.push(step);
        Ok(value)
    }

    fn print(&self, step: &Step) -> std::io::Result<()> {
        if self.out.is_json() {
            return Ok(());
        }
        let style = self.out.style();
        let mark = if step.ok { style.green().apply_to("✓") } else { style.red().apply_to("✗") };
        let time = format!("{:.1} ms", step.milliseconds);
        self.out.line(format_args!("{mark} {:<16} {time:>10}  {}", step.name, step.message))?;
        for detail in &step.details {
            self.out.line(format_args!("    {detail}"))?;
        }
        step.hint.iter().try_for_each(|hint| self.out.line(format_args!("    hint: {hint}")))
    }
}

fn failed(name: &'static str, milliseconds: f64, error: &anyhow::Error) -> Step {
    let (message, details, hint) = match Report::of(error) {
        Some(Report { message, details, hint, .. }) => (message, details, hint),
        None => ("the connection broke".to_owned(), Vec::new(), None),
    };
    Step { name, ok: false, milliseconds, message, details, hint }
}
