//! A look at the whole database finds what is wrong and says where.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use reflexio_store::{
    AgentPlaybooks, Costs, Embedded, Maintenance, Profiles, Requests, UserPlaybooks, Vectors,
};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, CallOutcome, ModelCall, NEVER_EXPIRES, PlaybookStatus,
    Profile, ProfileBody, ProfileTimeToLive, Status, Timestamp, UserPlaybook, UserPlaybookBody,
    UserPlaybookId,
};
use rusqlite::Connection;
use support::vectors::{model, vector};
use support::{new_request, open, org};
use tempfile::TempDir;

#[tokio::test]
async fn a_sound_database_has_no_problems() {
    check("SELECT 1", &[]).await;
}

#[tokio::test]
async fn a_missing_index_entry_is_found_in_every_index() {
    check("DELETE FROM interactions_fts WHERE rowid = 2", &["interaction 2 has no index entry"]).await;
    check("DELETE FROM profiles_fts WHERE rowid = 1", &["profile 1 has no index entry"]).await;
    check("DELETE FROM user_playbooks_fts WHERE rowid = 1", &["user playbook 1 has no index entry"]).await;
    check("DELETE FROM agent_playbooks_fts WHERE rowid = 1", &["agent playbook 1 has no index entry"]).await;
}

#[tokio::test]
async fn an_index_entry_without_a_row_is_found() {
    let damage = "INSERT INTO interactions_fts (rowid, scope, body) VALUES (77, 'o', 'ghost')";
    check(damage, &["index entry 77 belongs to no interaction"]).await;
}

#[tokio::test]
async fn an_index_entry_with_other_text_is_found() {
    check(
        "UPDATE interactions SET content = 'something else' WHERE id = 1",
        &["index entry of interaction 1"],
    )
    .await;
    check(
        "UPDATE interactions SET content = 'refund want I a' WHERE id = 1",
        &["index entry of interaction 1"],
    )
    .await;
    let damage = "UPDATE profiles SET body = json_set(body, '$.content', 'changed')";
    check(damage, &["index entry of profile 1"]).await;
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_found() {
    check("UPDATE profiles SET body = '{broken'", &["profile 1 cannot be read"]).await;
    check("UPDATE user_playbooks SET status = 'unheard of'", &["user playbook 1 cannot be read"]).await;
}

#[tokio::test]
async fn broken_references_are_found() {
    check(
        "DELETE FROM requests",
        &["interaction 1 belongs to a request", "interaction 2 belongs to a request"],
    )
    .await;
    check(
        "UPDATE requests SET user_id = 'u9'",
        &["interaction 1 and its request", "interaction 2 and its request"],
    )
    .await;
    check("UPDATE interactions SET image_id = 'cat' WHERE id = 2", &["interaction 2 shows image `cat`"])
        .await;
    let damage = "INSERT INTO images (org_id, id, media_type, bytes) VALUES ('acme', 'cat', 'image/gif', '')";
    check(damage, &["image `cat` is shown by no interaction"]).await;
}

#[tokio::test]
async fn a_row_that_lost_its_vector_and_waits_for_none_is_found() {
    for (table, kind, name) in [
        ("interactions_vectors", 1, "interaction 2"),
        ("profiles_vectors", 2, "profile 1"),
        ("user_playbooks_vectors", 3, "user playbook 1"),
        ("agent_playbooks_vectors", 4, "agent playbook 1"),
    ] {
        let expected = format!("{name} has no vector and waits for none");
        let key = &name[name.len() - 1..];
        check(&format!("DELETE FROM {table} WHERE key = {key}"), &[&expected]).await;
        let waits = format!(
            "DELETE FROM {table} WHERE key = {key};
             INSERT INTO unembedded (org_id, kind, key, wording) VALUES ('acme', {kind}, {key}, 1)"
        );
        check(&waits, &[]).await;
    }
}

#[tokio::test]
async fn a_vector_that_belongs_to_nothing_is_found() {
    let damage = "INSERT INTO profiles_vectors SELECT 77, model, vector FROM profiles_vectors";
    check(damage, &["vector 77 belongs to no profile"]).await;
    let damage = "INSERT INTO unembedded (org_id, kind, key, wording) VALUES ('acme', 2, 77, 1)";
    check(damage, &["what waits for a vector under 77 is no profile"]).await;
    let damage = "INSERT INTO unembedded (org_id, kind, key, wording) VALUES ('other', 2, 1, 1)";
    check(damage, &["what waits for a vector under 1 is no profile"]).await;
}

#[tokio::test]
async fn a_vector_that_cannot_be_searched_is_found() {
    for vector in ["x'00'", "zeroblob(32)", "'text'"] {
        let damage = format!("UPDATE profiles_vectors SET vector = {vector}");
        check(&damage, &["the vector of profile 1 is damaged"]).await;
        let waits = "INSERT INTO unembedded (org_id, kind, key, wording) VALUES ('acme', 2, 1, 1)";
        check(&format!("{damage}; {waits}"), &[]).await;
    }
    check("UPDATE profiles_vectors SET model = 9", &["the vector of profile 1 is of a model that nobody"])
        .await;
    let damage =
        "INSERT INTO vector_models VALUES (9, 'old', 8, 0, 0); UPDATE profiles_vectors SET model = 9";
    check(damage, &["the vector of profile 1 is of a model that is not in use"]).await;
}

#[tokio::test]
async fn books_that_do_not_add_up_are_found() {
    let books = "the books of day 20000 for judge by m speak of 1 single calls that cost 5";
    check("DELETE FROM model_calls", &[books]).await;
    check("UPDATE model_calls SET cost_micros = 6", &[books]).await;
    check("DELETE FROM cost_days", &["call 1 of a model is in no total"]).await;
    check("UPDATE cost_days SET calls = 0", &["hold more single calls than calls"]).await;
    let damage = "INSERT INTO saved_answers VALUES (77, 'q', 'acme', NULL, 1, 'x')";
    check(damage, &["an answer is kept for job 77, which needs none"]).await;
}

/// Damages a small database and compares the beginnings of what is found.
async fn check(damage: &str, expected: &[&str]) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    fill(&store).await;
    Connection::open(&path).unwrap().execute_batch(&format!("PRAGMA foreign_keys = OFF; {damage}")).unwrap();
    let found = store.check_integrity().await.unwrap();
    let fits = found.problems.len() == expected.len()
        && found.problems.iter().zip(expected).all(|(found, expected)| found.contains(expected));
    assert!(fits, "after `{damage}`: {:?}", found.problems);
}

/// One row of each kind, and two turns; all have vectors.
async fn fill(store: &SqliteStore) {
    store.use_model(Some(&model())).await.unwrap();
    store.publish(&org(), new_request("r1", &["I want a refund", "of course 退款"])).await.unwrap();
    store.add_profiles(&org(), vec![profile()], None).await.unwrap();
    store.add_user_playbooks(&org(), vec![user_playbook()], None).await.unwrap();
    store.add_agent_playbooks(&org(), vec![agent_playbook()], None).await.unwrap();
    store.record_calls(&org(), vec![call()]).await.unwrap();
    for (org, rows) in store.unembedded(100).await.unwrap() {
        let rows = rows.into_iter().map(|row| (row.row, Embedded::Vector(vector(1)))).collect();
        assert_eq!(store.put_vectors(&org, &model(), rows).await.unwrap(), 5);
    }
}

fn call() -> ModelCall {
    ModelCall {
        at: Timestamp(20_000 * 86_400),
        role: "judge".to_owned(),
        model: "m".to_owned(),
        prompt_version: None,
        is_correction: false,
        attempt: 1,
        prompt_tokens: 1,
        output_tokens: 1,
        cached_tokens: 0,
        tokens_estimated: false,
        cost_micros: 5,
        price_known: true,
        latency_ms: 1,
        outcome: CallOutcome::Answered,
        run: None,
        user_id: None,
        config: None,
    }
}

fn profile() -> Profile {
    Profile {
        id: "p1".into(),
        user_id: "u1".into(),
        request_id: "r1".into(),
        last_modified: Timestamp(1),
        time_to_live: ProfileTimeToLive::Infinity,
        expires_at: NEVER_EXPIRES,
        source: None,
        status: Status::Current,
        body: ProfileBody { content: "likes refunds".to_owned(), ..ProfileBody::default() },
    }
}

fn user_playbook() -> UserPlaybook {
    UserPlaybook {
        id: UserPlaybookId(0),
        user_id: Some("u1".into()),
        request_id: "r1".into(),
        playbook_name: "support".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: Timestamp(1),
        source: None,
        status: Status::Current,
        body: UserPlaybookBody { content: "refund fast".to_owned(), ..UserPlaybookBody::default() },
    }
}

fn agent_playbook() -> AgentPlaybook {
    AgentPlaybook {
        id: AgentPlaybookId(0),
        playbook_name: "support".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: Timestamp(1),
        playbook_status: PlaybookStatus::Pending,
        status: Status::Current,
        body: AgentPlaybookBody { content: "refund politely".to_owned(), ..AgentPlaybookBody::default() },
    }
}
