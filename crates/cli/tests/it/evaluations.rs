use serde_json::json;

use crate::assert_snapshot;
use crate::support::{Server, wait_for};

/// A server with a session that went well and one that did not.
fn server() -> Server {
    let server = Server::start_with(&[]);
    for (user, session, last) in [
        ("ann", "good", "That worked, thanks!"),
        ("bob", "bad", "That didn't help, I still get the same error."),
    ] {
        let turns = json!([
            {"role": "User", "content": "How do I reset my password?"},
            {"role": "Agent", "content": "Open Settings, choose Security, then click Reset."},
            {"role": "User", "content": last},
        ]);
        let publish = format!("publish --user-id {user} --session-id {session} --agent-version v1 --data");
        server.reflexio(&publish).arg(turns.to_string()).ok();
    }
    server
}

#[test]
fn an_outcome_is_said_once_and_listed() {
    let server = server();
    let said = "sessions outcome good success --label refund --value 12.5";
    assert_snapshot!("outcome_recorded", server.reflexio(said).ok());
    let other = server.reflexio("sessions outcome good failure").run();
    assert_snapshot!("outcome_conflict", other);
    assert_eq!(other.code, Some(6), "{other}");
    assert_snapshot!("outcome_unknown", server.reflexio("sessions outcome nowhere success").run());
    let wrong = server.reflexio("sessions outcome good success --metadata [1]").run();
    assert_eq!(wrong.code, Some(2), "{wrong}");
    assert_snapshot!("outcomes", server.reflexio("sessions outcomes").ok());
    assert_snapshot!("outcomes_none", server.reflexio("sessions outcomes --outcome failure").ok());
    let rows = server.reflexio("sessions outcomes --user-id ann").json();
    assert_eq!((&rows[0]["session_id"], &rows[0]["value"]), (&json!("good"), &json!(12.5)));
}

#[test]
fn sessions_are_graded_and_judged_anew() {
    let server = server();
    assert_snapshot!("evaluations_none", server.reflexio("evaluations list").ok());
    assert_snapshot!("graded", server.reflexio("evaluations grade bad --agent-version v1").ok());
    assert_snapshot!("grade_skipped", server.reflexio("evaluations grade bad").run());
    assert_snapshot!("evaluations", server.reflexio("evaluations list").ok());
    assert_snapshot!("learnings_none", server.reflexio("evaluations learnings").ok());
    let started = server.reflexio("evaluations regenerate --since 1h").json();
    assert_eq!(started["total"], 2);
    let id = started["job_id"].as_str().expect("an id").to_owned();
    let status = || server.reflexio(&format!("evaluations progress {id}")).json();
    wait_for("the regeneration", || (status()["status"] == "completed").then_some(()));
    let progress = server.reflexio(&format!("evaluations progress {id}")).ok();
    assert!(progress.stdout.contains("2 of 2"), "{progress}");
    let cancelled = server.reflexio(&format!("evaluations cancel {id}")).json();
    assert_eq!(cancelled["status"], "completed");
    assert_eq!(server.reflexio("evaluations progress nope").run().code, Some(4));
    let rows = server.reflexio("evaluations list --session-id good").json();
    assert_eq!(rows[0]["is_success"], true);
}
