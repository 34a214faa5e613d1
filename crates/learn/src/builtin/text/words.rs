use std::ops::Range;

/// A word or a mark that separates clauses, with its place in the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::builtin) struct Word {
    /// Lower case, with a straight apostrophe. Marks are `,` `;` `:` `-` `(` `)`.
    pub(in crate::builtin) lower: String,
    pub(in crate::builtin) start: usize,
    pub(in crate::builtin) end: usize,
    /// Between quotation marks or backticks: mentioned, not said.
    pub(in crate::builtin) quoted: bool,
}

impl Word {
    pub(in crate::builtin) fn is_mark(&self) -> bool {
        matches!(self.lower.as_str(), "," | ";" | ":" | "-" | "(" | ")")
    }
}

/// Cuts a sentence into words; `don't`, `non-fiction`, `14:30` and `node_modules` are one each.
pub(in crate::builtin) fn words(sentence: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::with_capacity(sentence.len() / 5);
    let mut quote: Option<char> = None;
    let mut rest = sentence.char_indices().peekable();
    let mut previous = ' ';
    while let Some((start, c)) = rest.next() {
        if c.is_alphanumeric() {
            let mut end = start + c.len_utf8();
            while let Some(&(at, next)) = rest.peek() {
                if !continues(sentence, at, next) {
                    break;
                }
                end = at + next.len_utf8();
                previous = next;
                rest.next();
            }
            let raw = sentence.get(start..end).unwrap_or_default();
            found.push(Word { lower: lower(raw), start, end, quoted: quote.is_some() });
            continue;
        }
        if let Some(closing) = quote {
            if c == closing {
                quote = None;
            }
        } else if let Some(closing) = closing_mark(c, previous) {
            // A mark that is never closed quotes nothing.
            quote = sentence
                .get(start + c.len_utf8()..)
                .is_some_and(|tail| tail.contains(closing))
                .then_some(closing);
        } else if let Some(mark) = separator(sentence, start, c) {
            let end = start + c.len_utf8();
            found.push(Word { lower: mark.to_owned(), start, end, quoted: false });
        }
        previous = c;
    }
    found
}

/// The source text of a run of words, with what sticks to its ends: `parse()`, `"Send"`.
pub(in crate::builtin) fn span<'s>(sentence: &'s str, words: &[Word]) -> &'s str {
    sentence.get(span_range(sentence, words)).unwrap_or_default()
}

pub(super) fn span_range(sentence: &str, words: &[Word]) -> Range<usize> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return 0..0 };
    let opening = sentence.get(..first.start).unwrap_or_default().chars().next_back();
    let opening = opening.filter(|c| matches!(c, '"' | '“' | '`' | '„' | '«'));
    let start = first.start - opening.map_or(0, char::len_utf8);
    let tail = sentence.get(last.end..).unwrap_or_default();
    let stuck = tail.get(..tail.find(char::is_whitespace).unwrap_or(tail.len())).unwrap_or_default();
    let stuck = stuck.trim_end_matches(['.', ',', ';', ':', '!', '?', '…']);
    start..last.end + stuck.len()
}

fn lower(raw: &str) -> String {
    if raw.is_ascii() {
        return raw.to_ascii_lowercase();
    }
    raw.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

/// Whether `c` at `at` belongs to the word before it.
fn continues(sentence: &str, at: usize, c: char) -> bool {
    if c.is_alphanumeric() || c == '_' {
        return true;
    }
    let bytes = sentence.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let next = sentence.get(at + c.len_utf8()..).and_then(|tail| tail.chars().next());
    match c {
        '\'' | '’' | '-' => next.is_some_and(char::is_alphanumeric),
        '.' | ',' | ':' => at > 0 && digit(at - 1) && digit(at + 1),
        _ => false,
    }
}

/// The mark that ends a quotation begun by `c`. A straight single quote opens only between words.
fn closing_mark(c: char, previous: char) -> Option<char> {
    match c {
        '"' => Some('"'),
        '`' => Some('`'),
        '“' => Some('”'),
        '„' => Some('“'),
        '«' => Some('»'),
        '‘' => Some('’'),
        '\'' if previous.is_whitespace() => Some('\''),
        _ => None,
    }
}

fn separator(sentence: &str, at: usize, c: char) -> Option<&'static str> {
    match c {
        ',' | '，' | '、' => Some(","),
        ';' => Some(";"),
        ':' => Some(":"),
        '(' => Some("("),
        ')' => Some(")"),
        '—' | '–' => Some("-"),
        '-' => sentence.get(..at).is_some_and(|head| head.ends_with(' ')).then_some("-"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sentence: &str, expected: &[&str]) {
        let found: Vec<String> = words(sentence)
            .into_iter()
            .map(|w| if w.quoted { format!("'{}'", w.lower) } else { w.lower })
            .collect();
        assert_eq!(found, expected, "{sentence}");
    }

    #[test]
    fn contractions_numbers_and_names_stay_whole() {
        check(
            "Don’t use node_modules at 14:30, ok?",
            &["don't", "use", "node_modules", "at", "14:30", ",", "ok"],
        );
        check("non-fiction — 1,000", &["non-fiction", "-", "1,000"]);
    }

    #[test]
    fn quoted_words_are_marked_and_an_open_quote_marks_nothing() {
        check("say \"never lie\" now", &["say", "'never'", "'lie'", "now"]);
        check("a 5\" screen", &["a", "5", "screen"]);
        check("it is 'never mind' here", &["it", "is", "'never'", "'mind'", "here"]);
    }

    #[test]
    fn a_span_keeps_what_sticks_to_it() {
        let sentence = "Only touch parse(), please.";
        let all = words(sentence);
        assert_eq!(span(sentence, &all[1..3]), "touch parse()");
    }
}
