//! Type annotations of parameters and variables.

use ruff_python_ast::Expr as Py;

use crate::expr;

const KNOWN: &[&str] = &[
    "any", "Any", "bool", "bytes", "callable", "Callable", "date", "datetime", "dict", "Dict", "float",
    "int", "list", "List", "Literal", "None", "object", "Optional", "set", "Set", "str", "tuple", "Tuple",
    "Union",
];

/// Words of other languages for the same thing.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("array", "list"),
    ("boolean", "bool"),
    ("double", "float"),
    ("integer", "int"),
    ("json", "dict"),
    ("map", "dict"),
    ("number", "float"),
    ("string", "str"),
    ("text", "str"),
];

/// Why an annotation is not a type, with the type that was probably meant.
pub(crate) fn problem(annotation: &str) -> Option<(String, Option<String>)> {
    if KNOWN.contains(&annotation) {
        return None;
    }
    let lower = annotation.trim().to_lowercase();
    if let Some((_, known)) = OTHER_WORDS.iter().find(|(word, _)| *word == lower) {
        return Some((
            format!("`{annotation}` is not a type; did you mean `{known}`?"),
            Some((*known).to_owned()),
        ));
    }
    let python = expr::to_python(annotation).and_then(|python| expr::parse_python(&python));
    let Ok(tree) = python else { return Some((format!("`{annotation}` is not a type"), None)) };
    match unknown(&tree) {
        None => None,
        Some(name) if name.is_empty() => Some((format!("`{annotation}` is not a type"), None)),
        Some(name) => {
            let known = crate::suggest::nearest(&name, KNOWN.iter().copied());
            let hint = known.map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
            Some((
                format!("`{name}` is not a known type{hint}"),
                known.map(|known| annotation.replace(&name, known)),
            ))
        }
    }
}

/// The first part that is no type: its name, or nothing for something that is not even a name.
fn unknown(tree: &Py) -> Option<String> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is not a type")]
    match tree {
        // A class of a Python block or a library.
        Py::Name(name) if name.id.starts_with(|first: char| first.is_uppercase()) => None,
        Py::Name(name) if KNOWN.contains(&name.id.as_str()) => None,
        Py::Name(name) => Some(name.id.to_string()),
        Py::NoneLiteral(_) | Py::StringLiteral(_) | Py::Attribute(_) | Py::EllipsisLiteral(_) => None,
        Py::Subscript(subscript) => unknown(&subscript.value).or_else(|| {
            let is_literal = subscript.value.as_name_expr().is_some_and(|name| name.id.as_str() == "Literal");
            if is_literal { None } else { unknown(&subscript.slice) }
        }),
        Py::BinOp(union) => unknown(&union.left).or_else(|| unknown(&union.right)),
        Py::Tuple(tuple) => tuple.elts.iter().find_map(unknown),
        Py::List(list) => list.elts.iter().find_map(unknown),
        _ => Some(String::new()),
    }
}
