use std::fmt;
use std::sync::Arc;

/// What comes in while a model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'a> {
    /// An attempt begins; what was heard before belongs to one that failed.
    Beginning,
    /// The next piece of the answer, thoughts and all. Nothing of it is checked yet.
    Piece(&'a str),
}

/// Hears an answer while it is made, where the server sends it in pieces; else nothing but the beginning. It must
/// return at once.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(Heard<'_>) + Send + Sync>);

impl Listener {
    pub fn new(hear: impl Fn(Heard<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    pub(crate) fn hear(&self, heard: Heard<'_>) {
        (self.0)(heard);
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
