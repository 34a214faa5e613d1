use super::Forget;
use super::guards::{Kind, objection};
use crate::builtin::cues::Class;
use crate::builtin::reading::Said;
use crate::builtin::text::Voice;

/// "Forget my old address": what the user wants removed, in their words.
pub(super) fn requests(at: usize, said: &Said<'_>) -> Vec<Forget> {
    let mut found = Vec::new();
    for sentence in &said.sentences {
        let hits = sentence.hits.iter().filter(|hit| hit.class == Class::Forget);
        let hits = hits.filter(|hit| objection(sentence, hit, Kind::Rule).is_none());
        let named = hits.filter_map(|hit| {
            let what = sentence.fill(hit, Voice::AboutTheUser, said.table);
            // "Forget that." names nothing that could be removed.
            (what.split_whitespace().count() >= 2).then_some((hit.weight, what))
        });
        if let Some((_, what)) = named.max_by_key(|(weight, _)| *weight) {
            found.push(Forget { turn: at, what });
        }
    }
    found
}
