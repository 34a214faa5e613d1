use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use reflexio_store::{AgentPlaybookChange, Embedded, ProfileSelector, Store};
use reflexio_types::{
    AgentPlaybook, OrgId, PlaybookStatus, Profile, ProfileTimeToLive, Request, Status, UserPlaybook,
};
use serde_json::json;

use super::{Meanings, few, unit};
use crate::embedding::{model, waiting};
use crate::sample::{
    a_run, add_agent_playbooks, add_profiles, add_user_playbooks, agent_playbook, at, profile, request, say,
    user_playbook,
};

/// Rows of every kind with a vector for most, and what happens to them after they were embedded.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    turns: Vec<(Request, Option<Vec<f32>>)>,
    profiles: Vec<(Profile, Option<Vec<f32>>)>,
    user_playbooks: Vec<(UserPlaybook, Option<Vec<f32>>)>,
    agent_playbooks: Vec<(AgentPlaybook, Option<Vec<f32>>)>,
    upgrade: Option<Option<String>>,
    decisions: Vec<(usize, PlaybookStatus)>,
    deleted: Vec<String>,
}

impl Rows {
    /// Everything as it was asked for. Contents are numbered, so that a row is known by its text.
    pub(super) async fn write(&self, store: &dyn Store, org: &OrgId) -> Meanings {
        let mut meanings = HashMap::new();
        for (n, (request, vector)) in self.turns.iter().enumerate() {
            let request = Request { id: format!("r{n}").into(), ..request.clone() };
            say(store, org, request, &[&note(&mut meanings, "turn", n, vector)]).await;
        }
        for (n, (row, vector)) in self.profiles.iter().enumerate() {
            let mut row = Profile { id: format!("p{n}").into(), ..row.clone() };
            row.body.content = note(&mut meanings, "fact", n, vector);
            add_profiles(store, org, &[row]).await;
        }
        for (n, (row, vector)) in self.user_playbooks.iter().enumerate() {
            let mut row = row.clone();
            row.body.content = note(&mut meanings, "habit", n, vector);
            add_user_playbooks(store, org, &[row]).await;
        }
        let mut ids = Vec::new();
        for (n, (row, vector)) in self.agent_playbooks.iter().enumerate() {
            let mut row = row.clone();
            row.body.content = note(&mut meanings, "rule", n, vector);
            ids.push(add_agent_playbooks(store, org, &[row]).await[0].id);
        }
        embed(store, org, &meanings).await;
        if let Some(user) = &self.upgrade {
            let user = user.as_deref().map(Into::into);
            store.upgrade_profiles(org, user.as_ref(), false, &a_run(), at(3)).await.unwrap();
            store.upgrade_user_playbooks(org, Some("v1"), None, true, &a_run(), at(3)).await.unwrap();
        }
        for (n, decided) in &self.decisions {
            let Some(id) = ids.get(*n) else { continue };
            let change =
                AgentPlaybookChange { playbook_status: Some(*decided), ..AgentPlaybookChange::default() };
            store.update_agent_playbook(org, *id, &change, None, at(3)).await.unwrap();
        }
        let gone = ProfileSelector::Ids(self.deleted.iter().map(|id| id.as_str().into()).collect());
        store.delete_profiles(org, &gone, at(3)).await.unwrap();
        meanings
    }
}

/// The content of the n-th row.
fn note(meanings: &mut Meanings, kind: &str, n: usize, vector: &Option<Vec<f32>>) -> String {
    let content = format!("{kind}{n}");
    meanings.extend(vector.clone().map(|vector| (content.clone(), vector)));
    content
}

async fn embed(store: &dyn Store, org: &OrgId, meanings: &Meanings) {
    let mut rows = Vec::new();
    for row in waiting(store, org).await {
        let content = row.text.split_whitespace().find_map(|word| meanings.get(word));
        rows.extend(content.map(|vector| (row.row, Embedded::Vector(vector.clone()))));
    }
    let count = rows.len() as u64;
    assert_eq!(store.put_vectors(org, &model(), rows).await.unwrap(), count);
}

pub(super) fn some_rows(most: usize) -> impl Strategy<Value = Rows> {
    let meaning = || prop::option::weighted(0.9, unit());
    let rows = (
        vec((some_request(), meaning()), 0..most),
        vec((some_profile(), meaning()), 0..most),
        vec((some_user_playbook(), meaning()), 0..most),
        vec((some_agent_playbook(), meaning()), 0..most),
    );
    let decisions = vec((0..most, select(PlaybookStatus::ALL.to_vec())), 0..4);
    (rows, few(few(name("u", 3))), decisions, vec(name("p", 30), 0..3)).prop_map(
        |((turns, profiles, user_playbooks, agent_playbooks), upgrade, decisions, deleted)| Rows {
            turns,
            profiles,
            user_playbooks,
            agent_playbooks,
            upgrade,
            decisions,
            deleted,
        },
    )
}

fn some_request() -> impl Strategy<Value = Request> {
    (name("u", 3), name("s", 3), 0..6_i64)
        .prop_map(|(user, session, second)| request("", &user, &session, second))
}

fn some_profile() -> impl Strategy<Value = Profile> {
    let body = (tags(), few(name("x", 2)), few(select(vec!["blue", "red"])));
    let life = (select(ProfileTimeToLive::ALL.to_vec()), 0..6_i64);
    (name("u", 3), name("r", 2), 0..6_i64, source(), status(), body, life).prop_map(
        |(user, request, second, source, status, (tags, extractor, feature), (time_to_live, expiry))| {
            let mut row = profile("", &user, second, "");
            row.body.tags = tags;
            row.body.extractor_names = extractor.map(|name| vec![name]);
            row.body.custom_features =
                feature.and_then(|word| json!({ "colour": word }).as_object().cloned());
            Profile {
                request_id: request.into(),
                source,
                status,
                time_to_live,
                expires_at: at(expiry),
                ..row
            }
        },
    )
}

fn some_user_playbook() -> impl Strategy<Value = UserPlaybook> {
    let names = (prop::option::of(name("u", 3)), name("r", 2), name("n", 2), name("v", 2));
    (names, 0..6_i64, source(), status(), tags()).prop_map(
        |((user, request, playbook_name, agent_version), second, source, status, tags)| {
            let mut row = user_playbook("", second, "");
            row.body.tags = tags;
            UserPlaybook {
                user_id: user.map(Into::into),
                request_id: request.into(),
                playbook_name,
                agent_version,
                source,
                status,
                ..row
            }
        },
    )
}

fn some_agent_playbook() -> impl Strategy<Value = AgentPlaybook> {
    let names = (name("n", 2), name("v", 2));
    (names, 0..6_i64, status(), select(PlaybookStatus::ALL.to_vec()), tags()).prop_map(
        |((name, agent_version), second, status, playbook_status, tags)| {
            let mut row = agent_playbook(&name, second, "");
            row.body.tags = tags;
            AgentPlaybook { agent_version, status, playbook_status, ..row }
        },
    )
}

pub(super) fn name(letter: &'static str, count: u8) -> impl Strategy<Value = String> {
    (0..count).prop_map(move |n| format!("{letter}{n}"))
}

fn source() -> impl Strategy<Value = Option<String>> {
    prop::option::of(name("source", 2))
}

fn status() -> impl Strategy<Value = Status> {
    select(Status::ALL.to_vec())
}

fn tags() -> impl Strategy<Value = Option<Vec<String>>> {
    prop::option::of(vec(name("t", 4), 0..3))
}
