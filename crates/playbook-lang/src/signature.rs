//! The heading of a playbook: a name of any kind, perhaps parameters, perhaps a type.

use std::ops::Range;

use crate::diagnostic::Code;
use crate::lexer::{self, End};
use crate::name;
use crate::tree::ParamKind;

/// A heading taken apart. Ranges are offsets in the heading.
#[derive(Debug, Default)]
pub(crate) struct Signature {
    pub(crate) name: Range<usize>,
    pub(crate) params: Vec<RawParam>,
    pub(crate) returns: Option<Range<usize>>,
    pub(crate) problems: Vec<(Code, Range<usize>, String)>,
}

#[derive(Debug)]
pub(crate) struct RawParam {
    pub(crate) name: Range<usize>,
    pub(crate) is_state: bool,
    pub(crate) kind: ParamKind,
    pub(crate) ty: Option<Range<usize>>,
    pub(crate) default: Option<Range<usize>>,
}

pub(crate) fn parse(title: &str) -> Signature {
    let Some(open) = title.find('(') else { return without_params(title) };
    let Some(close) = closing(title, open) else { return unclosed(title, open) };
    let after = title[close + 1..].trim();
    let returns = after.strip_prefix("->").map(str::trim_start);
    let is_prose = returns.is_none() && !after.is_empty();
    // `Process order (urgent)` is a name; `Process order ($id)` and `ProcessOrder (id)` written tight are not.
    let is_remark = title[..open].ends_with(char::is_whitespace) && !title[open..close].contains('$');
    if is_prose || title[..open].trim().is_empty() || (is_remark && close > open + 1) {
        return without_params(title);
    }
    let mut signature = Signature { name: trimmed(title, 0..open), ..Signature::default() };
    signature.returns = returns.map(|text| range_in(title, text.trim_end()));
    params(title, open + 1..close, &mut signature);
    signature
}

fn without_params(title: &str) -> Signature {
    let whole = trimmed(title, 0..title.len());
    match title.rsplit_once("->") {
        Some((name, ty)) if !name.trim().is_empty() && name::is_identifier(ty.trim()) => Signature {
            name: range_in(title, name.trim()),
            returns: Some(range_in(title, ty.trim())),
            ..Signature::default()
        },
        _ => Signature { name: whole, ..Signature::default() },
    }
}

fn unclosed(title: &str, open: usize) -> Signature {
    if !title[open..].contains('$') && title[..open].ends_with(char::is_whitespace) {
        return without_params(title);
    }
    let problem = (Code::Signature, open..open + 1, "the parameter list is not closed; add `)`".to_owned());
    Signature { name: trimmed(title, 0..open), problems: vec![problem], ..Signature::default() }
}

fn closing(title: &str, open: usize) -> Option<usize> {
    match lexer::walk(title, open + 1, |_, byte, depth| byte == b')' && depth == 0) {
        End::Stopped(at) => Some(at),
        End::Text | End::OpenString(_) => None,
    }
}

fn params(title: &str, within: Range<usize>, signature: &mut Signature) {
    let text = &title[within.clone()];
    if text.trim().is_empty() {
        return;
    }
    let mut is_keyword_only = false;
    for (at, part) in lexer::split(text, b',') {
        let range = trimmed(title, within.start + at..within.start + at + part.len());
        match &title[range.clone()] {
            "*" => is_keyword_only = true,
            "" | "/" => {}
            part => match param(title, range.clone(), is_keyword_only) {
                Some(param) => signature.params.push(param),
                None => signature.problems.push((
                    Code::Signature,
                    range,
                    format!(
                        "`{part}` is not a parameter; write `$name`, `$name: type` or `$name: type = default`"
                    ),
                )),
            },
        }
    }
}

fn param(title: &str, range: Range<usize>, is_keyword_only: bool) -> Option<RawParam> {
    let text = &title[range.clone()];
    let stars = text.len() - text.trim_start_matches('*').len();
    let kind = match stars {
        0 if is_keyword_only => ParamKind::KeywordOnly,
        0 => ParamKind::Plain,
        1 => ParamKind::Positionals,
        2 => ParamKind::Keywords,
        _ => return None,
    };
    let is_state = text[stars..].starts_with('$');
    let start = range.start + stars + usize::from(is_state);
    let len = name::identifier_len(&title[start..range.end]);
    if len == 0 {
        return None;
    }
    let mut rest = trimmed(title, start + len..range.end);
    let default = lexer::find(&title[rest.clone()], |_, byte| byte == b'=').map(|at| {
        let value = trimmed(title, rest.start + at + 1..rest.end);
        rest = trimmed(title, rest.start..rest.start + at);
        value
    });
    let ty = match &title[rest.clone()] {
        "" => None,
        text if text.starts_with(':') => Some(trimmed(title, rest.start + 1..rest.end)),
        _ => return None,
    };
    let is_cut_off = |range: &Option<Range<usize>>| range.as_ref().is_some_and(Range::is_empty);
    if is_cut_off(&ty) || is_cut_off(&default) {
        return None;
    }
    Some(RawParam { name: start..start + len, is_state, kind, ty, default })
}

fn trimmed(title: &str, range: Range<usize>) -> Range<usize> {
    range_in(title, title[range].trim())
}

/// The range of a part that was cut out of the title.
fn range_in(title: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(title.as_ptr() as usize).min(title.len());
    start..start + part.len()
}
