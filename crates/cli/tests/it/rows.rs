use reflexio_api_types::{AgentPlaybook, UserPlaybook, UserProfile};
use serde_json::{Value, json};

use crate::assert_snapshot;
use crate::support::{Server, folder, write};

/// A server that holds some of everything.
pub(crate) struct Filled {
    pub(crate) server: Server,
}

const LONG: &str = "When a customer asks for a refund within thirty days, look up the order first, say how long the bank \
                    will take, and only then offer the refund; never promise a date.";

impl Filled {
    pub(crate) fn new() -> Self {
        let server = Server::start_with(&["--learning-workers", "0"]);
        server
            .reflexio("publish --user-id ann --session-id s1 --request-id r1 --user-message")
            .arg("I want a refund\nfor my order")
            .arg("--agent-response")
            .arg("Of course, the refund is on its way.")
            .ok();
        let action = json!([{"user_action": "click", "user_action_description": "pressed Pay"}]);
        server.reflexio("publish --user-id bob --request-id r2 --data").arg(action.to_string()).ok();
        runtime().block_on(add_learned(&server));
        Self { server }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

async fn add_learned(server: &Server) {
    let client = server.client();
    let profile = |id: &str, user: &str, content: &str| UserProfile {
        profile_id: Some(id.to_owned()),
        ..serde_json::from_value(json!({"user_id": user, "content": content})).expect("a profile")
    };
    let mut pending = profile("p-3", "ann", "asks for a refund in writing");
    pending.status = serde_json::from_value(json!("pending")).expect("a status");
    let profiles = vec![
        profile("p-1", "ann", "likes a quick refund"),
        profile("p-2", "bob", "pays by card\nand never by phone"),
        pending,
    ];
    client.add_profiles(profiles).await.expect("profiles");
    let user_playbook = UserPlaybook {
        user_id: Some("ann".to_owned()),
        agent_version: "v1".to_owned(),
        request_id: "r1".to_owned(),
        playbook_name: Some("refunds".to_owned()),
        content: Some(LONG.to_owned()),
        trigger: Some("a refund is asked for".to_owned()),
        ..UserPlaybook::default()
    };
    let waiting = UserPlaybook {
        status: serde_json::from_value(json!("pending")).expect("a status"),
        content: Some("Say thank you.".to_owned()),
        playbook_name: Some("manners".to_owned()),
        ..user_playbook.clone()
    };
    client.add_user_playbooks(vec![user_playbook, waiting]).await.expect("user playbooks");
    let rule = |content: &str, status: &str| -> AgentPlaybook {
        let value = json!({"playbook_name": "refunds", "agent_version": "v1", "content": content, "playbook_status": status});
        serde_json::from_value(value).expect("an agent playbook")
    };
    let rules = vec![
        rule("Offer the refund at once.", "approved"),
        rule(LONG, "pending"),
        rule("Refuse refunds.", "rejected"),
    ];
    client.add_agent_playbooks(rules).await.expect("agent playbooks");
}

fn ids(rows: &Value, key: &str) -> Vec<Value> {
    rows.as_array().expect("a list").iter().map(|row| row[key].clone()).collect()
}

#[test]
fn rows_are_shown_as_tables_and_in_full() {
    let filled = Filled::new();
    for arguments in [
        "status",
        "interactions list",
        "interactions list --user-id bob",
        "interactions show 1",
        "interactions show 3",
        "profiles list",
        "profiles show p-2",
        "user-playbooks list",
        "user-playbooks show 1",
        "agent-playbooks list",
        "agent-playbooks list --status pending",
        "agent-playbooks show 2",
        "jobs list",
        "jobs list --state dead",
        "jobs show 1",
    ] {
        assert_snapshot!(arguments.replace(' ', "_"), filled.server.reflexio(arguments).ok());
    }
    let narrow = filled.server.reflexio("agent-playbooks list").env("COLUMNS", "70").ok();
    assert_snapshot!("agent-playbooks_list_narrow", narrow);
}

#[test]
fn an_empty_list_says_what_fills_it() {
    let server = Server::start();
    let mut text = String::new();
    for noun in ["interactions", "profiles", "user-playbooks", "agent-playbooks", "jobs"] {
        text += &server.reflexio(noun).arg("list").ok().stdout;
        assert_eq!(server.reflexio(noun).arg("list").json(), json!([]));
    }
    text += &server.reflexio("agent-playbooks list --status pending").ok().stdout;
    text += &server.reflexio("keys list").ok().stdout;
    assert_snapshot!("empty_lists", text);
}

#[test]
fn lists_are_filtered() {
    let filled = Filled::new();
    let list = |arguments: &str| filled.server.reflexio(arguments).json();
    let check = |arguments: &str, key: &str, expected: Value| {
        assert_eq!(Value::Array(ids(&list(arguments), key)), expected, "{arguments}");
    };
    check("interactions list --user-id ann", "interaction_id", json!([1, 2]));
    check("interactions list --request-id r2", "interaction_id", json!([3]));
    check("interactions list --limit 1", "interaction_id", json!([3]));
    check("interactions list --since 1h --user-id bob", "interaction_id", json!([3]));
    check("interactions list --until 1h --user-id bob", "interaction_id", json!([]));
    check("interactions list --until 1h", "interaction_id", json!([]));
    check("profiles list --user-id bob", "profile_id", json!(["p-2"]));
    check("profiles list --status pending", "profile_id", json!(["p-3"]));
    check("profiles list --query phone", "profile_id", json!(["p-2"]));
    check("profiles list --until 1h", "profile_id", json!([]));
    check("user-playbooks list --status current", "user_playbook_id", json!([1]));
    check("user-playbooks list --playbook-name manners", "user_playbook_id", json!([2]));
    check("user-playbooks list --user-id bob", "user_playbook_id", json!([]));
    check("user-playbooks list --agent-version v1 --query thank", "user_playbook_id", json!([2]));
    check("agent-playbooks list --status pending", "agent_playbook_id", json!([2]));
    check("agent-playbooks list --status approved", "agent_playbook_id", json!([1]));
    check("agent-playbooks list --status rejected", "agent_playbook_id", json!([3]));
    check("agent-playbooks list --agent-version v2", "agent_playbook_id", json!([]));
    check("jobs list", "job_id", json!([2, 1]));
    check("jobs list --user-id ann --kind learn --state queued", "job_id", json!([1]));
    check("jobs list --kind embed", "job_id", json!([]));
    check("jobs list --limit 1", "job_id", json!([2]));
}

#[test]
fn a_pending_row_can_be_shown_like_any_other() {
    let filled = Filled::new();
    assert_eq!(filled.server.reflexio("profiles show p-3").json()["status"], "pending");
    assert_eq!(filled.server.reflexio("user-playbooks show 2").json()["status"], "pending");
}

#[test]
fn reviews_change_what_is_in_production() {
    let filled = Filled::new();
    let server = &filled.server;
    let review = |id: &str| server.reflexio("agent-playbooks show").arg(id).json()["playbook_status"].clone();
    let output = server.reflexio("agent-playbooks approve 2 3").ok();
    assert_eq!(output.stdout, "approved 2 agent playbooks\n");
    assert_eq!((review("2"), review("3")), (json!("approved"), json!("approved")));
    assert_eq!(server.reflexio("agent-playbooks reject 1").json(), json!({"rejected": [1]}));
    assert_eq!(review("1"), "rejected");
}

#[test]
fn an_agent_playbook_is_edited_by_options_or_in_the_editor() {
    let filled = Filled::new();
    let server = &filled.server;
    let folder = folder();
    server.reflexio("agent-playbooks edit 2 --name money --trigger").arg("when asked").ok();
    let script = write(folder.path(), "editor.sh", "sed -i 's/thirty/sixty/' \"$1\"\n");
    let editor = format!("sh {}", script.display());
    server.reflexio("agent-playbooks edit 2").env("EDITOR", &editor).ok();
    let row = server.reflexio("agent-playbooks show 2").json();
    assert_eq!((&row["playbook_name"], &row["trigger"]), (&json!("money"), &json!("when asked")));
    assert_eq!(row["content"], LONG.replace("thirty", "sixty"));
    let again = server.reflexio("agent-playbooks edit 2").env("EDITOR", &editor).ok();
    assert_eq!(again.stderr, "nothing was changed\n");
    let failed = server.reflexio("agent-playbooks edit 2").env("EDITOR", "false").run();
    assert_eq!(failed.code, Some(1), "{failed}");
}

#[test]
fn rows_are_deleted_by_id() {
    let filled = Filled::new();
    let server = &filled.server;
    assert_eq!(server.reflexio("interactions delete 1 --user-id ann").ok().stdout, "deleted 1 interaction\n");
    assert_eq!(server.reflexio("profiles delete p-1 p-2").ok().stdout, "deleted 2 profiles\n");
    let partly = server.reflexio("user-playbooks delete 1 77").run();
    assert_snapshot!("deleted_partly", partly);
    assert_eq!(server.reflexio("agent-playbooks delete 1 2 3").json()["deleted_count"], 3);
    server.reflexio("interactions delete --request-id r2").ok();
    let left = server.reflexio("status").json();
    assert_eq!(left["storage"]["interaction_count"], 1);
    assert_eq!(left["storage"]["agent_playbook_count"], 0);
}

#[test]
fn deleting_everything_is_never_an_accident() {
    let filled = Filled::new();
    let server = &filled.server;
    for noun in ["interactions", "profiles", "user-playbooks", "agent-playbooks"] {
        let refused = server.reflexio(noun).arg("delete").arg("--all").run();
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr.contains("hint: add --yes"), "{refused}");
    }
    let refused = server.reflexio("users clear ann").run();
    assert_snapshot!("clear_without_yes", refused);
    assert_eq!(server.reflexio("status").json()["storage"]["interaction_count"], 3);
    assert_snapshot!("cleared", server.reflexio("users clear ann --yes").ok());
    assert_snapshot!("cleared_nobody", server.reflexio("users clear ann --yes").ok());
    for noun in ["interactions", "profiles", "user-playbooks", "agent-playbooks"] {
        server.reflexio(noun).arg("delete").arg("--all").arg("--yes").ok();
    }
    let stats = server.reflexio("status").json()["storage"].clone();
    for count in ["interaction_count", "profile_count", "playbook_count", "request_count"] {
        assert_eq!(stats[count], 0, "{count}");
    }
}

#[test]
fn an_upgrade_puts_pending_rows_into_use() {
    let filled = Filled::new();
    let server = &filled.server;
    assert_snapshot!("upgraded_profiles", server.reflexio("profiles upgrade --user-id ann").ok());
    assert_eq!(ids(&server.reflexio("profiles list --user-id ann").json(), "profile_id"), ["p-3"]);
    let answer = server.reflexio("user-playbooks upgrade --agent-version v1").json();
    assert_eq!(
        (&answer["user_playbooks_promoted"], &answer["user_playbooks_archived"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn an_upgrade_is_shown_undone_and_refused_as_a_run() {
    let filled = Filled::new();
    let server = &filled.server;
    let before = server.reflexio("profiles list --user-id ann").json();
    let id = server.reflexio("profiles upgrade --user-id ann").json()["run_id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let listed = server.reflexio("runs list --kind upgrade").json();
    assert_eq!((&listed[0]["run_id"], &listed[0]["scope"]), (&json!(id), &json!("profiles of user ann")));
    assert!(server.reflexio("runs list").ok().stdout.contains(&id));
    let shown = server.reflexio("runs show").arg(&id).ok().stdout;
    assert!(shown.contains("status: pending → current"), "{shown}");
    let planned = server.reflexio("runs undo --dry-run").arg(&id).ok().stdout;
    assert!(planned.contains("row(s) would be put back"), "{planned}");
    assert_eq!(server.reflexio("runs undo").arg(&id).run().code, Some(2), "nobody can be asked");
    let undone = server.reflexio("runs undo --yes").arg(&id).json();
    assert_eq!(server.reflexio("profiles list --user-id ann").json(), before);
    assert_eq!(server.reflexio("runs undo --yes").arg(&id).run().code, Some(1), "it is undone already");
    let redo = undone["run"]["run_id"].as_str().unwrap_or_default();
    server.reflexio("profiles delete p-3").ok();
    let refused = server.reflexio("runs undo --yes").arg(redo).run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("profile p-3 of ann: deleted since"), "{refused}");
    assert_eq!(server.reflexio("runs show none").run().code, Some(4));
}

#[test]
fn a_downgrade_takes_an_upgrade_back() {
    let filled = Filled::new();
    let server = &filled.server;
    let before = server.reflexio("profiles list --user-id ann").json();
    server.reflexio("profiles upgrade --user-id ann").ok();
    assert_snapshot!("downgraded_profiles", server.reflexio("profiles downgrade --user-id ann").ok());
    assert_eq!(server.reflexio("profiles list --user-id ann").json(), before);
    server.reflexio("user-playbooks upgrade --agent-version v1").ok();
    let answer = server.reflexio("user-playbooks downgrade --agent-version v1").json();
    assert_eq!(
        (&answer["user_playbooks_restored"], &answer["user_playbooks_demoted"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn jobs_are_cancelled_and_retried() {
    let filled = Filled::new();
    let server = &filled.server;
    assert_eq!(server.reflexio("jobs cancel 1 2").ok().stdout, "job 1 is cancelled\njob 2 is cancelled\n");
    assert_snapshot!("jobs_show_cancelled", server.reflexio("jobs show 1").ok());
    assert_eq!(ids(&server.reflexio("jobs retry 1").json(), "state"), ["queued"]);
    assert_eq!(ids(&server.reflexio("jobs list --state queued").json(), "job_id"), [1]);
    assert_snapshot!("jobs_retry_missing", server.reflexio("jobs retry 77").run());
}

#[test]
fn quiet_commands_print_results_only() {
    let filled = Filled::new();
    let server = &filled.server;
    assert_eq!(server.reflexio("agent-playbooks approve 2 --quiet").ok().stdout, "");
    let output = server.reflexio("search refund --quiet").ok();
    assert_eq!(output.stderr, "");
    assert!(!output.stdout.is_empty());
}
