//! Steps between people and agents: ask, tell, say, approve.

use super::{Line, Scope, variables};
use crate::placeholder::Template;
use crate::span::Span;
use crate::step::{Effects, StepKind};

const PEOPLE: &[&str] =
    &["the user", "user", "the customer", "customer", "the human", "human", "them", "him", "her"];

/// An agent's name at the beginning of a text, perhaps of several words, and the rest.
pub(super) fn agent_named<'a>(text: &'a str, scope: &Scope<'_>) -> Option<(String, &'a str)> {
    let names = scope.names?;
    let text = super::after(text, "the").unwrap_or(text);
    let mut ends = text.match_indices(' ').map(|(at, _)| at).take(4).collect::<Vec<_>>();
    ends.push(text.len());
    ends.into_iter().rev().find_map(|end| {
        let name = text[..end].trim_end_matches([',', ':']);
        names.agent(name).map(|_| (name.to_owned(), text[end..].trim_start()))
    })
}

fn person(line: &Line<'_>) -> Option<&'static str> {
    PEOPLE.iter().find(|person| line.after(person).is_some()).copied()
}

pub(super) fn question(line: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Option<StepKind> {
    let instruction = line.text.to_owned();
    if line.after("get approval").is_some() || line.after("wait for approval").is_some() {
        variables::all(line.text).for_each(|name| effects.read(name));
        let who = line.text.split_once(" from ").map(|(_, who)| who.trim_end_matches('.').to_owned());
        return Some(StepKind::Approve { who, instruction });
    }
    let rest = line.after("ask")?;
    if let Some((who, _)) = rest.text.split_once(" to approve") {
        variables::all(line.text).for_each(|name| effects.read(name));
        return Some(StepKind::Approve { who: Some(who.to_owned()), instruction });
    }
    if let Some((agent, asked)) = agent_named(rest.text, scope) {
        variables::of_sentence(super::after(asked, "to").unwrap_or(asked), effects);
        return Some(StepKind::Delegate { agent, instruction });
    }
    let person = person(&rest);
    if let Some(literal) = person.and_then(|person| literal_question(&rest.after(person)?)) {
        let fills = variables::of_question(&literal.around, effects);
        let words = Some(spoken(&literal.words, effects));
        return Some(StepKind::Ask { to: "user".to_owned(), fills, instruction, words });
    }
    let to_user = person.is_some()
        || ["for", "if", "whether", "about", "what", "which"].iter().any(|word| rest.after(word).is_some());
    to_user.then(|| StepKind::Ask {
        to: "user".to_owned(),
        fills: variables::of_question(line.text, effects),
        instruction,
        words: None,
    })
}

/// A question in the author's own words, and the words around it.
struct LiteralQuestion<'a> {
    words: Line<'a>,
    around: String,
}

/// `"Which day suits you?" for $day`, or `for $day: "Which day suits you?"`. Quotation marks anywhere else are part of
/// an instruction.
fn literal_question<'a>(rest: &Line<'a>) -> Option<LiteralQuestion<'a>> {
    let text = rest.text.trim_end().trim_end_matches('.');
    [('"', '"'), ('“', '”')].into_iter().find_map(|(open, close)| {
        let start = text.find(open)?;
        let inner = &text[start + open.len_utf8()..];
        let end = inner.find(close)?;
        let (words, after) = (&inner[..end], &inner[end + close.len_utf8()..]);
        let before = text[..start].trim_end();
        let is_first = before.is_empty() || before == ":";
        let is_last = after.trim().is_empty() && before.ends_with(':');
        let is_one = !after.contains([open, close]) && !words.trim().is_empty();
        (is_one && (is_first || is_last))
            .then(|| LiteralQuestion { words: rest.part(words), around: format!(" {before} {after}") })
    })
}

const SPEAKING: &[&str] =
    &["tell", "say", "inform", "greet", "thank", "welcome", "reply", "explain", "apologize", "apologise"];

pub(super) fn speech(line: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Option<StepKind> {
    let verb = SPEAKING.iter().find(|verb| line.after(verb).is_some())?;
    let rest = line.after(verb)?;
    let (to, rest) = match person(&rest) {
        Some(person) => ("user".to_owned(), rest.after(person)?),
        None if *verb == "say" || *verb == "reply" => ("user".to_owned(), to_someone(&rest)),
        None => {
            let (agent, _) = agent_named(rest.text, scope).filter(|_| *verb == "tell")?;
            variables::all(line.text).for_each(|name| effects.read(name));
            return Some(StepKind::SayAsked { to: agent, instruction: line.text.to_owned() });
        }
    };
    if matches!(*verb, "tell" | "say" | "reply" | "inform")
        && let Some(words) = quoted(rest.text)
    {
        return Some(StepKind::Say { to, words: spoken(&rest.part(words), effects) });
    }
    // "Greet the user and ask for their name" waits for an answer.
    if line.text.to_ascii_lowercase().contains(" ask ") {
        let fills = variables::of_question(line.text, effects);
        let instruction = line.text.to_owned();
        return Some(StepKind::Ask { to, fills, instruction, words: None });
    }
    variables::all(line.text).for_each(|name| effects.read(name));
    Some(StepKind::SayAsked { to, instruction: line.text.to_owned() })
}

fn to_someone<'a>(rest: &Line<'a>) -> Line<'a> {
    let inner = rest.after("to").unwrap_or(*rest);
    PEOPLE.iter().find_map(|person| inner.after(person)).unwrap_or(*rest)
}

/// The words of a text that is one quotation, perhaps with a colon before it.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([':', ',', ' ']).trim_end().trim_end_matches('.');
    [('"', '"'), ('\'', '\''), ('“', '”')].into_iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains([open, close])).then_some(inner)
    })
}

/// Words said as they are: `$name` and `{expression}` are filled in.
pub(super) fn spoken(line: &Line<'_>, effects: &mut Effects) -> Template {
    let span = if line.is_exact { line.span } else { Span { end: line.span.start, ..line.span } };
    let template = Template::new(line.text, span).with_variables(&|text| variables::paths(text).collect());
    for placeholder in template.placeholders() {
        placeholder.reads.iter().for_each(|name| effects.read(name));
    }
    Template { span: line.span, ..template }
}
