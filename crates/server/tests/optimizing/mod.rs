//! What tests of the optimiser share: a judge who likes apologies, a writer who knows the way there, a rule to optimise.

use std::time::Duration;

use reflexio_llm::endpoint::Reply;
use reflexio_test_support::TestServer;
use serde_json::{Value, json};

pub(crate) const OLD: &str = "When a parcel is late, answer briefly.";
/// What the better wording says; the assistant does it only when it is told to.
pub(crate) const BETTER: &str = "When a parcel is late, apologise and give a date.";
/// Longer than anything here takes on a slow machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// What judge and writer answer; nothing if the prompt is for somebody else.
pub(crate) fn judged(prompt: &str) -> Option<Reply> {
    if prompt.contains("You improve one instruction") {
        return Some(Reply::Text(format!("```\n{BETTER}\n```")));
    }
    let (first, second) = prompt.split_once("The second conversation:")?;
    let sorry = |text: &str| text.contains("I am sorry");
    let (verdict, score, likert) = match (sorry(first), sorry(second)) {
        (true, false) => ("first", 0.05, 1),
        (false, true) => ("second", 0.95, 5),
        _ => ("tie", 0.5, 3),
    };
    let side = json!({"failures": [], "better_at": []});
    Some(Reply::Json(
        json!({"reason": "The second conversation apologises.", "verdict": verdict, "score": score,
        "likert": likert, "first": side, "second": side, "missing_instruction": "", "recommended_mutation": "Apologise."}),
    ))
}

pub(crate) async fn turns_of(server: &TestServer, user: &str) -> Vec<i64> {
    let stored = server.post("/api/get_interactions", json!({"user_id": user})).await.ok();
    let turns = stored["interactions"].as_array().unwrap();
    turns.iter().map(|turn| turn["interaction_id"].as_i64().unwrap()).collect()
}

/// A pending rule that conversations of these turns taught. Straight into the app: the API has no field for source windows.
pub(crate) async fn add_rule(server: &TestServer, windows: &[Vec<i64>]) -> i64 {
    use reflexio_types::{
        AgentPlaybookBody, InteractionId, PlaybookStatus, SourceWindow, Status, UserPlaybookId,
    };
    let window = |(at, ids): (usize, &Vec<i64>)| SourceWindow {
        user_playbook_id: UserPlaybookId(at as i64 + 1),
        request_id: "r".into(),
        interaction_ids: ids.iter().map(|id| InteractionId(*id)).collect(),
    };
    let new = reflexio_app::NewAgentPlaybook {
        playbook_name: "support".to_owned(),
        agent_version: "v1".to_owned(),
        created_at: None,
        playbook_status: PlaybookStatus::Pending,
        status: Status::Current,
        body: AgentPlaybookBody {
            content: OLD.to_owned(),
            trigger: Some("late parcels".to_owned()),
            source_windows: windows.iter().enumerate().map(window).collect(),
            ..AgentPlaybookBody::default()
        },
    };
    server.app.add_agent_playbooks(&reflexio_types::Caller::local(), vec![new]).await.unwrap()[0].0
}

pub(crate) async fn start(server: &TestServer, rule: i64) -> i64 {
    let started = server.post("/api/optimizations", json!({"agent_playbook_id": rule})).await.ok();
    started["optimization"]["optimization_id"].as_i64().unwrap()
}

/// Measures the lift of a rule.
pub(crate) async fn measure(server: &TestServer, rule: &Value) -> Value {
    let path = format!("/api/agent_playbooks/{rule}/lift");
    server.post(&path, json!({})).await.ok();
    until(server, &path, |measured| is_over(&measured["state"])).await
}

pub(crate) async fn until_over(server: &TestServer, id: i64) -> Value {
    let path = format!("/api/optimizations/{id}");
    until(server, &path, |run| is_over(&run["optimization"]["state"])).await
}

fn is_over(state: &Value) -> bool {
    !["queued", "running"].contains(&state.as_str().unwrap())
}

/// Looks until what is there is as wanted.
pub(crate) async fn until(server: &TestServer, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = tokio::time::Instant::now();
    loop {
        let found = server.get(path).await.ok();
        if is_so(&found) {
            return found;
        }
        assert!(began.elapsed() < DEADLINE, "it does not come about: {found}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
