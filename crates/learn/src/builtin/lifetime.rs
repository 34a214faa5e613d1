use reflexio_types::ProfileTimeToLive;

use super::cues::{Class, Hit, Table};
use super::reading::Sentence;

/// How long a fact stays true: what its sentence says ("this week"), else what its kind suggests. Of several
/// hints the shortest counts, since a fact that is gone too early is asked for again, one that stays misleads.
pub(super) fn of(sentence: &Sentence<'_>, fact: &Hit, table: &Table) -> ProfileTimeToLive {
    let topic = fact.topic;
    let hints = sentence.hits.iter().filter(|hit| hit.class == Class::Lifetime);
    let hints = hints.filter(|hint| same_clause(sentence, hint, fact, table));
    let hinted = hints.filter_map(|hit| ProfileTimeToLive::parse(hit.topic?));
    hinted.min_by_key(|ttl| rank(*ttl)).unwrap_or(match topic {
        Some("situation") => ProfileTimeToLive::OneMonth,
        // Tools come in versions.
        Some("tools") => ProfileTimeToLive::OneYear,
        _ => ProfileTimeToLive::Infinity,
    })
}

fn rank(time_to_live: ProfileTimeToLive) -> usize {
    ProfileTimeToLive::ALL.iter().position(|ttl| *ttl == time_to_live).unwrap_or(0)
}

/// "I don't have it right now, but I'm a member": the hint belongs to the other clause.
fn same_clause(sentence: &Sentence<'_>, hint: &Hit, fact: &Hit, table: &Table) -> bool {
    let between = if hint.words.end <= fact.words.start {
        hint.words.end..fact.words.start
    } else {
        fact.words.end.min(hint.words.start)..hint.words.start
    };
    let words = sentence.words.get(between).unwrap_or_default();
    !words.iter().any(|word| word.lower == ";" || table.has("clause-join", &word.lower))
}
