//! Finds the answer in what a model said.

use serde_json::Value;

use super::lenient;

/// How many bytes of parsing an answer may cost: enough for any honest one, too little to be an attack.
const WORK: usize = 20_000_000;

/// Whether an answer that breaks off may still give what is complete in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Truncation {
    /// An answer without its end is an error.
    #[default]
    Refuse,
    /// The complete items of lists are kept, the last, incomplete one is dropped.
    KeepCompleteItems,
}

/// What was found.
#[derive(Debug, PartialEq)]
pub(crate) enum Found<T, M> {
    /// The first value that fits. `whole` is false when its end was missing.
    Fits { value: T, whole: bool },
    /// There was JSON, but it does not fit; the reason is of the first one.
    Misfit(M),
    /// It breaks off.
    Truncated,
    /// No JSON at all.
    Nothing,
}

/// The first value in `text` that `fit` accepts, in order of trust: the whole text, JSON in it, what is nearly JSON,
/// JSON inside of that if `enter` allows it, and, when the caller wants it, what breaks off.
pub(crate) fn find<T, M>(
    text: &str,
    cut: bool,
    truncation: Truncation,
    mut fit: impl FnMut(Value) -> Result<T, M>,
    enter: impl Fn() -> bool,
) -> Found<T, M> {
    let text = after_thinking(text.trim_start_matches('\u{feff}').trim());
    let mut misfit = None;
    let mut attempt = |value: Value| match fit(value) {
        Ok(value) => Some(Found::Fits { value, whole: true }),
        Err(reason) => {
            misfit.get_or_insert(reason);
            None
        }
    };
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        // Some models write the JSON into a JSON string.
        let inner = value.as_str().and_then(|inner| serde_json::from_str(inner).ok());
        if let Some(found) = attempt(inner.unwrap_or(value)) {
            return found;
        }
    }
    let mut strict = Scan::new(text);
    while let Some(value) = strict.next_strict(Inside::Skip) {
        if let Some(found) = attempt(value) {
            return found;
        }
    }
    let mut lenient = Scan::new(text);
    let mut broken = Vec::new();
    let mut breaks_off = None;
    while let Some(parsed) = lenient.next_lenient() {
        // The outermost comes first: when its end is missing, the answer's is.
        breaks_off.get_or_insert(!parsed.complete);
        if !parsed.complete {
            if broken.len() < 8 {
                broken.push(parsed.value);
            }
        } else if let Some(found) = attempt(parsed.value) {
            return found;
        }
    }
    // In an answer that was cut, a piece of it must not pass for the answer.
    let mut nested = Scan::new(if cut || !enter() { "" } else { text });
    while let Some(value) = nested.next_strict(Inside::Enter) {
        if let Some(found) = attempt(value) {
            return found;
        }
    }
    if truncation == Truncation::KeepCompleteItems {
        for value in broken.drain(..) {
            if let Ok(value) = fit(value) {
                return Found::Fits { value, whole: false };
            }
        }
        return misfit.map_or(if cut { Found::Truncated } else { Found::Nothing }, Found::Misfit);
    }
    match misfit {
        _ if cut || breaks_off == Some(true) => Found::Truncated,
        Some(reason) => Found::Misfit(reason),
        None => Found::Nothing,
    }
}

/// What stands after the thoughts that some models print before they answer.
pub(crate) fn after_thinking(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("<think>") else { return text };
    rest.split_once("</think>").map_or(text, |(_, answer)| answer.trim())
}

/// Whether the openers inside a value that was read are looked at too.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Skip,
    Enter,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    attempts: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, attempts: (WORK / text.len().max(1)).clamp(20, 5_000) }
    }

    fn opener(&mut self) -> Option<usize> {
        self.attempts = self.attempts.checked_sub(1)?;
        let found = self.at + self.text.get(self.at..)?.find(['{', '['])?;
        self.at = found + 1;
        Some(found)
    }

    fn next_strict(&mut self, inside: Inside) -> Option<Value> {
        loop {
            let start = self.opener()?;
            let mut stream = serde_json::Deserializer::from_str(&self.text[start..]).into_iter::<Value>();
            if let Some(Ok(value)) = stream.next() {
                if inside == Inside::Skip {
                    self.at = start + stream.byte_offset();
                }
                return Some(value);
            }
        }
    }

    fn next_lenient(&mut self) -> Option<lenient::Parsed> {
        loop {
            let start = self.opener()?;
            if let Some(parsed) = lenient::parse(self.text, start) {
                if parsed.complete {
                    self.at = parsed.end;
                }
                return Some(parsed);
            }
        }
    }
}
