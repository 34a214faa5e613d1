//! What the user did in the interface: a verdict on an answer, or interest that shows more than once.

use reflexio_search::fusion::Speaker;
use reflexio_types::{ProfileTimeToLive, UserAction};

use super::outcomes::approach;
use super::{DropReason, Dropped, Fact, Found, Rule, Signal};
use crate::builtin::reading::{Reading, beginning, quoted, telling_terms};
use crate::builtin::situation::request_before;
use crate::builtin::text::as_sentence;

const BAD: [&str; 5] = ["thumbs down", "thumbs-down", "dislike", "not helpful", "unhelpful"];
const GOOD: [&str; 4] = ["thumbs up", "thumbs-up", "marked as helpful", "'helpful'"];
/// Words of interfaces, which say nothing about what the user looked at.
const INTERFACE: [&str; 32] = [
    "answer", "button", "card", "categori", "click", "detail", "element", "field", "filter", "form", "icon",
    "item", "link", "list", "menu", "open", "page", "product", "scroll", "search", "section", "select",
    "tab", "tap", "type", "view", "model", "listing", "option", "input", "enter", "visit",
];

pub(super) fn actions(reading: &Reading<'_>, found: &mut Found, dropped: &mut Dropped) {
    let mut looked: Vec<(usize, &str, Vec<String>)> = Vec::new();
    for (at, said) in reading.said.iter().enumerate() {
        let description = beginning(said.turn.user_action_description.trim());
        let acted =
            matches!(said.turn.user_action, UserAction::Click | UserAction::Type) && !description.is_empty();
        if said.speaker != Speaker::User || said.turn.user_action == UserAction::None {
            continue;
        }
        if !acted {
            dropped.add(DropReason::Uninformative);
        } else if let Some(rule) = verdict(reading, at, description) {
            found.rules.push(rule);
        } else {
            let terms =
                telling_terms(description).into_iter().filter(|term| !INTERFACE.contains(&term.as_str()));
            looked.push((at, description, terms.collect()));
        }
    }
    let interest = interest(&looked);
    let shown = interest.as_ref().map_or(0, |fact| fact.also.len() + 1);
    (shown..looked.len()).for_each(|_| dropped.add(DropReason::Uninformative));
    found.facts.extend(interest);
}

fn verdict(reading: &Reading<'_>, at: usize, description: &str) -> Option<Rule> {
    let lower = description.to_lowercase();
    let bad = BAD.iter().any(|sign| lower.contains(sign));
    let good = GOOD.iter().any(|sign| lower.contains(sign));
    if !bad && !good {
        return None;
    }
    let agent = reading.agent_before(at)?;
    let approach = approach(reading.get(agent)?)?;
    let request = request_before(reading, at);
    let (signal, instruction) = if bad {
        (Signal::Failure, format!("Do not answer like this, it was rated as bad: {approach}"))
    } else {
        (Signal::Confirmation, format!("Answer like this, it was rated as good: {approach}"))
    };
    Some(Rule {
        signal,
        turn: at,
        also: std::iter::once(agent).chain(request).collect(),
        request,
        trigger: None,
        instruction: as_sentence(&instruction),
        pitfall: bad.then(|| format!("The agent answered: {}", quoted(&approach))),
        span: description.to_owned(),
    })
}

/// Two actions about the same thing are interest; one may be a slip.
fn interest(looked: &[(usize, &str, Vec<String>)]) -> Option<Fact> {
    let (first, rest) = looked.split_first()?;
    let same = |other: &&(usize, &str, Vec<String>)| other.2.iter().any(|term| first.2.contains(term));
    let again: Vec<usize> = rest.iter().filter(same).map(|(at, _, _)| *at).collect();
    if again.is_empty() {
        return interest(rest);
    }
    Some(Fact {
        signal: Signal::Action,
        turn: first.0,
        also: again,
        topic: Some("interest"),
        content: as_sentence(&format!("The user looked at {}", object(first.1))),
        time_to_live: ProfileTimeToLive::OneMonth,
        span: first.1.to_owned(),
    })
}

/// What was acted on: the quoted name if there is one, else the words after the verb.
fn object(description: &str) -> String {
    let named = description
        .split(['\'', '"', '‘', '’', '“', '”'])
        .nth(1)
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let words =
        description.split_whitespace().skip(1).skip_while(|word| matches!(*word, "on" | "the" | "at"));
    named.map_or_else(|| words.collect::<Vec<_>>().join(" "), str::to_owned)
}
