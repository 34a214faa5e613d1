//! Judging without a model: what the user's own words say about the answers, read with the cues of the built-in
//! learner. The same session gives the same verdict.
//!
//! * The user's last word counts: thanks or "that worked" makes a success, whatever went wrong before.
//! * A session that ends with a complaint, a repeated request, a request for a person or a tool that failed is none.
//! * A correction that the agent answered, and after which the user was silent, is taken as accepted.
//! * A session without any of these is a success if the agent had the last word.

mod learnings;

use reflexio_learn::builtin::{LabelledTurn, Mood, OwnText, Signs, Window, signs};
use reflexio_types::{CONTEXT_BEGINS, CONTEXT_ENDS, FailureType, SessionFailure, Speaker, Turn, Verdict};

use super::{Judged, Session};

pub const EVALUATED_BY: &str = "builtin";

pub(super) fn judge(session: &Session<'_>) -> Judged {
    let turns: Vec<(&str, Turn)> =
        session.turns.iter().map(|turn| (turn.label.as_str(), read(turn))).collect();
    let labelled: Vec<LabelledTurn<'_>> =
        turns.iter().map(|(label, turn)| LabelledTurn { label, turn }).collect();
    let blocks = vec![(CONTEXT_BEGINS.to_owned(), CONTEXT_ENDS.to_owned())];
    let own = OwnText { blocks, texts: Vec::new() };
    let signs = signs(&Window { turns: &labelled, own: &own });
    let verdict = verdict(session, &signs);
    let learnings = learnings::judge(session, &signs, verdict.is_success());
    let verdict = session.asked.success.then_some(verdict);
    Judged { verdict, learnings, evaluated_by: EVALUATED_BY.to_owned() }
}

/// An answer under test is what is judged.
fn read(turn: &super::SessionTurn<'_>) -> Turn {
    let mut turn = turn.interaction.turn.clone();
    if !turn.shadow_content.trim().is_empty() {
        turn.content = std::mem::take(&mut turn.shadow_content);
    }
    turn
}

fn verdict(session: &Session<'_>, signs: &[Signs]) -> Verdict {
    let failure = failure(signs);
    let content = signs.iter().rposition(|sign| sign.mood == Some(Mood::Content));
    let last = signs.len().saturating_sub(1);
    Verdict {
        user_turns_to_resolution: failure
            .is_none()
            .then(|| session.user_turns_until(content.map_or(last, |at| at.saturating_sub(1)))),
        failure,
        is_escalated: signs.iter().any(|sign| sign.asks_for_person),
        corrections: signs.iter().filter(|sign| sign.mood == Some(Mood::Corrects)).count() as u32,
        tags: None,
    }
}

fn failure(signs: &[Signs]) -> Option<SessionFailure> {
    let wrong = |reason: String| Some(SessionFailure { kind: FailureType::WrongAnswer, reason });
    let last_mood = signs.iter().enumerate().rev().find_map(|(at, sign)| Some((at, sign, sign.mood?)));
    if let Some((at, _, Mood::Content)) = last_mood
        && !signs.iter().skip(at).any(|sign| sign.asks_for_person)
    {
        return None;
    }
    if let Some(tool) = broken_tool(signs) {
        let reason = format!("The tool `{tool}` failed and was not used with success afterwards.");
        return Some(SessionFailure { kind: FailureType::SystemError, reason });
    }
    if let Some(sign) = signs.iter().rev().find(|sign| sign.asks_for_person) {
        return wrong(format!("The session was passed on to a person{}.", quoted(sign)));
    }
    let answered = |at: usize| signs.iter().skip(at + 1).any(is_answer);
    match last_mood {
        Some((at, sign, Mood::Corrects)) if !answered(at) => {
            wrong(format!("The session ends with a correction{}.", quoted(sign)))
        }
        Some((_, sign, Mood::Complains)) => {
            wrong(format!("The user said that it did not help{}.", quoted(sign)))
        }
        Some((_, sign, Mood::Repeats)) => wrong(format!("The user had to ask again{}.", quoted(sign))),
        Some((_, _, Mood::Corrects | Mood::Content)) | None => {
            let ends_with_user = signs.iter().rev().find(|sign| sign.is_filled);
            let unanswered = ends_with_user.is_some_and(|sign| sign.speaker == Speaker::User);
            let pending = unanswered && last_mood.is_none_or(|(_, _, mood)| mood.is_bad());
            if pending { wrong("The agent did not answer the user's last turn.".to_owned()) } else { None }
        }
    }
}

fn is_answer(sign: &Signs) -> bool {
    sign.speaker == Speaker::Assistant && sign.is_filled
}

/// A tool whose last call of the session failed.
fn broken_tool(signs: &[Signs]) -> Option<&str> {
    signs.iter().enumerate().rev().find_map(|(at, sign)| {
        let works_later =
            |tool: &&String| signs.iter().skip(at + 1).any(|later| later.working_tools.contains(tool));
        sign.failed_tools.iter().find(|tool| !works_later(tool)).map(String::as_str)
    })
}

fn quoted(sign: &Signs) -> String {
    sign.quote.as_ref().map_or_else(String::new, |quote| format!(": \"{}\"", quote.trim_matches('"')))
}
