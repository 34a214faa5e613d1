//! Steps become operations: branches become jumps, loops get counters, words become model steps.

use std::sync::Arc;

use playbook_lang::{
    Call, Condition, Decided, Items, Mode, Playbook, Returned, Step, StepKind, Target, WaitFor,
};

use super::op::{Argument, CallSite, ModelKind, ModelStep, Native, Op, OpKind, Question, Returning};
use super::playbook::StepInfo;
use super::{Callee, Playbooks};
use crate::eval::{Expression, Place};

#[derive(Default)]
pub(super) struct Compiled {
    pub(super) steps: Vec<StepInfo>,
    pub(super) ops: Vec<Op>,
    loops: usize,
}

pub(super) fn compile(code: &Playbooks, agent: usize, playbook: &Playbook) -> Compiled {
    let mut compiler =
        Compiler { code, agent, out: Compiled::default(), step: 0, is_begin: false, each: Vec::new() };
    match playbook.mode {
        Mode::Steps => compiler.block(&playbook.steps, 0),
        Mode::React => compiler.whole(playbook, "react"),
        Mode::Raw => compiler.whole(playbook, "raw"),
        Mode::Python => return compiler.out,
    }
    let last = compiler.out.steps.len().saturating_sub(1);
    compiler.out.ops.push(Op { step: last, is_begin: false, kind: OpKind::Return(Returning::Nothing) });
    compiler.out
}

struct Compiler<'a> {
    code: &'a Playbooks,
    agent: usize,
    out: Compiled,
    step: usize,
    is_begin: bool,
    /// The loops over lists around the step at hand.
    each: Vec<usize>,
}

impl Compiler<'_> {
    fn block(&mut self, steps: &[Step], depth: usize) {
        // Jumps from the ends of taken branches to the end of their chain.
        let mut ends: Vec<usize> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let goes_on = matches!(step.kind, StepKind::ElseIf { .. } | StepKind::Else);
            if !goes_on {
                self.land(&mut ends);
            }
            self.begin(step, depth);
            #[expect(clippy::wildcard_enum_match_arm, reason = "the rest are no blocks")]
            match &step.kind {
                StepKind::If { condition }
                | StepKind::ElseIf { condition }
                | StepKind::When { condition } => {
                    let test = self.test(condition, false, None);
                    self.block(&step.body, depth + 1);
                    let next = steps.get(at + 1).map(|next| &next.kind);
                    if matches!(next, Some(StepKind::ElseIf { .. } | StepKind::Else)) {
                        ends.push(self.push(OpKind::Jump(usize::MAX)));
                    }
                    self.land(&mut vec![test]);
                }
                StepKind::Else => self.block(&step.body, depth + 1),
                StepKind::While { condition } => self.while_loop(step, condition, false, depth),
                StepKind::Until { condition } => self.while_loop(step, condition, true, depth),
                StepKind::ForEach { variable, items } => {
                    self.for_each(step, variable.as_deref(), items, depth)
                }
                _ => {
                    self.action(step);
                    // Steps under a plain sentence are part of what it asks for, in order.
                    self.block(&step.body, depth + 1);
                }
            }
        }
        self.land(&mut ends);
    }

    fn begin(&mut self, step: &Step, depth: usize) {
        self.step = self.out.steps.len();
        self.is_begin = true;
        let each = self.each.clone();
        let (id, text) = (step.id.as_str().into(), step.text.as_str().into());
        self.out.steps.push(StepInfo { id, text, depth, each });
    }

    fn push(&mut self, kind: OpKind) -> usize {
        let is_begin = std::mem::take(&mut self.is_begin);
        self.out.ops.push(Op { step: self.step, is_begin, kind });
        self.out.ops.len() - 1
    }

    /// Makes jumps end here.
    fn land(&mut self, jumps: &mut Vec<usize>) {
        let here = self.out.ops.len();
        for jump in jumps.drain(..) {
            if let Some(
                OpKind::Jump(to) | OpKind::Test { otherwise: to, .. } | OpKind::Next { exit: to, .. },
            ) = self.out.ops.get_mut(jump).map(|op| &mut op.kind)
            {
                *to = here;
            }
        }
    }

    fn test(&mut self, condition: &Condition, is_negated: bool, turns: Option<usize>) -> usize {
        let question = match &condition.decided {
            Decided::Expression { expr } => Question::Native(self.native(expr, false)),
            Decided::Phrase { expr } => Question::Native(self.native(expr, true)),
            Decided::Model => Question::Model(condition.text.as_str().into()),
        };
        self.push(OpKind::Test { question, is_negated, otherwise: usize::MAX, turns })
    }

    fn native(&self, expr: &playbook_lang::Expr, is_lenient: bool) -> Native {
        let is_plain = playbook_lang::expression::calls(&expr.source).iter().all(|name| {
            let callee = self.code.callee(self.agent, name);
            !name.starts_with("memory.") && matches!(callee, Callee::Function(_) | Callee::Refused(_))
        });
        Native { condition: self.expression(expr), is_lenient, is_plain }
    }

    fn while_loop(&mut self, step: &Step, condition: &Condition, is_negated: bool, depth: usize) {
        let slot = self.slot();
        let (own, begins) = (self.step, self.is_begin);
        self.push(OpKind::EnterLoop { slot, most: most_turns(&step.text) });
        self.is_begin = begins;
        let head = self.test(condition, is_negated, Some(slot));
        self.block(&step.body, depth + 1);
        (self.step, self.is_begin) = (own, false);
        self.push(OpKind::Jump(head));
        self.land(&mut vec![head]);
    }

    fn for_each(&mut self, step: &Step, variable: Option<&str>, items: &Items, depth: usize) {
        let slot = self.slot();
        let own = self.step;
        self.push(OpKind::EnterLoop { slot, most: None });
        match items {
            Items::Expression { expr } => {
                let items = self.expression(expr);
                self.push(OpKind::Items { slot, items: Some(items) });
            }
            Items::Model { description } => {
                self.is_begin = true;
                let instruction = Arc::from(format!("List what there is to go through: {description}"));
                let kind = ModelKind::Items { slot };
                self.push(OpKind::Model(ModelStep {
                    kind,
                    instruction,
                    writes: Vec::new(),
                    is_from_user: false,
                    words: None,
                }));
            }
        }
        let variable = variable.unwrap_or("item").into();
        let head = self.push(OpKind::Next { slot, variable, exit: usize::MAX });
        self.each.push(slot);
        self.block(&step.body, depth + 1);
        self.each.pop();
        (self.step, self.is_begin) = (own, false);
        self.push(OpKind::Jump(head));
        self.land(&mut vec![head]);
    }

    fn slot(&mut self) -> usize {
        self.out.loops += 1;
        self.out.loops - 1
    }

    fn action(&mut self, step: &Step) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for the model")]
        let kind = match &step.kind {
            StepKind::Assign { target, value } => {
                let value = self.assigned(target, value);
                OpKind::Assign { place: self.place(target), value }
            }
            StepKind::Call { target, call } => {
                let place = target.as_ref().map(|target| self.place(target));
                OpKind::Call { place, site: self.call(call) }
            }
            StepKind::Say { to, words } => OpKind::Say { to: to.as_str().into(), words: words.clone() },
            StepKind::Return { value: None } => OpKind::Return(Returning::Nothing),
            StepKind::Return { value: Some(Returned::Expression { expr }) } => {
                OpKind::Return(Returning::Value(self.expression(expr)))
            }
            StepKind::Return { value: Some(Returned::Call { call }) } => {
                OpKind::Return(Returning::Call(self.call(call)))
            }
            StepKind::EndProgram => OpKind::End,
            StepKind::Wait { r#for: WaitFor::Other(_) } => return self.wait_in_words(step),
            StepKind::Wait { r#for } => OpKind::Wait(r#for.clone()),
            StepKind::Approve { who, .. } => OpKind::Approve { who: who.as_deref().map(Into::into) },
            StepKind::Nothing => return,
            _ => OpKind::Model(self.model_step(step)),
        };
        self.push(kind);
    }

    /// "Wait until the customer has decided": every message is judged until the waiting is over.
    fn wait_in_words(&mut self, step: &Step) {
        let head = self.push(OpKind::Wait(WaitFor::User));
        let question = Question::Model(format!("the waiting is over: {}", step.text).into());
        self.is_begin = true;
        let test = self.push(OpKind::Test { question, is_negated: true, otherwise: usize::MAX, turns: None });
        self.push(OpKind::Jump(head));
        self.land(&mut vec![test]);
    }

    fn model_step(&self, step: &Step) -> ModelStep {
        let untyped = |name: &String| (name.as_str().into(), None);
        let mut writes: Vec<(Box<str>, Option<Box<str>>)> = step.effects.writes.iter().map(untyped).collect();
        let mut is_from_user = false;
        let mut literal = None;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest are instructions")]
        let (kind, instruction) = match &step.kind {
            StepKind::SayAsked { instruction, .. } => (ModelKind::Say, instruction.as_str()),
            StepKind::Ask { fills, instruction, words, .. } => {
                writes = fills.iter().map(untyped).collect();
                literal.clone_from(words);
                is_from_user = true;
                (ModelKind::Ask, instruction.as_str())
            }
            StepKind::AssignAsked { target, instruction } => {
                writes = vec![(target.variable.as_str().into(), target.ty.as_deref().map(Into::into))];
                is_from_user = mentions_user(instruction);
                (ModelKind::Assign(self.place(target)), step.text.as_str())
            }
            StepKind::Delegate { agent, instruction } => match self.code.program().names().agent(agent) {
                Some(agent) => (ModelKind::Delegate { agent }, instruction.as_str()),
                None => (ModelKind::Instruct, instruction.as_str()),
            },
            StepKind::Think { instruction } => (ModelKind::Think, instruction.as_str()),
            StepKind::Return { .. } => (ModelKind::Return, step.text.as_str()),
            _ => (ModelKind::Instruct, step.text.as_str()),
        };
        ModelStep { kind, instruction: instruction.into(), writes, is_from_user, words: literal }
    }

    /// A playbook without steps is one step.
    fn whole(&mut self, playbook: &Playbook, id: &str) {
        let text: Arc<str> = Arc::from(playbook.title.value.as_str());
        self.out.steps.push(StepInfo { id: id.into(), text: Arc::clone(&text), depth: 0, each: Vec::new() });
        self.is_begin = true;
        if playbook.mode == Mode::Raw {
            self.push(OpKind::Raw);
            return;
        }
        let (kind, instruction) = (ModelKind::React, text);
        let writes = Vec::new();
        self.push(OpKind::Model(ModelStep { kind, instruction, writes, is_from_user: false, words: None }));
    }

    fn call(&self, call: &Call) -> CallSite {
        let args = call.args.iter().map(|arg| Argument {
            name: arg.name.as_deref().map(Into::into),
            is_unpacked: arg.is_unpacked,
            value: self.expression(&arg.value),
        });
        CallSite {
            name: call.callee.as_str().into(),
            callee: self.code.callee(self.agent, &call.callee),
            instance: call.instance.as_deref().map(Into::into),
            args: args.collect(),
        }
    }

    fn place(&self, target: &Target) -> Place {
        Place::new(target, &|name| self.is_function(name))
    }

    /// `$n += 1` is `$n = $n + (1)`.
    fn assigned(&self, target: &Target, value: &playbook_lang::Expr) -> Expression {
        match &target.operator {
            Some(operator) => {
                let source = format!("{} {operator} ({})", target.source, value.source);
                Expression::new(&source, &|name| self.is_function(name))
            }
            None => self.expression(value),
        }
    }

    fn expression(&self, expr: &playbook_lang::Expr) -> Expression {
        match &expr.literal {
            // Objects are read from their source, which keeps their order.
            Some(literal) if !literal.is_object() && !literal.is_array() => {
                Expression::constant(&expr.source, literal.clone().into())
            }
            _ => Expression::new(&expr.source, &|name| self.is_function(name)),
        }
    }

    fn is_function(&self, name: &str) -> bool {
        !matches!(self.code.callee(self.agent, name), Callee::Refused(_))
    }
}

fn mentions_user(instruction: &str) -> bool {
    let lower = instruction.to_lowercase();
    ["user", "customer", "their ", "response", "reply", "answer"].iter().any(|word| lower.contains(word))
}

/// `max 3 iterations`, `at most 5 times`: the author's own limit of a loop.
fn most_turns(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let unit =
        |word: &&str| matches!(*word, "iterations" | "iteration" | "times" | "turns" | "attempts" | "tries");
    words.windows(3).find_map(|window| match window {
        [limit, number, last] if unit(last) && matches!(*limit, "max" | "maximum" | "most") => {
            number.parse().ok()
        }
        _ => None,
    })
}
