use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use reflexio_store::{AgentPlaybookFilter, InteractionFilter, ProfileFilter, Store, UserPlaybookFilter};
use reflexio_types::{AgentPlaybookId, OrgId, PlaybookStatus, ProfileTimeToLive, Status, UserPlaybookId};

use super::rows::name;
use super::{few, time};
use crate::sample::{agent_playbooks, at};

pub(super) fn interaction_filter() -> impl Strategy<Value = InteractionFilter> {
    (few(name("u", 4)), few(name("r", 30)), few(name("s", 4)), time()).prop_map(
        |(user, request, session, time)| InteractionFilter {
            user_id: user.map(Into::into),
            request_id: request.map(Into::into),
            session_id: session.map(Into::into),
            time,
        },
    )
}

pub(super) fn profile_filter() -> impl Strategy<Value = ProfileFilter> {
    let names = (few(name("u", 4)), few(name("p", 30)), few(name("r", 3)), few(name("source", 3)));
    let body = (tags(), few(name("x", 3)), few(select(vec!["blue", "red", "green"])));
    let life = (few(select(ProfileTimeToLive::ALL.to_vec())), few((0..6_i64).prop_map(at)));
    (names, body, life, statuses(), time()).prop_map(
        |(
            (user, id, request, source),
            (tags, extractor, feature),
            (time_to_live, alive_at),
            status,
            time,
        )| {
            ProfileFilter {
                user_id: user.map(Into::into),
                profile_id: id.map(Into::into),
                request_id: request.map(Into::into),
                source,
                time_to_live,
                time,
                status,
                tags,
                custom_feature: feature.map(str::to_owned),
                extractor_name: extractor,
                alive_at,
            }
        },
    )
}

pub(super) fn user_playbook_filter() -> impl Strategy<Value = UserPlaybookFilter> {
    let ids = (few(1..200_i64), few(name("u", 4)), few(name("r", 3)));
    let names = (few(name("n", 3)), few(name("v", 3)), few(name("source", 3)));
    (ids, names, time(), statuses(), tags()).prop_map(
        |((id, user, request), (playbook_name, agent_version, source), time, status, tags)| {
            UserPlaybookFilter {
                id: id.map(UserPlaybookId),
                user_id: user.map(Into::into),
                request_id: request.map(Into::into),
                playbook_name,
                agent_version,
                source,
                time,
                status,
                tags,
            }
        },
    )
}

pub(super) fn agent_playbook_filter() -> impl Strategy<Value = AgentPlaybookFilter> {
    let decided = prop_oneof![3 => Just(Vec::new()), 2 => vec(select(PlaybookStatus::ALL.to_vec()), 1..3)];
    let names = (few(0..30_i64), few(name("n", 3)), few(name("v", 3)));
    (names, time(), statuses(), decided, prop::bool::weighted(0.2), tags()).prop_map(
        |((id, playbook_name, agent_version), time, status, playbook_status, awaiting_review, tags)| {
            AgentPlaybookFilter {
                id: id.map(AgentPlaybookId),
                playbook_name,
                agent_version,
                time,
                status,
                playbook_status,
                awaiting_review,
                tags,
            }
        },
    )
}

/// Ids are the store's to give: the n-th of a filter stands for the n-th row.
pub(super) async fn shifted_agent_playbooks(
    store: &dyn Store,
    org: &OrgId,
    filter: &AgentPlaybookFilter,
) -> AgentPlaybookFilter {
    let Some(id) = filter.id else { return filter.clone() };
    let rows = agent_playbooks(store, org).await;
    let id = usize::try_from(id.0).ok().and_then(|n| rows.get(n)).map_or(id, |row| row.id);
    AgentPlaybookFilter { id: Some(id), ..filter.clone() }
}

fn statuses() -> impl Strategy<Value = Vec<Status>> {
    prop_oneof![3 => Just(Vec::new()), 2 => vec(select(Status::ALL.to_vec()), 1..4)]
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![3 => Just(Vec::new()), 1 => vec(name("t", 5), 1..3)]
}
