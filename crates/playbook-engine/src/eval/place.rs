//! Where an assignment puts its value: `$total`, `$order.lines[0]`, `count`.

use std::sync::Arc;

use playbook_lang::{Target, Value};

use super::Expression;

/// The left side of an assignment.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) variable: Arc<str>,
    /// Written without `$`: it lives as long as the call.
    pub(crate) is_local: bool,
    pub(crate) path: Vec<Part>,
    pub(crate) ty: Option<Box<str>>,
    /// `+` of `+=`, made part of the value's expression already.
    pub(crate) source: Box<str>,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Key(String),
    Index(Expression),
}

impl Place {
    pub(crate) fn new(target: &Target, is_function: &dyn Fn(&str) -> bool) -> Self {
        let bare = target.source.trim_start_matches('$');
        Self {
            variable: target.variable.as_str().into(),
            is_local: !target.source.starts_with('$'),
            path: parts(bare.get(target.variable.len()..).unwrap_or_default(), is_function),
            ty: target.ty.as_deref().map(Into::into),
            source: target.source.as_str().into(),
        }
    }

    pub(crate) fn variable(name: &str) -> Self {
        Self {
            variable: name.into(),
            is_local: false,
            path: Vec::new(),
            ty: None,
            source: format!("${name}").into(),
        }
    }
}

fn parts(mut rest: &str, is_function: &dyn Fn(&str) -> bool) -> Vec<Part> {
    let mut parts = Vec::new();
    loop {
        if let Some(inner) = rest.strip_prefix('.') {
            let end = inner.find(['.', '[']).unwrap_or(inner.len());
            parts.push(Part::Key(inner[..end].to_owned()));
            rest = &inner[end..];
        } else if let Some(inner) = rest.strip_prefix('[') {
            let Some(end) = closing(inner) else { return parts };
            parts.push(Part::Index(Expression::new(&inner[..end], is_function)));
            rest = &inner[end + 1..];
        } else {
            return parts;
        }
    }
}

fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    text.char_indices().find_map(|(at, char)| {
        match (quote, char) {
            (Some(open), _) if char == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(char),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(at),
            (None, ']') => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Puts a value into the inside of another: the keys are already evaluated.
pub(crate) fn put(owner: &mut Value, path: &[Value], value: Value) -> Result<(), String> {
    let Some((first, rest)) = path.split_first() else {
        *owner = value;
        return Ok(());
    };
    match (owner, first) {
        (Value::Dict(pairs), Value::Text(key)) => {
            let at = pairs.iter().position(|(name, _)| name == key);
            match at.and_then(|at| pairs.get_mut(at)) {
                Some((_, inner)) => put(inner, rest, value),
                None if rest.is_empty() => {
                    pairs.push((key.clone(), value));
                    Ok(())
                }
                None => Err(format!("there is no key `{key}`")),
            }
        }
        (Value::List(items), Value::Int(index)) => {
            let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let at = if *index < 0 { index + len } else { *index };
            let item = usize::try_from(at).ok().and_then(|at| items.get_mut(at));
            put(item.ok_or_else(|| format!("there is no item {index} in a list of {len}"))?, rest, value)
        }
        (owner, key) => {
            let kind = match owner {
                Value::Dict(_) => "a dict",
                Value::List(_) => "a list",
                Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => {
                    "this value"
                }
            };
            Err(format!("{kind} has no place `{}`", super::literal_text(key)))
        }
    }
}
