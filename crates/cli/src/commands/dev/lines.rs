use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// Reads JSON lines whole, from a file or - for standard input; blank lines have no answer.
pub(super) fn read<T: DeserializeOwned>(file: &Path) -> anyhow::Result<Vec<T>> {
    let input: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        Box::new(BufReader::new(opened))
    };
    let mut read = Vec::new();
    for (number, line) in input.lines().enumerate() {
        let line = line.with_context(|| format!("cannot read line {}", number + 1))?;
        if !line.trim().is_empty() {
            let value = serde_json::from_str(&line);
            read.push(value.map_err(|error| Failure::bad_input(format!("line {}: {error}", number + 1)))?);
        }
    }
    Ok(read)
}

/// Writes one JSON object a line to standard output.
pub(super) fn write<T: Serialize>(values: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for value in values {
        serde_json::to_writer(&mut out, &value)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
