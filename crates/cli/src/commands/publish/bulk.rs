//! Many requests at once: a failed one does not stop the others.

use std::time::Duration;

use futures::StreamExt;
use futures::stream;
use reflexio_client::{Client, Error, Wait};
use serde::Serialize;

use super::input::{Item, Many};
use super::request::{Defaults, RequestId, request};
use crate::context::Context;
use crate::exit::Code;
use crate::failure::Failure;
use crate::output::Progress;
use crate::report::{detail_line, of_client};

/// More are counted, but not listed.
const LISTED_PROBLEMS: usize = 20;
/// How often a server that is busy is asked again.
const MOST_ATTEMPTS: u32 = 30;
const PAUSE: Duration = Duration::from_secs(1);

/// What became of a bulk publish.
#[derive(Debug, Default, Serialize)]
struct Summary {
    published: u64,
    already_stored: u64,
    failed: u64,
    problems: Vec<Problem>,
}

/// Why one request was not stored.
#[derive(Debug, Clone, Serialize)]
struct Problem {
    number: usize,
    reasons: Vec<String>,
    #[serde(skip)]
    code: Option<Code>,
}

enum Outcome {
    Published,
    AlreadyStored,
    Failed(Problem),
    /// The others would fail for the same reason.
    Hopeless(Error),
}

pub(super) async fn publish(
    context: &Context,
    many: Many,
    defaults: &Defaults,
    wait: Wait,
    jobs: usize,
) -> anyhow::Result<()> {
    let client = context.client()?;
    let progress = Progress::new(&context.out, "publishing", many.total);
    let mut outcomes = stream::iter(many.items)
        .map(|item| async { Ok::<_, std::io::Error>(publish_item(&client, item?, defaults, wait).await) })
        .buffer_unordered(jobs);
    let mut summary = Summary::default();
    let mut hopeless = None;
    while let Some(outcome) = outcomes.next().await {
        progress.add(1);
        match outcome? {
            Outcome::Published => summary.published += 1,
            Outcome::AlreadyStored => summary.already_stored += 1,
            Outcome::Failed(problem) => {
                summary.failed += 1;
                summary.problems.push(problem);
            }
            Outcome::Hopeless(error) => {
                hopeless = Some(error);
                break;
            }
        }
    }
    drop(progress);
    summary.problems.sort_by_key(|problem| problem.number);
    tell(context, &summary, many.unit)?;
    match hopeless {
        Some(error) => Err(error.into()),
        None => summary.outcome(many.unit),
    }
}

async fn publish_item(client: &Client, item: Item, defaults: &Defaults, wait: Wait) -> Outcome {
    let number = item.number;
    let bad = |reasons| Outcome::Failed(Problem { number, reasons, code: Some(Code::BadInput) });
    let value = match item.body {
        Ok(value) => value,
        Err(reason) => return bad(vec![reason]),
    };
    let request = match request(value, defaults, RequestId::Derived { number }) {
        Ok(parsed) => parsed.value,
        Err(details) => return bad(details.iter().map(detail_line).collect()),
    };
    let mut attempt = 1;
    loop {
        match client.publish(&request, wait).await {
            Ok(answer) if answer.duplicate == Some(true) => return Outcome::AlreadyStored,
            Ok(answer) if answer.success => return Outcome::Published,
            Ok(answer) => {
                return Outcome::Failed(Problem {
                    number,
                    reasons: vec![answer.message],
                    code: Some(Code::Failed),
                });
            }
            Err(error) if error.is_passing() && attempt < MOST_ATTEMPTS => {
                attempt += 1;
                tokio::time::sleep(error.retry_after().unwrap_or(PAUSE)).await;
            }
            Err(error @ (Error::Unreachable { .. } | Error::Forbidden { .. } | Error::Address(_))) => {
                return Outcome::Hopeless(error);
            }
            Err(error) => return Outcome::Failed(problem(number, &error)),
        }
    }
}

fn problem(number: usize, error: &Error) -> Problem {
    let report = of_client(error);
    let reasons = if report.details.is_empty() { vec![report.message] } else { report.details };
    Problem { number, reasons, code: Some(report.code) }
}

fn tell(context: &Context, summary: &Summary, unit: &str) -> std::io::Result<()> {
    let Summary { published, already_stored, failed, .. } = summary;
    context.out.done(summary, || {
        let mut words = format!("published {published}, already stored {already_stored}");
        if *failed > 0 {
            words.push_str(&format!(", failed {failed}"));
        }
        words
    })?;
    if already_stored + published == 0 && *failed == 0 {
        context.out.note(format_args!("there was no {unit} to publish"));
    }
    Ok(())
}

impl Summary {
    fn outcome(&self, unit: &str) -> anyhow::Result<()> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let all_bad_input = self.problems.iter().all(|problem| problem.code == Some(Code::BadInput));
        let code = if all_bad_input { Code::BadInput } else { Code::Failed };
        let mut details: Vec<String> = self
            .problems
            .iter()
            .take(LISTED_PROBLEMS)
            .map(|problem| format!("{unit} {}: {}", problem.number, problem.reasons.join("; ")))
            .collect();
        if self.problems.len() > LISTED_PROBLEMS {
            details.push(format!("and {} more", self.problems.len() - LISTED_PROBLEMS));
        }
        let message =
            format!("{} could not be published", super::super::delete::counted(self.failed, "request"));
        let hint = "correct them and publish the file again: what was stored is not stored twice";
        Err(Failure::new(code, message).details(details).hint(hint).into())
    }
}
