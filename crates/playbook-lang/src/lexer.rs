//! Just enough of Python's lexical rules to know code from string text: where an expression ends inside prose,
//! which `$` is a variable, which comma separates arguments. f-strings are code in their fields.

/// How deep f-strings may nest in f-strings before the rest counts as text.
const MAX_FSTRING_DEPTH: usize = 8;
/// Brackets inside a field are deeper than any bracket outside.
const FIELD_DEPTH: usize = 1000;

/// Where a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The visitor asked to stop at this offset.
    Stopped(usize),
    /// The text was read to its end.
    Text,
    /// A string was opened and never closed.
    OpenString(usize),
}

/// Visits every byte of code with its bracket depth until the visitor answers `true`.
pub(crate) fn walk(text: &str, from: usize, visit: impl FnMut(usize, u8, usize) -> bool) -> End {
    let mut walker = Walker { bytes: text.as_bytes(), visit };
    match walker.code(from, 0) {
        Ok(_) => End::Text,
        Err(end) => end,
    }
}

/// The offset of the `}` that closes a placeholder whose code begins at `from`.
pub(crate) fn closing_brace(text: &str, from: usize) -> Option<usize> {
    match walk(text, from, |_, byte, depth| byte == b'}' && depth == 0) {
        End::Stopped(at) => Some(at),
        End::Text | End::OpenString(_) => None,
    }
}

/// The parts of a text between separators that are outside of brackets and strings, with their offsets.
pub(crate) fn split(text: &str, separator: u8) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut from = 0;
    walk(text, 0, |at, byte, depth| {
        if byte == separator && depth == 0 {
            parts.push((from, &text[from..at]));
            from = at + 1;
        }
        false
    });
    parts.push((from, &text[from..]));
    parts
}

/// The first byte outside of brackets and strings that fits.
pub(crate) fn find(text: &str, mut fits: impl FnMut(usize, u8) -> bool) -> Option<usize> {
    match walk(text, 0, |at, byte, depth| depth == 0 && fits(at, byte)) {
        End::Stopped(at) => Some(at),
        End::Text | End::OpenString(_) => None,
    }
}

struct Walker<'a, V> {
    bytes: &'a [u8],
    visit: V,
}

impl<V: FnMut(usize, u8, usize) -> bool> Walker<'_, V> {
    /// Reads code; in a field (`nest` > 0) up to the `}` that closes it, whose offset is returned.
    fn code(&mut self, mut at: usize, nest: usize) -> Result<usize, End> {
        let mut open: Vec<u8> = Vec::new();
        while let Some(&byte) = self.bytes.get(at) {
            if byte == b'"' || byte == b'\'' {
                at = self.string(at, nest)?;
                continue;
            }
            if nest > 0 && open.is_empty() {
                match byte {
                    b'}' => return Ok(at),
                    b':' => return self.format_spec(at + 1, nest),
                    _ => {}
                }
            }
            if close(&mut open, byte) == Closed::Nothing
                && byte == b'}'
                && nest == 0
                && (self.visit)(at, byte, 0)
            {
                return Err(End::Stopped(at));
            }
            let depth = open.len() + if nest > 0 { FIELD_DEPTH } else { 0 };
            if byte != b'}' && (self.visit)(at, byte, depth) {
                return Err(End::Stopped(at));
            }
            if matches!(byte, b'(' | b'[' | b'{') {
                open.push(byte);
            }
            at += 1;
        }
        Ok(at)
    }

    fn string(&mut self, quote_at: usize, nest: usize) -> Result<usize, End> {
        let quote = self.bytes[quote_at];
        let prefix = self.prefix(quote_at);
        let is_format = prefix.iter().any(|byte| matches!(byte, b'f' | b'F' | b't' | b'T'));
        let is_triple = self.bytes[quote_at..].starts_with(&[quote; 3]);
        let mut at = quote_at + if is_triple { 3 } else { 1 };
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                // Even in raw strings a backslash keeps a quote from closing.
                b'\\' => at += 2,
                b'\n' if !is_triple => break,
                b'{' if is_format && self.bytes.get(at + 1) == Some(&b'{') => at += 2,
                b'{' if is_format && nest < MAX_FSTRING_DEPTH => at = self.code(at + 1, nest + 1)? + 1,
                _ if byte == quote && is_triple && !self.bytes[at..].starts_with(&[quote; 3]) => at += 1,
                _ if byte == quote => return Ok(at + if is_triple { 3 } else { 1 }),
                _ => at += 1,
            }
        }
        Err(End::OpenString(quote_at))
    }

    /// The text after `:` in a field, which may hold fields of its own.
    fn format_spec(&mut self, mut at: usize, nest: usize) -> Result<usize, End> {
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'}' => return Ok(at),
                b'{' if nest < MAX_FSTRING_DEPTH => at = self.code(at + 1, nest + 1)? + 1,
                _ => at += 1,
            }
        }
        Ok(at)
    }

    /// The letters before a quote, if they make a string prefix and not the end of a name.
    fn prefix(&self, quote_at: usize) -> &[u8] {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let word = self.bytes[..quote_at].iter().rev().take(4).take_while(|byte| is_word(byte)).count();
        let letters = &self.bytes[quote_at - word..quote_at];
        let is_prefix = word <= 2 && letters.iter().all(|byte| b"rRbBfFuUtT".contains(byte));
        if is_prefix { letters } else { &[] }
    }
}

#[derive(PartialEq, Eq)]
enum Closed {
    Something,
    Nothing,
}

/// Closes the bracket that a byte closes. A `}` closes whatever was left open inside its braces.
fn close(open: &mut Vec<u8>, byte: u8) -> Closed {
    let opener = match byte {
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        _ => return Closed::Something,
    };
    let matching = open.iter().rposition(|&bracket| bracket == opener);
    match matching {
        Some(index) if byte == b'}' || index + 1 == open.len() => {
            open.truncate(index);
            Closed::Something
        }
        _ => Closed::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn closes(text: &str, rest: &str) {
        let at = closing_brace(text, 1).map(|at| &text[at + 1..]);
        assert_eq!(at, Some(rest), "{text}");
    }

    #[test]
    fn a_brace_in_a_string_or_bracket_closes_nothing() {
        closes("{x} tail", " tail");
        closes("{'}'} tail", " tail");
        closes("{ {k: v for k, v in d.items()}['id'] } tail", " tail");
        closes("{f'{a}}}'} tail", " tail");
        closes("{f\"{d['k']:>{w}}\"} tail", " tail");
        closes("{'''a'}''' + \"}\"} tail", " tail");
        closes("{r'\\'}'} tail", " tail");
        closes("{f(} tail", " tail");
        assert_eq!(closing_brace("{don't} tail", 1), None);
    }

    #[test]
    fn parts_are_cut_outside_of_brackets_only() {
        let parts: Vec<&str> =
            split("$a:str='a,b', $c=[1,2], d", b',').into_iter().map(|(_, part)| part).collect();
        assert_eq!(parts, ["$a:str='a,b'", " $c=[1,2]", " d"]);
    }
}
