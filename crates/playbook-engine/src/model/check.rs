//! The checks of an answer. Nothing of it takes effect unless all of it is allowed; every refusal says which rule was
//! broken, in words a model can act on.

use std::sync::Arc;

use playbook_lang::placeholder::{Piece, scan};

use super::answer::{Answer, CallAnswer, Status, StepAnswer, TriggerAnswer};
use super::offer::{Offer, Offered, Standing};
use super::request::{Candidate, Context, OfferedStep};
use crate::bind;
use crate::code::{Callee, Playbooks};
use crate::effect::Speaker;
use crate::eval::fitted;

const MAX_CALLS: usize = 10;
const MAX_SAID: usize = 20_000;

/// What an answer is checked against.
pub(crate) struct Rules<'a> {
    pub(crate) code: &'a Playbooks,
    /// The agent whose playbooks may be called.
    pub(crate) agent: usize,
    pub(crate) context: &'a Context,
    /// What was offered of the playbook that runs, if it is asked for its steps.
    pub(crate) offers: Option<&'a [Offer<'a>]>,
}

/// Checks an answer as it came.
pub(crate) fn check(rules: &Rules<'_>, answer: &serde_json::Value) -> Result<Answer, String> {
    let mut answer: Answer = serde_json::from_value(answer.clone())
        .map_err(|error| format!("the answer does not have the form of the schema: {error}"))?;
    for step in &mut answer.steps {
        rules.step(step, &rules.context.steps)?;
    }
    rules.decisions(&answer)?;
    for trigger in &mut answer.triggers {
        rules.trigger(trigger)?;
    }
    rules.applied(&answer.applied)?;
    match rules.offers {
        Some(offers) => order(offers, &mut answer)?,
        None if answer.steps.is_empty() => {}
        None => return Err(format!("step `{}` was not asked for", answer.steps[0].id)),
    }
    Ok(answer)
}

impl Rules<'_> {
    fn step(&self, step: &mut StepAnswer, offered: &[OfferedStep]) -> Result<(), String> {
        let Some(offer) = offered.iter().find(|offer| *offer.id == *step.id) else {
            let ids: Vec<&str> = offered.iter().map(|offer| &*offer.id).collect();
            return Err(format!(
                "step `{}` is not part of this segment; only these are: {}",
                step.id,
                ids.join(", ")
            ));
        };
        if step.status == Status::Impossible {
            return Ok(());
        }
        let id = step.id.clone();
        let in_step = |problem: String| format!("step `{id}`: {problem}");
        self.said(step).map_err(in_step)?;
        self.written(step, offer).map_err(in_step)?;
        for call in &step.call {
            self.call(call, offer).map_err(in_step)?;
        }
        self.finished(step, offer).map_err(in_step)
    }

    fn said(&self, step: &StepAnswer) -> Result<(), String> {
        for said in &step.say {
            let is_user = matches!(said.to.as_str(), "user" | "human");
            if !is_user && self.code.program().agent(&said.to).is_none() {
                return Err(format!("`{}` is nobody to say something to; use `user` or an agent", said.to));
            }
            if said.text.trim().is_empty() || said.text.len() > MAX_SAID {
                return Err(format!("`say` needs a text of 1 to {MAX_SAID} bytes"));
            }
            if said.fill {
                self.filled(&said.text)?;
            }
        }
        Ok(())
    }

    /// Braces that somebody in the conversation wrote are words, not placeholders: else a user could ask for the
    /// value of any variable by writing it.
    fn filled(&self, text: &str) -> Result<(), String> {
        for piece in scan(text) {
            let Piece::Code { source, .. } = piece else { continue };
            let quoted = format!("{{{source}}}");
            if self.context.transcript.iter().any(|message| message.text.contains(&quoted)) {
                return Err(format!("`{quoted}` stands in the conversation; write the words without `fill`"));
            }
        }
        Ok(())
    }

    fn written(&self, step: &mut StepAnswer, offer: &OfferedStep) -> Result<(), String> {
        let declared = |name: &str| {
            offer.writes.iter().find_map(|write| {
                let (known, ty) =
                    write.split_once(": ").map_or((write.as_str(), None), |(known, ty)| (known, Some(ty)));
                (known == name).then_some(ty)
            })
        };
        let refused = |name: &str| {
            let list = if offer.writes.is_empty() { "none".to_owned() } else { offer.writes.join(", ") };
            format!("`{name}` may not be set here; declared: {list}")
        };
        for (name, value) in &mut step.set {
            let ty = declared(name).ok_or_else(|| refused(name))?;
            *value = fitted(std::mem::take(value), ty).map_err(|problem| format!("`{name}`: {problem}"))?;
            crate::eval::is_storable(value).map_err(|problem| format!("`{name}`: {problem}"))?;
        }
        let intos = step.call.iter().filter_map(|call| call.into.as_ref());
        for name in step.compute.iter().map(|(name, _)| name).chain(intos) {
            declared(name).ok_or_else(|| refused(name))?;
        }
        for (name, source) in &step.compute {
            parsed(name, source)?;
        }
        let has_call = step.call.iter().any(|call| call.into.is_some());
        let is_written = !step.set.is_empty() || !step.compute.is_empty() || has_call;
        self.evidence(step.evidence.as_deref(), offer.from_user && is_written)
    }

    /// A value that comes from the user points to the message it comes from.
    fn evidence(&self, evidence: Option<&str>, is_needed: bool) -> Result<(), String> {
        let Some(id) = evidence else {
            return if is_needed {
                Err("the value comes from the user: name the message it is in as `evidence`".to_owned())
            } else {
                Ok(())
            };
        };
        match self.context.transcript.iter().find(|message| message.id == id) {
            Some(message) if message.from == Speaker::User => Ok(()),
            Some(_) => Err(format!("`{id}` is not a message of the user and proves nothing")),
            None => Err(format!("there is no message `{id}`")),
        }
    }

    fn call(&self, call: &CallAnswer, offer: &OfferedStep) -> Result<(), String> {
        let is_listed = self.context.tools.iter().any(|tool| tool.name == call.name);
        let callee = self.code.callee(self.agent, &call.name);
        if let Callee::Refused(why) = &callee {
            return Err(why.clone());
        }
        if !is_listed {
            return Err(format!("`{}` is not among the tools that may be called", call.name));
        }
        if let Some(agent) = &offer.agent
            && !call.name.starts_with(&format!("{agent}."))
        {
            return Err(format!("this step asks `{agent}`; only its playbooks may be called"));
        }
        for (name, source) in &call.compute {
            parsed(name, source)?;
        }
        let names = call.args.iter().map(|(name, _)| name).chain(call.compute.iter().map(|(name, _)| name));
        let names: Vec<&str> = names.map(String::as_str).collect();
        bind::names_fit(&self.code.parameters_of(&callee), &names)
            .map_err(|problem| format!("`{}`: {problem}", call.name))
    }

    /// Whether what makes a step done is there.
    fn finished(&self, step: &StepAnswer, offer: &OfferedStep) -> Result<(), String> {
        if step.call.len() > MAX_CALLS {
            return Err(format!("more than {MAX_CALLS} calls"));
        }
        let is_set = |name: &str| {
            step.set.iter().any(|(set, _)| set == name)
                || step.compute.iter().any(|(set, _)| set == name)
                || step.call.iter().any(|call| call.into.as_deref() == Some(name))
        };
        let missing = offer.writes.iter().find_map(|write| {
            let name = write.split(": ").next().unwrap_or(write);
            (!is_set(name)).then_some(name)
        });
        match (offer.kind, step.status) {
            ("ask" | "playbook", Status::Waiting) if step.say.is_empty() => {
                Err("it waits for the user without asking anything: put the question into `say`".to_owned())
            }
            ("ask" | "playbook", Status::Waiting) => Ok(()),
            (_, Status::Waiting) => Err("only a step that asks the user may wait".to_owned()),
            ("playbook", Status::Continue) if step.call.is_empty() && step.say.is_empty() => {
                Err("it goes on without having done anything".to_owned())
            }
            ("playbook", Status::Continue) => Ok(()),
            (_, Status::Continue) if step.call.is_empty() => {
                Err("only a step with calls may continue after them".to_owned())
            }
            (_, Status::Continue) => Ok(()),
            ("ask", Status::Done) => match missing {
                Some(name) => {
                    Err(format!("`{name}` is not filled: set it, or ask again with status `waiting`"))
                }
                None if offer.writes.is_empty() && !offer.asked => {
                    Err("nothing was asked yet: put the question into `say`, status `waiting`".to_owned())
                }
                None => Ok(()),
            },
            ("assign", Status::Done) => match missing {
                Some(name) => Err(format!("`{name}` is not set")),
                None => Ok(()),
            },
            ("say", Status::Done) if step.say.is_empty() => Err("it says nothing: fill `say`".to_owned()),
            ("list", Status::Done) if step.items.is_none() => Err("`items` is missing".to_owned()),
            (_, Status::Done | Status::Impossible) => Ok(()),
        }
    }

    fn decisions(&self, answer: &Answer) -> Result<(), String> {
        for decision in &answer.decisions {
            if !self.context.questions.iter().any(|question| *question.id == *decision.id) {
                return Err(format!("there is no question `{}`", decision.id));
            }
            self.evidence(decision.evidence.as_deref(), false)?;
        }
        Ok(())
    }

    fn trigger(&self, trigger: &mut TriggerAnswer) -> Result<(), String> {
        let found = self.context.triggers.iter().find(|candidate| candidate.id == trigger.id);
        let Some(candidate) = found else { return Err(format!("there is no trigger `{}`", trigger.id)) };
        let known: Vec<&str> =
            candidate.params.iter().map(|param| param.split([':', ' ']).next().unwrap_or_default()).collect();
        if let Some((name, _)) = trigger.args.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            return Err(format!("`{}` has no parameter `{name}`", trigger.id));
        }
        if trigger.steps.is_empty() {
            return Ok(());
        }
        self.opening(trigger, candidate)
    }

    fn opening(&self, trigger: &mut TriggerAnswer, candidate: &Candidate) -> Result<(), String> {
        let name = trigger.id.rsplit_once(':').map_or("", |(name, _)| name);
        let playbook = self.code.find(name).and_then(|id| self.code.playbook(id));
        let Some(playbook) = playbook else { return Err(format!("there is no playbook `{name}`")) };
        for step in &mut trigger.steps {
            self.step(step, &candidate.opening)?;
        }
        let mut answer = Answer { steps: trigger.steps.clone(), ..Answer::default() };
        let most = candidate.opening.len();
        let standing = Standing { playbook, pc: 0, is_asked: false, turns: &[], scope: None, most };
        order(&standing.offers(), &mut answer)
    }

    fn applied(&self, labels: &[String]) -> Result<(), String> {
        let openings = self.context.triggers.iter().filter_map(|candidate| candidate.playbook.as_ref());
        let playbooks: Vec<_> = self.context.playbook.iter().chain(openings).collect();
        let is_known = |label: &&String| {
            playbooks.iter().any(|playbook| {
                playbook.notes.iter().any(|note| note.label == **label)
                    || playbook.learned.iter().any(|note| note.label == **label)
            })
        };
        match labels.iter().find(|label| !is_known(label)) {
            Some(label) => Err(format!("there is no note `{label}`")),
            None => Ok(()),
        }
    }
}

/// Follows the answer through what was offered: every step must be the next one. Decisions on ways that were not
/// taken are left out.
fn order(offers: &[Offer<'_>], answer: &mut Answer) -> Result<(), String> {
    let mut steps = answer.steps.iter().peekable();
    let mut used = Vec::new();
    let mut at = Some(0);
    while let Some(offer) = at.and_then(|at| offers.get(at)) {
        match &offer.what {
            Offered::Question(_, [yes, no]) => {
                let Some(decision) = answer.decisions.iter().find(|decision| *decision.id == *offer.id)
                else {
                    break;
                };
                used.push(Arc::clone(&offer.id));
                at = if decision.value { *yes } else { *no };
            }
            Offered::Fork([yes, no]) => {
                let Some(step) = steps.peek() else { break };
                at = [*yes, *no].into_iter().flatten().find(|way| leads_to(offers, *way, &step.id, answer));
                if at.is_none() {
                    break;
                }
            }
            Offered::Step(_, next) => {
                let Some(step) = steps.peek() else { break };
                if *step.id != *offer.id {
                    return Err(format!("step `{}` was answered where `{}` is due", step.id, offer.id));
                }
                used.push(Arc::clone(&offer.id));
                at = if step.status == Status::Done { *next } else { None };
                steps.next();
            }
        }
    }
    if let Some(step) = steps.next() {
        return Err(format!("step `{}` cannot follow here", step.id));
    }
    if used.is_empty() && answer.triggers.is_empty() {
        return Err("nothing was answered: begin with the first step or question".to_owned());
    }
    answer.decisions.retain(|decision| used.iter().any(|id| **id == *decision.id));
    Ok(())
}

/// Whether a step is the next one on a way. Which way the program goes nobody knows yet.
fn leads_to(offers: &[Offer<'_>], way: usize, step: &str, answer: &Answer) -> bool {
    let goes = |way: &Option<usize>| way.is_some_and(|way| leads_to(offers, way, step, answer));
    match offers.get(way).map(|offer| (offer, &offer.what)) {
        None => false,
        Some((offer, Offered::Step(..))) => *offer.id == *step,
        Some((_, Offered::Fork([yes, no]))) => goes(yes) || goes(no),
        Some((offer, Offered::Question(_, [yes, no]))) => {
            let decision = answer.decisions.iter().find(|decision| *decision.id == *offer.id);
            decision.is_some_and(|decision| goes(if decision.value { yes } else { no }))
        }
    }
}

fn parsed(name: &str, source: &str) -> Result<(), String> {
    match playbook_lang::expression::parse(source) {
        Ok(_) => Ok(()),
        Err(problem) => Err(format!("`{name}`: `{source}` is not an expression: {problem}")),
    }
}
