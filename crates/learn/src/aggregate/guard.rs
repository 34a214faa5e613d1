//! What a rule for all must not do: reach further than its members, or tell something of a single user.

use std::collections::BTreeSet;

use reflexio_types::UserPlaybook;

use super::wording::Wording;
use crate::consolidate::reaches_further;

/// So many digits make a number that stands for one thing, such as an order or a telephone.
const DIGITS_OF_ONE_THING: usize = 4;

/// Why a rule must not stand for these members, if so.
pub fn objection(members: &[&UserPlaybook], wording: &Wording) -> Option<String> {
    let triggers: Vec<&str> = members.iter().filter_map(|member| member.body.trigger.as_deref()).collect();
    if reaches_further(&triggers, &wording.trigger) {
        return Some("the trigger drops a condition that all notes have".to_owned());
    }
    let parts = [Some(&wording.trigger), Some(&wording.instruction), wording.pitfall.as_ref()];
    let text = parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n");
    let told =
        tokens(&text).into_iter().find(|token| is_telling(token, &text) && users_of(members, token) < 2)?;
    Some(format!("`{told}` belongs to a single user or case"))
}

fn tokens(text: &str) -> BTreeSet<&str> {
    let edges = |c: char| c.is_ascii_punctuation() && !matches!(c, '@' | '#' | '+');
    text.split_whitespace().map(|word| word.trim_matches(edges)).filter(|word| !word.is_empty()).collect()
}

/// Whether a word may point at somebody or at one case: an address, a number of one thing, a name in the middle of a sentence.
fn is_telling(token: &str, text: &str) -> bool {
    let digits = token.chars().filter(char::is_ascii_digit).count();
    let letters = token.chars().filter(|c| c.is_alphabetic()).count();
    token.contains('@')
        || (token.starts_with('#') && digits > 0)
        || digits >= DIGITS_OF_ONE_THING
        || (digits >= 2 && letters >= 1 && token.len() >= 5)
        || is_name(token, text)
}

/// A capital letter that no sentence begins with. Words in capitals only are abbreviations.
fn is_name(token: &str, text: &str) -> bool {
    let mut letters = token.chars();
    let capital =
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase);
    if !capital {
        return false;
    }
    text.match_indices(token).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '"', '\'', '(', '“']);
        !before.is_empty() && !before.ends_with(['.', '!', '?', ':', '\n', '-', '•'])
    })
}

/// How many users have a member that says this word.
fn users_of(members: &[&UserPlaybook], token: &str) -> usize {
    let says = |member: &&&UserPlaybook| {
        let body = &member.body;
        let texts =
            [Some(&body.content), body.trigger.as_ref(), body.instruction.as_ref(), body.pitfall.as_ref()];
        texts.into_iter().flatten().any(|text| text.contains(token))
    };
    let users: BTreeSet<_> = members.iter().filter(says).map(|member| member.user_id.as_ref()).collect();
    users.len()
}
