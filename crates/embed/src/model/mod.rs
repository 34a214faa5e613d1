//! all-MiniLM-L6-v2 in this process: from a file to vectors.

mod batch;
mod convert;
mod file;
mod forward;
#[cfg(test)]
mod tiny;
mod weights;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

pub use convert::convert;
pub use weights::Precision;

use crate::embedder::{Embedder, Priority};
use crate::error::{Error, Result};
use crate::kernels::Isa;
use crate::tokenizer::Tokenizer;

/// The local embedder. Cheap to clone: clones share the weights.
#[derive(Debug, Clone)]
pub struct MiniLm {
    model: Arc<Model>,
    isa: Isa,
    threads: usize,
}

#[derive(Debug)]
struct Model {
    id: String,
    weights: weights::Weights,
    tokenizer: Tokenizer,
    spaces: batch::Spaces,
}

impl MiniLm {
    /// The name of the model file in a folder of models.
    pub fn file_name(precision: Precision) -> &'static str {
        match precision {
            Precision::Int8 => "minilm-l6-v2.rfxm",
            Precision::F32 => "minilm-l6-v2-f32.rfxm",
        }
    }

    /// Reads a model file whole and checks it.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|source| {
            let path = path.to_owned();
            let missing = source.kind() == ErrorKind::NotFound;
            if missing {
                Error::ModelMissing(path)
            } else {
                Error::ModelUnreadable { path, source: Arc::new(source) }
            }
        })?;
        Self::from_bytes(&bytes, path)
    }

    /// The model that was compiled in.
    #[cfg(feature = "bundled-model")]
    pub fn bundled() -> Result<Self> {
        let bytes = include_bytes!(env!(
            "REFLEXIO_BUNDLED_MODEL",
            "the feature `bundled-model` needs the absolute path of a model file"
        ));
        Self::from_bytes(bytes, Path::new("(bundled)"))
    }

    /// Reads a model from memory; `origin` is what an error calls it.
    pub fn from_bytes(bytes: &[u8], origin: &Path) -> Result<Self> {
        let damaged = |reason: String| Error::ModelDamaged { path: PathBuf::from(origin), reason };
        let contents = file::read(bytes).map_err(damaged)?;
        let tokenizer = Tokenizer::new(contents.vocabulary.iter().map(String::as_str))
            .ok_or_else(|| damaged("its vocabulary lacks the special entries".to_owned()))?;
        let id = format!("all-minilm-l6-v2/{}.{}", contents.precision.name(), file::VERSION);
        let model = Model { id, weights: contents.weights, tokenizer, spaces: batch::Spaces::default() };
        Ok(Self { model: Arc::new(model), isa: Isa::best(), threads: 1 })
    }

    /// Lets one call use up to `threads` threads; one otherwise.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Uses another instruction set than the best, to compare them.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Tokens of a text as the model sees it, marks included.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.tokenize(text).len()
    }

    /// One vector per text. Computes on the calling thread and its helpers: not for an async task.
    pub fn encode<T: AsRef<str>>(&self, texts: &[T]) -> Vec<Vec<f32>> {
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| self.tokenize(text.as_ref())).collect();
        batch::embed(self.isa, &self.model.weights, &tokens, self.threads, &self.model.spaces)
    }

    fn tokenize(&self, text: &str) -> Vec<u32> {
        self.model.tokenizer.encode(text, self.model.weights.shape.window)
    }
}

#[async_trait]
impl Embedder for MiniLm {
    fn id(&self) -> &str {
        &self.model.id
    }

    fn dimension(&self) -> usize {
        self.model.weights.shape.width
    }

    async fn embed(&self, texts: &[String], _priority: Priority) -> Result<Vec<Vec<f32>>> {
        let (embedder, texts) = (self.clone(), texts.to_vec());
        let work = tokio::task::spawn_blocking(move || embedder.encode(&texts));
        work.await.map_err(|failure| {
            if failure.is_panic() { Error::broken(self.id(), "it panicked") } else { Error::Closed }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiny_model() -> MiniLm {
        let bytes = file::write(&tiny::contents(Precision::Int8));
        MiniLm::from_bytes(&bytes, Path::new("tiny")).expect("a whole model")
    }

    #[test]
    fn a_missing_file_says_how_to_get_it() {
        let error = MiniLm::open(Path::new("/nowhere/minilm-l6-v2.rfxm")).expect_err("no file");
        assert!(matches!(error, Error::ModelMissing(_)));
        assert!(error.to_string().contains("make model"), "{error}");
    }

    #[test]
    fn a_damaged_file_says_how_to_get_a_new_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.rfxm");
        let mut bytes = file::write(&tiny::contents(Precision::Int8));
        let last = bytes.len() - 40;
        bytes[last] ^= 1;
        fs::write(&path, bytes).expect("written");
        let error = MiniLm::open(&path).expect_err("damaged");
        assert!(
            matches!(&error, Error::ModelDamaged { reason, .. } if reason.contains("checksum")),
            "{error}"
        );
        assert!(error.to_string().contains("make model"), "{error}");
    }

    #[test]
    fn a_folder_in_place_of_the_file_is_unreadable() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(matches!(MiniLm::open(folder.path()), Err(Error::ModelUnreadable { .. })));
    }

    #[tokio::test]
    async fn vectors_come_in_the_order_of_the_texts_and_have_length_one() {
        let model = tiny_model().with_threads(2);
        let texts: Vec<String> = ["a b", "b", "", "zzz", "a!b ab"].map(str::to_owned).to_vec();
        let vectors = model.embed(&texts, Priority::Query).await.expect("vectors");
        for (text, vector) in texts.iter().zip(&vectors) {
            assert_eq!(vector, &model.encode(&[text])[0], "{text}");
            let length: f32 = vector.iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-5);
            assert_eq!(vector.len(), model.dimension());
        }
        assert!(model.embed(&[], Priority::Query).await.expect("no vectors").is_empty());
    }

    #[test]
    fn the_id_names_model_precision_and_version() {
        assert_eq!(tiny_model().id(), "all-minilm-l6-v2/int8.1");
    }
}
