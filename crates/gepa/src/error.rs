//! Why the engine refuses.

/// Why a run cannot begin, or an answer cannot be taken. A refused answer leaves the engine as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A candidate needs at least one component, and each name once.
    #[error("candidate has no component, or `{0}` twice")]
    Candidate(String),
    /// The caller must choose other settings.
    #[error("setting `{name}` {problem}")]
    Setting { name: &'static str, problem: &'static str },
    /// Nothing was asked, or something else was.
    #[error("the answer does not fit what was asked: {0}")]
    Unasked(&'static str),
    /// Lists of an answer must line up with the examples of its request.
    #[error("`{field}` has {got} entries for {wanted} examples")]
    Misaligned { field: &'static str, got: usize, wanted: usize },
    /// A score that is not a number would silently lose every comparison.
    #[error("score of example `{example}` is not finite")]
    NotFinite { example: usize },
    /// Every frontier but `instance` compares objectives.
    #[error("the frontier needs objective scores, example `{example}` has none")]
    NoObjectives { example: usize },
    /// Proposals may only rewrite components of the candidate.
    #[error("proposal for unknown component `{0}`")]
    UnknownComponent(String),
    /// A reflection template must have both places to fill.
    #[error("template lacks `{0}`")]
    Template(&'static str),
    /// The state was not written by this engine, or was changed since.
    #[error("state is inconsistent: {0}")]
    State(&'static str),
}
