use super::Word;
use crate::builtin::cues::Table;

/// Leaves out what belongs to one case only (numbers, dates, names, addresses), together with the
/// preposition before it: "book a flight to Rome on May 20" → "book a flight". Names that tell what the
/// request is about (`keep` in the table: Python, Excel, …) stay.
pub(in crate::builtin) fn generalise(sentence: &str, words: &[Word], table: &Table) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let raw = sentence.get(word.start..word.end).unwrap_or_default();
        if is_particular(raw, word, index == 0, table) {
            drop_leading(&mut kept, table);
        } else if !(word.lower == "," && kept.last().is_none_or(Word::is_mark)) {
            kept.push(word.clone());
        }
    }
    while kept.last().is_some_and(|word| word.is_mark() || table.has("preposition", &word.lower)) {
        kept.pop();
    }
    kept
}

/// What only led to the word that is gone: "on", "the", "number", "from … to".
fn drop_leading(kept: &mut Vec<Word>, table: &Table) {
    let leads = |word: &Word| {
        ["preposition", "article"].iter().any(|set| table.has(set, &word.lower)) || word.lower == "-"
    };
    while kept.len() > 1 && kept.last().is_some_and(leads) {
        kept.pop();
    }
}

fn is_particular(raw: &str, word: &Word, first: bool, table: &Table) -> bool {
    if word.is_mark() {
        return false;
    }
    let lower = word.lower.as_str();
    let number = raw.chars().any(|c| c.is_ascii_digit());
    number || table.has("date", lower) || (!first && is_name(raw, lower, table))
}

/// A capital inside a sentence, unless it is an abbreviation or a word that is always written so.
fn is_name(raw: &str, lower: &str, table: &Table) -> bool {
    let mut chars = raw.chars();
    let capital = chars.next().is_some_and(char::is_uppercase);
    let abbreviation = raw.len() > 1 && raw.chars().all(|c| !c.is_lowercase());
    capital
        && !abbreviation
        && table.names_have_capitals()
        && !table.has("keep", lower)
        && table.pronoun("agent", lower).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::Language;
    use crate::builtin::text::words;

    #[track_caller]
    fn check(said: &str, expected: &str) {
        let kept = generalise(said, &words(said), Table::of(Language::English));
        let text: Vec<&str> = kept.iter().filter_map(|word| said.get(word.start..word.end)).collect();
        assert_eq!(text.join(" "), expected);
    }

    #[test]
    fn what_belongs_to_one_case_is_left_out() {
        check("book a flight from New York to Seattle on May 20th", "book a flight");
        check("cancel order #12345 for Anna", "cancel order");
        check("read a CSV file in Python", "read a CSV file in Python");
        check("Where is my parcel", "Where is my parcel");
        check("", "");
    }
}
