//! A world whose rules are known: a wording is as good as the number of ingredients it names, the assistant does what the
//! wording says, and whoever improves it adds one ingredient that the judge misses.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use reflexio_assistant::Payload;
use reflexio_optimize::{Book, Fault, Improvement, Pair, Policy, Run, Split, Task, Window, World};
use reflexio_types::{RolloutJudgement, RolloutMessage, RolloutVerdict};

pub(crate) const INGREDIENTS: [&str; 4] = ["apologise", "verify", "explain", "confirm"];

type Fails = Box<dyn Fn(&Payload) -> bool + Send>;

#[derive(Default)]
pub(crate) struct Toy {
    /// Assistant calls, by payload.
    pub(crate) asked: Mutex<HashMap<String, usize>>,
    pub(crate) judged: AtomicUsize,
    pub(crate) improved: AtomicUsize,
    /// Answers from before, as a durable store would have them: not asked again.
    pub(crate) saved: Mutex<HashMap<String, String>>,
    pub(crate) fails_when_asked: Mutex<Option<Fails>>,
    pub(crate) judge_fails: bool,
}

pub(crate) fn task(windows: usize) -> Task {
    let window = |at: usize| Window {
        user_turns: vec![format!("Question {at} about my parcel"), format!("And what now, number {at}?")],
        ideal: Vec::new(),
        session: None,
    };
    Task {
        playbook_id: 7,
        incumbent: "Answer late parcels.".to_owned(),
        trigger: "late parcels".to_owned(),
        agent_context: None,
        windows: (0..windows).map(window).collect(),
    }
}

pub(crate) fn policy(seed: u64) -> Policy {
    Policy { seed, ..Policy::default() }
}

pub(crate) fn new_run(task: &Task, policy: Policy) -> Run {
    let split = Split::of(task.windows.len(), &policy).unwrap();
    Run::new(task, split, policy).unwrap()
}

pub(crate) async fn finish(run: &mut Run, task: &Task, book: &mut Book, world: &Toy) -> Result<(), Fault> {
    while !run.step(task, book, world).await?.done {}
    Ok(())
}

fn quality(rollout: &[RolloutMessage]) -> usize {
    let answers: Vec<&str> = rollout
        .iter()
        .filter(|message| message.role == "assistant")
        .map(|message| message.content.as_str())
        .collect();
    INGREDIENTS.iter().filter(|word| answers.iter().any(|answer| answer.contains(**word))).count()
}

#[async_trait]
impl World for Toy {
    async fn respond(&self, payload: &Payload) -> Result<String, Fault> {
        let key = serde_json::to_string(payload).unwrap();
        if self.fails_when_asked.lock().unwrap().as_ref().is_some_and(|fails| fails(payload)) {
            return Err(Fault::Failed("out of order".to_owned()));
        }
        if let Some(saved) = self.saved.lock().unwrap().get(&key) {
            return Ok(saved.clone());
        }
        *self.asked.lock().unwrap().entry(key.clone()).or_default() += 1;
        tokio::task::yield_now().await;
        let rule = payload.playbooks.first().map(|rule| rule.content.as_str()).unwrap_or_default();
        let words: Vec<&str> = INGREDIENTS.into_iter().filter(|word| rule.contains(word)).collect();
        let answer = format!("On it: {}", words.join(", "));
        self.saved.lock().unwrap().insert(key, answer.clone());
        Ok(answer)
    }

    async fn judge(&self, pair: &Pair<'_>) -> Result<RolloutJudgement, Fault> {
        self.judged.fetch_add(1, Ordering::Relaxed);
        if self.judge_fails {
            return Err(Fault::Failed("prose".to_owned()));
        }
        let (before, after) = (quality(pair.incumbent), quality(pair.candidate));
        let score = 0.5 + (after as f64 - before as f64) / (2.0 * INGREDIENTS.len() as f64);
        let missing =
            INGREDIENTS.iter().find(|word| !pair.candidate.iter().any(|said| said.content.contains(**word)));
        Ok(RolloutJudgement {
            score,
            verdict: match after.cmp(&before) {
                std::cmp::Ordering::Less => RolloutVerdict::Incumbent,
                std::cmp::Ordering::Equal => RolloutVerdict::Tie,
                std::cmp::Ordering::Greater => RolloutVerdict::Candidate,
            },
            likert: (1.0 + 4.0 * score).round() as u8,
            rationale: format!("{after} of {}", INGREDIENTS.len()),
            failure_modes: Vec::new(),
            regressions: Vec::new(),
            winning_behaviors: Vec::new(),
            missing_instruction: missing.map(|word| (*word).to_owned()),
            recommended_mutation: None,
            orders_agree: true,
            judged_by: "toy".to_owned(),
        })
    }

    /// Adds what was missing; every third attempt is a bad idea.
    async fn improve(&self, improvement: &Improvement<'_>) -> Result<String, Fault> {
        self.improved.fetch_add(1, Ordering::Relaxed);
        if improvement.attempt % 3 == 2 {
            return Ok(format!("Hurry up, attempt {}.", improvement.attempt));
        }
        let missing =
            INGREDIENTS.iter().find(|word| !improvement.current.contains(**word)).unwrap_or(&"smile");
        Ok(format!("{} Then {missing}.", improvement.current))
    }
}
