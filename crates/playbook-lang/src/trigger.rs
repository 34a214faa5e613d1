//! Triggers: what starts a playbook, decided when the program is read.

use serde::Serialize;

use crate::classify::{self, Scope};
use crate::name;
use crate::span::Span;
use crate::step::{Condition, Decided, Effects};

/// One line of a `### Triggers` section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trigger {
    /// `T1`, `T2`, … in the order they are written.
    pub id: String,
    pub text: String,
    pub kind: TriggerKind,
    /// Variables a state trigger watches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watches: Vec<String>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum TriggerKind {
    /// The program starts.
    Begin,
    /// `After 5 minutes`
    After { seconds: u64 },
    /// `Every 10 minutes`
    Every { seconds: u64 },
    /// `At 17:00`, `Every day at 9:30`
    At { hour: u8, minute: u8 },
    /// `When $balance becomes negative`: fires when the condition turns true.
    State { condition: Condition },
    /// `After calling VerifyIdentity`
    Flow { moment: FlowMoment, playbook: String },
    /// Something about the conversation, which only a model can tell.
    Meaning,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowMoment {
    Before,
    After,
    Failed,
}

impl Trigger {
    pub(crate) fn new(number: usize, text: &str, span: Span) -> Self {
        let (code, text) = compiled(text);
        let (kind, watches) = match code {
            Some("BGN") => (TriggerKind::Begin, Vec::new()),
            _ => kind_of(text, span),
        };
        Self { id: format!("T{number}"), text: text.to_owned(), kind, watches, span }
    }
}

/// `T1:BGN At the beginning` of compiled files.
fn compiled(text: &str) -> (Option<&str>, &str) {
    let parts = || {
        let (number, rest) = text.strip_prefix('T')?.split_once(':')?;
        let (code, rest) = rest.split_once(' ')?;
        let is_code = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        (number.bytes().all(|byte| byte.is_ascii_digit()) && is_code)
            .then_some((Some(code), rest.trim_start()))
    };
    parts().unwrap_or((None, text))
}

fn kind_of(text: &str, span: Span) -> (TriggerKind, Vec<String>) {
    let lower = text.trim().trim_end_matches('.').to_lowercase();
    if is_begin(&lower) {
        return (TriggerKind::Begin, Vec::new());
    }
    if let Some(kind) = temporal(&lower).or_else(|| flow(text, &lower)) {
        return (kind, Vec::new());
    }
    state(text, span).unwrap_or((TriggerKind::Meaning, Vec::new()))
}

fn is_begin(lower: &str) -> bool {
    const EXACT: &[&str] = &[
        "at the beginning",
        "at the start",
        "at startup",
        "at beginning",
        "on start",
        "on startup",
        "when program starts",
        "when the program starts",
        "when program begins",
        "when the program begins",
        "when the agent starts",
        "when agent starts",
    ];
    EXACT.contains(&lower)
        || lower.starts_with("at the beginning of the program")
        || lower.starts_with("at the start of the program")
}

fn temporal(lower: &str) -> Option<TriggerKind> {
    if let Some(rest) = lower.strip_prefix("after ") {
        return duration(rest).map(|seconds| TriggerKind::After { seconds });
    }
    if let Some(rest) = lower.strip_prefix("every ") {
        if let Some((hour, minute)) = rest.strip_prefix("day at ").and_then(clock) {
            return Some(TriggerKind::At { hour, minute });
        }
        let seconds = duration(rest).or_else(|| unit(rest))?;
        return Some(TriggerKind::Every { seconds });
    }
    let (hour, minute) = clock(lower.strip_prefix("at ")?)?;
    Some(TriggerKind::At { hour, minute })
}

/// `5 minutes` in seconds.
pub(crate) fn duration(text: &str) -> Option<u64> {
    let (number, rest) = text.trim().split_once(' ')?;
    let number = match number {
        "a" | "an" | "one" => 1,
        other => other.parse::<u64>().ok()?,
    };
    number.checked_mul(unit(rest)?)
}

fn unit(text: &str) -> Option<u64> {
    match text.trim().trim_end_matches('s') {
        "second" | "sec" => Some(1),
        "minute" | "min" => Some(60),
        "hour" => Some(3_600),
        "day" => Some(86_400),
        "week" => Some(604_800),
        _ => None,
    }
}

/// `17:00`, `9:30 am`, `5 pm`, `noon`.
fn clock(text: &str) -> Option<(u8, u8)> {
    let text = text.trim();
    match text {
        "noon" => return Some((12, 0)),
        "midnight" => return Some((0, 0)),
        _ => {}
    }
    let (digits, half) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(rest), _) => (rest.trim_end(), Some(0)),
        (_, Some(rest)) => (rest.trim_end(), Some(12)),
        _ => (text, None),
    };
    let (hour, minute) = match digits.split_once(':') {
        Some((hour, minute)) => (hour.parse::<u8>().ok()?, minute.parse::<u8>().ok()?),
        None if half.is_some() => (digits.parse::<u8>().ok()?, 0),
        None => return None,
    };
    let hour = match half {
        Some(add) if (1..=12).contains(&hour) => hour % 12 + add,
        Some(_) => return None,
        None => hour,
    };
    (hour < 24 && minute < 60).then_some((hour, minute))
}

fn flow(text: &str, lower: &str) -> Option<TriggerKind> {
    let named = |prefix: &str, moment: FlowMoment| {
        lower.starts_with(prefix).then(|| {
            let playbook =
                text.trim().get(prefix.len()..).unwrap_or_default().trim().trim_end_matches(['.', '(', ')']);
            TriggerKind::Flow { moment, playbook: playbook.to_owned() }
        })
    };
    if let Some(kind) =
        named("after calling ", FlowMoment::After).or_else(|| named("before calling ", FlowMoment::Before))
    {
        return Some(kind);
    }
    let inner = lower.strip_prefix("when ")?;
    let inner = inner.strip_suffix(" fails").or_else(|| inner.strip_suffix(" failed"))?;
    let playbook = text.trim().get(5..5 + inner.len())?;
    // "When the payment fails" is about the conversation; a name is one word that looks like one.
    let is_name = name::is_identifier(playbook) && playbook.starts_with(|first: char| first.is_uppercase());
    is_name.then(|| TriggerKind::Flow { moment: FlowMoment::Failed, playbook: playbook.to_owned() })
}

fn state(text: &str, span: Span) -> Option<(TriggerKind, Vec<String>)> {
    if !text.contains('$') {
        return None;
    }
    let head = text.split_once(' ').filter(|(head, _)| {
        ["when", "if", "whenever", "once"].iter().any(|word| head.eq_ignore_ascii_case(word))
    })?;
    let condition = head.1.trim().trim_end_matches('.');
    let mut effects = Effects::default();
    let at = crate::span::to_u32(text.len() - head.1.trim_start().len());
    let end = span.end.min(span.start + at + crate::span::to_u32(condition.len()));
    let inner = Span { start: (span.start + at).min(end), end, ..span };
    let condition = classify::condition(condition, inner, &Scope::empty(), &mut effects);
    match condition.decided {
        Decided::Model => None,
        Decided::Expression { .. } | Decided::Phrase { .. } => {
            Some((TriggerKind::State { condition }, effects.reads))
        }
    }
}
