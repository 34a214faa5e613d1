use reflexio_store::{EvaluationFilter, JobCounts, NewRequest, StorageStats, Store, UserDataCounts};
use reflexio_types::{LineageSubject, UserId};

use crate::sample::{
    ALL, acme, add_profiles, add_user_playbooks, at, evaluation, everything, found, image, interactions,
    judgement, learn, new_request, other, outcome, profile, profiles, publish, request, say, settle, showing,
    user_playbook, user_playbooks,
};

pub async fn a_store_in_order_answers(store: &dyn Store) {
    store.ping().await.unwrap();
    assert!(!store.kind().is_empty() && !store.label().is_empty());
    settle(store, &acme()).await;
    store.ping().await.unwrap();
}

pub async fn rows_are_counted_per_org_and_per_user(store: &dyn Store) {
    assert_eq!(store.stats(&acme(), None).await.unwrap(), StorageStats::default());
    settle(store, &acme()).await;
    settle(store, &other()).await;
    say(store, &acme(), request("r2", "u2", "s2", 2), &["a", "b"]).await;
    add_profiles(store, &acme(), &[profile("p2", "u2", 7, ""), profile("p3", "u2", 5, "")]).await;
    let all = store.stats(&acme(), None).await.unwrap();
    let expected = StorageStats {
        profile_count: 3,
        user_playbook_count: 1,
        agent_playbook_count: 1,
        interaction_count: 3,
        request_count: 2,
        oldest_profile_modified: Some(at(1)),
        newest_profile_modified: Some(at(7)),
    };
    assert_eq!(all, expected);
    let of_user = store.stats(&acme(), Some(&UserId::new("u2"))).await.unwrap();
    let expected = StorageStats {
        profile_count: 2,
        user_playbook_count: 0,
        agent_playbook_count: 1,
        interaction_count: 2,
        request_count: 1,
        oldest_profile_modified: Some(at(5)),
        newest_profile_modified: Some(at(7)),
    };
    assert_eq!(of_user, expected);
}

pub async fn an_erased_user_leaves_nothing_behind(store: &dyn Store) {
    let (shared, own) = (image("shared"), image("own"));
    settle(store, &acme()).await;
    let new = NewRequest {
        images: vec![shared.clone(), own.clone()],
        turns: vec![showing(2, "refund please", &shared), showing(2, "refund now", &own)],
        job: Some(learn("u2")),
        ..new_request(request("r2", "u2", "s1", 2), &[])
    };
    let turn = publish(store, &acme(), new).await[1];
    store.record_outcome(&acme(), outcome("o2", "u2", "s1", 2)).await.unwrap();
    let judged = judgement(evaluation("u2", "s1", turn, 2), 2);
    store.judge(&acme(), Some(judged), None, at(2)).await.unwrap();
    say(store, &acme(), request("r3", "u2", "s3", 3), &[]).await;
    add_profiles(store, &acme(), &[profile("p2", "u2", 2, "wants refunds")]).await;
    let playbooks = add_user_playbooks(store, &acme(), &[user_playbook("u2", 2, "refund fast")]).await;

    let erased = store.clear_user(&acme(), &"u2".into()).await.unwrap();
    let expected = UserDataCounts {
        interactions: 2,
        requests: 2,
        profiles: 1,
        user_playbooks: 1,
        jobs: 1,
        images: 1,
        model_calls: 0,
        session_outcomes: 1,
        evaluations: 3,
        ..UserDataCounts::default()
    };
    assert_eq!(erased, expected);
    assert_eq!(found(store, &acme(), "refund").await, ["refund for the neighbour"]);
    assert_eq!(interactions(store, &acme()).await.len(), 1);
    assert_eq!((profiles(store, &acme()).await.len(), user_playbooks(store, &acme()).await.len()), (1, 1));
    assert_eq!(store.image(&acme(), &own.id).await.unwrap(), None);
    assert!(store.image(&acme(), &shared.id).await.unwrap().is_some());
    assert_eq!(store.learning_job(&acme(), &"u2".into()).await.unwrap(), None);
    assert_eq!(store.job_counts().await.unwrap(), JobCounts { queued: 1, ..JobCounts::default() });
    let of_user = EvaluationFilter { user_id: Some("u2".into()), ..EvaluationFilter::default() };
    assert!(store.evaluations(&acme(), &of_user, ALL).await.unwrap().is_empty());
    assert!(store.learning_evaluations(&acme(), &of_user, ALL).await.unwrap().is_empty());
    assert_eq!(store.outcome(&acme(), &"u2".into(), &"s1".into()).await.unwrap(), None);
    for subject in [LineageSubject::Profile("p2".into()), LineageSubject::UserPlaybook(playbooks[0].id)] {
        assert!(store.history(&acme(), &subject).await.unwrap().is_empty());
    }
    assert_eq!(store.clear_user(&acme(), &"u2".into()).await.unwrap(), UserDataCounts::default());
}

pub async fn erasing_a_user_spares_the_same_name_in_another_org(store: &dyn Store) {
    settle(store, &acme()).await;
    settle(store, &other()).await;
    let before = everything(store, &other()).await;
    store.clear_user(&acme(), &"u1".into()).await.unwrap();
    assert_eq!(everything(store, &other()).await, before);
    assert_eq!(store.clear_user(&acme(), &"nobody".into()).await.unwrap(), UserDataCounts::default());
    assert_eq!(store.stats(&acme(), None).await.unwrap().agent_playbook_count, 1);
}

pub async fn a_store_in_use_is_sound(store: &dyn Store) {
    settle(store, &acme()).await;
    settle(store, &other()).await;
    say(store, &acme(), request("r2", "u2", "s2", 2), &["Ünïcode 退款 नमस्ते", "", "🙂"]).await;
    store.clear_user(&other(), &"u1".into()).await.unwrap();
    let report = store.check_integrity().await.unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    assert!(report.checked.iter().map(|(_, count)| count).sum::<u64>() > 8, "{report:?}");
}
