//! A look at the whole database finds what is wrong and says where.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use reflexio_store::{AgentPlaybooks, Maintenance, Profiles, Requests, UserPlaybooks};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, NEVER_EXPIRES, PlaybookStatus, Profile, ProfileBody,
    ProfileTimeToLive, Status, Timestamp, UserPlaybook, UserPlaybookBody, UserPlaybookId,
};
use rusqlite::Connection;
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

async fn fill(store: &SqliteStore) {
    store.publish(&org(), new_request("r1", &["I want a refund", "of course 退款"])).await.unwrap();
    store.add_profiles(&org(), vec![profile()], None).await.unwrap();
    store.add_user_playbooks(&org(), vec![user_playbook()], None).await.unwrap();
    store.add_agent_playbooks(&org(), vec![agent_playbook()], None).await.unwrap();
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
