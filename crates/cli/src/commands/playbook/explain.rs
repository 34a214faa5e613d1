use clap::Args;
use console::Style;
use playbook_lang::{
    Doer, Explained, ExplainedPlaybook, ExplainedTrigger, LoopCalls, Mode, ModelCalls, Open, Program,
    TriggerKind, explain,
};
use serde::Serialize;
use serde_json::json;

use super::counted;
use super::disk::Disk;
use super::given::Paths;
use crate::context::Context;
use crate::output::Output;

/// Arguments of `playbook explain`.
#[derive(Debug, Args)]
#[command(
    after_help = "Model calls are counted as one for each step of the model and one more for reading an answer; \
                        steps that stand together may share a call, and a useless answer costs another."
)]
pub(crate) struct Explain {
    #[command(flatten)]
    given: Paths,
}

impl Explain {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        let programs: Vec<Program> =
            self.given.groups()?.iter().map(|group| group.parse(&Disk::default())).collect();
        let playbooks: Vec<ExplainedPlaybook> = programs.iter().flat_map(explain).collect();
        let totals = Totals::of(&programs, &playbooks);
        context.out.result(&json!({ "playbooks": playbooks, "summary": totals }), || {
            let trees = playbooks.iter().map(|playbook| tree(&context.out, playbook));
            format!("{}\n{}", trees.collect::<Vec<_>>().join("\n"), totals.words())
        })?;
        let errors = programs.iter().filter(|program| program.has_errors()).count();
        if errors > 0 {
            context.out.warning("the program has errors; `reflexio playbook check` shows them");
        }
        Ok(())
    }
}

/// What there is to say about everything together.
#[derive(Debug, Serialize)]
struct Totals {
    native_steps: usize,
    model_steps: usize,
    /// Playbooks that start with the program.
    begins: Vec<Begin>,
    /// Triggers that the model judges, all of them in one call a message.
    judged_triggers: usize,
}

#[derive(Debug, Serialize)]
struct Begin {
    playbook: String,
    model_calls: ModelCalls,
}

impl Totals {
    fn of(programs: &[Program], playbooks: &[ExplainedPlaybook]) -> Self {
        let steps = |doer: Doer| {
            playbooks.iter().flat_map(|playbook| &playbook.steps).filter(|step| step.doer == doer).count()
        };
        let all = programs.iter().flat_map(|program| &program.agents).flat_map(|agent| &agent.playbooks);
        let begins = all.zip(playbooks).filter(|(playbook, _)| {
            playbook.triggers.iter().any(|trigger| trigger.kind == TriggerKind::Begin)
        });
        let begins = begins.map(|(playbook, explained)| Begin {
            playbook: playbook.name.value.clone(),
            model_calls: explained.model_calls.clone(),
        });
        let triggers = playbooks.iter().flat_map(|playbook| &playbook.triggers);
        Self {
            native_steps: steps(Doer::Native),
            model_steps: steps(Doer::Model),
            begins: begins.collect(),
            judged_triggers: triggers.filter(|trigger| trigger.doer == Doer::Model).count(),
        }
    }

    fn words(&self) -> String {
        let steps = self.native_steps + self.model_steps;
        let mut words = format!(
            "{}: {} native, {} for the model",
            counted(steps, "step"),
            self.native_steps,
            self.model_steps
        );
        for Begin { playbook, model_calls } in &self.begins {
            words += &format!("\na run begins with {playbook}: {}", bound(model_calls, Mode::Steps));
        }
        if self.judged_triggers > 0 {
            words += &format!(
                "\neach message of the user: one more model call, for {}",
                counted(self.judged_triggers, "trigger")
            );
        }
        words
    }
}

/// A line and the lines below it, before they are drawn.
struct Node {
    label: String,
    doer: Doer,
    text: String,
    why: String,
    children: Vec<Node>,
}

fn tree(out: &Output, playbook: &ExplainedPlaybook) -> String {
    let head = out.style().bold();
    let mut text = format!("{} · {}\n", playbook.agent, head.apply_to(&playbook.playbook));
    text += &format!("{}\n", out.style().dim().apply_to(bound(&playbook.model_calls, playbook.mode)));
    let mut nodes: Vec<Node> = playbook.triggers.iter().map(of_trigger).collect();
    nodes.extend(of_steps(&mut playbook.steps.iter().peekable(), 0));
    draw(out, &nodes, "", &mut text);
    text
}

fn of_trigger(trigger: &ExplainedTrigger) -> Node {
    let ExplainedTrigger { id, text, doer, why } = trigger;
    Node { label: id.clone(), doer: *doer, text: text.clone(), why: why.clone(), children: Vec::new() }
}

/// The steps of one depth with the deeper ones that follow each.
fn of_steps<'a>(
    steps: &mut std::iter::Peekable<impl Iterator<Item = &'a Explained>>,
    depth: usize,
) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    while let Some(step) = steps.next_if(|step| step.depth >= depth) {
        let children = of_steps(steps, depth + 1);
        nodes.push(Node {
            label: step.id.clone(),
            doer: step.doer,
            text: step.text.lines().next().unwrap_or_default().to_owned(),
            why: step.why.clone(),
            children,
        });
    }
    nodes
}

fn draw(out: &Output, nodes: &[Node], indent: &str, text: &mut String) {
    let dim = out.style().dim();
    for (index, node) in nodes.iter().enumerate() {
        let is_last = index + 1 == nodes.len();
        let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let (word, style) = doer(out, node.doer);
        let rule = |part: &str| dim.apply_to(format!("{indent}{part}")).to_string();
        *text += &format!("{}{} {} {}\n", rule(branch), node.label, style.apply_to(word), node.text);
        let inner = if node.children.is_empty() { "   " } else { "│  " };
        *text += &format!("{}{}{}\n", rule(below), dim.apply_to(inner), dim.apply_to(&node.why));
        draw(out, &node.children, &format!("{indent}{below}"), text);
    }
}

fn doer(out: &Output, doer: Doer) -> (&'static str, Style) {
    match doer {
        Doer::Native => ("native", out.style().green()),
        Doer::Model => ("model", out.style().yellow()),
    }
}

fn bound(calls: &ModelCalls, mode: Mode) -> String {
    let reasons: Vec<String> = calls.open.iter().map(reason).collect();
    if !reasons.is_empty() {
        return format!("any number of model calls: {}", reasons.join("; "));
    }
    let loops: Vec<String> = calls.loops.iter().map(each_turn).collect();
    let most = match (calls.at_most, mode) {
        (0, Mode::Python) => "no model call: Python, run in the sandbox".to_owned(),
        (0, _) => "no model call".to_owned(),
        (count, _) => {
            format!("at most {}", counted(usize::try_from(count).unwrap_or(usize::MAX), "model call"))
        }
    };
    [most].into_iter().chain(loops).collect::<Vec<_>>().join(", plus ")
}

fn each_turn(one: &LoopCalls) -> String {
    format!("{} for each turn of the loop at {} of {}", one.each_turn, one.step, one.playbook)
}

fn reason(open: &Open) -> String {
    match open {
        Open::NoSteps { playbook } => format!("`{playbook}` has no steps, the model decides when it is done"),
        Open::Recursion { playbook } => format!("`{playbook}` calls itself"),
        Open::Delegated { agent } => format!("`{agent}` is asked in words"),
        Open::Python { playbook } => format!("`{playbook}` is Python that calls playbooks"),
    }
}
