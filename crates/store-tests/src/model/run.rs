use reflexio_store::{
    AgentPlaybookSelector, Downgrade, Error, InteractionSelector, NewRequest, ProfileSelector,
    RequestSelector, Store, Upgrade, UserDataCounts, UserPlaybookSelector,
};
use reflexio_types::{
    AgentPlaybook, Image, ImageRef, Interaction, InteractionId, OrgId, PlaybookStatus, Profile, ProfileId,
    Request, RequestId, Review, Signature, Status, Turn, UserPlaybook,
};

use super::Model;
use super::steps::Step;
use crate::sample::{at, image, request};

/// Does a step in the store and in the model; both must answer the same.
pub(super) async fn run(store: &dyn Store, org: &OrgId, model: &mut Model, step: &Step) {
    match step {
        Step::Publish { request: id, user, session, second, turns } => {
            publish(store, org, model, request(id, user, session, *second), turns).await;
        }
        Step::DeleteRequests(ids) => {
            let which = RequestSelector::Ids(ids.iter().cloned().map(RequestId::new).collect());
            let expected = model.drop_requests(|row| ids.iter().any(|id| id == row.id.as_str()));
            assert_eq!(store.delete_requests(org, &which).await.unwrap(), expected, "{step:?}");
        }
        Step::DeleteSession(id) => {
            let expected = model.drop_requests(|row| row.session_id.as_str() == id);
            let which = RequestSelector::Session(id.as_str().into());
            assert_eq!(store.delete_requests(org, &which).await.unwrap(), expected, "{step:?}");
        }
        Step::DeleteInteraction { user, pick } => {
            let id = if model.interactions.is_empty() {
                InteractionId(0)
            } else {
                pick.get(&model.interactions).id
            };
            let which = InteractionSelector::One { user_id: user.as_str().into(), id };
            let expected = delete_interaction(model, user, id);
            assert_eq!(store.delete_interactions(org, &which).await.unwrap(), expected, "{step:?}");
        }
        Step::DeleteAllInteractions => {
            let expected = model.interactions.len() as u64;
            (model.interactions, model.requests) = (Vec::new(), Vec::new());
            assert_eq!(store.delete_interactions(org, &InteractionSelector::All).await.unwrap(), expected);
        }
        Step::AddProfiles(rows) => add_profiles(store, org, model, rows).await,
        Step::DeleteProfiles(ids) => {
            let which = ProfileSelector::Ids(ids.iter().cloned().map(ProfileId::new).collect());
            delete_profiles(store, org, model, which, |row| ids.iter().any(|id| id == row.id.as_str())).await;
        }
        Step::DeleteProfileOf { user, id } => {
            let which = ProfileSelector::OfUser { user_id: user.as_str().into(), id: id.as_str().into() };
            let gone = |row: &Profile| row.id.as_str() == id && row.user_id.as_str() == user;
            delete_profiles(store, org, model, which, gone).await;
        }
        Step::DeleteAllProfiles => delete_profiles(store, org, model, ProfileSelector::All, |_| true).await,
        Step::UpgradeProfiles { user, only_affected } => {
            let in_scope = users_with(model, user.as_deref(), only_affected.then_some(Status::Pending));
            let expected = upgrade(&mut model.profiles, |row| &mut row.status, in_scope, true);
            let user = user.as_deref().map(Into::into);
            let done = store.upgrade_profiles(org, user.as_ref(), *only_affected, at(9)).await.unwrap();
            assert_eq!(done, expected, "{step:?}");
        }
        Step::DowngradeProfiles { user, only_affected } => {
            let in_scope = users_with(model, user.as_deref(), only_affected.then_some(Status::Archived));
            let expected = downgrade(&mut model.profiles, |row| &mut row.status, in_scope);
            let user = user.as_deref().map(Into::into);
            let done = store.downgrade_profiles(org, user.as_ref(), *only_affected, at(9)).await.unwrap();
            assert_eq!(done, expected, "{step:?}");
        }
        Step::AddUserPlaybooks(rows) => {
            let ids = store.add_user_playbooks(org, rows.clone(), None).await.unwrap();
            model
                .user_playbooks
                .extend(rows.iter().zip(ids).map(|(row, id)| UserPlaybook { id, ..row.clone() }));
        }
        Step::EditUserPlaybook { pick, change } => {
            let Some(row) = pick_mut(&mut model.user_playbooks, pick) else { return };
            row.playbook_name = change.playbook_name.clone().unwrap_or_else(|| row.playbook_name.clone());
            row.body.content = change.content.clone().unwrap_or_else(|| row.body.content.clone());
            row.body.trigger = change.trigger.clone().or_else(|| row.body.trigger.clone());
            row.body.rationale = change.rationale.clone().or_else(|| row.body.rationale.clone());
            let edited = store.update_user_playbook(org, row.id, change, None, at(9)).await.unwrap();
            assert_eq!(edited.as_ref(), Some(&*row), "{step:?}");
        }
        Step::DeleteUserPlaybooks(picks) => {
            let ids: Vec<_> = picked(&model.user_playbooks, picks).map(|row| row.id).collect();
            let expected = retain(&mut model.user_playbooks, |row| !ids.contains(&row.id));
            let which = UserPlaybookSelector::Ids(ids);
            assert_eq!(store.delete_user_playbooks(org, &which, at(9)).await.unwrap(), expected, "{step:?}");
        }
        Step::DeleteAllUserPlaybooks => {
            let expected = retain(&mut model.user_playbooks, |_| false);
            let done = store.delete_user_playbooks(org, &UserPlaybookSelector::All, at(9)).await.unwrap();
            assert_eq!(done, expected);
        }
        Step::UpgradeUserPlaybooks { version, name, archive } => {
            let (version, name) = (version.as_deref(), name.as_deref());
            let in_scope = |row: &UserPlaybook| of_kind(row, version, name);
            let expected = upgrade(&mut model.user_playbooks, |row| &mut row.status, in_scope, *archive);
            let done = store.upgrade_user_playbooks(org, version, name, *archive, at(9)).await.unwrap();
            assert_eq!(done, expected, "{step:?}");
        }
        Step::DowngradeUserPlaybooks { version, name } => {
            let (version, name) = (version.as_deref(), name.as_deref());
            let in_scope = |row: &UserPlaybook| of_kind(row, version, name);
            let expected = downgrade(&mut model.user_playbooks, |row| &mut row.status, in_scope);
            let done = store.downgrade_user_playbooks(org, version, name, at(9)).await.unwrap();
            assert_eq!(done, expected, "{step:?}");
        }
        Step::AddAgentPlaybooks(rows) => {
            let ids = store.add_agent_playbooks(org, rows.clone(), None).await.unwrap();
            model
                .agent_playbooks
                .extend(rows.iter().zip(ids).map(|(row, id)| AgentPlaybook { id, ..row.clone() }));
        }
        Step::EditAgentPlaybook { pick, change } => {
            let Some(row) = pick_mut(&mut model.agent_playbooks, pick) else { return };
            let (old, by) = (row.clone(), Signature { key: None, at: at(9) });
            let some = |text: String| Some(text).filter(|text| !text.is_empty());
            row.playbook_name = change.playbook_name.clone().unwrap_or_else(|| row.playbook_name.clone());
            row.body.content = change.content.clone().unwrap_or_else(|| row.body.content.clone());
            row.body.trigger = change.trigger.clone().map_or_else(|| row.body.trigger.clone(), some);
            row.body.rationale = change.rationale.clone().map_or_else(|| row.body.rationale.clone(), some);
            if *row != old {
                row.body.written_by = Some(by.clone());
            }
            if let Some(status) = change.playbook_status.filter(|status| *status != old.playbook_status) {
                row.playbook_status = status;
                let decided = status != PlaybookStatus::Pending;
                row.body.review = decided.then_some(Review { by, reason: None });
            }
            let edited = store.update_agent_playbook(org, row.id, change, None, at(9)).await.unwrap();
            assert_eq!(edited.as_ref(), Some(&*row), "{step:?}");
        }
        Step::DeleteAgentPlaybooks(picks) => {
            let ids: Vec<_> = picked(&model.agent_playbooks, picks).map(|row| row.id).collect();
            let expected = retain(&mut model.agent_playbooks, |row| !ids.contains(&row.id));
            let which = AgentPlaybookSelector::Ids(ids);
            assert_eq!(store.delete_agent_playbooks(org, &which, at(9)).await.unwrap(), expected, "{step:?}");
        }
        Step::DeleteAllAgentPlaybooks => {
            let expected = retain(&mut model.agent_playbooks, |_| false);
            let done = store.delete_agent_playbooks(org, &AgentPlaybookSelector::All, at(9)).await.unwrap();
            assert_eq!(done, expected);
        }
        Step::ClearUser(user) => clear_user(store, org, model, user).await,
    }
}

async fn publish(
    store: &dyn Store,
    org: &OrgId,
    model: &mut Model,
    request: Request,
    turns: &[(String, Option<String>)],
) {
    let images: Vec<Image> = turns.iter().filter_map(|(_, shown)| shown.as_deref().map(image)).collect();
    let turns: Vec<Turn> = turns.iter().map(|(text, shown)| turn(&request, text, shown.as_deref())).collect();
    let new =
        NewRequest { request: request.clone(), turns: turns.clone(), images, job: None, also: Vec::new() };
    let taken = model.requests.iter().any(|row| row.id == request.id);
    match store.publish(org, new).await {
        Ok(published) => {
            assert!(!taken, "{request:?} was stored twice");
            model.interactions.extend(turns.into_iter().zip(published.interaction_ids).map(|(turn, id)| {
                Interaction {
                    id,
                    user_id: request.user_id.clone(),
                    request_id: request.id.clone(),
                    session_id: request.session_id.clone(),
                    turn,
                }
            }));
            model.requests.push(request);
        }
        Err(error) => assert!(taken && matches!(error, Error::Duplicate { .. }), "{error:?}"),
    }
}

fn turn(request: &Request, text: &str, shown: Option<&str>) -> Turn {
    let shown = shown.map(image).map(|image| ImageRef { id: image.id, media_type: image.media_type });
    Turn { image: shown, ..Turn::say(request.created_at, "User", text) }
}

fn delete_interaction(model: &mut Model, user: &str, id: InteractionId) -> u64 {
    let Some(at) = model.interactions.iter().position(|row| row.id == id && row.user_id.as_str() == user)
    else {
        return 0;
    };
    let gone = model.interactions.remove(at);
    if model.interactions.iter().all(|row| row.request_id != gone.request_id) {
        model.requests.retain(|request| request.id != gone.request_id);
    }
    1
}

async fn add_profiles(store: &dyn Store, org: &OrgId, model: &mut Model, rows: &[Profile]) {
    let mut ids: Vec<&ProfileId> = model.profiles.iter().chain(rows).map(|row| &row.id).collect();
    ids.sort_unstable();
    let taken = ids.windows(2).any(|pair| pair[0] == pair[1]);
    match store.add_profiles(org, rows.to_vec(), None).await {
        Ok(()) => {
            assert!(!taken, "{rows:?} were stored over others");
            model.profiles.extend_from_slice(rows);
        }
        Err(error) => assert!(taken && matches!(error, Error::Duplicate { .. }), "{error:?}"),
    }
}

async fn delete_profiles(
    store: &dyn Store,
    org: &OrgId,
    model: &mut Model,
    which: ProfileSelector,
    gone: impl Fn(&Profile) -> bool,
) {
    let expected = retain(&mut model.profiles, |row| !gone(row));
    assert_eq!(store.delete_profiles(org, &which, at(9)).await.unwrap(), expected, "{which:?}");
}

async fn clear_user(store: &dyn Store, org: &OrgId, model: &mut Model, user: &str) {
    let images = model.images().len();
    let interactions = retain(&mut model.interactions, |row| row.user_id.as_str() != user);
    let expected = UserDataCounts {
        interactions,
        requests: retain(&mut model.requests, |row| row.user_id.as_str() != user),
        profiles: retain(&mut model.profiles, |row| row.user_id.as_str() != user),
        user_playbooks: retain(&mut model.user_playbooks, |row| {
            row.user_id.as_ref().is_none_or(|of| of.as_str() != user)
        }),
        jobs: 0,
        images: (images - model.images().len()) as u64,
        model_calls: 0,
        session_outcomes: 0,
        evaluations: 0,
        ..UserDataCounts::default()
    };
    assert_eq!(store.clear_user(org, &user.into()).await.unwrap(), expected);
}

/// Profiles of one user or of all; only of users who have one of this status, if one is given.
fn users_with(model: &Model, user: Option<&str>, with: Option<Status>) -> impl Fn(&Profile) -> bool + use<> {
    let (user, rows) = (user.map(str::to_owned), &model.profiles);
    let affected: Option<Vec<_>> = with.map(|status| {
        rows.iter().filter(|row| row.status == status).map(|row| row.user_id.clone()).collect()
    });
    move |row| {
        user.as_ref().is_none_or(|user| user == row.user_id.as_str())
            && affected.as_ref().is_none_or(|users| users.contains(&row.user_id))
    }
}

fn of_kind(row: &UserPlaybook, version: Option<&str>, name: Option<&str>) -> bool {
    version.is_none_or(|version| version == row.agent_version)
        && name.is_none_or(|name| name == row.playbook_name)
}

/// Archived and current rows change places, if there is an archived one.
fn downgrade<R>(
    rows: &mut [R],
    status: fn(&mut R) -> &mut Status,
    in_scope: impl Fn(&R) -> bool,
) -> Downgrade {
    let mut done = Downgrade::default();
    if !rows.iter_mut().any(|row| in_scope(row) && *status(row) == Status::Archived) {
        return done;
    }
    for row in rows.iter_mut().filter(|row| in_scope(row)) {
        let status = status(row);
        if *status == Status::Archived {
            *status = Status::Current;
            done.restored += 1;
        } else if *status == Status::Current {
            *status = Status::Archived;
            done.demoted += 1;
        }
    }
    done
}

/// Archived rows go, current ones are archived, pending ones become current.
fn upgrade<R>(
    rows: &mut Vec<R>,
    status: fn(&mut R) -> &mut Status,
    in_scope: impl Fn(&R) -> bool,
    archive: bool,
) -> Upgrade {
    let mut done = Upgrade::default();
    if !rows.iter_mut().any(|row| in_scope(row) && *status(row) == Status::Pending) {
        return done;
    }
    let mut kept = Vec::new();
    for mut row in rows.drain(..) {
        let old = *status(&mut row);
        if in_scope(&row) && old == Status::Pending {
            *status(&mut row) = Status::Current;
            done.promoted += 1;
        } else if archive && in_scope(&row) && old == Status::Current {
            *status(&mut row) = Status::Archived;
            done.archived += 1;
        } else if archive && in_scope(&row) && old == Status::Archived {
            done.deleted += 1;
            continue;
        }
        kept.push(row);
    }
    *rows = kept;
    done
}

fn retain<R>(rows: &mut Vec<R>, keep: impl Fn(&R) -> bool) -> u64 {
    let before = rows.len();
    rows.retain(keep);
    (before - rows.len()) as u64
}

fn pick_mut<'a, R>(rows: &'a mut [R], pick: &proptest::sample::Index) -> Option<&'a mut R> {
    if rows.is_empty() { None } else { Some(pick.get_mut(rows)) }
}

fn picked<'a, R>(rows: &'a [R], picks: &'a [proptest::sample::Index]) -> impl Iterator<Item = &'a R> {
    picks.iter().filter(|_| !rows.is_empty()).map(|pick| pick.get(rows))
}
