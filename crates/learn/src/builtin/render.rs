//! From candidates to what is handed out: situation, definition, duplicates, evidence labels.

use reflexio_types::rule_content;

use super::definitions::{Router, Subject, is_style};
use super::detect::{Fact, Found, Rule};
use super::duplicates::Seen;
use super::input::Definitions;
use super::output::{DropReason, Dropped, ForgetRequest, Learned, LearnedPlaybook, LearnedProfile, Signal};
use super::reading::{Reading, quoted, telling_terms};
use super::situation::ANY_REQUEST;
use super::{metadata, situation};

pub(super) fn render(
    reading: &Reading<'_>,
    found: Found,
    definitions: &Definitions<'_>,
    dropped: Dropped,
) -> Learned {
    let mut renderer = Renderer {
        reading,
        definitions,
        router: Router::default(),
        learned: Learned { dropped, ..Learned::default() },
        facts: Seen::default(),
        rules: Seen::default(),
    };
    found.facts.into_iter().for_each(|fact| renderer.fact(fact));
    // Reading the definitions costs more than most windows do.
    if !found.rules.is_empty() {
        renderer.router = Router::of(definitions.playbooks);
    }
    found.rules.into_iter().for_each(|rule| renderer.rule(rule));
    for forget in found.forget {
        let evidence = renderer.labels(forget.turn, &[]);
        renderer.learned.forget.push(ForgetRequest { what: forget.what, evidence });
    }
    renderer.learned
}

struct Renderer<'r, 'w> {
    reading: &'r Reading<'w>,
    definitions: &'r Definitions<'r>,
    router: Router<'r>,
    learned: Learned,
    facts: Seen,
    rules: Seen,
}

impl Renderer<'_, '_> {
    fn fact(&mut self, fact: Fact) {
        let Some(config) = self.definitions.profile else {
            return self.learned.dropped.add(DropReason::NoDefinition);
        };
        let evidence = self.labels(fact.turn, &fact.also);
        if let Some(earlier) = self.facts.earlier("", &fact.content) {
            self.learned.dropped.add(DropReason::Duplicate);
            return extend(
                self.learned.profiles.get_mut(earlier).map(|profile| &mut profile.evidence),
                evidence,
            );
        }
        let custom_features =
            metadata::of_fact(config.metadata_definition_prompt.as_deref(), fact.topic, &fact.content);
        self.learned.profiles.push(LearnedProfile {
            content: fact.content,
            time_to_live: fact.time_to_live,
            signal: fact.signal,
            evidence,
            source_span: fact.span,
            custom_features,
        });
    }

    fn rule(&mut self, rule: Rule) {
        let trigger = self.trigger(&rule);
        let Some(config) = self.router.route(&subject(&rule, &trigger)) else {
            return self.learned.dropped.add(DropReason::NoDefinition);
        };
        let evidence = self.labels(rule.turn, &rule.also);
        if let Some(earlier) = self.rules.earlier(&config.playbook_name, &rule.instruction) {
            self.learned.dropped.add(DropReason::Duplicate);
            return extend(
                self.learned.playbooks.get_mut(earlier).map(|playbook| &mut playbook.evidence),
                evidence,
            );
        }
        let prompt = config.metadata_definition_prompt.as_deref();
        self.learned.playbooks.push(LearnedPlaybook {
            playbook_name: config.playbook_name.clone(),
            content: rule_content(&trigger, &rule.instruction, rule.pitfall.as_deref()),
            rationale: rationale(rule.signal, &rule.span),
            metadata: metadata::of_rule(prompt, rule.signal, &rule.instruction, rule.pitfall.as_deref()),
            trigger,
            instruction: rule.instruction,
            pitfall: rule.pitfall,
            signal: rule.signal,
            evidence,
            source_span: rule.span,
        });
    }

    fn trigger(&self, rule: &Rule) -> String {
        let asked = || situation::trigger(self.reading, rule.request);
        rule.trigger.clone().or_else(asked).unwrap_or_else(|| ANY_REQUEST.to_owned())
    }

    fn labels(&self, turn: usize, also: &[usize]) -> Vec<String> {
        let mut turns: Vec<usize> = also.iter().copied().chain(std::iter::once(turn)).collect();
        turns.sort_unstable();
        turns.dedup();
        let labels = turns.into_iter().filter_map(|at| self.reading.get(at));
        labels.map(|said| said.label.to_owned()).collect()
    }
}

/// Adds the labels that are not there yet; a fact that was said twice is shown by both turns.
fn extend(evidence: Option<&mut Vec<String>>, more: Vec<String>) {
    if let Some(evidence) = evidence {
        for label in more {
            if !evidence.contains(&label) {
                evidence.push(label);
            }
        }
    }
}

fn subject(rule: &Rule, trigger: &str) -> Subject {
    let text = format!("{trigger} {} {}", rule.instruction, rule.pitfall.as_deref().unwrap_or_default());
    Subject {
        signal: rule.signal,
        terms: telling_terms(&text).into_iter().collect(),
        style: is_style(&rule.instruction),
    }
}

fn rationale(signal: Signal, span: &str) -> String {
    let said = quoted(span);
    match signal {
        Signal::Correction => format!("The user corrected the agent: {said}"),
        Signal::Preference => format!("The user asked for it: {said}"),
        Signal::Fact => format!("The user said: {said}"),
        Signal::Failure => format!("It did not work: {said}"),
        Signal::Confirmation => format!("The user confirmed it: {said}"),
        Signal::Action => format!("The user did this: {said}"),
        Signal::ExpertGap => format!("An expert would have said: {said}"),
    }
}
