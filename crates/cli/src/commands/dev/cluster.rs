use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reflexio_cluster::{Count, Item, Options, cluster};
use serde::Deserialize;
use serde_json::json;

use super::lines;
use super::vectors::ModelArgs;
use crate::context::Context;

/// Arguments of `dev cluster`.
#[derive(Debug, Args)]
pub(crate) struct Cluster {
    /// JSON lines with `text`, and if you like `group` (such as a user) and `instruction`, or - for standard input.
    file: PathBuf,
    /// Fewer are noise.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    min_cluster_size: u32,
    /// What that counts: lines, or different groups.
    #[arg(long, value_name = "WHAT", default_value = "rows")]
    count: Counted,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Counted {
    Rows,
    Groups,
}

#[derive(Debug, Deserialize)]
struct Line {
    text: String,
    group: Option<String>,
    /// Lines of a cluster whose instructions contradict each other are set apart.
    #[serde(default)]
    instruction: String,
}

impl Cluster {
    pub(super) fn run(&self, context: &Context) -> anyhow::Result<()> {
        let read: Vec<Line> = lines::read(&self.file)?;
        let texts: Vec<&str> = read.iter().map(|line| line.text.as_str()).collect();
        let vectors = self.model.vectors(&texts, context)?;
        let vector = |at: usize| vectors.as_ref().and_then(|all| all.get(at)).map_or(&[][..], Vec::as_slice);
        let item = |(at, line)| item(line, vector(at));
        let items: Vec<Item<'_>> = read.iter().enumerate().map(item).collect();
        let count = match self.count {
            Counted::Rows => Count::Rows,
            Counted::Groups => Count::Groups,
        };
        let options =
            Options { min_cluster_size: self.min_cluster_size as usize, count, ..Options::for_items(&items) };
        let labels = cluster(&items, &options)?.labels(items.len());
        lines::write(labels.into_iter().map(|label| json!({ "cluster": label })))
    }
}

fn item<'a>(line: &'a Line, vector: &'a [f32]) -> Item<'a> {
    Item { text: &line.text, vector, group: line.group.as_deref(), instruction: &line.instruction }
}
