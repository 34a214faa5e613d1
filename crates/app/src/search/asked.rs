use std::time::Duration;

use reflexio_embed::{Error as EmbedError, Priority};
use reflexio_search::TextQuery;
use reflexio_search::fusion::{
    Question, Rarity, Weights, information, is_exact, question_passages, text_query,
};
use reflexio_store::{Ask, Shortlist};
use reflexio_types::{Caller, RowKind, UserId};

use super::{SearchMode, SearchOptions};
use crate::App;

/// So many rows come from words, and so many from meaning, before they are scored together.
const CANDIDATES: usize = 100;
/// So many rows are read for each that is wanted, and at least so many.
const READ_PER_ROW: usize = 4;
const FEWEST_READ: usize = 32;
/// A search does not wait longer for the vector of its query.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Beyond so much text a query is cut: nobody asks with more, and its vectors cost time.
const LONGEST_QUERY_BYTES: usize = 16 << 10;
/// So many parts of a long query get vectors.
const MOST_PASSAGES: usize = 8;

/// A query, read once for all kinds of rows it is put to.
pub(crate) struct Asked {
    pub(crate) ask: Ask,
    pub(crate) question: Question,
    /// Rows must match this, however near they are.
    pub(crate) must_match: Option<TextQuery>,
    /// Meaning was asked for, and there is no vector of the query or not yet all of the rows.
    pub(crate) degraded: bool,
    /// What was asked instead of the query.
    pub(crate) reformulated: Option<String>,
}

impl App {
    /// Nothing if there is no query.
    pub(crate) async fn ask(&self, caller: &Caller, options: &SearchOptions) -> Option<Asked> {
        let query = options.query.as_deref().map(str::trim).filter(|query| !query.is_empty())?;
        let reformulated = match &options.reformulate {
            Some(history) => self.reformulated(&caller.org, query, history).await,
            None => None,
        };
        let query = reformulated.as_deref().unwrap_or(query);
        let query = &query[..query.floor_char_boundary(LONGEST_QUERY_BYTES)];
        let meaning = match options.mode {
            SearchMode::Fts => Some(Vec::new()),
            SearchMode::Vector | SearchMode::Hybrid => self.vectors_of(query).await,
        };
        let degraded =
            options.mode != SearchMode::Fts && (meaning.is_none() || !self.embeddings.is_in_place());
        let meaning = meaning.unwrap_or_default();
        let words = text_query(query);
        let must_match = is_exact(query).then(|| words.clone());
        let by_words = options.mode != SearchMode::Vector || meaning.is_empty();
        let limit = CANDIDATES.max(options.top_k.saturating_mul(2));
        let ask = Ask { words: by_words.then_some(words), meaning, limit, shortlist: None };
        let question = Question::read(query);
        Some(Asked { ask, question, must_match, degraded, reformulated: reformulated.clone() })
    }

    /// How rare the words of a query are where it is asked.
    pub(crate) fn rarity(
        &self,
        caller: &Caller,
        kind: RowKind,
        user: Option<&UserId>,
        asked: &Asked,
    ) -> Option<Rarity> {
        self.store.rarity(&caller.org, kind, user, &asked.question.terms())
    }

    /// The vectors of a query, or nothing if they cannot be had in time.
    async fn vectors_of(&self, query: &str) -> Option<Vec<Vec<f32>>> {
        let embedder = self.embeddings.embedder()?;
        let passages: Vec<String> = question_passages(query)
            .into_iter()
            .filter_map(|range| query.get(range).map(str::to_owned))
            .take(MOST_PASSAGES)
            .collect();
        if passages.is_empty() {
            return Some(Vec::new());
        }
        match tokio::time::timeout(LONGEST_WAIT, embedder.embed(&passages, Priority::Query)).await {
            Ok(Ok(vectors)) => Some(vectors),
            Ok(Err(error)) => {
                tracing::warn!(%error, "searching by words only");
                if matches!(error, EmbedError::DimensionChanged { .. }) {
                    self.embeddings.report_outdated(error.to_string());
                }
                None
            }
            Err(_) => {
                tracing::warn!(
                    seconds = LONGEST_WAIT.as_secs(),
                    "no vector of the query in time, searching by words only"
                );
                None
            }
        }
    }
}

impl Asked {
    /// What to ask the store for. With rarity known, a first look tells which rows are worth reading. Not so for
    /// turns: a short answer is found by what was said around it, which only reading tells.
    pub(crate) fn of(&self, kind: RowKind, rarity: Option<&Rarity>, options: &SearchOptions) -> Ask {
        let Some(rarity) = rarity else { return self.ask.clone() };
        let shortlist = Shortlist {
            rows: FEWEST_READ.max(options.top_k.saturating_mul(READ_PER_ROW)),
            words: 1.0 / information(&self.question, rarity),
            meaning: Weights::default().meaning,
        };
        match kind {
            RowKind::Interaction => {
                let everything = Shortlist { rows: self.ask.limit.saturating_mul(2), ..shortlist };
                Ask { shortlist: Some(everything), ..self.ask.clone() }
            }
            RowKind::Profile | RowKind::UserPlaybook | RowKind::AgentPlaybook => {
                // Each side brings half as much again, so that what only one of them knows has its chance.
                let limit = shortlist.rows + shortlist.rows / 2;
                Ask { shortlist: Some(shortlist), limit, ..self.ask.clone() }
            }
        }
    }
}
