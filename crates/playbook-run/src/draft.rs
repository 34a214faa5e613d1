//! Words that are shown while a model still writes them.
//!
//! An answer is checked when it is whole, and only then does anything of it happen. What is shown before is a draft: the
//! first words of the first step that was asked for. They are either said in the end, or taken back.

use playbook_engine::ModelRequest;

/// A draft as it grows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Drafted<'a> {
    /// More words.
    Words(&'a str),
    /// What was shown is not said after all.
    TakenBack,
}

/// Who is shown a draft. It must return at once.
pub type Show<'a> = dyn Fn(Drafted<'_>) + Sync + 'a;

/// What has come in of an answer.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    raw: String,
    shown: usize,
}

impl Draft {
    /// Forgets everything; says whether something was shown.
    pub(crate) fn restart(&mut self) -> bool {
        self.raw.clear();
        std::mem::take(&mut self.shown) > 0
    }

    /// The words that can be shown now and could not before.
    pub(crate) fn hear(&mut self, piece: &str, request: &ModelRequest) -> Option<String> {
        self.raw.push_str(piece);
        let words = first_words(&self.raw, request)?;
        let new = words.get(self.shown..).filter(|new| !new.is_empty())?.to_owned();
        self.shown = words.len();
        Some(new)
    }
}

/// The beginning of what the first step says, as far as it is there.
fn first_words(raw: &str, request: &ModelRequest) -> Option<String> {
    let raw = raw.rsplit("</think>").next().filter(|raw| !raw.trim_start().starts_with("<think"))?;
    let mut reader = Reader { rest: &raw[raw.find('{')?..], path: Vec::new(), found: Found::default() };
    let _ = reader.value();
    let found = reader.found;
    let (at, words) = found.words?;
    let known = |name: &str| found.known.iter().find(|(path, _)| *path == format!("{at}{name}"));
    let is_asked = match at.as_str() {
        "steps.0." => known("id")
            .is_some_and(|(_, id)| request.context.steps.first().is_some_and(|step| *step.id == **id)),
        "" => request.context.wants_reply,
        _ => {
            let trigger = found.known.iter().find(|(path, _)| path == "triggers.0.id");
            let candidate =
                request.context.triggers.iter().find(|one| trigger.is_some_and(|(_, id)| one.id == *id));
            let first = candidate.and_then(|candidate| candidate.opening.first());
            known("id").is_some_and(|(_, id)| first.is_some_and(|step| *step.id == **id))
        }
    };
    let to_user = known("say.0.to").is_none_or(|(_, to)| matches!(to.as_str(), "user" | "human" | ""));
    // Braces may have to be filled in first.
    let end = words.find('{').unwrap_or(words.len());
    (is_asked && to_user).then(|| words[..end].to_owned())
}

#[derive(Default)]
struct Found {
    /// Whole texts by their path: `steps.0.id`.
    known: Vec<(String, String)>,
    /// Where the first words are, and what there is of them.
    words: Option<(String, String)>,
}

/// Reads JSON that is not whole yet.
struct Reader<'a> {
    rest: &'a str,
    path: Vec<String>,
    found: Found,
}

impl Reader<'_> {
    /// Reads a value; nothing when the text ends before it does, or is no JSON.
    fn value(&mut self) -> Option<()> {
        self.blanks();
        match self.rest.chars().next()? {
            '{' => self.fields(),
            '[' => self.items(),
            '"' => {
                let (text, is_whole) = self.text()?;
                self.note(text, is_whole);
                is_whole.then_some(())
            }
            _ => {
                let end = self.rest.find([',', ']', '}'])?;
                self.rest = &self.rest[end..];
                Some(())
            }
        }
    }

    fn fields(&mut self) -> Option<()> {
        self.take('{')?;
        while self.take('}').is_none() {
            let (key, true) = self.text()? else { return None };
            self.take(':')?;
            self.inside(key)?;
        }
        Some(())
    }

    fn items(&mut self) -> Option<()> {
        self.take('[')?;
        let mut at = 0;
        while self.take(']').is_none() {
            self.inside(at.to_string())?;
            at += 1;
        }
        Some(())
    }

    fn inside(&mut self, key: String) -> Option<()> {
        self.path.push(key);
        // Deeper than any answer that fits the schema.
        let read = if self.path.len() < 32 { self.value() } else { None };
        self.path.pop();
        read?;
        let _ = self.take(',');
        Some(())
    }

    fn note(&mut self, text: String, is_whole: bool) {
        let path = self.path.join(".");
        let words = match path.as_str() {
            "reply" => Some(""),
            _ => {
                path.strip_suffix("say.0.text").filter(|at| matches!(*at, "steps.0." | "triggers.0.steps.0."))
            }
        };
        if let Some(at) = words.filter(|_| self.found.words.is_none()) {
            self.found.words = Some((at.to_owned(), text));
        } else if is_whole {
            self.found.known.push((path, text));
        }
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes a sign if it is next. Text that ends is `None` too.
    fn take(&mut self, sign: char) -> Option<()> {
        self.blanks();
        self.rest = self.rest.strip_prefix(sign)?;
        Some(())
    }

    /// A text, and whether it has ended.
    fn text(&mut self) -> Option<(String, bool)> {
        self.take('"')?;
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let is_whole = end < bytes.len();
        let inner = &self.rest[..end.min(bytes.len())];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        if is_whole {
            return Some((unquoted(inner)?, true));
        }
        // An escape that is not whole yet has at most twelve bytes: two halves of one letter.
        let cuts = (0..=inner.len().min(12)).filter_map(|cut| inner.get(..inner.len() - cut));
        Some((cuts.into_iter().find_map(unquoted).unwrap_or_default(), false))
    }
}

fn unquoted(inner: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{inner}\"")).ok()
}

#[cfg(test)]
mod tests {
    use playbook_engine::{Candidate, OfferedStep, Purpose};

    use super::*;

    fn step(id: &str) -> OfferedStep {
        OfferedStep {
            id: id.into(),
            kind: "say",
            instruction: "x".into(),
            writes: Vec::new(),
            from_user: false,
            asked: false,
            when: Vec::new(),
            with: Vec::new(),
            agent: None,
        }
    }

    fn request() -> ModelRequest {
        let mut context =
            playbook_engine::Context { steps: vec![step("01"), step("02")], ..Default::default() };
        context.triggers = vec![Candidate {
            id: "A.B:T1".to_owned(),
            text: "x".to_owned(),
            params: Vec::new(),
            opening: vec![step("01")],
            playbook: None,
        }];
        ModelRequest {
            id: 1,
            purpose: Purpose::Segment,
            prompt: "segment",
            context,
            schema: None,
            model: None,
        }
    }

    /// What is shown of an answer that comes byte by byte.
    fn shown(answer: &str, request: &ModelRequest) -> String {
        let mut draft = Draft::default();
        let mut letter = [0; 4];
        answer.chars().filter_map(|one| draft.hear(one.encode_utf8(&mut letter), request)).collect()
    }

    #[test]
    fn the_words_of_the_first_step_are_shown_as_they_come() {
        let said = r#"{"steps":[{"id":"01","status":"done","say":[{"to":"user","text":"Gr\u00fc\u00dfe, \"Ada\"\n\ud83d\ude00!"}]}"#;
        assert_eq!(shown(said, &request()), "Gr\u{fc}\u{df}e, \"Ada\"\n\u{1f600}!");
        let late = r#"{"applied":["N1"],"steps":[{"say":[{"text":"Hello"}],"id":"01"}]}"#;
        assert_eq!(shown(late, &request()), "Hello", "whose words they are is known at the end");
        let thought = format!("<think>hm {{}}</think>{late}");
        assert_eq!(shown(&thought, &request()), "Hello", "thoughts are not the answer");
    }

    #[test]
    fn words_of_a_trigger_and_a_reply_are_shown() {
        let opening =
            r#"{"triggers":[{"id":"A.B:T1","why":"x","steps":[{"id":"01","say":[{"text":"Which?"}]}]}]}"#;
        assert_eq!(shown(opening, &request()), "Which?");
        let mut asks = request();
        asks.context.wants_reply = true;
        assert_eq!(shown(r#"{"reply":"No idea."}"#, &asks), "No idea.");
    }

    #[test]
    fn what_was_not_asked_for_or_may_change_is_not_shown() {
        for (answer, words) in [
            (r#"{"steps":[{"id":"02","say":[{"text":"later"}]}]}"#, ""),
            (r#"{"steps":[{"id":"99","say":[{"text":"never"}]}]}"#, ""),
            (r#"{"steps":[{"id":"01","say":[{"to":"Worker","text":"psst"}]}]}"#, ""),
            (r#"{"steps":[{"id":"01","say":[{"text":"It is {date}.","fill":true}]}]}"#, "It is "),
            (r#"{"reply":"nobody wants it"}"#, ""),
            (r#"{"triggers":[{"id":"C.D:T1","steps":[{"id":"01","say":[{"text":"x"}]}]}]}"#, ""),
            ("no JSON at all", ""),
            ("{{{{[[[[", ""),
        ] {
            assert_eq!(shown(answer, &request()), words, "{answer}");
        }
    }
}
