//! A task whose better wording is known, without any model: how often it is found within the default budget, and what that
//! costs beside the way the reference works.
//!
//! `cargo run --release -p reflexio-optimize --example known_answer [SEEDS]`
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use gepa::{
    Adapter, Dataset, Engine, Evaluation, EvaluationJob, Proposal, ProposalJob, ReflectionJob, Settings,
    Stopper,
};
use reflexio_assistant::Payload;
use reflexio_optimize::{Book, Decision, Fault, Improvement, Pair, Policy, Run, Split, Task, Window, World};
use reflexio_types::{RolloutJudgement, RolloutVerdict};
use serde_json::Value;

/// What a good answer to a late parcel does. A wording is as good as the number of these it asks for.
const VIRTUES: [&str; 4] = ["apologise", "look the order up", "name a date", "offer a refund"];
/// What a writer tries who has not understood the feedback.
const DETOURS: [&str; 3] = ["be brief", "use the customer's name", "close with a question"];

fn task() -> Task {
    let window = |at: usize| Window {
        user_turns: vec![
            format!("Parcel {at} is late."),
            "What now?".to_owned(),
            "And if it is lost?".to_owned(),
        ],
        ideal: Vec::new(),
        session: None,
    };
    Task {
        playbook_id: 1,
        incumbent: "When a parcel is late, tell the customer.".to_owned(),
        trigger: "late parcels".to_owned(),
        agent_context: None,
        windows: (0..3).map(window).collect(),
    }
}

/// Follows the wording, but overlooks the same point in a conversation now and then.
fn answer(wording: &str, said: &str, seed: u64) -> String {
    let done = |virtue: &&&str| {
        wording.contains(**virtue) && !hash(&format!("{seed}{wording}{said}{virtue}")).is_multiple_of(12)
    };
    let done: Vec<&str> = VIRTUES.iter().filter(done).copied().collect();
    format!("I will {}.", done.join(", "))
}

fn virtues(answers: &[String]) -> usize {
    VIRTUES.iter().filter(|virtue| answers.iter().any(|answer| answer.contains(**virtue))).count()
}

fn score(before: usize, after: usize) -> f64 {
    0.5 + (after as f64 - before as f64) / (2.0 * VIRTUES.len() as f64)
}

/// Adds a virtue that is missing, in two of three attempts; else a detour.
fn improved(wording: &str, seed: u64, attempt: u64) -> String {
    let draw = hash(&format!("{seed}|{attempt}|{wording}"));
    let missing: Vec<&&str> = VIRTUES.iter().filter(|virtue| !wording.contains(**virtue)).collect();
    let addition = match missing.get(draw as usize / 3 % missing.len().max(1)) {
        Some(virtue) if !draw.is_multiple_of(3) => virtue,
        _ => DETOURS[draw as usize % DETOURS.len()],
    };
    format!("{} Then {addition}.", wording.trim_end())
}

fn hash(text: &str) -> u64 {
    let mixed = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed ^ (mixed >> 29)
}

/// What a search cost and found.
#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    metric: u64,
    assistant: u64,
    judge: u64,
    reflection: u64,
    found: bool,
    committed: bool,
}

struct Toy {
    seed: u64,
    attempts: AtomicU64,
}

#[async_trait]
impl World for Toy {
    async fn respond(&self, payload: &Payload) -> Result<String, Fault> {
        let wording = payload.playbooks.first().map(|rule| rule.content.as_str()).unwrap_or_default();
        let said = payload.messages.last().map(|message| message.content.as_str()).unwrap_or_default();
        Ok(answer(wording, said, self.seed))
    }

    async fn judge(&self, pair: &Pair<'_>) -> Result<RolloutJudgement, Fault> {
        let answers = |rollout: &[reflexio_types::RolloutMessage]| -> Vec<String> {
            rollout
                .iter()
                .filter(|message| message.role == "assistant")
                .map(|message| message.content.clone())
                .collect()
        };
        let (before, after) = (virtues(&answers(pair.incumbent)), virtues(&answers(pair.candidate)));
        let score = score(before, after);
        Ok(RolloutJudgement {
            score,
            verdict: match after.cmp(&before) {
                std::cmp::Ordering::Less => RolloutVerdict::Incumbent,
                std::cmp::Ordering::Equal => RolloutVerdict::Tie,
                std::cmp::Ordering::Greater => RolloutVerdict::Candidate,
            },
            likert: (1.0 + 4.0 * score).round() as u8,
            rationale: String::new(),
            failure_modes: Vec::new(),
            regressions: Vec::new(),
            winning_behaviors: Vec::new(),
            missing_instruction: None,
            recommended_mutation: None,
            orders_agree: true,
            judged_by: "toy".to_owned(),
        })
    }

    async fn improve(&self, improvement: &Improvement<'_>) -> Result<String, Fault> {
        let attempt = self.attempts.fetch_add(1, Ordering::Relaxed);
        Ok(improved(improvement.current, self.seed, attempt))
    }
}

/// Three of four virtues are more than the commit threshold asks for.
fn is_good(wording: &str) -> bool {
    VIRTUES.iter().filter(|virtue| wording.contains(**virtue)).count() >= 3
}

async fn ours(seed: u64) -> Cost {
    let (task, policy) = (task(), Policy { seed, ..Policy::default() });
    let split = Split::of(task.windows.len(), &policy).unwrap();
    let mut run = Run::new(&task, split, policy).unwrap();
    let (mut book, world) = (Book::default(), Toy { seed, attempts: AtomicU64::new(0) });
    while !run.step(&task, &mut book, &world).await.unwrap().done {}
    let counts = *run.counts();
    let decision = run.decide(&book);
    Cost {
        metric: run.metric_calls().0,
        assistant: counts.assistant_calls,
        judge: counts.judge_calls,
        reflection: counts.reflection_calls,
        found: matches!(&decision, Decision::Commit { content, .. } if is_good(content)),
        committed: matches!(decision, Decision::Commit { .. }),
    }
}

/// The reference's metric: both wordings are replayed for every call, the seed is compared with itself, the minibatch of two is
/// padded with the only training window, and a merge is allowed that never comes about.
struct Reference {
    task: Task,
    seed: u64,
    turns: usize,
    cost: Cost,
}

impl Reference {
    fn metric(&mut self, wording: &str, window: usize) -> f64 {
        let said = &self.task.windows[window].user_turns;
        let replay = |wording: &str| -> Vec<String> {
            said.iter().take(self.turns).map(|said| answer(wording, said, self.seed)).collect()
        };
        let (before, after) = (replay(&self.task.incumbent), replay(wording));
        self.cost.assistant += (before.len() + after.len()) as u64;
        if wording == self.task.incumbent {
            return 0.5;
        }
        self.cost.judge += 1;
        score(virtues(&before), virtues(&after))
    }
}

impl Adapter for Reference {
    type Error = std::convert::Infallible;

    fn evaluate(&mut self, job: &EvaluationJob) -> Result<Evaluation, Self::Error> {
        let wording = job.candidate.text("content").unwrap_or_default().to_owned();
        // Windows 0 and 1 are held out, 2 is trained on.
        let window = |id: &usize| if job.split == gepa::Split::Validation { *id } else { 2 };
        let windows: Vec<usize> = job.examples.iter().map(window).collect();
        let scores = windows.into_iter().map(|window| self.metric(&wording, window)).collect();
        let mut evaluation = Evaluation::of_scores(scores);
        evaluation.trajectories = Some(vec![Value::Null; job.examples.len()]);
        Ok(evaluation)
    }

    fn reflect(&mut self, _: &ReflectionJob) -> Result<Option<Dataset>, Self::Error> {
        Ok(Some(Dataset::new()))
    }

    fn propose(&mut self, job: &ProposalJob) -> Result<Option<Proposal>, Self::Error> {
        let text =
            improved(job.candidate.text("content").unwrap_or_default(), self.seed, self.cost.reflection);
        self.cost.reflection += 1;
        Ok(Some(Proposal { texts: BTreeMap::from([("content".to_owned(), text)]), cost: 0.0 }))
    }
}

fn reference(seed: u64) -> Cost {
    let (task, policy) = (task(), Policy::default());
    let mut settings = Settings::new(1, gepa::Validation::Separate(2), policy.max_metric_calls);
    settings.seed = seed;
    settings.minibatch = policy.reflection_minibatch_size;
    settings.cache = true;
    settings.merging = Some(gepa::Merging::default());
    settings.stoppers = vec![Stopper::Score(policy.early_stop_score)];
    let first = gepa::Candidate::new([("content", task.incumbent.as_str())]).unwrap();
    let mut engine = Engine::new(settings, first).unwrap();
    let mut adapter = Reference { task, seed, turns: policy.max_turns, cost: Cost::default() };
    gepa::run(&mut engine, &mut adapter, |_| {}).unwrap();
    let outcome = engine.outcome().unwrap();
    let best = outcome.candidate.text("content").unwrap_or_default();
    let committed = outcome.best > 0 && outcome.mean >= policy.min_commit_score;
    Cost { metric: outcome.metric_calls, found: committed && is_good(best), committed, ..adapter.cost }
}

fn row(name: &str, costs: &[Cost]) {
    let mean = |of: fn(&Cost) -> u64| costs.iter().map(of).sum::<u64>() as f64 / costs.len() as f64;
    let count = |of: fn(&Cost) -> bool| costs.iter().filter(|cost| of(cost)).count();
    println!(
        "| {name} | {} of {} | {} | {:.1} | {:.1} | {:.1} | {:.1} |",
        count(|cost| cost.found),
        costs.len(),
        count(|cost| cost.committed),
        mean(|cost| cost.metric),
        mean(|cost| cost.assistant),
        mean(|cost| cost.judge),
        mean(|cost| cost.reflection),
    );
}

fn main() {
    let seeds: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mine: Vec<Cost> = (0..seeds).map(|seed| runtime.block_on(ours(seed))).collect();
    let theirs: Vec<Cost> = (0..seeds).map(reference).collect();
    println!("| | found | committed | metric calls | assistant calls | judge calls | proposals |");
    println!("|---|---|---|---|---|---|---|");
    row("ours", &mine);
    row("the reference's way", &theirs);
    let assistant = |costs: &[Cost]| costs.iter().map(|cost| cost.assistant).sum::<u64>() as f64;
    println!("\nassistant calls: {:.0} % fewer", 100.0 * (1.0 - assistant(&mine) / assistant(&theirs)));
    let per_proposal =
        |costs: &[Cost]| assistant(costs) / costs.iter().map(|cost| cost.reflection).sum::<u64>() as f64;
    println!("per proposal: {:.1} against {:.1}", per_proposal(&mine), per_proposal(&theirs));
}
