//! Searching by meaning, alone and together with words.

use reflexio_store::{
    AgentPlaybookChange, AgentPlaybookFilter, Ask, ProfileFilter, Store, UserPlaybookFilter,
};
use reflexio_types::{PlaybookStatus, Profile, RowKind, Status, UserPlaybook};

use crate::embedding::{
    DIMENSION, axis, both, embed, embed_all, find, found, hits, model, near, tilted, write,
};
use crate::sample::{
    a_run, acme, add_agent_playbooks, add_profiles, add_user_playbooks, agent_playbook, at, other, profile,
    settle, user_playbook,
};

pub async fn a_row_of_every_kind_is_found_by_its_meaning(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for kind in RowKind::ALL {
        write(store, &acme(), kind, "apple").await;
        assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "it has no vector yet");
        assert!(embed(store, &acme(), "apple", tilted(0.6)).await);
        let hits = find(store, &acme(), kind, &near(axis(0))).await;
        assert_eq!((hits.len(), hits[0].content.as_str(), hits[0].score), (1, "apple", 0.0), "{kind:?}");
    }
}

pub async fn the_cosine_is_exact_and_the_nearest_comes_first(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    let cosines: Vec<f32> = (0..100_u16).map(|n| f32::from((n * 37) % 100) / 100.0 - 0.5).collect();
    for kind in RowKind::ALL {
        for n in 0..cosines.len() {
            write(store, &acme(), kind, &format!("{kind:?}-{n}")).await;
        }
    }
    let cosine_of = |text: &str| cosines[text.rsplit('-').next().unwrap().parse::<usize>().unwrap()];
    embed_all(store, &acme(), |text| tilted(cosine_of(text))).await;
    for kind in RowKind::ALL {
        let hits = find(store, &acme(), kind, &near(axis(0))).await;
        assert_eq!(hits.len(), cosines.len());
        for hit in &hits {
            let expected = f64::from(cosine_of(&hit.content));
            assert!((hit.cosine.unwrap() - expected).abs() < 1e-6, "{hit:?}, {expected}");
        }
        assert!(hits.is_sorted_by(|a, b| a.cosine >= b.cosine), "{hits:?}");
    }
}

pub async fn a_row_is_as_near_as_the_nearest_of_several_vectors(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for (content, vector) in [("apple", tilted(0.8)), ("pear", axis(2)), ("plum", axis(7))] {
        write(store, &acme(), RowKind::Profile, content).await;
        assert!(embed(store, &acme(), content, vector).await);
    }
    let ask = Ask { meaning: vec![axis(0), axis(2)], ..near(axis(0)) };
    for kind in [RowKind::Profile] {
        let hits = find(store, &acme(), kind, &ask).await;
        let cosines: Vec<(&str, f64)> =
            hits.iter().map(|hit| (hit.content.as_str(), hit.cosine.unwrap())).collect();
        assert_eq!(cosines.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["pear", "apple", "plum"]);
        for ((_, cosine), expected) in cosines.iter().zip([1.0, 0.8, 0.0]) {
            assert!((cosine - expected).abs() < 1e-6, "{cosines:?}");
        }
    }
    let one = find(store, &acme(), RowKind::Profile, &Ask { limit: 1, ..ask }).await;
    assert_eq!(one.iter().map(|hit| hit.content.as_str()).collect::<Vec<_>>(), ["pear"]);
}

pub async fn another_org_never_sees_a_row(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    settle(store, &other()).await;
    embed_all(store, &other(), |_| axis(0)).await;
    for kind in RowKind::ALL {
        assert!(found(store, &acme(), kind, axis(0)).await.is_empty(), "{kind:?}");
    }
    settle(store, &acme()).await;
    embed_all(store, &acme(), |_| axis(1)).await;
    for kind in RowKind::ALL {
        let hits = find(store, &acme(), kind, &near(axis(0))).await;
        assert_eq!(hits.iter().map(|hit| hit.cosine).collect::<Vec<_>>(), [Some(0.0)], "{kind:?}");
    }
}

pub async fn an_upgrade_and_a_downgrade_are_seen_by_the_next_search(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    let profiles = ["old", "new"].map(|id| profile(id, "u1", 1, id));
    let [old, new] = profiles;
    add_profiles(store, &acme(), &[old, Profile { status: Status::Pending, ..new }]).await;
    let playbooks = ["old", "new"].map(|content| user_playbook("u1", 1, content));
    let [old, new] = playbooks;
    add_user_playbooks(store, &acme(), &[old, UserPlaybook { status: Status::Pending, ..new }]).await;
    embed_all(store, &acme(), |_| axis(0)).await;
    assert_eq!(with_status(store, Status::Current).await, [["old"], ["old"]]);
    store.upgrade_profiles(&acme(), None, false, &a_run(), at(2)).await.unwrap();
    store.upgrade_user_playbooks(&acme(), None, None, true, &a_run(), at(2)).await.unwrap();
    assert_eq!(with_status(store, Status::Current).await, [["new"], ["new"]]);
    assert_eq!(with_status(store, Status::Archived).await, [["old"], ["old"]]);
    assert_eq!(with_status(store, Status::Pending).await, [Vec::<String>::new(), Vec::new()]);
    store.downgrade_profiles(&acme(), None, false, &a_run(), at(3)).await.unwrap();
    store.downgrade_user_playbooks(&acme(), None, None, &a_run(), at(3)).await.unwrap();
    assert_eq!(with_status(store, Status::Current).await, [["old"], ["old"]]);
    assert_eq!(with_status(store, Status::Archived).await, [["new"], ["new"]]);
}

/// Profiles and user playbooks of a status, found by meaning.
async fn with_status(store: &dyn Store, status: Status) -> [Vec<String>; 2] {
    let filter = ProfileFilter { status: vec![status], ..ProfileFilter::default() };
    let rows = store.search_profiles(&acme(), &filter, &near(axis(0))).await.unwrap();
    let profiles = hits(rows, |row| row.body.content);
    let filter = UserPlaybookFilter { status: vec![status], ..UserPlaybookFilter::default() };
    let rows = store.search_user_playbooks(&acme(), &filter, &near(axis(0))).await.unwrap();
    let playbooks = hits(rows, |row| row.body.content);
    [profiles, playbooks].map(|hits| hits.into_iter().map(|hit| hit.content).collect())
}

pub async fn a_decision_is_seen_by_the_next_search(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    let rows = add_agent_playbooks(store, &acme(), &[agent_playbook("rule", 1, "apple")]).await;
    assert!(embed(store, &acme(), "apple", axis(0)).await);
    for decided in [PlaybookStatus::Approved, PlaybookStatus::Rejected, PlaybookStatus::Pending] {
        let change = AgentPlaybookChange { playbook_status: Some(decided), ..AgentPlaybookChange::default() };
        store.update_agent_playbook(&acme(), rows[0].id, &change, None, at(2)).await.unwrap();
        for status in PlaybookStatus::ALL {
            let filter =
                AgentPlaybookFilter { playbook_status: vec![status], ..AgentPlaybookFilter::default() };
            let found = store.search_agent_playbooks(&acme(), &filter, &near(axis(0))).await.unwrap();
            assert_eq!(found.len(), usize::from(status == decided), "{status:?} after {decided:?}");
        }
    }
}

pub async fn words_and_meaning_bring_each_row_once(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for kind in RowKind::ALL {
        for content in ["apple", "pear", "plum"] {
            write(store, &acme(), kind, content).await;
        }
        assert!(embed(store, &acme(), "apple", axis(1)).await);
        assert!(embed(store, &acme(), "pear", tilted(0.5)).await);
        let hits = find(store, &acme(), kind, &both("apple plum ", axis(0))).await;
        let names: Vec<&str> = hits.iter().map(|hit| hit.content.as_str()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        assert_eq!(names[2], "pear", "words come first: {names:?}");
        for hit in hits {
            match hit.content.as_str() {
                "apple" => assert!(hit.score > 0.0 && hit.cosine == Some(0.0), "{hit:?}"),
                "plum" => assert!(hit.score > 0.0 && hit.cosine.is_none(), "it has no vector: {hit:?}"),
                _ => assert!(hit.score == 0.0 && (hit.cosine.unwrap() - 0.5).abs() < 1e-6, "{hit:?}"),
            }
        }
        embed_all(store, &acme(), |_| axis(5)).await;
    }
}

pub async fn a_limit_holds_for_words_and_for_meaning(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    for kind in RowKind::ALL {
        for n in 0..10 {
            write(store, &acme(), kind, &format!("fruit {kind:?}-{n}")).await;
        }
    }
    let nth = |text: &str| text.rsplit('-').next().unwrap().parse::<u16>().unwrap();
    embed_all(store, &acme(), |text| tilted(1.0 - f32::from(nth(text)) / 20.0)).await;
    for kind in RowKind::ALL {
        for limit in 0..=12 {
            let near = find(store, &acme(), kind, &Ask { limit, ..near(axis(0)) }).await;
            let names: Vec<u16> = near.iter().map(|hit| nth(&hit.content)).collect();
            assert_eq!(names, (0..10.min(limit as u16)).collect::<Vec<_>>(), "{kind:?}");
            let ask = Ask { limit, ..both("fruit", axis(0)) };
            let hits = find(store, &acme(), kind, &ask).await;
            assert!(hits.iter().filter(|hit| hit.score > 0.0).count() <= limit, "{hits:?}");
            assert!((limit.min(10)..=(2 * limit).min(10)).contains(&hits.len()), "{limit}: {hits:?}");
        }
        let all = find(store, &acme(), kind, &Ask { limit: usize::MAX, ..near(axis(0)) }).await;
        assert_eq!(all.len(), 10, "{kind:?}");
    }
}

pub async fn a_question_of_another_length_is_answered_by_words(store: &dyn Store) {
    store.use_model(Some(&model())).await.unwrap();
    write(store, &acme(), RowKind::Profile, "apple").await;
    assert!(embed(store, &acme(), "apple", axis(0)).await);
    for vector in
        [Vec::new(), vec![1.0], [axis(0), axis(1)].concat(), vec![0.0; DIMENSION], vec![f32::NAN; 8]]
    {
        let hits = find(store, &acme(), RowKind::Profile, &both("apple", vector.clone())).await;
        assert_eq!(hits.len(), 1, "{vector:?}");
        assert!(hits[0].cosine.is_none_or(f64::is_finite), "{hits:?}");
    }
}
