//! A parser for what models write when they mean JSON.
//!
//! Accepted beyond JSON: single quotes, bare keys, trailing commas, comments, raw line breaks in strings, Python's
//! literals, and an end that is missing. Nesting is bounded, so that no input can exhaust the stack.

use serde_json::{Map, Number, Value};

const DEEPEST: usize = 100;

/// A value that was read, where it ended, and whether its end was there.
pub(super) struct Parsed {
    pub(super) value: Value,
    pub(super) end: usize,
    pub(super) complete: bool,
}

/// Reads the object or list that begins at `start`.
pub(super) fn parse(text: &str, start: usize) -> Option<Parsed> {
    let mut parser = Parser { bytes: text.as_bytes(), text, at: start };
    match parser.value(0)? {
        Node::Whole(value) => Some(Parsed { value, end: parser.at, complete: true }),
        Node::Cut(Some(value)) => Some(Parsed { value, end: parser.at, complete: false }),
        Node::Cut(None) => None,
    }
}

/// A value, or what there is of one whose end is missing: a container with its complete content, or nothing.
enum Node {
    Whole(Value),
    Cut(Option<Value>),
}

struct Parser<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        match self.peek() {
            None => Some(Node::Cut(None)),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(quote @ (b'"' | b'\'')) => Some(match self.string(quote)? {
                (text, true) => Node::Whole(Value::String(text)),
                (_, false) => Node::Cut(None),
            }),
            Some(_) => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Node> {
        self.at += 1;
        let mut fields = Map::new();
        loop {
            self.blank();
            let Some(byte) = self.peek() else { return Some(Node::Cut(Some(fields.into()))) };
            if byte == b'}' {
                self.at += 1;
                return Some(Node::Whole(fields.into()));
            }
            let Some(key) = self.key()? else { return Some(Node::Cut(Some(fields.into()))) };
            self.blank();
            match self.peek() {
                None => return Some(Node::Cut(Some(fields.into()))),
                Some(b':') => self.at += 1,
                Some(_) => return None,
            }
            self.blank();
            match self.value(depth + 1)? {
                Node::Whole(value) => fields.insert(key, value),
                // A member that is a container keeps what is complete in it.
                Node::Cut(value) => {
                    if let Some(value) = value {
                        fields.insert(key, value);
                    }
                    return Some(Node::Cut(Some(fields.into())));
                }
            };
            self.separator(b'}')?;
        }
    }

    fn list(&mut self, depth: usize) -> Option<Node> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank();
            let Some(byte) = self.peek() else { return Some(Node::Cut(Some(items.into()))) };
            if byte == b']' {
                self.at += 1;
                return Some(Node::Whole(items.into()));
            }
            match self.value(depth + 1)? {
                Node::Whole(value) => items.push(value),
                // An item that is cut is no item.
                Node::Cut(_) => return Some(Node::Cut(Some(items.into()))),
            }
            self.separator(b']')?;
        }
    }

    /// A comma, the end, or the end of the text; anything else is not JSON.
    fn separator(&mut self, end: u8) -> Option<()> {
        self.blank();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Some(())
            }
            Some(byte) if byte != end => None,
            Some(_) | None => Some(()),
        }
    }

    /// A key; `Some(None)` when the text ends in it.
    fn key(&mut self) -> Option<Option<String>> {
        if let Some(quote @ (b'"' | b'\'')) = self.peek() {
            let (text, complete) = self.string(quote)?;
            return Some(complete.then_some(text));
        }
        let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte == b'$';
        let word = self.take(bare);
        if word.is_empty() { None } else { Some(Some(word.to_owned())) }
    }

    /// A string and whether its closing quote was there.
    fn string(&mut self, quote: u8) -> Option<(String, bool)> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let plain = self.at;
            while self.peek().is_some_and(|byte| byte != quote && byte != b'\\') {
                self.at += 1;
            }
            out.push_str(self.text.get(plain..self.at)?);
            match self.peek() {
                None => return Some((out, false)),
                Some(b'\\') => {
                    self.at += 1;
                    if !self.escape(&mut out)? {
                        return Some((out, false));
                    }
                }
                Some(_) => {
                    self.at += 1;
                    return Some((out, true));
                }
            }
        }
    }

    /// What stands after a backslash; `Some(false)` when the text ends there.
    fn escape(&mut self, out: &mut String) -> Option<bool> {
        let Some(letter) = self.text.get(self.at..)?.chars().next() else { return Some(false) };
        self.at += letter.len_utf8();
        match letter {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => return self.unicode(out),
            other => out.push(other),
        }
        Some(true)
    }

    fn unicode(&mut self, out: &mut String) -> Option<bool> {
        let Some(first) = self.hex() else { return (self.at + 4 > self.bytes.len()).then_some(false) };
        let pair = (0xd800..0xdc00).contains(&first)
            && self.bytes.get(self.at..self.at + 2) == Some(br"\u")
            && self.bytes.len() >= self.at + 6;
        if pair {
            self.at += 2;
            let second = self.hex()?;
            let point = 0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff);
            out.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
        } else {
            out.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Some(true)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let number = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(number)
    }

    /// A number or a literal. At the end of the text nobody knows whether a number went on.
    fn word(&mut self) -> Option<Node> {
        let word =
            self.take(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_'));
        let cut = self.peek().is_none();
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" | "NaN" | "undefined" => Value::Null,
            "" => return None,
            _ if cut => return Some(Node::Cut(None)),
            number => Value::Number(parse_number(number)?),
        };
        Some(Node::Whole(value))
    }

    fn take(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&keep) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Blanks and comments.
    fn blank(&mut self) {
        loop {
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let end: &str = match rest {
                [b'/', b'/', ..] => "\n",
                [b'/', b'*', ..] => "*/",
                _ => return,
            };
            let rest = self.text.get(self.at..).unwrap_or_default();
            self.at += rest.find(end).map_or(rest.len(), |found| found + end.len());
        }
    }
}

fn parse_number(text: &str) -> Option<Number> {
    serde_json::from_str(text).ok().or_else(|| Number::from_f64(text.parse().ok()?))
}
