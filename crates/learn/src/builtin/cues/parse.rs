//! The format of a table:
//!
//! ```text
//! # a comment
//! [set units]                 word list; other parts refer to it as <units>
//! metric celsius
//! [pairs agent]               what stands for a word
//! my = the
//! [fact location]             cues of a class, with an optional topic
//! ^ i live in|near $clause => The user lives $x …
//! ```
//!
//! Parts of a cue: `word`, `a|b`, `<set>`, each with an optional `?`; `^` only where a clause begins, `^^` a sentence; `~2` up to
//! two words of any kind; `$x` a few words, `$clause` and `$rest` up to the end of clause or sentence (`$clause?` if there is more); `+ing` the
//! next word ends so; `+Cap` it is capitalised; `-<set>` it is none of these; `.` the sentence ends. What follows
//! `=>` is the template of the instruction or content; without it the words from the cue on are retold.

use std::sync::Arc;

use super::pattern::{Capture, Part, Pattern, Place};
use super::vocabulary::{Role, WordId};
use super::{Class, Table};

enum Section {
    None,
    Set(String),
    Pairs(String),
    Cues(Class, Option<String>),
}

pub(super) fn table(source: &str) -> Table {
    let mut table = Table::default();
    let mut section = Section::None;
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            match begin(header) {
                Some(begun) => section = begun,
                None => table.problems.push(line.to_owned()),
            }
        } else if read_line(&mut table, &section, line).is_none() {
            table.problems.push(line.to_owned());
        }
    }
    give_roles(&mut table);
    table
}

fn give_roles(table: &mut Table) {
    let sets = [
        ("filler", Role::FILLS),
        ("clause-join", Role::JOINS),
        ("clause-begin", Role::BEGINS),
        ("subject", Role::SUBJECT),
        ("coordinator", Role::COORDINATES),
    ];
    for (set, role) in sets {
        for word in table.sets.get(set).into_iter().flatten() {
            table.vocabulary.give_role(word, role);
        }
    }
    table.vocabulary.give_role(",", Role::COMMA);
    for mark in [",", ";", ":", "-", "(", ")"] {
        table.vocabulary.give_role(mark, Role::MARK);
    }
}

fn begin(header: &str) -> Option<Section> {
    let (kind, name) =
        header.split_once(' ').map_or((header, None), |(kind, name)| (kind, Some(name.trim())));
    match (kind, name) {
        ("set", Some(name)) => Some(Section::Set(name.to_owned())),
        ("pairs", Some(name)) => Some(Section::Pairs(name.to_owned())),
        (class, topic) => Class::parse(class).map(|class| Section::Cues(class, topic.map(str::to_owned))),
    }
}

fn read_line(table: &mut Table, section: &Section, line: &str) -> Option<()> {
    match section {
        Section::None => None,
        Section::Set(name) => {
            table.sets.entry(name.clone()).or_default().extend(line.split_whitespace().map(str::to_owned));
            Some(())
        }
        Section::Pairs(name) => {
            let (word, replacement) = line.split_once(" = ")?;
            let pairs = table.pairs.entry(name.clone()).or_default();
            for word in word.split_whitespace() {
                pairs.insert(word.to_owned(), replacement.trim().to_owned());
            }
            Some(())
        }
        Section::Cues(class, topic) => add_pattern(table, *class, topic.clone(), line),
    }
}

fn add_pattern(table: &mut Table, class: Class, topic: Option<String>, line: &str) -> Option<()> {
    let (cue, template) =
        line.split_once("=>").map_or((line, None), |(cue, template)| (cue, Some(template.trim())));
    let mut place = Place::Anywhere;
    let mut parts = Vec::new();
    for token in cue.split_whitespace() {
        match token {
            "^" => place = Place::ClauseStart,
            "^^" => place = Place::SentenceStart,
            token => parts.push(part(table, token)?),
        }
    }
    let first_words = first_words(&parts)?;
    let weight = parts.iter().map(weight_of).sum();
    let index = table.patterns.len();
    table.patterns.push(Pattern {
        class,
        topic,
        place,
        parts,
        template: template.map(str::to_owned),
        weight,
    });
    for first in first_words.into_iter().filter_map(WordId::index) {
        if table.by_first_word.len() <= first {
            table.by_first_word.resize_with(first + 1, Vec::new);
        }
        table.by_first_word.get_mut(first)?.push(index);
    }
    Some(())
}

/// The words a match can begin with. A cue that could begin with anything would be tried everywhere.
fn first_words(parts: &[Part]) -> Option<Vec<WordId>> {
    let mut found: Vec<WordId> = Vec::new();
    for part in parts {
        let Part::Words { any_of, optional } = part else { return None };
        found.extend(any_of.iter());
        if !optional {
            found.sort_unstable();
            found.dedup();
            return Some(found);
        }
    }
    None
}

/// Longer lists ask for less than single words do; the scale leaves room for that.
fn weight_of(part: &Part) -> usize {
    match part {
        Part::Words { optional: true, .. } | Part::Gap(_) => 1,
        Part::Words { .. } => 10,
        Part::Capture { .. } => 2,
        Part::Ending(_) | Part::Capital | Part::Unless(_) | Part::End => 3,
    }
}

fn part(table: &mut Table, token: &str) -> Option<Part> {
    if let Some(longest) = token.strip_prefix('~') {
        return longest.parse().ok().map(Part::Gap);
    }
    if let Some(set) = token.strip_prefix('-') {
        return named_set(table, set).map(Part::Unless);
    }
    match token {
        "$x" => return Some(Part::Capture { what: Capture::X, optional: false }),
        "$rest" => return Some(Part::Capture { what: Capture::Rest, optional: false }),
        "$rest?" => return Some(Part::Capture { what: Capture::Rest, optional: true }),
        "$clause" => return Some(Part::Capture { what: Capture::Clause, optional: false }),
        "$clause?" => return Some(Part::Capture { what: Capture::Clause, optional: true }),
        "+Cap" => return Some(Part::Capital),
        "." => return Some(Part::End),
        _ => {}
    }
    if let Some(ending) = token.strip_prefix('+') {
        return Some(Part::Ending(ending.to_owned()));
    }
    let (token, optional) = token.strip_suffix('?').map_or((token, false), |token| (token, true));
    let any_of = match named_set(table, token) {
        Some(set) => set,
        None if token.contains(['<', '$']) => return None,
        None => token.split('|').map(|word| table.vocabulary.add(word)).collect(),
    };
    Some(Part::Words { any_of, optional })
}

fn named_set(table: &mut Table, token: &str) -> Option<Arc<[WordId]>> {
    let name = token.strip_prefix('<')?.strip_suffix('>')?;
    let mut words: Vec<&String> = table.sets.get(name)?.iter().collect();
    words.sort_unstable();
    Some(words.into_iter().map(|word| table.vocabulary.add(word)).collect())
}
