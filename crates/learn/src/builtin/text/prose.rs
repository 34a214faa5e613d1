/// Beyond this a turn is mostly a document somebody pasted.
const LONGEST_SPOKEN_CHARS: usize = 1_200;
/// What people write before or after a document they paste.
const LONGEST_REMARK_CHARS: usize = 400;

/// The parts of a turn that its speaker said, and what was left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::builtin) struct Prose<'t> {
    pub(in crate::builtin) parts: Vec<&'t str>,
    pub(in crate::builtin) left_out_own: bool,
    pub(in crate::builtin) left_out_pasted: bool,
}

/// Leaves out blocks of ours, code, quoted lines, and the middle of long documents.
pub(in crate::builtin) fn prose<'t>(text: &'t str, own_blocks: &[(String, String)]) -> Prose<'t> {
    let mut prose = Prose::default();
    for part in without_blocks(text, own_blocks, &mut prose.left_out_own) {
        spoken_lines(part, &mut prose);
    }
    let chars: usize = prose.parts.iter().map(|part| part.chars().count()).sum();
    if chars > LONGEST_SPOKEN_CHARS {
        prose.parts = remarks(&prose.parts);
        prose.left_out_pasted = true;
    }
    prose
}

fn without_blocks<'t>(text: &'t str, blocks: &[(String, String)], found: &mut bool) -> Vec<&'t str> {
    let mut parts = vec![text];
    for (begin, end) in blocks.iter().filter(|(begin, end)| !begin.is_empty() && !end.is_empty()) {
        parts = parts.into_iter().flat_map(|part| outside(part, begin, end, found)).collect();
    }
    parts
}

fn outside<'t>(text: &'t str, begin: &str, end: &str, found: &mut bool) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(begin) {
        *found = true;
        parts.push(before);
        // A block that is never closed goes to the end: what follows may be ours.
        rest = inside.split_once(end).map_or("", |(_, after)| after);
    }
    parts.push(rest);
    parts
}

/// Runs of lines that are neither code nor quotation.
fn spoken_lines<'t>(text: &'t str, prose: &mut Prose<'t>) {
    let mut fenced = false;
    let mut from: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let skip = fenced || fence || trimmed.starts_with('>') || is_code(trimmed);
        if fence {
            fenced = !fenced;
        }
        if skip {
            prose.left_out_pasted = true;
            push(from.take().and_then(|from| text.get(from..at)), prose);
        } else if from.is_none() {
            from = Some(at);
        }
        at += line.len();
    }
    push(from.and_then(|from| text.get(from..)), prose);
}

fn push<'t>(part: Option<&'t str>, prose: &mut Prose<'t>) {
    prose.parts.extend(part.filter(|part| !part.trim().is_empty()));
}

/// A line of a program or a log rather than of a conversation.
fn is_code(line: &str) -> bool {
    const BEGINNINGS: [&str; 9] =
        ["def ", "fn ", "import ", "#include", "class ", "const ", "return ", "SELECT ", "Traceback "];
    let signs = line.chars().filter(|c| matches!(c, '{' | '}' | ';' | '=' | '<' | '>' | '|' | '$')).count();
    (BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)) && !line.ends_with(['.', '?', '!']))
        || (signs >= 2 && line.ends_with(['{', '}', ';', ')']))
        || signs * 8 > line.len().max(24)
}

/// The first and the last paragraph, as far as they are short enough to be remarks on the rest.
fn remarks<'t>(parts: &[&'t str]) -> Vec<&'t str> {
    let paragraphs: Vec<&str> =
        parts.iter().flat_map(|part| part.split("\n\n")).filter(|text| !text.trim().is_empty()).collect();
    let short = |text: &&&'t str| text.chars().count() <= LONGEST_REMARK_CHARS;
    let mut remarks: Vec<&str> = paragraphs.first().filter(short).copied().into_iter().collect();
    if paragraphs.len() > 1 {
        remarks.extend(paragraphs.last().filter(short));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let own = [("<own>".to_owned(), "</own>".to_owned())];
        let parts: Vec<&str> = prose(text, &own).parts.into_iter().map(str::trim).collect();
        assert_eq!(parts, expected, "{text}");
    }

    #[test]
    fn code_and_quoted_lines_are_not_said() {
        check("Look:\n```\nnever\n```\nWhy?", &["Look:", "Why?"]);
        check("She wrote\n> always\nOk.", &["She wrote", "Ok."]);
        check("let x = y; if (x) { return; }\nHello", &["Hello"]);
        check("```\nunclosed", &[]);
    }

    #[test]
    fn our_blocks_are_left_out_even_when_they_do_not_end() {
        check("a <own>b</own> c", &["a", "c"]);
        check("a <own>b", &["a"]);
    }

    #[test]
    fn of_a_long_document_only_the_remarks_stay() {
        let document = "word ".repeat(400);
        check(&format!("Check this.\n\n{document}\n\nIs it good?"), &["Check this.", "Is it good?"]);
        check(&document, &[]);
    }
}
