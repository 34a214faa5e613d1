//! Python expressions as they are written in playbooks: `$name` is a name, everything else is Python.

use std::collections::BTreeSet;
use std::ops::Range;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{self as ast, Expr as Py, ExprContext, Number};
use ruff_text_size::Ranged;
use serde_json::{Map, Value};

use crate::lexer::{self, End};

/// Beyond these an expression is refused before the parser sees it: trees as deep as this belong to attacks.
const MAX_BYTES: usize = 16 * 1024;
const MAX_SYMBOLS: usize = 1_000;

const KEYWORDS: &[&str] = &[
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "__debug__",
];

/// An expression that is not Python, with the place in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    pub(crate) at: usize,
}

/// What an expression uses. Offsets are those of the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    pub(crate) names: Vec<NameUse>,
    pub(crate) calls: Vec<CallUse>,
    pub(crate) literal: Option<Value>,
    /// Whether the whole expression is one call.
    pub(crate) is_call: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct NameUse {
    pub(crate) name: String,
    /// The name without its `$`.
    pub(crate) range: Range<usize>,
    pub(crate) has_dollar: bool,
    /// The name is what is called, or the agent before the dot.
    pub(crate) is_callee: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct CallUse {
    pub(crate) callee: String,
    pub(crate) instance: Option<String>,
    pub(crate) name_range: Range<usize>,
    pub(crate) range: Range<usize>,
    pub(crate) args: Vec<ArgUse>,
    /// A method of a value (`$name.upper()`), not a playbook.
    pub(crate) is_method: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ArgUse {
    pub(crate) name: Option<String>,
    pub(crate) name_range: Option<Range<usize>>,
    pub(crate) is_unpacked: bool,
    pub(crate) range: Range<usize>,
    pub(crate) literal: Option<Value>,
}

/// The source in parentheses with `$` blanked out, so that offsets only shift by one.
pub(crate) fn to_python(source: &str) -> Result<String, SyntaxError> {
    let fail = |message: &str, at: usize| Err(SyntaxError { message: message.to_owned(), at });
    if source.trim().is_empty() {
        return fail("the expression is empty", 0);
    }
    if source.len() > MAX_BYTES {
        return fail("the expression is too long", 0);
    }
    let mut python = Vec::with_capacity(source.len() + 2);
    python.push(b'(');
    python.extend_from_slice(source.as_bytes());
    let mut symbols = 0;
    let mut open: Vec<u8> = Vec::new();
    let end = lexer::walk(source, 0, |at, byte, _| {
        if byte == b'$' && starts_name(source, at + 1) {
            python[at + 1] = b' ';
        }
        symbols += usize::from(!byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace());
        match byte {
            b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' | b'}' => return open.pop().is_none(),
            b'#' => return true,
            _ => {}
        }
        symbols > MAX_SYMBOLS
    });
    match end {
        End::Text => {}
        End::OpenString(at) => return fail("a string is not closed", at),
        End::Stopped(at) if source.as_bytes()[at] == b'#' => return fail("comments cannot stand here", at),
        End::Stopped(_) if symbols > MAX_SYMBOLS => return fail("the expression is too complex", 0),
        End::Stopped(at) => return fail("a bracket is closed that was never opened", at),
    }
    python.push(b')');
    // Only ASCII bytes were replaced by ASCII bytes.
    String::from_utf8(python).map_err(|_| SyntaxError { message: "not a text".to_owned(), at: 0 })
}

fn starts_name(source: &str, at: usize) -> bool {
    source[at..].chars().next().is_some_and(|char| char.is_alphabetic() || char == '_')
}

pub(crate) fn parse_python(python: &str) -> Result<Py, SyntaxError> {
    match ruff_python_parser::parse_expression(python) {
        // Our parentheses must not turn `x for x in xs` into an expression.
        Ok(parsed) if is_bare_generator(parsed.expr()) => {
            Err(SyntaxError { message: "a generator needs parentheses".to_owned(), at: 0 })
        }
        Ok(parsed) => Ok(parsed.into_expr()),
        Err(error) => {
            // Beyond our closing parenthesis is the end of the source.
            let at =
                usize::from(error.location.start()).saturating_sub(1).min(python.len().saturating_sub(2));
            let message = error.error.to_string();
            Err(SyntaxError { message: lower_first(&message), at })
        }
    }
}

fn is_bare_generator(expr: &Py) -> bool {
    expr.as_generator_expr().is_some_and(|generator| usize::from(generator.range().start()) == 0)
}

/// Error messages read as the end of a sentence.
fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Reads an expression and says what it uses.
pub(crate) fn parse(source: &str) -> Result<Uses, SyntaxError> {
    if let Some(literal) = plain_literal(source) {
        return Ok(Uses { literal: Some(literal), ..Uses::default() });
    }
    if let Some(name) = variable(source) {
        let range = 1..source.len();
        let used = NameUse { name: name.to_owned(), range, has_dollar: true, is_callee: false };
        return Ok(Uses { names: vec![used], ..Uses::default() });
    }
    let python = to_python(source)?;
    let expr = parse_python(&python)?;
    let mut collect = Collect { source, uses: Uses::default(), bound: BTreeSet::new() };
    collect.visit_expr(&expr);
    let Collect { mut uses, bound, .. } = collect;
    uses.names.retain(|used| used.has_dollar || !bound.contains(&used.name));
    uses.literal = literal(&expr);
    uses.is_call = matches!(unwrap_await(&expr), Py::Call(_));
    Ok(uses)
}

/// `$name` and nothing else: the most common expression needs no parser.
fn variable(source: &str) -> Option<&str> {
    let name = source.strip_prefix('$')?;
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    (is_plain && !KEYWORDS.contains(&name)).then_some(name)
}

/// A small number, a truth or a plain text in quotes.
fn plain_literal(source: &str) -> Option<Value> {
    match source {
        "True" => return Some(Value::Bool(true)),
        "False" => return Some(Value::Bool(false)),
        "None" => return Some(Value::Null),
        _ => {}
    }
    let digits = source.bytes().all(|byte| byte.is_ascii_digit());
    if digits && source.len() <= 9 && (source == "0" || !source.starts_with('0')) {
        return source.parse::<i64>().ok().map(Value::from);
    }
    let inner = source.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = !inner.bytes().any(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r'));
    is_plain.then(|| Value::String(inner.to_owned()))
}

fn unwrap_await(expr: &Py) -> &Py {
    if let Py::Await(inner) = expr { &inner.value } else { expr }
}

struct Collect<'a> {
    source: &'a str,
    uses: Uses,
    bound: BTreeSet<String>,
}

impl Collect<'_> {
    fn range(range: ruff_text_size::TextRange) -> Range<usize> {
        usize::from(range.start()).saturating_sub(1)..usize::from(range.end()).saturating_sub(1)
    }

    fn name(&mut self, name: &ast::ExprName, is_callee: bool) {
        let range = Self::range(name.range());
        let has_dollar = range.start > 0 && self.source.as_bytes().get(range.start - 1) == Some(&b'$');
        self.uses.names.push(NameUse { name: name.id.to_string(), range, has_dollar, is_callee });
    }

    /// `Name(…)`, `Agent.Name(…)` and `Agent["id"].Name(…)` are calls of playbooks.
    #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is a call of a value")]
    fn call(&mut self, call: &ast::ExprCall) {
        let (callee, instance, owner) = match call.func.as_ref() {
            Py::Name(name) => (name.id.to_string(), None, None),
            Py::Attribute(attribute) => match attribute.value.as_ref() {
                Py::Name(owner) => (format!("{}.{}", owner.id, attribute.attr), None, Some(owner)),
                Py::Subscript(subscript) => match (subscript.value.as_ref(), literal(&subscript.slice)) {
                    (Py::Name(owner), Some(Value::String(id))) => {
                        (format!("{}.{}", owner.id, attribute.attr), Some(id), Some(owner))
                    }
                    _ => return,
                },
                _ => return,
            },
            _ => return,
        };
        let is_method = owner.is_some_and(|owner| {
            let start = usize::from(owner.range().start()).saturating_sub(1);
            let has_dollar = start > 0 && self.source.as_bytes().get(start - 1) == Some(&b'$');
            has_dollar || !owner.id.starts_with(|first: char| first.is_uppercase())
        });
        let args = arguments(&call.arguments);
        let name_range = Self::range(call.func.range());
        let range = Self::range(call.range());
        self.uses.calls.push(CallUse { callee, instance, name_range, range, args, is_method });
    }
}

fn arguments(arguments: &ast::Arguments) -> Vec<ArgUse> {
    let positional = arguments.args.iter().map(|arg| {
        let (is_unpacked, value) =
            if let Py::Starred(star) = arg { (true, star.value.as_ref()) } else { (false, arg) };
        ArgUse {
            name: None,
            name_range: None,
            is_unpacked,
            range: Collect::range(value.range()),
            literal: literal(value),
        }
    });
    let named = arguments.keywords.iter().map(|keyword| ArgUse {
        name: keyword.arg.as_ref().map(ToString::to_string),
        name_range: keyword.arg.as_ref().map(|name| Collect::range(name.range())),
        is_unpacked: keyword.arg.is_none(),
        range: Collect::range(keyword.value.range()),
        literal: literal(&keyword.value),
    });
    positional.chain(named).collect()
}

impl<'a> Visitor<'a> for Collect<'_> {
    fn visit_expr(&mut self, expr: &'a Py) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these say something")]
        match expr {
            Py::Name(name) if name.ctx == ExprContext::Load => self.name(name, false),
            Py::Name(name) => {
                self.bound.insert(name.id.to_string());
            }
            Py::Call(call) => {
                self.call(call);
                let owner = match call.func.as_ref() {
                    Py::Name(name) => Some(name),
                    Py::Attribute(attribute) => attribute.value.as_name_expr(),
                    _ => None,
                };
                match owner {
                    Some(name) => self.name(name, true),
                    None => self.visit_expr(&call.func),
                }
                self.visit_arguments(&call.arguments);
            }
            Py::Lambda(lambda) => {
                let params = lambda.parameters.iter().flat_map(|parameters| parameters.iter());
                self.bound.extend(params.map(|param| param.name().to_string()));
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }
}

/// The value of an expression that is a literal. `true`, `false` and `null` are accepted beside Python's words.
pub(crate) fn literal(expr: &Py) -> Option<Value> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is not a literal")]
    match expr {
        Py::StringLiteral(string) => Some(Value::String(string.value.to_str().to_owned())),
        Py::BooleanLiteral(boolean) => Some(Value::Bool(boolean.value)),
        Py::NoneLiteral(_) => Some(Value::Null),
        Py::NumberLiteral(number) => match &number.value {
            Number::Int(int) => int.as_i64().map(Value::from),
            Number::Float(float) => serde_json::Number::from_f64(*float).map(Value::Number),
            Number::Complex { .. } => None,
        },
        Py::Name(name) => match name.id.as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            _ => None,
        },
        Py::UnaryOp(unary) if unary.op == ast::UnaryOp::USub => match literal(&unary.operand)? {
            Value::Number(number) => match number.as_i64() {
                Some(int) => int.checked_neg().map(Value::from),
                None => serde_json::Number::from_f64(-number.as_f64()?).map(Value::Number),
            },
            _ => None,
        },
        Py::List(list) => list.elts.iter().map(literal).collect::<Option<Vec<_>>>().map(Value::Array),
        Py::Tuple(tuple) => tuple.elts.iter().map(literal).collect::<Option<Vec<_>>>().map(Value::Array),
        Py::Dict(dict) => {
            let mut map = Map::new();
            for item in &dict.items {
                let Value::String(key) = literal(item.key.as_ref()?)? else { return None };
                map.insert(key, literal(&item.value)?);
            }
            Some(Value::Object(map))
        }
        _ => None,
    }
}

/// The value of a source that is a literal.
pub(crate) fn literal_of(source: &str) -> Option<Value> {
    parse(source).ok()?.literal
}

pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}
