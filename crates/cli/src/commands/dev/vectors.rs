use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;

use crate::context::Context;
use crate::local_model::LocalModel;
use crate::output::Progress;

/// How many texts are embedded between two steps of the progress bar.
const BATCH: usize = 256;

/// Where the local model is.
#[derive(Debug, Args)]
pub(super) struct ModelArgs {
    /// Where `make model` put the local model.
    #[arg(long, value_name = "FOLDER", env = "REFLEXIO_MODEL_DIR")]
    model_dir: Option<PathBuf>,
    /// Compare words only, without a model.
    #[arg(long)]
    words_only: bool,
}

impl ModelArgs {
    /// A vector for each text, or none at all where there is no model, which is told.
    pub(super) fn vectors(&self, texts: &[&str], context: &Context) -> anyhow::Result<Option<Vec<Vec<f32>>>> {
        if self.words_only {
            return Ok(None);
        }
        let model = match LocalModel::find(self.model_dir.clone()) {
            Ok(model) => model.open()?.with_threads(available_parallelism().map_or(1, usize::from)),
            Err(reason) => {
                context.out.warning(format_args!("comparing words only: {reason}"));
                return Ok(None);
            }
        };
        let progress = Progress::new(&context.out, "embedding", Some(texts.len() as u64));
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(model.encode(batch));
            progress.add(batch.len() as u64);
        }
        Ok(Some(vectors))
    }
}
