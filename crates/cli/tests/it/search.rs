use serde_json::json;

use crate::assert_snapshot;
use crate::rows::Filled;
use crate::support::Server;

#[test]
fn everything_that_was_learned_is_searched_at_once() {
    let filled = Filled::new();
    let server = &filled.server;
    assert_snapshot!("search", server.reflexio("search refund --user-id ann").ok());
    assert_snapshot!("search_without_user", server.reflexio("search refund").ok());
    assert_snapshot!("search_nothing", server.reflexio("search xylophone --user-id ann").ok());
    let found = server.reflexio("search refund --user-id ann").json();
    assert_eq!(found["profiles"].as_array().map(Vec::len), Some(1));
    assert!(found.get("interactions").is_none());
}

#[test]
fn a_search_can_be_narrowed() {
    let filled = Filled::new();
    let server = &filled.server;
    let found = server.reflexio("search refund --type user-playbooks --user-id ann").json();
    assert_eq!((&found["profiles"], &found["agent_playbooks"]), (&json!([]), &json!([])));
    assert_eq!(found["user_playbooks"].as_array().map(Vec::len), Some(1));
    let found = server.reflexio("search refund --playbook-name other").json();
    assert_eq!((&found["user_playbooks"], &found["agent_playbooks"]), (&json!([]), &json!([])));
    let found = server.reflexio("search refund --type interactions --user-id ann --top-k 1").json();
    assert_eq!(found["interactions"].as_array().map(Vec::len), Some(1));
    assert!(found.get("profiles").is_none());
}

#[test]
fn personal_rows_are_searched_for_somebody() {
    let server = Server::start();
    for kind in ["interactions", "profiles"] {
        let output = server.reflexio("search refund --type").arg(kind).run();
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr.contains("hint: add --user-id"), "{output}");
    }
}
