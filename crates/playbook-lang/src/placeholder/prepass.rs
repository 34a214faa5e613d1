//! The expression made ready for the sandbox: forbidden names refused, attributes of dicts made readable, awaits
//! taken out, calls of other agents given names the interpreter can look up.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_interpolated_string_element};
use ruff_python_ast::{Expr as Py, ExprContext, InterpolatedStringElement, Operator};
use ruff_text_size::{Ranged, TextRange};

use super::bounded;
use crate::expr::{self, SyntaxError};

/// What the rewritten code may use. Names that begin with two underscores belong to it alone.
const PRELUDE_ATTR: &str = "def __attr(o, n):\n    if isinstance(o, dict):\n        if n in o:\n            return o[n]\n        raise AttributeError(n)\n    return getattr(o, n)\n";
const PRELUDE_ROUND: &str = "def __round(x, n):\n    if isinstance(x, float) and isinstance(n, int) and n >= 0:\n        return float(f'{x:.{n}f}')\n    return round(x, n)\n";
const PRELUDE_MOD: &str =
    "def __mod(a, b):\n    if isinstance(a, str):\n        return __percent(a, b)\n    return a % b\n";

/// Functions that reach out of the expression; they do not exist here, and saying so is clearer than a NameError.
const REFUSED: &[&str] = &[
    "open",
    "eval",
    "exec",
    "compile",
    "input",
    "globals",
    "locals",
    "vars",
    "breakpoint",
    "exit",
    "quit",
    "getattr",
    "setattr",
    "delattr",
];

/// Why an expression never reached the sandbox.
#[derive(Debug)]
pub(super) enum Refusal {
    Syntax(SyntaxError),
    Forbidden { name: String, at: usize },
}

#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) code: String,
    /// Names the expression reads that it does not bind itself.
    pub(super) names: Vec<String>,
    /// Stand-ins for `Agent.Name`.
    pub(super) functions: Vec<(String, String)>,
    pub(super) uses_percent: bool,
}

pub(super) fn prepare(source: &str, is_function: &dyn Fn(&str) -> bool) -> Result<Prepared, Refusal> {
    let python = expr::to_python(source).map_err(Refusal::Syntax)?;
    let tree = expr::parse_python(&python).map_err(Refusal::Syntax)?;
    let mut rewrite = Rewrite {
        python: &python,
        is_function,
        edits: Vec::new(),
        names: BTreeSet::new(),
        bound: BTreeSet::new(),
        functions: Vec::new(),
        forbidden: None,
        prelude: [false; 3],
        shares: false,
        written_out: Vec::new(),
    };
    rewrite.visit_expr(&tree);
    if let Some((name, at)) = rewrite.forbidden {
        return Err(Refusal::Forbidden { name, at });
    }
    if rewrite.shares {
        rewrite.bound_what_is_written_out();
    }
    let Rewrite { edits, names, bound, functions, prelude, shares, .. } = rewrite;
    let mut code = if shares { bounded::BOUNDED.to_owned() } else { String::new() };
    for (is_used, text) in prelude.into_iter().zip([PRELUDE_ATTR, PRELUDE_ROUND, PRELUDE_MOD]) {
        if is_used {
            code.push_str(text);
        }
    }
    let (open, close) = if shares { ("__bounded(", ")") } else { ("", "") };
    code.push_str(open);
    apply(&python, edits, &mut code);
    code.push_str(close);
    let names = names.into_iter().filter(|name| !bound.contains(name)).collect();
    Ok(Prepared { code, names, functions, uses_percent: prelude[2] })
}

struct Rewrite<'a> {
    python: &'a str,
    is_function: &'a dyn Fn(&str) -> bool,
    edits: Vec<(usize, usize, String)>,
    names: BTreeSet<String>,
    bound: BTreeSet<String>,
    functions: Vec<(String, String)>,
    forbidden: Option<(String, usize)>,
    prelude: [bool; 3],
    /// Whether a value may come to stand in many places of another.
    shares: bool,
    /// Expressions whose values are written out on the way: arguments, fields of texts, sides of comparisons.
    written_out: Vec<TextRange>,
}

impl Rewrite<'_> {
    fn edit(&mut self, at: usize, remove: usize, insert: impl Into<String>) {
        self.edits.push((at, remove, insert.into()));
    }

    fn guard(&mut self, name: &str, range: TextRange, is_forbidden: bool) {
        if is_forbidden && self.forbidden.is_none() {
            self.forbidden = Some((name.to_owned(), usize::from(range.start()).saturating_sub(1)));
        }
    }

    /// These edits come first: none of the others begins at the same place and holds such an expression.
    fn bound_what_is_written_out(&mut self) {
        let edits = self.written_out.iter().flat_map(|range| {
            let (start, end) = (range.start().into(), range.end().into());
            [(start, 0, "__bounded(".to_owned()), (end, 0, ")".to_owned())]
        });
        self.edits = edits.chain(std::mem::take(&mut self.edits)).collect();
    }

    fn arguments(&mut self, call: &ruff_python_ast::ExprCall) {
        let named = call.arguments.keywords.iter().map(|keyword| &keyword.value);
        for argument in call.arguments.args.iter().chain(named) {
            let value = if let Py::Starred(star) = argument { &star.value } else { argument };
            // What a generator gives is not there yet, and it may lack parentheses.
            if !value.is_generator_expr() {
                self.written_out.push(value.range());
            }
        }
    }

    /// Whether a call gives nothing that is larger than what it takes: one of the host, or a plain one.
    fn keeps_size(&self, func: &Py) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "other callees are expressions")]
        match func {
            Py::Name(name) => bounded::keeps_size(&name.id) || (self.is_function)(&name.id),
            Py::Attribute(attribute) => {
                let owner = attribute.value.as_name_expr();
                bounded::keeps_size(&attribute.attr)
                    || owner.is_some_and(|owner| self.other_agent(&owner.id, &attribute.attr).is_some())
            }
            _ => false,
        }
    }

    fn callee(&mut self, func: &Py, args: usize) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "other callees are expressions")]
        match func {
            Py::Name(name) => {
                let is_refused = REFUSED.contains(&name.id.as_str()) && !(self.is_function)(&name.id);
                self.guard(&name.id, name.range(), is_refused);
                if name.id.as_str() == "round" && args == 2 && !(self.is_function)("round") {
                    self.prelude[1] = true;
                    self.edit(name.range().start().into(), name.id.len(), "__round");
                } else {
                    self.visit_expr(func);
                }
            }
            Py::Attribute(attribute) => {
                self.guard(&attribute.attr, attribute.attr.range(), is_inner(&attribute.attr));
                match attribute
                    .value
                    .as_name_expr()
                    .and_then(|owner| self.other_agent(&owner.id, &attribute.attr))
                {
                    Some(function) => {
                        let stand_in = format!("__call_{}", self.functions.len());
                        let range = func.range();
                        self.edit(range.start().into(), range.len().into(), stand_in.clone());
                        self.functions.push((stand_in, function));
                    }
                    None => self.visit_expr(&attribute.value),
                }
            }
            _ => self.visit_expr(func),
        }
    }

    /// `self.Name` is the playbook itself; `Agent.Name` is one of another agent.
    fn other_agent(&self, owner: &str, name: &str) -> Option<String> {
        let qualified = format!("{owner}.{name}");
        if (self.is_function)(&qualified) {
            return Some(qualified);
        }
        (matches!(owner, "self" | "agent") && (self.is_function)(name)).then(|| name.to_owned())
    }

    /// `a.b` reads a key of a dict as well as an attribute.
    fn attribute(&mut self, attribute: &ruff_python_ast::ExprAttribute) {
        self.guard(&attribute.attr, attribute.attr.range(), is_inner(&attribute.attr));
        self.prelude[0] = true;
        let start: usize = attribute.range().start().into();
        let end: usize = attribute.range().end().into();
        let name: usize = attribute.attr.range().start().into();
        let dot = self.python[..name].rfind('.').unwrap_or(name);
        self.edit(start, 0, "__attr(");
        self.edit(dot, end - dot, format!(",\"{}\")", attribute.attr));
        let is_call =
            |name: &ruff_python_ast::ExprName| matches!(name.id.as_str(), "call" | "current_playbook_call");
        match attribute.value.as_name_expr().filter(|name| is_call(name)) {
            // The call itself is a text; its parts stand beside it.
            Some(name) => self.edit(name.range().start().into(), name.id.len(), "__callinfo"),
            None => self.visit_expr(&attribute.value),
        }
        if attribute.value.as_name_expr().is_some_and(is_call) {
            self.names.insert("__callinfo".to_owned());
        }
    }

    fn modulo(&mut self, binary: &ruff_python_ast::ExprBinOp) {
        let from: usize = binary.left.range().end().into();
        let Some(sign) = self.python[from..].find('%').map(|at| from + at) else { return };
        self.prelude[2] = true;
        self.edit(binary.range().start().into(), 0, "__mod(");
        self.edit(sign, 1, ",");
        self.edit(binary.range().end().into(), 0, ")");
    }
}

impl<'a> Visitor<'a> for Rewrite<'_> {
    fn visit_expr(&mut self, expr: &'a Py) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest stays as it is")]
        match expr {
            Py::Name(name) => {
                self.guard(&name.id, name.range(), name.id.starts_with("__"));
                let list = if name.ctx == ExprContext::Load { &mut self.names } else { &mut self.bound };
                list.insert(name.id.to_string());
            }
            Py::Call(call) => {
                self.shares |= !self.keeps_size(&call.func);
                self.arguments(call);
                self.callee(&call.func, call.arguments.args.len() + call.arguments.keywords.len());
                self.visit_arguments(&call.arguments);
            }
            Py::Attribute(attribute) => self.attribute(attribute),
            Py::Await(inner) => {
                self.edit(expr.range().start().into(), "await".len(), "     ");
                self.visit_expr(&inner.value);
            }
            Py::BinOp(binary) if binary.op == Operator::Mod && !is_number(&binary.left) => {
                self.written_out.push(binary.right.range());
                self.modulo(binary);
                walk_expr(self, expr);
            }
            Py::Compare(compare) => {
                let sides = std::iter::once(compare.left.as_ref()).chain(&compare.comparators);
                self.written_out.extend(sides.map(Ranged::range));
                walk_expr(self, expr);
            }
            Py::Lambda(lambda) => {
                self.shares = true;
                let params = lambda.parameters.iter().flat_map(|parameters| parameters.iter());
                self.bound.extend(params.map(|param| param.name().to_string()));
                walk_expr(self, expr);
            }
            _ => {
                self.shares |= bounded::repeats(expr);
                walk_expr(self, expr);
            }
        }
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        if let InterpolatedStringElement::Interpolation(field) = element
            && field.debug_text.is_none()
        {
            self.written_out.push(field.expression.range());
        }
        walk_interpolated_string_element(self, element);
    }
}

/// `type(x).__name__` is harmless and common; the rest of the kind is the interpreter's own business.
fn is_inner(attribute: &str) -> bool {
    attribute.starts_with("__") && attribute != "__name__"
}

fn is_number(expr: &Py) -> bool {
    if let Py::UnaryOp(unary) = expr { is_number(&unary.operand) } else { expr.is_number_literal_expr() }
}

fn apply(python: &str, mut edits: Vec<(usize, usize, String)>, out: &mut String) {
    // At one place an outer expression closes after an inner one, and insertions come before replacements.
    edits.sort_by_key(|(at, remove, _)| (*at, *remove > 0));
    let mut from = 0;
    for (at, remove, insert) in edits {
        out.push_str(python.get(from..at).unwrap_or_default());
        out.push_str(&insert);
        from = from.max(at + remove);
    }
    out.push_str(python.get(from..).unwrap_or_default());
}
