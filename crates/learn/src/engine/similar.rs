//! Which known rows a new one resembles: found by words and by meaning, among all rows of the user.

use async_trait::async_trait;
use reflexio_search::TextQuery;
use reflexio_store::{Ask, ProfileFilter, Scored, UserPlaybookFilter};
use reflexio_types::{OrgId, Profile, Status, Timestamp, UserId};

use super::maker::Known;
use super::rows::Rows;
use super::{Engine, Result};
use crate::consolidate::likeness::{is_similar, may_be_meant};
use crate::consolidate::{Forget, Item, Meeting, Newcomer, Similar};

/// Rows that words bring, and that meaning brings.
const CANDIDATES: usize = 20;
/// So many of them are compared with a new row.
const MOST_SIMILAR: usize = 5;

/// Turns texts into vectors of the store's model.
#[async_trait]
pub trait Meaning: Send + Sync {
    /// One for each text; nothing while they cannot be had.
    async fn vectors(&self, texts: &[String]) -> Option<Vec<Vec<f32>>>;
}

/// Where a known row lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Stored,
    /// Among the rows that this job made.
    Made(usize),
}

/// Rows that meet, and where the known ones of them lie.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) meeting: Meeting,
    pub(super) places: Vec<Place>,
}

/// Among whose rows to look.
#[derive(Clone, Copy)]
pub(super) struct Among<'a> {
    pub(super) org: &'a OrgId,
    pub(super) user: &'a UserId,
    pub(super) known: Known,
    pub(super) now: Timestamp,
}

impl Engine {
    /// Brings new rows and requests to forget together with what they are about.
    pub(super) async fn gather(
        &self,
        among: Among<'_>,
        made: Vec<Item>,
        forget: Vec<String>,
        rows: &Rows,
    ) -> Result<Gathered> {
        let texts: Vec<String> =
            made.iter().map(Item::searchable_text).chain(forget.iter().cloned()).collect();
        let vectors = match texts.is_empty() {
            true => Vec::new(),
            false => self.meaning.vectors(&texts).await.unwrap_or_default(),
        };
        let mut vectors = vectors.into_iter();
        let mut gathered = Gathered::default();
        for item in made {
            let vector = vectors.next();
            let mut found = self.stored_like(among, &item, vector).await?;
            found.retain(|(known, cosine)| is_similar(&item, known, *cosine));
            let similar = gathered.known(found, rows, |known| is_similar(&item, known, None));
            gathered.meeting.new.push(Newcomer { item, similar });
        }
        for what in forget {
            let vector = vectors.next();
            let mut found = self.stored_facts(among, &what, vector, Vec::new()).await?;
            found.retain(|(known, cosine)| may_be_meant(&what, known, *cosine));
            let is_fact =
                |known: &Item| matches!(known, Item::Profile(_)) && may_be_meant(&what, known, None);
            let similar = gathered.known(found, rows, is_fact);
            gathered.meeting.forget.push(Forget { what, similar });
        }
        Ok(gathered)
    }

    async fn stored_like(
        &self,
        among: Among<'_>,
        item: &Item,
        vector: Option<Vec<f32>>,
    ) -> Result<Vec<(Item, Option<f64>)>> {
        let Known::Stored(status) = among.known else { return Ok(Vec::new()) };
        match item {
            Item::Profile(row) => {
                self.stored_facts(among, &row.searchable_text(), vector, vec![status]).await
            }
            Item::Playbook(row) => {
                let filter = UserPlaybookFilter {
                    user_id: Some(among.user.clone()),
                    playbook_name: Some(row.playbook_name.clone()),
                    agent_version: Some(row.agent_version.clone()),
                    status: vec![status],
                    ..UserPlaybookFilter::default()
                };
                let ask = ask(&row.searchable_text(), vector);
                let found = self.store.search_user_playbooks(among.org, &filter, &ask).await?;
                Ok(found.into_iter().map(|found| (Item::Playbook(found.row), found.cosine)).collect())
            }
        }
    }

    /// Facts of these statuses; of all if there are none.
    async fn stored_facts(
        &self,
        among: Among<'_>,
        text: &str,
        vector: Option<Vec<f32>>,
        status: Vec<Status>,
    ) -> Result<Vec<(Item, Option<f64>)>> {
        if among.known == Known::Nothing {
            return Ok(Vec::new());
        }
        // What is past its time is not compared with, but it can still be forgotten.
        let alive_at = (!status.is_empty()).then_some(among.now);
        let filter =
            ProfileFilter { user_id: Some(among.user.clone()), status, alive_at, ..ProfileFilter::default() };
        let found = self.store.search_profiles(among.org, &filter, &ask(text, vector)).await?;
        let item = |found: Scored<Profile>| (Item::Profile(found.row), found.cosine);
        Ok(found.into_iter().map(item).collect())
    }
}

fn ask(text: &str, vector: Option<Vec<f32>>) -> Ask {
    let words = Some(TextQuery::parse(text)).filter(|query| !query.is_empty());
    Ask { words, meaning: vector.into_iter().collect(), limit: CANDIDATES, shortlist: None }
}

impl Gathered {
    /// Where the similar rows stand among the known ones: stored ones first, then those this job made.
    fn known(
        &mut self,
        stored: Vec<(Item, Option<f64>)>,
        rows: &Rows,
        fits: impl Fn(&Item) -> bool,
    ) -> Vec<Similar> {
        let mut similar = Vec::new();
        for (item, cosine) in stored.into_iter().take(MOST_SIMILAR) {
            similar.push(Similar { known: self.place(item, Place::Stored), cosine });
        }
        let made = rows.made().filter(|(_, item)| fits(item)).take(MOST_SIMILAR);
        for (place, item) in made {
            similar.push(Similar { known: self.place(item.clone(), Place::Made(place)), cosine: None });
        }
        similar
    }

    fn place(&mut self, item: Item, place: Place) -> usize {
        let known = &mut self.meeting.known;
        let same = |(at, known): (usize, &Item)| {
            let stored = place == Place::Stored && known.subject() == item.subject();
            (self.places.get(at) == Some(&place) && (stored || place != Place::Stored)).then_some(at)
        };
        if let Some(at) = known.iter().enumerate().find_map(same) {
            return at;
        }
        known.push(item);
        self.places.push(place);
        known.len() - 1
    }
}
