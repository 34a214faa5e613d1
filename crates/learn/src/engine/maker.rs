use std::collections::HashSet;

use reflexio_search::TextQuery;
use reflexio_store::{AggregationScope, Ask, ProfileFilter, PublishedTurn, SharedStore, UserPlaybookFilter};
use reflexio_types::{
    InteractionId, LineageSubject, OrgId, Profile, ProfileId, Status, Timestamp, UserId, UserPlaybook,
    UserPlaybookId,
};

use super::Result;
use super::rows::Rows;
use crate::consolidate::Item;
use crate::findings::{Findings, FoundPlaybook, FoundProfile, Scene};

/// Rows with all words of a new one; an exact duplicate is among the best of them.
const CANDIDATES: usize = 20;

const OUR_OWN: &str = "the agent was told it by us";
const SAID_TWICE: &str = "said twice";
pub(super) const KNOWN: &str = "known already";

/// What new rows are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The stored rows of this status, and each other.
    Stored(Status),
    /// Each other only: the stored ones are about to be replaced.
    Nothing,
}

/// For whom and as what rows are made.
pub(super) struct Maker<'a> {
    pub(super) store: &'a SharedStore,
    pub(super) org: &'a OrgId,
    pub(super) user: &'a UserId,
    pub(super) status: Status,
    pub(super) known: Known,
    pub(super) now: Timestamp,
    pub(super) new_id: fn() -> ProfileId,
}

impl Maker<'_> {
    /// The rows of a window. What is stored in the same words is confirmed instead; what is left out is counted.
    pub(super) async fn make(
        &self,
        scene: &Scene<'_>,
        findings: &mut Findings,
        rows: &mut Rows,
    ) -> Result<Vec<Item>> {
        let own: HashSet<String> = scene.own_texts.iter().map(|text| normal(text)).collect();
        let mut made = Vec::new();
        for found in std::mem::take(&mut findings.profiles) {
            let text = normal(&found.body.content);
            let Some(row) = self.profile(scene, found) else { continue };
            if own.contains(&text) {
                findings.drop_one(OUR_OWN);
            } else if !rows.is_first_of(format!("profile\n{text}")) {
                findings.drop_one(SAID_TWICE);
            } else if let Some(id) = self.known_profile(&row.body.content).await? {
                findings.drop_one(KNOWN);
                rows.confirm(LineageSubject::Profile(id), row.body.source_interaction_ids);
            } else {
                made.push(Item::Profile(row));
            }
        }
        for found in std::mem::take(&mut findings.playbooks) {
            let text = normal(&found.body.content);
            let skips = evidence(scene, &found.evidence)
                .is_some_and(|(turn, _)| turn.request.intent.skip_aggregation);
            let Some(row) = self.playbook(scene, found) else { continue };
            let key = format!("{}\n{}\n{text}", row.playbook_name, row.agent_version);
            let instruction = row.body.instruction.as_deref().map(normal);
            if own.contains(&text) || instruction.is_some_and(|text| own.contains(&text)) {
                findings.drop_one(OUR_OWN);
            } else if !rows.is_first_of(key) {
                findings.drop_one(SAID_TWICE);
            } else if let Some(id) = self.known_playbook(&row).await? {
                findings.drop_one(KNOWN);
                rows.confirm(LineageSubject::UserPlaybook(id), row.body.source_interaction_ids);
            } else {
                if !skips {
                    let (agent_version, playbook_name) =
                        (row.agent_version.clone(), row.playbook_name.clone());
                    rows.grows(AggregationScope { agent_version, playbook_name });
                }
                made.push(Item::Playbook(row));
            }
        }
        Ok(made)
    }

    fn profile(&self, scene: &Scene<'_>, found: FoundProfile) -> Option<Profile> {
        let (shown, sources) = evidence(scene, &found.evidence)?;
        let mut body = found.body;
        body.source_interaction_ids = sources;
        body.extractor_names =
            scene.profile.and_then(|config| config.extractor_name.clone()).map(|name| vec![name]);
        Some(Profile {
            id: (self.new_id)(),
            user_id: self.user.clone(),
            request_id: shown.request.id.clone(),
            last_modified: self.now,
            time_to_live: found.time_to_live,
            expires_at: found.time_to_live.expiry(self.now),
            source: source(shown),
            status: self.status,
            body,
        })
    }

    fn playbook(&self, scene: &Scene<'_>, found: FoundPlaybook) -> Option<UserPlaybook> {
        let (shown, sources) = evidence(scene, &found.evidence)?;
        let mut body = found.body;
        body.source_interaction_ids = sources;
        Some(UserPlaybook {
            id: UserPlaybookId(0),
            user_id: Some(self.user.clone()),
            request_id: shown.request.id.clone(),
            playbook_name: found.playbook_name,
            agent_version: shown.request.agent_version.clone(),
            created_at: self.now,
            source: source(shown),
            status: self.status,
            body,
        })
    }

    async fn known_profile(&self, content: &str) -> Result<Option<ProfileId>> {
        let Some((status, ask)) = self.question(content) else { return Ok(None) };
        let filter = ProfileFilter {
            user_id: Some(self.user.clone()),
            status: vec![status],
            alive_at: Some(self.now),
            ..ProfileFilter::default()
        };
        let found = self.store.search_profiles(self.org, &filter, &ask).await?;
        let same = found.into_iter().find(|found| normal(&found.row.body.content) == normal(content));
        Ok(same.map(|found| found.row.id))
    }

    async fn known_playbook(&self, row: &UserPlaybook) -> Result<Option<UserPlaybookId>> {
        let Some((status, ask)) = self.question(&row.body.content) else { return Ok(None) };
        let filter = UserPlaybookFilter {
            user_id: row.user_id.clone(),
            playbook_name: Some(row.playbook_name.clone()),
            agent_version: Some(row.agent_version.clone()),
            status: vec![status],
            ..UserPlaybookFilter::default()
        };
        let found = self.store.search_user_playbooks(self.org, &filter, &ask).await?;
        let same =
            found.into_iter().find(|found| normal(&found.row.body.content) == normal(&row.body.content));
        Ok(same.map(|found| found.row.id))
    }

    fn question(&self, content: &str) -> Option<(Status, Ask)> {
        let Known::Stored(status) = self.known else { return None };
        let query = TextQuery::all_of(content);
        (!query.is_empty()).then(|| (status, Ask::words(&query, CANDIDATES)))
    }
}

/// The last turn that shows an item, whose request it belongs to, and the ids of all of them.
fn evidence<'a>(scene: &Scene<'a>, places: &[usize]) -> Option<(&'a PublishedTurn, Vec<InteractionId>)> {
    let turns: Vec<&PublishedTurn> =
        places.iter().filter_map(|at| scene.turns.get(*at)).map(|turn| turn.turn).collect();
    let ids = turns.iter().map(|turn| turn.interaction.id).collect();
    Some((turns.last().copied()?, ids))
}

fn source(shown: &PublishedTurn) -> Option<String> {
    Some(shown.request.source.clone()).filter(|source| !source.is_empty())
}

/// A text without what does not change its meaning: case, punctuation, white space.
pub(super) fn normal(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
