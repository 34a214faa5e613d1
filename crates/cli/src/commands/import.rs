use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use reflexio_store::{Error, Record, Transfer};
use reflexio_types::OrgId;
use serde_json::json;

use super::export::{FORMAT, Header};
use crate::context::Context;
use crate::data_dir::DataDirArg;
use crate::failure::Failure;
use crate::output::Progress;

/// How many records are stored at once.
const BATCH: usize = 500;

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A file that `export` wrote, or - for standard input. What is already there is left as it is.
    file: PathBuf,
    /// Into which org; the one it was exported from if missing.
    #[arg(long)]
    org: Option<String>,
    #[command(flatten)]
    data: DataDirArg,
}

/// What an import did so far.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    new: u64,
    known: u64,
}

impl Import {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let mut lines = Lines::open(&self.file)?;
        let header = header(&mut lines)?;
        let org = OrgId::new(self.org.as_deref().unwrap_or(&header.org));
        let store = self.data.folder()?.open_or_create()?;
        let mut tally = Tally::default();
        if let Err(error) = import(context, &store, &org, &mut lines, &mut tally).await {
            let stored =
                format!("{} records before it were stored, {} were there already", tally.new, tally.known);
            return Err(error.context(format!("import stopped ({stored})")));
        }
        let Tally { new, known } = tally;
        Ok(context.out.done(&json!({"new": new, "already_there": known, "org": org}), || {
            format!("{new} new, {known} already there")
        })?)
    }
}

async fn import(
    context: &Context,
    store: &impl Transfer,
    org: &OrgId,
    lines: &mut Lines,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let progress = Progress::new(&context.out, "importing", None);
    loop {
        let batch = read_batch(lines)?;
        if batch.is_empty() {
            return Ok(());
        }
        let (numbers, records): (Vec<usize>, Vec<Record>) = batch.into_iter().unzip();
        let count = records.len() as u64;
        let keys: Vec<_> = records.iter().map(id_of).collect();
        let new = store.import(org, records).await.map_err(|error| at_line(error, &numbers, &keys))?;
        *tally = Tally { new: tally.new + new, known: tally.known + count - new };
        progress.add(count);
    }
}

/// Reads a whole batch before anything of it is stored.
fn read_batch(lines: &mut Lines) -> anyhow::Result<Vec<(usize, Record)>> {
    let mut batch = Vec::new();
    while batch.len() < BATCH {
        let Some((number, line)) = lines.next()? else { break };
        let record = serde_json::from_str(&line).map_err(|error| {
            Failure::bad_input(format!("line {number} is not a record")).details(vec![error.to_string()])
        })?;
        batch.push((number, record));
    }
    Ok(batch)
}

fn header(lines: &mut Lines) -> anyhow::Result<Header> {
    let none = || {
        Failure::bad_input("line 1 is not the header of an export")
            .hint("is this a file of `reflexio export`?")
    };
    let (_, line) = lines.next()?.ok_or_else(none)?;
    let header: Header = serde_json::from_str(&line).map_err(|_| none())?;
    if header.reflexio_export != FORMAT {
        let message =
            format!("this export has format {}, and only {FORMAT} is known here", header.reflexio_export);
        return Err(Failure::bad_input(message).hint("import it with a newer reflexio").into());
    }
    Ok(header)
}

/// The store knows ids, people know lines.
fn at_line(error: Error, numbers: &[usize], keys: &[String]) -> anyhow::Error {
    let line = match &error {
        Error::Duplicate { id, .. } => keys.iter().position(|key| key == id).map(|at| numbers[at]),
        Error::Changed { .. }
        | Error::LostLease(_)
        | Error::Full
        | Error::ReadOnly
        | Error::Busy
        | Error::Corrupt(_)
        | Error::Closed
        | Error::UnusableModel(_)
        | Error::Internal(_) => None,
    };
    let place = match (line, numbers.first(), numbers.last()) {
        (Some(line), _, _) => format!("line {line}"),
        (None, Some(first), Some(last)) => format!("lines {first} to {last}"),
        (None, _, _) => return error.into(),
    };
    match error {
        Error::Duplicate { what, id } => {
            Failure::failed(format!("{place}: {what} `{id}` is taken by other content")).into()
        }
        Error::Corrupt(reason) => Failure::bad_input(format!("{place}: {reason}")).into(),
        Error::Changed { .. }
        | Error::LostLease(_)
        | Error::Full
        | Error::ReadOnly
        | Error::Busy
        | Error::Closed
        | Error::UnusableModel(_)
        | Error::Internal(_) => anyhow::Error::from(error).context(place),
    }
}

fn id_of(record: &Record) -> String {
    match record {
        Record::Image { id, .. } => id.to_string(),
        Record::Request(row) => row.id.to_string(),
        Record::Interaction(row) => row.id.to_string(),
        Record::Profile(row) => row.id.to_string(),
        Record::UserPlaybook(row) => row.id.to_string(),
        Record::AgentPlaybook(row) => row.id.to_string(),
        Record::AgentPlaybookRevision(row) => row.id.to_string(),
        Record::SessionOutcome(row) => row.id.clone(),
        Record::Evaluation(row) => row.id.to_string(),
        Record::LearningEvaluation(row) => row.id.to_string(),
        Record::ShadowComparison(row) => row.id.to_string(),
        Record::Config { .. } => String::new(),
    }
}

/// Numbered lines that are not blank.
struct Lines {
    input: Box<dyn BufRead>,
    number: usize,
}

impl Lines {
    fn open(file: &Path) -> anyhow::Result<Self> {
        let input: Box<dyn BufRead> = if file == Path::new("-") {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(
                File::open(file).with_context(|| format!("cannot read {}", file.display()))?,
            ))
        };
        Ok(Self { input, number: 0 })
    }

    fn next(&mut self) -> io::Result<Option<(usize, String)>> {
        loop {
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !line.trim().is_empty() {
                return Ok(Some((self.number, line)));
            }
        }
    }
}
