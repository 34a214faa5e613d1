//! Which rows wait for a vector, and which vectors are taken.

use reflexio_store::{
    AgentPlaybookChange, AgentPlaybookSelector, Embedded, InteractionSelector, ProfileSelector,
    RequestSelector, RowRef, Store, UserPlaybookChange, UserPlaybookSelector, VectorModel,
};
use reflexio_types::{AgentPlaybookId, OrgId, RowKind, UserPlaybookId};

use crate::embedding::{axis, embed, embed_all, find, found, model, near, put, the_waiting, waiting, write};
use crate::sample::{
    acme, add_profiles, add_user_playbooks, agent_playbooks, at, other, profile, request, say, settle,
    user_playbook, user_playbooks,
};

pub async fn a_written_row_waits_until_it_has_its_vector(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for kind in RowKind::ALL {
        write(store, &acme(), kind, "apple").await;
        let rows = waiting(store, &acme()).await;
        assert_eq!(rows.len(), 1, "{kind:?}");
        assert_eq!(rows[0].row.kind, kind);
        assert!(rows[0].text.contains("apple"), "{rows:?}");
        assert!(embed(store, &acme(), "apple", axis(0)).await);
        assert_eq!(waiting(store, &acme()).await, [], "{kind:?}");
        assert!(!put(store, &acme(), rows[0].row, Embedded::Vector(axis(1))).await, "it does not wait");
    }
}

pub async fn what_was_written_before_there_was_a_model_waits_too(store: &dyn Store) {
    settle(store, &acme()).await;
    assert_eq!(store.unembedded(100).await.unwrap(), [], "nobody could embed it");
    store.use_model(Some(&model())).await.unwrap();
    assert_eq!(waiting(store, &acme()).await.len(), 4);
}

pub async fn a_row_without_text_does_not_wait(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    say(store, &acme(), request("r1", "u1", "s1", 1), &["", " ", "🙂!?"]).await;
    add_profiles(store, &acme(), &[profile("p1", "u1", 1, "")]).await;
    assert_eq!(waiting(store, &acme()).await, []);
    let rows = add_user_playbooks(store, &acme(), &[user_playbook("u1", 1, "apple")]).await;
    assert!(embed(store, &acme(), "apple", axis(0)).await);
    let change = UserPlaybookChange { content: Some(String::new()), ..UserPlaybookChange::default() };
    store.update_user_playbook(&acme(), rows[0].id, &change, None, at(2)).await.unwrap();
    assert_eq!(waiting(store, &acme()).await, []);
    assert!(found(store, &acme(), RowKind::UserPlaybook, axis(0)).await.is_empty());
}

pub async fn an_edited_row_waits_again_and_is_not_found_by_what_it_meant(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for kind in [RowKind::UserPlaybook, RowKind::AgentPlaybook] {
        write(store, &acme(), kind, "apple").await;
        let old = the_waiting(store, &acme(), "apple").await;
        assert!(put(store, &acme(), old, Embedded::Vector(axis(0))).await);
        edit(store, kind, "pear").await;
        assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "{kind:?}");
        assert!(!put(store, &acme(), old, Embedded::Vector(axis(0))).await, "the old wording");
        assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "{kind:?}");
        let new = the_waiting(store, &acme(), "pear").await;
        assert_eq!((new.kind, new.key), (old.kind, old.key));
        assert!(put(store, &acme(), new, Embedded::Vector(axis(1))).await);
        assert_eq!(found(store, &acme(), kind, axis(1)).await, ["pear"]);
        assert_eq!(waiting(store, &acme()).await, []);
    }
}

pub async fn a_vector_that_comes_after_an_edit_is_not_taken(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for kind in [RowKind::UserPlaybook, RowKind::AgentPlaybook] {
        write(store, &acme(), kind, "apple").await;
        let old = the_waiting(store, &acme(), "apple").await;
        edit(store, kind, "pear").await;
        assert!(!put(store, &acme(), old, Embedded::Vector(axis(0))).await);
        assert!(found(store, &acme(), kind, axis(0)).await.is_empty());
        assert!(!put(store, &acme(), old, Embedded::Refused("no".to_owned())).await);
        assert!(
            embed(store, &acme(), "pear", axis(0)).await,
            "a refusal of the old wording counts as little"
        );
    }
}

async fn edit(store: &dyn Store, kind: RowKind, content: &str) {
    let content = Some(content.to_owned());
    if kind == RowKind::UserPlaybook {
        let id: UserPlaybookId = user_playbooks(store, &acme()).await[0].id;
        let change = UserPlaybookChange { content, ..UserPlaybookChange::default() };
        store.update_user_playbook(&acme(), id, &change, None, at(2)).await.unwrap();
    } else {
        let id: AgentPlaybookId = agent_playbooks(store, &acme()).await[0].id;
        let change = AgentPlaybookChange { content, ..AgentPlaybookChange::default() };
        store.update_agent_playbook(&acme(), id, &change, None, at(2)).await.unwrap();
    }
}

pub async fn deleted_rows_neither_wait_nor_are_found(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    settle(store, &other()).await;
    embed_all(store, &other(), |_| axis(0)).await;
    for which in ["these", "all"] {
        for kind in RowKind::ALL {
            write(store, &acme(), kind, "embedded").await;
            assert!(embed(store, &acme(), "embedded", axis(0)).await);
        }
        write(store, &acme(), RowKind::Profile, "waits").await;
        let row = the_waiting(store, &acme(), "waits").await;
        if which == "all" {
            delete_all(store).await
        } else {
            delete_these(store).await
        }
        assert!(!put(store, &acme(), row, Embedded::Vector(axis(0))).await, "the row is gone");
        assert_eq!(waiting(store, &acme()).await, [], "{which}");
        for kind in RowKind::ALL {
            assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "{kind:?}, {which}");
            assert_eq!(found(store, &other(), kind, axis(0)).await.len(), 1, "{kind:?} of the neighbour");
        }
        for counts in store.vector_counts(&acme()).await.unwrap() {
            assert_eq!((counts.rows, counts.waiting, counts.refused), (0, 0, 0), "{counts:?}");
        }
    }
}

async fn delete_these(store: &dyn Store) {
    let requests = RequestSelector::Ids(vec!["embedded".into()]);
    store.delete_requests(&acme(), &requests).await.unwrap();
    let profiles = ProfileSelector::Ids(vec!["embedded".into(), "waits".into()]);
    store.delete_profiles(&acme(), &profiles, at(9)).await.unwrap();
    let ids = user_playbooks(store, &acme()).await.iter().map(|row| row.id).collect();
    store.delete_user_playbooks(&acme(), &UserPlaybookSelector::Ids(ids), at(9)).await.unwrap();
    let ids = agent_playbooks(store, &acme()).await.iter().map(|row| row.id).collect();
    store.delete_agent_playbooks(&acme(), &AgentPlaybookSelector::Ids(ids), at(9)).await.unwrap();
}

async fn delete_all(store: &dyn Store) {
    store.delete_interactions(&acme(), &InteractionSelector::All).await.unwrap();
    store.delete_profiles(&acme(), &ProfileSelector::All, at(9)).await.unwrap();
    store.delete_user_playbooks(&acme(), &UserPlaybookSelector::All, at(9)).await.unwrap();
    store.delete_agent_playbooks(&acme(), &AgentPlaybookSelector::All, at(9)).await.unwrap();
}

/// Also when no row of any org is left.
pub async fn a_store_that_was_emptied_finds_nothing_and_fills_again(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for content in ["apple", "pear"] {
        for kind in RowKind::ALL {
            write(store, &acme(), kind, content).await;
            assert!(embed(store, &acme(), content, axis(0)).await);
        }
        for kind in RowKind::ALL {
            assert_eq!(found(store, &acme(), kind, axis(0)).await, [content]);
        }
        delete_all(store).await;
        for kind in RowKind::ALL {
            assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "{kind:?}");
        }
    }
}

pub async fn an_erased_user_is_neither_listed_nor_found(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for kind in RowKind::ALL {
        write(store, &acme(), kind, "apple").await;
        assert!(embed(store, &acme(), "apple", axis(0)).await);
        write(store, &acme(), kind, "pear").await;
    }
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    let left = waiting(store, &acme()).await;
    assert_eq!(left.iter().map(|row| row.row.kind).collect::<Vec<_>>(), [RowKind::AgentPlaybook]);
    for kind in [RowKind::Interaction, RowKind::Profile, RowKind::UserPlaybook] {
        assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "{kind:?}");
    }
    assert_eq!(found(store, &acme(), RowKind::AgentPlaybook, axis(0)).await, ["apple"], "it is nobody's");
}

pub async fn orgs_take_turns_and_the_newest_rows_come_first(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for org in [acme(), other()] {
        for n in 0..20 {
            write(store, &org, RowKind::Interaction, &format!("turn{n}")).await;
        }
    }
    let listed = store.unembedded(10).await.unwrap();
    assert_eq!(listed.len(), 2, "both orgs");
    for (org, rows) in listed {
        let texts: Vec<&str> = rows.iter().map(|row| row.text.rsplit(' ').next().unwrap()).collect();
        assert_eq!(texts, ["turn19", "turn18", "turn17", "turn16", "turn15"], "{org}");
    }
    for (org, rows) in store.unembedded(1000).await.unwrap() {
        assert_eq!(rows.len(), 20, "{org}");
    }
}

pub async fn a_refused_row_waits_no_more_until_a_rebuild(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::Profile, "apple").await;
    write(store, &acme(), RowKind::Profile, "pear").await;
    let row = the_waiting(store, &acme(), "apple").await;
    assert!(!put(store, &acme(), row, Embedded::Refused("too sour".to_owned())).await);
    assert_eq!(waiting(store, &acme()).await.len(), 1);
    assert_eq!(counts_of(store, &acme(), RowKind::Profile).await, (2, 1, 1));
    assert_eq!(store.rebuild_vectors(&acme()).await.unwrap(), 1);
    assert_eq!(counts_of(store, &acme(), RowKind::Profile).await, (2, 2, 0));
    assert!(embed(store, &acme(), "apple", axis(0)).await);
    assert_eq!(found(store, &acme(), RowKind::Profile, axis(0)).await, ["apple"]);
}

pub async fn a_refused_row_waits_again_after_an_edit(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::AgentPlaybook, "apple").await;
    let row = the_waiting(store, &acme(), "apple").await;
    put(store, &acme(), row, Embedded::Refused("too sour".to_owned())).await;
    edit(store, RowKind::AgentPlaybook, "pear").await;
    assert!(embed(store, &acme(), "pear", axis(0)).await);
}

/// Rows, those that wait, and those that were refused.
async fn counts_of(store: &dyn Store, org: &OrgId, kind: RowKind) -> (u64, u64, u64) {
    let counts = store.vector_counts(org).await.unwrap();
    let counts = counts.into_iter().find(|counts| counts.kind == kind).unwrap();
    (counts.rows, counts.waiting, counts.refused)
}

pub async fn a_rebuild_queues_every_row_of_the_org_and_the_old_vectors_serve(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for org in [acme(), other()] {
        settle(store, &org).await;
        embed_all(store, &org, |_| axis(0)).await;
    }
    assert_eq!(store.rebuild_vectors(&acme()).await.unwrap(), 4);
    assert_eq!(store.rebuild_vectors(&acme()).await.unwrap(), 0, "they wait already");
    assert_eq!((waiting(store, &acme()).await.len(), waiting(store, &other()).await.len()), (4, 0));
    for kind in RowKind::ALL {
        assert_eq!(find(store, &acme(), kind, &near(axis(0))).await[0].cosine, Some(1.0), "{kind:?}");
    }
    assert_eq!(embed_all(store, &acme(), |_| axis(1)).await, 4);
    for kind in RowKind::ALL {
        let hits = find(store, &acme(), kind, &near(axis(0))).await;
        assert_eq!((hits.len(), hits[0].cosine), (1, Some(0.0)), "{kind:?}");
    }
    assert_eq!(waiting(store, &acme()).await, []);
}

pub async fn a_vector_that_does_not_fit_is_not_taken(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::Profile, "apple").await;
    write(store, &acme(), RowKind::Profile, "pear").await;
    let row = the_waiting(store, &acme(), "apple").await;
    let stranger = VectorModel { id: "another".to_owned(), ..model() };
    let longer = VectorModel { dimension: 16, ..model() };
    for (model, vector) in [(stranger, axis(0)), (longer, [axis(0), axis(0)].concat())] {
        let rows = vec![(row, Embedded::Vector(vector))];
        assert_eq!(store.put_vectors(&acme(), &model, rows).await.unwrap(), 0, "{model:?}");
        assert_eq!(waiting(store, &acme()).await.len(), 2, "it waits for the right one");
    }
    let elsewhere = RowRef { key: row.key, ..row };
    assert!(!put(store, &other(), elsewhere, Embedded::Vector(axis(0))).await, "another org's row");
    let zero = vec![0.0; 8];
    let nan = vec![f32::NAN; 8];
    let twice: Vec<f32> = axis(0).iter().map(|number| number * 2.0).collect();
    for vector in [axis(0)[..7].to_vec(), zero, nan, twice] {
        let row = the_waiting(store, &acme(), "apple").await;
        assert!(!put(store, &acme(), row, Embedded::Vector(vector.clone())).await, "{vector:?}");
        assert_eq!(counts_of(store, &acme(), RowKind::Profile).await, (2, 1, 1), "{vector:?}");
        store.rebuild_vectors(&acme()).await.unwrap();
    }
    assert!(embed(store, &acme(), "pear", axis(0)).await);
    assert_eq!(found(store, &acme(), RowKind::Profile, axis(0)).await, ["pear"]);
}

pub async fn one_vector_that_does_not_fit_does_not_keep_out_the_others(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for content in ["apple", "pear", "plum"] {
        write(store, &acme(), RowKind::Profile, content).await;
    }
    let rows = waiting(store, &acme()).await;
    let vector = |text: &str| if text == "pear" { vec![3.0; 8] } else { axis(0) };
    let rows = rows.into_iter().map(|row| (row.row, Embedded::Vector(vector(&row.text)))).collect();
    assert_eq!(store.put_vectors(&acme(), &model(), rows).await.unwrap(), 2);
    let mut names = found(store, &acme(), RowKind::Profile, axis(0)).await;
    names.sort_unstable();
    assert_eq!(names, ["apple", "plum"]);
}
