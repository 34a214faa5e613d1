use std::collections::{HashMap, HashSet};

use reflexio_search::fusion::{
    Candidate, Document, Explained, Place, Rarity, Speaker, Weights, best, fuse, is_standing_request,
    speaker_name, wording,
};
use reflexio_search::{TextQuery, remembered_terms};
use reflexio_store::Scored;
use reflexio_types::{AgentPlaybook, Interaction, InteractionId, Profile, Timestamp, UserPlaybook};

use super::asked::Asked;
use super::{Found, Hit, SearchMode, SearchOptions};

/// A row without any of the words is not shown below this cosine, unless the caller says otherwise: unrelated
/// sentences lie below it, and an agent should not be handed what has nothing to do with its question.
const LEAST_COSINE: f64 = 0.2;
/// What full recency adds for the newest row: about as much as a cosine of a half.
const MOST_RECENCY: f64 = 2.0;

/// A row that can be scored.
pub(crate) trait Rankable {
    fn text(&self) -> String;
    fn time(&self) -> Timestamp;

    /// What the store finds the row by.
    fn searchable_text(&self) -> String {
        self.text()
    }

    fn role(&self) -> &str {
        ""
    }
}

impl Rankable for Profile {
    fn text(&self) -> String {
        self.searchable_text()
    }

    fn time(&self) -> Timestamp {
        self.last_modified
    }
}

impl Rankable for UserPlaybook {
    fn text(&self) -> String {
        self.searchable_text()
    }

    fn time(&self) -> Timestamp {
        self.created_at
    }
}

impl Rankable for AgentPlaybook {
    fn text(&self) -> String {
        self.searchable_text()
    }

    fn time(&self) -> Timestamp {
        self.created_at
    }
}

impl Rankable for Interaction {
    fn text(&self) -> String {
        self.turn.text()
    }

    fn searchable_text(&self) -> String {
        self.turn.searchable_text()
    }

    fn time(&self) -> Timestamp {
        self.turn.created_at
    }

    fn role(&self) -> &str {
        &self.turn.role
    }
}

impl Asked {
    /// Orders rows that stand alone.
    pub(crate) fn rank<T: Rankable>(
        &self,
        rows: Vec<Scored<T>>,
        rarity: Option<&Rarity>,
        options: &SearchOptions,
    ) -> Found<T> {
        let documents: Vec<Document> =
            (0..).zip(&rows).map(|(at, scored)| self.document(&scored.row, alone(at))).collect();
        self.order(rows, &documents, rarity, options)
    }

    /// Orders turns, with what was said around them.
    pub(crate) fn rank_turns(
        &self,
        rows: Vec<Scored<Interaction>>,
        conversations: &[Vec<Interaction>],
        rarity: Option<&Rarity>,
        options: &SearchOptions,
    ) -> Found<Interaction> {
        let places = places(conversations);
        let found: HashSet<InteractionId> = rows.iter().map(|scored| scored.row.id).collect();
        let place = |at: u64, row: &Interaction| places.get(&row.id).copied().unwrap_or_else(|| alone(at));
        let mut documents: Vec<Document> =
            (0..).zip(&rows).map(|(at, scored)| self.document(&scored.row, place(at, &scored.row))).collect();
        let around = conversations.iter().flatten().filter(|turn| !found.contains(&turn.id));
        documents.extend((0..).zip(around).map(|(at, turn)| self.document(turn, place(at, turn))));
        self.order(rows, &documents, rarity, options)
    }

    fn document(&self, row: &impl Rankable, place: Place) -> Document {
        Document::read(&self.question, place, speaker_name(row.role()), &row.text())
    }

    /// The documents begin with those of the rows.
    fn order<T: Rankable>(
        &self,
        rows: Vec<Scored<T>>,
        documents: &[Document],
        rarity: Option<&Rarity>,
        options: &SearchOptions,
    ) -> Found<T> {
        let weights = weights(options);
        let wordings = wording(&self.question, documents, rarity, &weights);
        let candidates: Vec<Candidate> = rows
            .iter()
            .zip(wordings)
            .map(|(scored, wording)| {
                let speaker = Speaker::of(scored.row.role());
                let standing = speaker == Speaker::User && is_standing_request(&scored.row.text());
                let time = scored.row.time().0;
                Candidate { wording, cosine: scored.cosine, speaker, standing, time }
            })
            .collect();
        let scores = fuse(&self.question, &candidates, &weights);
        let shown: Vec<bool> = rows.iter().map(|scored| self.shows(scored, options)).collect();
        let order = best(&candidates, &scores, candidates.len());
        let order = order.into_iter().filter(|at| shown.get(*at) == Some(&true)).take(options.top_k);
        Found { rows: pick(rows, &scores, order), degraded: self.degraded }
    }

    /// Whether a row belongs to the answer at all.
    fn shows<T: Rankable>(&self, scored: &Scored<T>, options: &SearchOptions) -> bool {
        let matches =
            |query: &TextQuery| query.matches(&remembered_terms(&Rankable::searchable_text(&scored.row)));
        let by_words = scored.score > 0.0 && options.mode != SearchMode::Vector;
        let near = scored.cosine.is_some_and(|cosine| cosine >= options.threshold.unwrap_or(LEAST_COSINE));
        let degraded_to_words = self.ask.meaning.is_empty() && scored.score > 0.0;
        (by_words || near || degraded_to_words) && self.must_match.as_ref().is_none_or(matches)
    }
}

fn weights(options: &SearchOptions) -> Weights {
    Weights { recency: MOST_RECENCY * options.recency.clamp(0.0, 1.0), ..Weights::default() }
}

/// Far from everything that has a place in a conversation.
fn alone(at: u64) -> Place {
    Place { session: u64::MAX - at, position: 0 }
}

fn places(conversations: &[Vec<Interaction>]) -> HashMap<InteractionId, Place> {
    let places = (0..).zip(conversations).flat_map(|(session, turns)| {
        (0..).zip(turns).map(move |(position, turn)| (turn.id, Place { session, position }))
    });
    places.collect()
}

fn pick<T>(rows: Vec<Scored<T>>, scores: &[Explained], order: impl Iterator<Item = usize>) -> Vec<Hit<T>> {
    let mut rows: Vec<Option<T>> = rows.into_iter().map(|scored| Some(scored.row)).collect();
    let hit = |at: usize| {
        let (row, parts) = (rows.get_mut(at)?.take()?, *scores.get(at)?);
        Some(Hit { row, score: parts.score, parts: Some(parts) })
    };
    order.filter_map(hit).collect()
}
