use std::path::{Path, PathBuf};

use clap::Args;
use playbook_run::testing::{Played, Suite};
use serde::Serialize;
use serde_json::json;
use walkdir::WalkDir;

use super::counted;
use super::disk::{self, Disk, TESTS, is_test_file};
use super::given::Group;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `playbook test`.
#[derive(Debug, Args)]
#[command(
    after_help = "docs/playbook-testing.md shows how tests are written.\n\nExit status: 0 all passed, 1 some failed, 2 a file \
                  cannot be read."
)]
pub(crate) struct Test {
    /// Files of tests, programs with tests beside them (order_status.test.md), or folders.
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Show the conversations as well.
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    file: String,
    line: usize,
    case: String,
    passed: bool,
    problems: Vec<Found>,
    model_calls: u64,
    steps: u64,
    conversation: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Found {
    line: usize,
    problem: String,
}

impl Test {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        let mut reports = Vec::new();
        for path in self.files()? {
            reports.extend(play(&path)?);
        }
        let failed = reports.iter().filter(|report| !report.passed).count();
        let summary = format!("{} passed, {failed} failed", reports.len() - failed);
        let value = json!({ "cases": reports, "passed": reports.len() - failed, "failed": failed });
        context.out.result(&value, || {
            let lines = reports.iter().map(|report| self.shown(report, &context.out));
            lines.chain([summary.clone()]).collect::<Vec<_>>().join("\n")
        })?;
        if failed == 0 {
            Ok(())
        } else {
            Err(Failure::failed(format!("{} failed", counted(failed, "test"))).into())
        }
    }

    fn shown(&self, report: &Report, out: &Output) -> String {
        let word = if report.passed {
            out.style().green().apply_to("ok  ")
        } else {
            out.style().red().apply_to("FAIL")
        };
        let calls = counted(usize::try_from(report.model_calls).unwrap_or(usize::MAX), "model call");
        let mut text = format!("{word} {}:{} {} ({calls})", report.file, report.line, report.case);
        for Found { line, problem } in &report.problems {
            text += &format!("\n     {}:{line}: {problem}", report.file);
        }
        if self.verbose || !report.passed {
            for line in &report.conversation {
                text += &format!("\n     {}", out.style().dim().apply_to(line));
            }
        }
        text
    }

    /// All files of tests that are named, each once.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        for path in &self.paths {
            let found = if path.is_dir() { tests_in(path)? } else { vec![test_of(path)?] };
            files.extend(found.into_iter().filter(|file| !files.contains(file)).collect::<Vec<_>>());
        }
        Ok(files)
    }
}

fn tests_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| Failure::usage(format!("cannot read a folder: {error}")))?;
        if entry.file_type().is_file() && is_test_file(entry.path()) {
            files.push(entry.into_path());
        }
    }
    if files.is_empty() {
        return Err(Failure::usage(format!("{} holds no tests", folder.display()))
            .hint(format!("files of tests end in {TESTS}")));
    }
    Ok(files)
}

fn test_of(path: &Path) -> Result<PathBuf, Failure> {
    if is_test_file(path) || !path.exists() {
        return Ok(path.to_owned());
    }
    let beside = path.with_extension(&TESTS[1..]);
    if beside.exists() {
        return Ok(beside);
    }
    Err(Failure::usage(format!("{} has no tests", path.display()))
        .hint(format!("they are looked for in {}", beside.display())))
}

fn play(path: &Path) -> Result<Vec<Report>, Failure> {
    let file = disk::read(path)?;
    let suite = Suite::parse(&file.text).map_err(|mistakes| {
        let details =
            mistakes.iter().map(|mistake| format!("{}:{}: {}", file.name, mistake.line, mistake.text));
        Failure::usage(format!("{} cannot be read as tests", file.name)).details(details.collect())
    })?;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let sources = suite.files.iter().map(|name| disk::read(&folder.join(name)));
    let group = Group(sources.collect::<Result<_, _>>()?);
    let report = |case: &playbook_run::testing::Case| {
        let Played { problems, spent, transcript } = case.play(group.parse(&Disk::default()));
        Report {
            file: file.name.clone(),
            line: case.line,
            case: case.title.clone(),
            passed: problems.is_empty(),
            problems: problems
                .into_iter()
                .map(|found| Found { line: found.line, problem: found.text })
                .collect(),
            model_calls: spent.model_calls,
            steps: spent.steps,
            conversation: transcript,
        }
    };
    Ok(suite.cases.iter().map(report).collect())
}
