//! What the model is shown.

use std::sync::Arc;

use playbook_lang::Value;

use super::Run;
use super::evaluate::Names;
use super::frame::Frame;
use super::state::Open;
use crate::code::{ModelKind, Parameter, PlaybookCode};
use crate::eval::{Scope, brief, literal_text};
use crate::journal::Purpose;
use crate::model::{
    AgentContext, Candidate, Context, ModelRequest, NoteContext, Offer, Offered, OfferedFork,
    OfferedQuestion, OfferedStep, PlaybookContext, SkeletonStep, Standing, ToolContext, schema,
};

/// Messages shown to the model: the last ones.
const MAX_MESSAGES: usize = 40;
/// Playbooks whose first steps are offered with the question whether they are triggered.
const MAX_OPENINGS: usize = 4;

impl Run {
    /// The request that is open, made of the state alone: made again, it is the same.
    pub(super) fn request(&self, id: u64, purpose: Purpose) -> ModelRequest {
        let repair = match &self.state.open {
            Some(Open::Model { repair, .. }) => repair.clone(),
            _ => None,
        };
        let agent = self.agent_context();
        let transcript = self.recent();
        let mut context = Context { agent, transcript, repair, ..Context::default() };
        let frame = self.state.frames.last();
        let playbook = frame.and_then(|frame| Some((frame, self.code.playbook(frame.playbook()?)?)));
        let (prompt, model) = match (purpose, playbook) {
            (Purpose::Segment, Some((frame, playbook))) => {
                self.segment_context(&mut context, frame, playbook);
                ("segment", playbook.model.clone())
            }
            (Purpose::Raw, Some((frame, playbook))) => {
                context.playbook = Some(playbook_context(frame, playbook));
                ("raw", playbook.model.clone())
            }
            _ => {
                context.triggers = self.candidate_contexts(true);
                context.wants_reply = self.state.frames.is_empty();
                context.tools = self.tools(self.running_agent());
                context.state = self.visible_state();
                ("triggers", None)
            }
        };
        let schema = (purpose != Purpose::Raw).then(|| schema(&context));
        ModelRequest { id, purpose, prompt, context, schema, model }
    }

    fn segment_context(&self, context: &mut Context, frame: &Frame, playbook: &PlaybookCode) {
        let offers = self.offers();
        let is_asked = frame.model.is_asked;
        let offered = offers.iter().enumerate();
        context.steps = offered.filter_map(|(at, offer)| self.offered(offer, at == 0 && is_asked)).collect();
        context.questions = offers.iter().filter_map(question).collect();
        context.forks = offers.iter().filter_map(|offer| fork(offer, playbook)).collect();
        let now = |at: usize| offers.iter().any(|offer| offer.step == at);
        let skeleton = playbook.steps.iter().enumerate().map(|(at, info)| SkeletonStep {
            id: Arc::clone(&info.id),
            text: Arc::clone(&info.text),
            depth: info.depth,
            now: now(at),
        });
        context.skeleton = skeleton.collect();
        context.playbook = Some(playbook_context(frame, playbook));
        context.state = self.visible_state();
        context.tools = self.tools(self.running_agent());
        context.results.clone_from(&frame.model.results);
        if self.state.unjudged.is_some() {
            context.triggers = self.candidate_contexts(false);
        }
    }

    /// What the running playbook offers to the model from where it stands.
    pub(super) fn offers(&self) -> Vec<Offer<'_>> {
        let Some(frame) = self.state.frames.last() else { return Vec::new() };
        let Some(playbook) = frame.playbook().and_then(|id| self.code.playbook(id)) else {
            return Vec::new();
        };
        let instance = self.state.instances.get(frame.instance);
        let names = instance.map(|instance| Names { frame: Some(frame), instance, is_lenient: false });
        let standing = Standing {
            playbook,
            pc: frame.pc,
            is_asked: frame.model.is_asked,
            turns: &frame.loops,
            scope: names.as_ref().map(|names| names as &dyn Scope),
            most: self.state.settings.segment_steps.max(1),
        };
        standing.offers()
    }

    fn offered(&self, offer: &Offer<'_>, asked: bool) -> Option<OfferedStep> {
        let Offered::Step(step, _) = offer.what else { return None };
        let with = |(name, value): &(Arc<str>, Value)| format!("{name} = {}", literal_text(&brief(value)));
        let write = |(name, ty): &(Box<str>, Option<Box<str>>)| match ty {
            Some(ty) => format!("{name}: {ty}"),
            None => name.to_string(),
        };
        let agent = match &step.kind {
            ModelKind::Delegate { agent } => Some(self.code.agent_name(*agent).to_owned()),
            ModelKind::Say
            | ModelKind::Ask
            | ModelKind::Assign(_)
            | ModelKind::Instruct
            | ModelKind::Think
            | ModelKind::Return
            | ModelKind::Items { .. }
            | ModelKind::React => None,
        };
        Some(OfferedStep {
            id: Arc::clone(&offer.id),
            kind: step.kind.name(),
            instruction: Arc::clone(&step.instruction),
            writes: step.writes.iter().map(write).collect(),
            from_user: step.is_from_user,
            asked,
            when: when(offer),
            with: offer.with.iter().map(with).collect(),
            agent,
        })
    }

    fn agent_context(&self) -> AgentContext {
        let Some(agent) = self.code.agent(self.running_agent()) else { return AgentContext::default() };
        AgentContext {
            name: agent.title.value.clone(),
            description: agent.description.text.trim().to_owned(),
        }
    }

    fn recent(&self) -> Vec<Arc<crate::effect::Message>> {
        let all = &self.state.transcript;
        all[all.len().saturating_sub(MAX_MESSAGES)..].to_vec()
    }

    /// Variables of the agent, those of the call first; names that begin with `_` are not shown.
    fn visible_state(&self) -> Vec<(Arc<str>, Value)> {
        let frame = self.state.frames.last();
        let locals = frame.into_iter().flat_map(|frame| &frame.locals);
        let instance = match frame {
            Some(frame) => self.state.instances.get(frame.instance),
            None => self.state.instances.first(),
        };
        let Some(instance) = instance else {
            // Nobody has done anything yet: what the run was started with is all there is.
            let given = self.state.start_variables.iter();
            return given.map(|(name, value)| (Arc::from(name.as_str()), shortened(value))).collect();
        };
        let is_local = |name: &str| frame.is_some_and(|frame| frame.locals.contains_key(name));
        let variables = instance.variables.iter().filter(|(name, _)| !is_local(name));
        locals
            .chain(variables)
            .filter(|(name, _)| !name.starts_with('_'))
            .map(|(name, value)| (Arc::clone(name), shortened(value)))
            .collect()
    }

    /// What an agent may call: its own playbooks but the running one, public ones of others, tools.
    fn tools(&self, agent: usize) -> Vec<ToolContext> {
        let running = self.state.frames.last().and_then(Frame::playbook);
        let callable = self.code.playbooks.iter().enumerate().filter(|(id, playbook)| {
            (playbook.agent == agent || playbook.is_public) && !playbook.is_hidden && running != Some(*id)
        });
        let playbooks = callable.map(|(_, playbook)| ToolContext {
            name: if playbook.agent == agent { playbook.plain.clone() } else { playbook.name.clone() },
            description: first_line(&playbook.description.text),
            params: playbook.params.iter().map(param_text).collect(),
        });
        let tools = self.code.tools.iter().map(|tool| ToolContext {
            name: tool.name.clone(),
            description: tool.description.clone(),
            params: if tool.is_open {
                vec!["…".to_owned()]
            } else {
                crate::code::parameters(tool).iter().map(param_text).collect()
            },
        });
        playbooks.chain(tools).collect()
    }

    /// Triggers to be judged. With `opens`, the first steps of a few are offered along.
    fn candidate_contexts(&self, opens: bool) -> Vec<Candidate> {
        let candidates = self.candidates();
        let opens = opens && candidates.len() <= MAX_OPENINGS && !self.state.settings.recalls;
        let candidate = |at: usize| {
            let trigger = self.code.triggers.get(at)?;
            let playbook = self.code.playbook(trigger.playbook)?;
            let is_fixed = playbook.description.placeholders().next().is_none();
            let opening = if opens && is_fixed { self.opening(playbook) } else { Vec::new() };
            let shown =
                (!opening.is_empty()).then(|| described(playbook, playbook.description.text.trim(), ""));
            Some(Candidate {
                id: trigger.id.clone(),
                text: trigger.text.clone(),
                params: playbook.params.iter().map(param_text).collect(),
                opening,
                playbook: shown,
            })
        };
        candidates.into_iter().filter_map(candidate).collect()
    }

    fn opening(&self, playbook: &PlaybookCode) -> Vec<OfferedStep> {
        let most = self.state.settings.segment_steps.max(1);
        let standing = Standing { playbook, pc: 0, is_asked: false, turns: &[], scope: None, most };
        let offers = standing.offers();
        let before = offers.iter().take_while(|offer| matches!(offer.what, Offered::Step(..)));
        before.filter_map(|offer| self.offered(offer, false)).collect()
    }
}

fn question(offer: &Offer<'_>) -> Option<OfferedQuestion> {
    let Offered::Question(text, _) = offer.what else { return None };
    Some(OfferedQuestion { id: Arc::clone(&offer.id), question: text.to_owned(), when: when(offer) })
}

fn fork(offer: &Offer<'_>, playbook: &PlaybookCode) -> Option<OfferedFork> {
    let Offered::Fork(_) = offer.what else { return None };
    let text = Arc::clone(&playbook.steps.get(offer.step)?.text);
    Some(OfferedFork { id: Arc::clone(&offer.id), text, when: when(offer) })
}

fn when(offer: &Offer<'_>) -> Vec<String> {
    offer.when.iter().map(|(id, value)| format!("{id} is {value}")).collect()
}

fn playbook_context(frame: &Frame, playbook: &PlaybookCode) -> PlaybookContext {
    let text = frame.description.as_deref().unwrap_or_else(|| playbook.description.text.trim());
    let mut context = described(playbook, text.trim(), &frame.call);
    context.learned = frame.model.learned.clone().unwrap_or_default();
    context
}

fn described(playbook: &PlaybookCode, description: &str, call: &str) -> PlaybookContext {
    let note = |note: &playbook_lang::Note| NoteContext { label: note.id.clone(), text: note.text.clone() };
    PlaybookContext {
        title: playbook.title.clone(),
        description: description.to_owned(),
        call: call.to_owned(),
        sections: playbook.sections.clone(),
        notes: playbook.notes.iter().map(note).collect(),
        learned: Vec::new(),
    }
}

fn param_text(param: &Parameter) -> String {
    let mut text = param.name.to_string();
    if let Some(ty) = &param.ty {
        text.push_str(": ");
        text.push_str(ty);
    }
    match &param.default {
        Some(default) => text.push_str(&format!(" = {}", literal_text(&brief(default)))),
        None if param.is_optional => text.push_str(" = …"),
        None => {}
    }
    text
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().take(200).collect()
}

/// Long values are shown from their beginning.
fn shortened(value: &Value) -> Value {
    const MOST: usize = 4_000;
    let json = serde_json::to_string(value).unwrap_or_default();
    if json.len() <= MOST {
        return value.clone();
    }
    let end = (0..=MOST).rev().find(|&at| json.is_char_boundary(at)).unwrap_or(0);
    Value::Text(format!("{}… ({} bytes)", &json[..end], json.len()))
}
