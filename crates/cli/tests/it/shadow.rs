use serde_json::json;

use crate::assert_snapshot;
use crate::support::{Server, wait_for};

#[test]
fn compared_answers_and_win_rates_are_shown() {
    let server = Server::start_with(&[]);
    assert_snapshot!("shadow_none", server.reflexio("shadow rates").ok());
    let (little, much) = ("I am not sure.", "Bring the original receipt. Keep all accessories.");
    for (version, regular, shadow) in
        [("v1", little, much), ("v1", little, much), ("v1", much, little), ("v2", little, "Let me see.")]
    {
        let turns = json!([
            {"role": "User", "content": "What do I need for a return?"},
            {"role": "Agent", "content": regular, "shadow_content": shadow, "expert_content": much},
        ]);
        let publish = format!("publish --user-id ann --agent-version {version} --data");
        server.reflexio(&publish).arg(turns.to_string()).ok();
    }
    let compared = || server.reflexio("shadow list").json().as_array().is_some_and(|rows| rows.len() == 4);
    wait_for("all comparisons", || compared().then_some(()));
    assert_snapshot!("shadow_rates", server.reflexio("shadow rates").ok());
    assert_snapshot!("shadow_list", server.reflexio("shadow list --verdict regular-is-better").ok());
    let rates = server.reflexio("shadow rates --agent-version v1").json();
    assert_eq!((&rates[0]["wins"], &rates[0]["losses"], rates.get(1)), (&json!(2), &json!(1), None));
    assert_eq!(server.reflexio("shadow run").json()["queued"], 0);
    assert_eq!(server.reflexio("shadow run --again --agent-version v2").json()["queued"], 1);
    assert_eq!(server.reflexio("shadow list --verdict best").run().code, Some(2));
    server.reflexio("doctor --deep").ok();
}
