//! Playing a case: the engine with a user, a model and tools that were written down.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use playbook_engine::{
    Drive, Entry, Event, Learned, ModelRequest, Outcome, Playbooks, Run, Settings, Speaker, Spent, Start,
    Value, World,
};
use playbook_lang::Program;

use super::case::{Case, ToolResult, Turn};
use super::expect::{Evidence, contains};

/// 2026-01-05, a Monday, 12:00 UTC: every case starts then.
const START: u64 = 1_767_614_400_000;

/// What came of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Everything that is not as it should be; none means that the case passed.
    pub problems: Vec<Problem>,
    pub spent: Spent,
    /// The conversation, `user: …` and `agent: …`.
    pub transcript: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub line: usize,
    pub text: String,
}

impl Case {
    /// Runs the conversation with a program and compares.
    #[must_use]
    pub fn play(&self, program: Program) -> Played {
        match self.drive(program) {
            Ok((drive, stage)) => self.judged(&drive, &stage),
            Err(text) => Played {
                problems: vec![Problem { line: self.line, text }],
                spent: Spent::default(),
                transcript: Vec::new(),
            },
        }
    }

    fn drive(&self, program: Program) -> Result<(Drive, Stage<'_>), String> {
        let given = &self.given;
        let code: Arc<Playbooks> =
            Playbooks::compile(program, given.tools.clone()).map_err(|error| error.to_string())?;
        let start = Start {
            playbook: given.playbook.clone(),
            args: given.args.iter().cloned().collect(),
            variables: given.variables.iter().cloned().collect(),
            settings: Settings { recalls: !given.learned.is_empty(), ..Settings::default() },
            ..Start::default()
        };
        let mut stage = Stage::new(self);
        let mut drive = Drive::start(Run::new(code), START, start).map_err(|error| error.to_string())?;
        drive.until_quiet(&mut stage).map_err(|error| error.to_string())?;
        Ok((drive, stage))
    }

    fn judged(&self, drive: &Drive, stage: &Stage<'_>) -> Played {
        let mut problems = stage.problems.clone();
        problems.extend(self.out_of_order(drive));
        problems.extend(self.misjudged(&drive.journal));
        let unused = self.answers.len() - stage.answers_used;
        if unused > 0
            && let Some(answer) = self.answers.get(stage.answers_used)
        {
            let text = format!("the model was not asked for this answer; {unused} of them were not needed");
            problems.push(Problem { line: answer.line, text });
        }
        let evidence = Evidence { state: drive.run.state(), journal: &drive.journal };
        for expectation in &self.expectations {
            if let Some(text) = evidence.against(&expectation.what) {
                problems.push(Problem { line: expectation.line, text });
            }
        }
        // A run that failed says why, unless the case is about that.
        let asks_outcome = self
            .expectations
            .iter()
            .any(|expectation| matches!(expectation.what, super::Expectation::Outcome(_)));
        if let (Some(Outcome::Failed { reason }), false) = (drive.run.state().outcome(), asks_outcome) {
            problems.push(Problem { line: self.line, text: format!("the run failed: {reason}") });
        }
        problems.sort();
        let transcript = drive.run.state().transcript().iter().map(|message| {
            let who = if message.from == Speaker::User { "user" } else { "agent" };
            format!("{who}: {}", message.text)
        });
        let spent = drive.run.state().spent();
        Played { problems, spent, transcript: transcript.collect() }
    }

    /// Answers that were refused and should not have been, and the other way round.
    fn misjudged(&self, journal: &[Entry]) -> Vec<Problem> {
        let refused: BTreeMap<u64, &str> = journal
            .iter()
            .filter_map(|entry| {
                if let Entry::Refused { request, problem } = entry {
                    Some((*request, &**problem))
                } else {
                    None
                }
            })
            .collect();
        let requests = journal.iter().filter_map(|entry| {
            let Entry::Input { event, .. } = entry else { return None };
            if let Event::Answer { request, .. } = &**event { Some(*request) } else { None }
        });
        let judged = self.answers.iter().zip(requests).filter_map(|(answer, request)| {
            let text = match (answer.what.is_refused, refused.get(&request)) {
                (false, Some(problem)) => format!("this answer was refused: {problem}"),
                (true, None) => "this answer was accepted and should have been refused".to_owned(),
                (true, Some(_)) | (false, None) => return None,
            };
            Some(Problem { line: answer.line, text })
        });
        judged.collect()
    }

    /// What the user said and the agent had to say, compared with the conversation in order.
    fn out_of_order(&self, drive: &Drive) -> Option<Problem> {
        let mut messages = drive.run.state().transcript().iter();
        for turn in &self.turns {
            let problem = match &turn.what {
                Turn::TimePasses => continue,
                Turn::User(text) => {
                    let heard =
                        messages.any(|message| message.from == Speaker::User && message.text == *text);
                    (!heard).then(|| "nobody listened to this message".to_owned())
                }
                Turn::Agent(text) => {
                    let rest = messages.clone();
                    let said = messages
                        .any(|message| message.from == Speaker::Agent && contains(&message.text, text));
                    (!said).then(|| {
                        let next = rest.map(|message| format!("\"{}\"", message.text)).next();
                        format!(
                            "the agent did not say this; next came {}",
                            next.unwrap_or_else(|| "nothing".to_owned())
                        )
                    })
                }
            };
            if let Some(text) = problem {
                return Some(Problem { line: turn.line, text });
            }
        }
        None
    }
}

/// The world of a case.
struct Stage<'a> {
    case: &'a Case,
    /// What the user does, and time.
    moves: VecDeque<&'a Turn>,
    answers_used: usize,
    results: BTreeMap<&'a str, VecDeque<&'a ToolResult>>,
    problems: Vec<Problem>,
}

impl<'a> Stage<'a> {
    fn new(case: &'a Case) -> Self {
        let moves = case.turns.iter().map(|turn| &turn.what).filter(|turn| !matches!(turn, Turn::Agent(_)));
        let mut results: BTreeMap<&str, VecDeque<&ToolResult>> = BTreeMap::new();
        for (name, result) in &case.given.results {
            results.entry(name).or_default().push_back(result);
        }
        Self { case, moves: moves.collect(), answers_used: 0, results, problems: Vec::new() }
    }
}

impl World for Stage<'_> {
    fn model(&mut self, request: &ModelRequest) -> Result<serde_json::Value, String> {
        if let Some(answer) = self.case.answers.get(self.answers_used) {
            self.answers_used += 1;
            return Ok(answer.what.json.clone());
        }
        let steps: Vec<&str> = request.context.steps.iter().map(|step| &*step.id).collect();
        let playbook = request.context.playbook.as_ref().map_or("the triggers", |playbook| &playbook.title);
        let text = format!(
            "the model was asked once more, for {playbook} (steps {}), and the test has no answer",
            steps.join(", ")
        );
        self.problems.push(Problem { line: self.case.line, text });
        Err("the test has no more answers".to_owned())
    }

    fn tool(&mut self, name: &str, _args: &[(String, Value)]) -> Result<Value, String> {
        let Some(results) = self.results.get_mut(name) else {
            return Err(format!("the test gives no result of `{name}`"));
        };
        let result = if results.len() > 1 { results.pop_front() } else { results.front().copied() };
        match result {
            Some(ToolResult::Gives(value)) => Ok(value.clone()),
            Some(ToolResult::Fails(reason)) => Err(reason.clone()),
            None => Err(format!("the test gives no result of `{name}`")),
        }
    }

    fn user(&mut self) -> Option<String> {
        let Some(Turn::User(text)) = self.moves.front() else { return None };
        self.moves.pop_front();
        Some(text.clone())
    }

    fn recall(&mut self, _query: &str) -> Vec<Learned> {
        self.case.given.learned.clone()
    }

    fn approve(&mut self, _text: &str) -> (bool, String) {
        (self.case.given.approves.unwrap_or(false), "the test".to_owned())
    }

    fn lets_time_pass(&mut self) -> bool {
        let passes = matches!(self.moves.front(), Some(Turn::TimePasses));
        if passes {
            self.moves.pop_front();
        }
        passes
    }
}
