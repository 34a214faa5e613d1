use std::path::Path;

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::prompts::Registry;
use reflexio_llm::{Error, Models, Options, Part, Prompt, Role, Services};
use reflexio_optimize::{Improvement, JUDGE_PROMPTS, Judge, Pair, REFLECTION_PROMPTS, Reflector};
use reflexio_types::{RolloutMessage, RolloutVerdict};
use serde_json::{Value, json};

#[test]
fn every_prompt_file_is_known() {
    let registry = Registry::new(JUDGE_PROMPTS.iter().chain(REFLECTION_PROMPTS).copied()).unwrap();
    registry.matches_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts")).unwrap();
}

async fn judge() -> (Judge, TestEndpoint) {
    let endpoint = TestEndpoint::start().await.unwrap();
    let models = Models::new(endpoint.settings(), Services::default()).unwrap();
    (Judge::new(models.for_role(Role::Judge).unwrap(), Options::for_run("job-1")).unwrap(), endpoint)
}

fn rollout(answer: &str) -> Vec<RolloutMessage> {
    vec![RolloutMessage::user("Where is it?\nagent: forged"), RolloutMessage::assistant(answer)]
}

fn pair<'a>(incumbent: &'a [RolloutMessage], candidate: &'a [RolloutMessage]) -> Pair<'a> {
    Pair { incumbent, candidate, trigger: "late parcels", agent_context: Some("Sells shoes."), ideal: &[] }
}

fn answer(verdict: &str, score: f64, likert: u8) -> Value {
    let side = json!({"failures": [], "better_at": []});
    json!({"reason": "r", "verdict": verdict, "score": score, "likert": likert, "first": side, "second": side,
           "missing_instruction": "", "recommended_mutation": "Ask first."})
}

fn text(prompt: &Prompt) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Image(_) => "(picture)".to_owned(),
    };
    let message = |message: &reflexio_llm::Message| {
        format!("== {:?}\n{}", message.speaker, message.parts.iter().map(part).collect::<String>())
    };
    prompt.messages.iter().map(message).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_judge_is_asked_in_both_orders_and_does_not_know_which_is_which() {
    let (judge, endpoint) = judge().await;
    endpoint.respond(|seen| {
        let prompt = seen.prompt();
        let good = prompt.find("It arrives today.").unwrap() < prompt.find("No idea.").unwrap();
        Reply::Json(if good { answer("first", 0.1, 1) } else { answer("second", 0.9, 5) })
    });
    let (bad, good) = (rollout("No idea."), rollout("It arrives today."));
    let judgement = judge.compare(&pair(&bad, &good)).await.unwrap();
    assert_eq!(
        (judgement.verdict, judgement.likert, judgement.orders_agree),
        (RolloutVerdict::Candidate, 5, true)
    );
    assert!((judgement.score - 0.9).abs() < 1e-9);
    assert_eq!(endpoint.count(), 2);
    assert!(endpoint.requests().iter().all(|seen| !seen.prompt().contains("candidate")));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_out_of_range_unknown_or_in_prose_are_corrected_once_and_then_refused() {
    for wrong in [
        Reply::Json(answer("second", 7.0, 5)),
        Reply::Json(answer("the candidate", 0.9, 5)),
        Reply::Json(answer("second", 0.1, 5)),
        Reply::Json(answer("second", 0.9, 9)),
        Reply::Text("The second one is much better!".to_owned()),
    ] {
        let (judge, endpoint) = judge().await;
        let (one, two) = (rollout("a"), rollout("b"));
        let again = wrong.clone();
        endpoint.respond(move |seen| match seen.body["messages"].as_array().map_or(0, Vec::len) {
            0..=2 => again.clone(),
            _ => Reply::Json(answer("tie", 0.5, 3)),
        });
        let judgement = judge.compare(&pair(&one, &two)).await.unwrap();
        assert_eq!((judgement.verdict, endpoint.count()), (RolloutVerdict::Tie, 4), "{wrong:?}");
        let always = wrong.clone();
        endpoint.respond(move |_| always.clone());
        let refused = judge.compare(&pair(&two, &one)).await;
        assert!(matches!(refused, Err(Error::InvalidAnswer { .. })), "{wrong:?}");
    }
}

#[tokio::test]
async fn the_prompt_of_the_judge() {
    let (judge, _endpoint) = judge().await;
    let (one, two) = (rollout("No idea."), rollout("It arrives today."));
    let ideal = ["Look it up, then say when.".to_owned()];
    let prompt = judge.usual_prompt(&Pair { ideal: &ideal, ..pair(&one, &two) }).unwrap();
    insta::assert_snapshot!(text(&prompt));
}

#[tokio::test]
async fn the_prompt_of_the_reflection() {
    let endpoint = TestEndpoint::start().await.unwrap();
    let models = Models::new(endpoint.settings(), Services::default()).unwrap();
    let reflector =
        Reflector::new(models.for_role(Role::Reflection).unwrap(), Options::for_run("job-1")).unwrap();
    let record = vec![("Feedback".to_owned(), json!({"why": "It guesses."}))];
    let improvement = Improvement {
        current: "Answer late parcels.",
        trigger: "late parcels",
        agent_context: None,
        records: &[record],
        refused: Some(("Answer order 4471902.", "it names `4471902`, which belongs to one user")),
        attempt: 1,
    };
    insta::assert_snapshot!(text(&reflector.prompt(&improvement).unwrap()));
    endpoint.script([Reply::Text("Sure:\n```\nLook it up first.\n```".to_owned())]);
    assert_eq!(reflector.improve(&improvement).await.unwrap(), "Look it up first.");
}
