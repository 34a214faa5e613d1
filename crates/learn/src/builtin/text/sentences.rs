/// Cuts prose into sentences: at full stops, question and exclamation marks and at line ends; list markers at
/// the beginning of a line are left out.
pub(in crate::builtin) fn sentences(prose: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in prose.lines() {
        split_line(without_marker(line.trim()), &mut found);
    }
    found
}

fn split_line<'t>(line: &'t str, found: &mut Vec<&'t str>) {
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, next)| next);
        let wide = matches!(c, '。' | '！' | '？');
        if !wide && (!matches!(c, '.' | '!' | '?' | '…') || next.is_some_and(|next| !ends_here(next))) {
            continue;
        }
        if c == '.' && is_abbreviation(line.get(start..at).unwrap_or_default()) {
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some(&(at, next)) = chars.peek() {
            if !matches!(next, '"' | '”' | '»' | '\'' | ')' | '.' | '!' | '?') {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        push(line.get(start..end), found);
        start = end;
    }
    push(line.get(start..), found);
}

fn push<'t>(sentence: Option<&'t str>, found: &mut Vec<&'t str>) {
    let sentence = sentence.unwrap_or_default().trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

fn ends_here(next: char) -> bool {
    next.is_whitespace() || matches!(next, '"' | '”' | '»' | '\'' | ')' | '.' | '!' | '?')
}

fn is_abbreviation(before: &str) -> bool {
    const SHORT: [&str; 16] = [
        "mr", "mrs", "ms", "dr", "prof", "st", "e.g", "i.e", "vs", "approx", "no", "inc", "z.b", "bzw", "sr",
        "sra",
    ];
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none() && word != "I";
    // "No." ends an answer more often than it counts something.
    initial
        || (SHORT.contains(&word.to_lowercase().as_str())
            && word != "No"
            && !(word == "no" && before == "no"))
}

/// The line without `- `, `* `, `3. `, `b) `.
fn without_marker(line: &str) -> &str {
    let bullet = line.strip_prefix(['-', '*', '•', '+']).filter(|rest| rest.starts_with(' '));
    if let Some(rest) = bullet {
        return rest.trim_start();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or_default();
    let numbered = (1..=2).contains(&digits).then(|| rest.strip_prefix(['.', ')'])).flatten();
    numbered.filter(|rest| rest.starts_with(' ')).map_or(line, str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prose: &str, expected: &[&str]) {
        assert_eq!(sentences(prose), expected);
    }

    #[test]
    fn sentences_end_at_marks_and_lines() {
        check("No, that's wrong. It is 3.5 percent!", &["No, that's wrong.", "It is 3.5 percent!"]);
        check("one\n\n- two\n2. three", &["one", "two", "three"]);
        check("He asked \"why?\" Then left.", &["He asked \"why?\"", "Then left."]);
        check("退款。好的", &["退款。", "好的"]);
    }

    #[test]
    fn abbreviations_do_not_end_a_sentence() {
        check("Ask Dr. Lund, e.g. by mail. Ok?", &["Ask Dr. Lund, e.g. by mail.", "Ok?"]);
        check("No. Use the other one.", &["No.", "Use the other one."]);
        check("", &[]);
        check("…!?", &[]);
    }
}
