use reflexio_api_types::UnifiedSearchRequest;
use reflexio_types::{Clock, Day, SystemClock};
use serde_json::json;

use crate::assert_snapshot;
use crate::rows::Filled;
use crate::support::Server;

#[test]
fn the_report_tells_how_playbooks_stand() {
    let Filled { server } = Filled::new();
    let today = Day::of(SystemClock.now()).to_string();
    let report = |arguments: &str| {
        let text = server.reflexio(arguments).ok().stdout.replace(&today, "[TODAY]");
        // Whether there is a model depends on the build.
        text.lines().take_while(|line| !line.contains("embeddings: ")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!("report", report("report"));
    assert_snapshot!(
        "report_narrow",
        report("report --playbook-name nowhere --version v1,v2 --min-daily 10")
    );
    let parts = server.reflexio("report --days 30").json();
    assert_eq!(parts["playbooks"]["user_playbooks"]["total"], 2, "{parts}");
    for part in ["versions", "review", "health"] {
        assert_eq!(parts[part]["success"], true, "{part}");
    }
    assert_eq!(server.reflexio("report --days 0").run().code, Some(2));
    assert_eq!(server.reflexio("report --since 7d --days 3").run().code, Some(2));
}

#[test]
fn the_impact_of_a_rule_is_shown() {
    let Filled { server } = Filled::new();
    assert_snapshot!("impact_unused", server.reflexio("agent-playbooks impact 1").ok());
    for session in ["t1", "t2"] {
        retrieve(&server, session);
        let publish =
            format!("publish --user-id ann --session-id {session} --agent-version v1 --user-message");
        server.reflexio(&publish).arg("I want a refund").ok();
    }
    server.reflexio("sessions outcome t1 success").ok();
    server.reflexio("sessions outcome t2 failure").ok();
    assert_snapshot!("impact", server.reflexio("agent-playbooks impact 1").ok());
    let impact = server.reflexio("agent-playbooks impact 1 --compared-with all").json();
    assert_eq!((&impact["retrievals"], &impact["with"]["total"]), (&json!(2), &json!(2)), "{impact}");
    assert_eq!(server.reflexio("agent-playbooks impact 99").run().code, Some(4));
}

/// As an agent asks before it answers.
fn retrieve(server: &Server, session: &str) {
    let request: UnifiedSearchRequest =
        serde_json::from_value(json!({"query": "refund", "session_id": session})).expect("a request");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(server.client().search(&request)).expect("an answer");
    assert_eq!(found.agent_playbooks.len(), 1, "{found:?}");
}
