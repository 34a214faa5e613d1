//! What an expert would have said and the agent did not: one rule for each gap, none for other wording.

use reflexio_search::fusion::Speaker;
use reflexio_types::without_context_blocks;

use super::{DropReason, Dropped, Rule, Signal};
use crate::builtin::reading::{Reading, Said, beginning, quoted};
use crate::builtin::substance::Substance;
use crate::builtin::text::{as_sentence, sentences, shortened};

/// A turn with more gaps than this was answered by another conversation.
const MOST_GAPS: usize = 8;
const LONGEST_CHARS: usize = 320;

pub(super) fn gaps(reading: &Reading<'_>, rules: &mut Vec<Rule>, dropped: &mut Dropped) {
    for (at, said) in reading.said.iter().enumerate() {
        if said.turn.expert_content.trim().is_empty() || said.speaker == Speaker::User {
            continue;
        }
        let request = reading.user_before(at);
        for gap in gaps_of(said, dropped).into_iter().take(MOST_GAPS) {
            rules.push(Rule {
                signal: Signal::ExpertGap,
                turn: at,
                also: request.into_iter().collect(),
                request,
                trigger: None,
                instruction: gap.instruction,
                pitfall: Some(gap.pitfall),
                span: gap.span,
            });
        }
    }
}

struct Gap {
    instruction: String,
    pitfall: String,
    span: String,
}

fn gaps_of(said: &Said<'_>, dropped: &mut Dropped) -> Vec<Gap> {
    let agent = Substance::of_sentences(said.sentences.iter().map(|sentence| sentence.text));
    let expert = without_context_blocks(&said.turn.expert_content);
    let mut gaps: Vec<Gap> = Vec::new();
    let mut continued = false;
    for sentence in sentences(beginning(&expert)) {
        if agent.covers(sentence) {
            dropped.add(DropReason::StyleOnly);
            continued = false;
            continue;
        }
        // "They must be unopened." means nothing without the sentence before it.
        match gaps.last_mut().filter(|_| continued && leans_back(sentence)) {
            Some(last) => {
                last.instruction = shortened(&format!("{} {sentence}", last.instruction), LONGEST_CHARS);
                last.span = format!("{} {sentence}", last.span);
            }
            None => gaps.push(gap(sentence, &agent)),
        }
        continued = true;
    }
    gaps
}

fn gap(sentence: &str, agent: &Substance<'_>) -> Gap {
    let instruction = if sentence.ends_with('?') {
        format!("Ask the user: {sentence}")
    } else if speaks_to_the_agent(sentence) {
        as_sentence(sentence)
    } else {
        format!("Tell the user: {}", as_sentence(sentence))
    };
    let pitfall = match agent.nearest(sentence) {
        Some(text) => format!("The agent only said: {}", quoted(text)),
        None => "The agent left this out.".to_owned(),
    };
    Gap { instruction: shortened(&instruction, LONGEST_CHARS), pitfall, span: sentence.to_owned() }
}

/// "Ask the passenger for …" is an order already; "You can return it" is what the user should hear.
fn speaks_to_the_agent(sentence: &str) -> bool {
    const PEOPLE: [&str; 9] =
        ["customer", "customers", "user", "passenger", "client", "caller", "patient", "guest", "their"];
    const ORDERS: [&str; 14] = [
        "ask",
        "verify",
        "offer",
        "explain",
        "apologise",
        "apologize",
        "escalate",
        "decide",
        "get",
        "find",
        "start",
        "read",
        "collect",
        "confirm",
    ];
    let words = crate::builtin::text::words(sentence);
    let first = words.first().map_or("", |word| word.lower.as_str());
    let to_the_user = words.iter().any(|word| matches!(word.lower.as_str(), "you" | "your" | "you'll"));
    let about_people = words.iter().any(|word| PEOPLE.contains(&word.lower.as_str()));
    about_people || (ORDERS.contains(&first) && !to_the_user)
}

fn leans_back(sentence: &str) -> bool {
    const BACK: [&str; 7] = ["it ", "they ", "this ", "that ", "these ", "those ", "then "];
    let lower = sentence.to_lowercase();
    BACK.iter().any(|word| lower.starts_with(word))
}
