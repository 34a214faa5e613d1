//! The toy task: scores and proposals are hashes, so that any language computes the same.

use std::collections::BTreeMap;
use std::convert::Infallible;

use gepa::{
    Adapter, Candidate, Dataset, Evaluation, EvaluationJob, Proposal, ProposalJob, ReflectionJob, Split,
    Traces,
};
use serde_json::{Value, json};

pub fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

pub fn letter(split: Split) -> &'static str {
    match split {
        Split::Train => "t",
        Split::Validation => "v",
    }
}

/// Scores by hash; remembers every call.
pub struct Toy {
    pub levels: u64,
    pub objectives: bool,
    pub calls: Vec<Value>,
    pub examples_scored: u64,
}

impl Toy {
    pub fn new(levels: u64, objectives: bool) -> Self {
        Self { levels, objectives, calls: Vec::new(), examples_scored: 0 }
    }

    fn hash(&self, candidate: &Candidate, split: Split, example: usize, suffix: &str) -> u64 {
        let texts: String = candidate.parts().map(|(name, text)| format!("{name}={text}\n")).collect();
        fnv(&format!("{texts}{}:{example}{suffix}", letter(split))) >> 17
    }

    fn score(&self, candidate: &Candidate, split: Split, example: usize) -> f64 {
        let over = if matches!(self.levels, 2 | 3 | 5 | 9) { self.levels - 1 } else { self.levels };
        (self.hash(candidate, split, example, "") % self.levels) as f64 / over as f64
    }

    fn objectives(&self, candidate: &Candidate, split: Split, example: usize) -> BTreeMap<String, f64> {
        let score = |name: &str| (self.hash(candidate, split, example, name) % 5) as f64 / 4.0;
        ["acc", "brev"].into_iter().map(|name| (name.to_owned(), score(name))).collect()
    }
}

impl Adapter for Toy {
    type Error = Infallible;

    fn evaluate(&mut self, job: &EvaluationJob) -> Result<Evaluation, Infallible> {
        let EvaluationJob { candidate, split, examples, traces } = job;
        let asked: Vec<Value> = examples.iter().map(|example| json!([letter(*split), example])).collect();
        self.calls.push(json!([candidate.to_map(), asked, *traces == Traces::Capture]));
        self.examples_scored += examples.len() as u64;
        let mut evaluation = Evaluation::of_scores(
            examples.iter().map(|example| self.score(candidate, *split, *example)).collect(),
        );
        evaluation.trajectories = (*traces == Traces::Capture).then(|| asked.clone());
        evaluation.objectives = self
            .objectives
            .then(|| examples.iter().map(|example| self.objectives(candidate, *split, *example)).collect());
        Ok(evaluation)
    }

    fn reflect(&mut self, job: &ReflectionJob) -> Result<Option<Dataset>, Infallible> {
        let record = |(example, score): (&usize, &f64)| {
            vec![("Feedback".to_owned(), json!(format!("t:{example} scored {score:?}")))]
        };
        let records: Vec<_> = job.examples.iter().zip(&job.evaluation.scores).map(record).collect();
        Ok(Some(job.components.iter().map(|name| (name.clone(), records.clone())).collect()))
    }

    fn propose(&mut self, job: &ProposalJob) -> Result<Option<Proposal>, Infallible> {
        let rewrite = |name: &String| {
            let records = job.dataset.get(name).into_iter().flatten();
            let feedback: Vec<&str> =
                records.flatten().filter_map(|(_, feedback)| feedback.as_str()).collect();
            let text = job.candidate.text(name).unwrap_or_default();
            let hash = format!("{:016x}", fnv(&format!("{name}|{text}|{}", feedback.join(";"))));
            (name.clone(), format!("{text}.{}", &hash[..4]))
        };
        Ok(Some(Proposal { texts: job.components.iter().map(rewrite).collect(), cost: 1.0 }))
    }
}
