//! Arguments meet parameters, as in Python.

use playbook_lang::{ParamKind, Value};

use crate::code::Parameter;
use crate::eval::fitted;

/// Whether arguments with these names, and no others, can be bound.
pub(crate) fn names_fit(params: &[Parameter], names: &[&str]) -> Result<(), String> {
    let takes_any = params.iter().any(|param| param.kind == ParamKind::Keywords);
    for (at, name) in names.iter().enumerate() {
        if !takes_any && !params.iter().any(|param| *param.name == **name) {
            return Err(unknown(name, params));
        }
        if names[..at].contains(name) {
            return Err(format!("`{name}` is given twice"));
        }
    }
    match params.iter().find(|param| is_required(param) && !names.contains(&&*param.name)) {
        Some(missing) => Err(format!("`{}` is missing", missing.name)),
        None => Ok(()),
    }
}

fn is_required(param: &Parameter) -> bool {
    !param.is_optional && matches!(param.kind, ParamKind::Plain | ParamKind::KeywordOnly)
}

fn unknown(name: &str, params: &[Parameter]) -> String {
    let known: Vec<&str> = params.iter().map(|param| &*param.name).collect();
    if known.is_empty() {
        format!("it takes no parameters, so no `{name}`")
    } else {
        format!("it has no parameter `{name}`; it has {}", known.join(", "))
    }
}

/// Gives every parameter its value: positions first, then names, then defaults. Types are converted where nothing is
/// lost.
pub(crate) fn bind(
    params: &[Parameter],
    positional: Vec<Value>,
    named: Vec<(String, Value)>,
) -> Result<Vec<(Box<str>, Value)>, String> {
    let mut positional = positional.into_iter();
    let mut named = named;
    let mut bound = Vec::with_capacity(params.len());
    for param in params {
        let value = match param.kind {
            ParamKind::Positionals => Some(Value::List(positional.by_ref().collect())),
            ParamKind::Keywords => Some(Value::Dict(std::mem::take(&mut named))),
            ParamKind::Plain => match (positional.next(), take(&mut named, &param.name)) {
                (Some(_), Some(_)) => return Err(format!("`{}` is given twice", param.name)),
                (value, None) | (None, value) => value,
            },
            ParamKind::KeywordOnly => take(&mut named, &param.name),
        };
        let value = match value {
            Some(value) => {
                fitted(value, param.ty.as_deref()).map_err(|why| format!("`{}`: {why}", param.name))?
            }
            None if param.is_optional => match &param.default {
                Some(default) => default.clone(),
                // A tool's own default: it is not told.
                None => continue,
            },
            None => return Err(format!("`{}` is missing", param.name)),
        };
        bound.push((param.name.clone(), value));
    }
    if positional.next().is_some() {
        let plain = params.iter().filter(|param| param.kind == ParamKind::Plain).count();
        let others = if plain < params.len() { "; name the others" } else { "" };
        return Err(format!("it takes {plain} argument(s) without a name, and more were given{others}"));
    }
    match named.first() {
        Some((name, _)) => Err(unknown(name, params)),
        None => Ok(bound),
    }
}

fn take(named: &mut Vec<(String, Value)>, name: &str) -> Option<Value> {
    let at = named.iter().position(|(known, _)| known == name)?;
    Some(named.remove(at).1)
}
