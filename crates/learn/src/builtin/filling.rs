//! From a cue to text: its template, filled with the user's words.

use std::ops::Range;

use super::cues::{Capture, Hit, Table};
use super::reading::Sentence;
use super::text::{Voice, Word, base_form, retell};

impl Sentence<'_> {
    /// The cue's template with the user's words in it; without a template, the words from the cue on.
    pub(super) fn fill(&self, hit: &Hit, voice: Voice, table: &Table) -> String {
        let mut text = hit.template.unwrap_or("$all").to_owned();
        for name in ["$sentence", "$around", "$before", "$all", "$clause", "$rest", "$x"] {
            if text.contains(name) {
                text = self.replace(&text, name, hit, voice, table);
            }
        }
        text
    }

    fn replace(&self, template: &str, name: &str, hit: &Hit, voice: Voice, table: &Table) -> String {
        if name == "$around" {
            return template.replace(name, &self.around(hit, voice, table));
        }
        let range = match name {
            "$sentence" => 0..self.words.len(),
            "$before" => 0..hit.words.start,
            "$all" => hit.words.clone(),
            captured => hit.captured(captured).unwrap_or(0..0),
        };
        let words = trim(self.words.get(range).unwrap_or_default(), table);
        if template.contains(&format!("{name}:verb")) {
            let from = words.iter().position(|word| begins_order(&word.lower, table)).unwrap_or(0);
            let order = infinitive_first(
                &retell(self.text, words.get(from..).unwrap_or_default(), voice, table),
                table,
            );
            return template.replace(&format!("{name}:verb"), &order);
        }
        let told = retell(self.text, words, voice, table);
        if template.contains(&format!("{name}:base")) {
            return template.replace(&format!("{name}:base"), &infinitive_first(&told, table));
        }
        template.replace(name, &told)
    }

    /// What stands around a cue like "from now on": both sides if the first says something.
    fn around(&self, hit: &Hit, voice: Voice, table: &Table) -> String {
        let part = |range: Range<usize>| {
            retell(self.text, trim(self.words.get(range).unwrap_or_default(), table), voice, table)
        };
        let (before, after) = (part(0..hit.words.start), part(hit.captured("$rest").unwrap_or(0..0)));
        if before.split_whitespace().count() < 3 { after } else { format!("{before}, {after}") }
    }
}

impl Hit {
    fn captured(&self, name: &str) -> Option<Range<usize>> {
        let wanted = match name {
            "$x" => Capture::X,
            "$rest" => Capture::Rest,
            _ => Capture::Clause,
        };
        self.captures.iter().find(|(capture, _)| *capture == wanted).map(|(_, range)| range.clone())
    }
}

fn begins_order(lower: &str, table: &Table) -> bool {
    matches!(lower, "always" | "never")
        || table.has("verb", lower)
        || table.has("verb", &base_form(lower, table))
}

/// "asking for it" → "ask for it".
fn infinitive_first(text: &str, table: &Table) -> String {
    let (first, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    format!("{}{rest}", base_form(&first.to_lowercase(), table))
}

/// Without marks and "please", "thanks" around.
fn trim<'w>(mut words: &'w [Word], table: &Table) -> &'w [Word] {
    let polite =
        |word: &Word| word.is_mark() || matches!(word.lower.as_str(), "please" | "thanks" | "ok" | "bitte");
    while let Some((first, rest)) =
        words.split_first().filter(|(first, _)| first.is_mark() || first.lower == "please")
    {
        let _ = first;
        words = rest;
    }
    while let Some((last, rest)) = words.split_last().filter(|(last, _)| polite(last)) {
        let _ = (last, table);
        words = rest;
    }
    words
}
