//! Python blocks made ready for the sandbox: decorators taken out, calls of playbooks turned into calls of the host.
//!
//! A call that is awaited, or made by a function that is not `async`, runs at once and gives its value. Any other call
//! of an `async` function gives something that can be awaited later, alone or with `asyncio.gather`; such calls run
//! one after the other, in the order they are awaited.

use std::fmt::Write;

use playbook_lang::placeholder::BOUNDED;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::FxHashMap;

use super::{Callee, Playbooks};

/// The Python of one agent.
#[derive(Debug, Default)]
pub(crate) struct PythonCode {
    /// All blocks, one after the other.
    pub(crate) code: String,
    /// Functions and whether they are `async`.
    functions: FxHashMap<String, bool>,
    /// Stand-ins for what can be called outside, by number.
    pub(crate) hosts: Vec<String>,
}

impl PythonCode {
    pub(super) fn new(code: &Playbooks, agent: usize) -> Self {
        let mut python = Self::default();
        for block in code.agent(agent).into_iter().flat_map(|agent| &agent.python) {
            let Ok(parsed) = ruff_python_parser::parse_module(&block.code) else { continue };
            let mut rewrite =
                Rewrite { code, agent, python: &mut python, edits: Vec::new(), is_async: false };
            for statement in parsed.suite() {
                rewrite.visit_stmt(statement);
            }
            let mut edits = rewrite.edits;
            edits.sort_by_key(|(range, _)| range.start());
            let mut from = 0;
            let mut text = String::new();
            for (range, insert) in edits {
                let (start, end) = (usize::from(range.start()), usize::from(range.end()));
                text.push_str(block.code.get(from..start).unwrap_or_default());
                text.push_str(&insert);
                from = from.max(end);
            }
            text.push_str(block.code.get(from..).unwrap_or_default());
            python.code.push_str(&text);
            python.code.push('\n');
        }
        for host in 0..python.hosts.len() {
            let call = format!(
                "def __call_{host}(*a, **k):\n    __bounded(a)\n    __bounded(k)\n    return __host_{host}(*a, **k)\n\
                 async def __later_{host}(*a, **k):\n    return __call_{host}(*a, **k)\n"
            );
            python.code.insert_str(0, &call);
        }
        python.code.insert_str(0, BOUNDED);
        python
    }

    /// The whole code of one call: arguments are inputs named `__a0`, `__k0` and so on.
    pub(crate) fn calling(&self, function: &str, args: usize, named: &[String]) -> String {
        let is_async = self.functions.get(function).copied().unwrap_or(false);
        let mut code = self.code.clone();
        let _ = write!(code, "__bounded({}{function}(", if is_async { "await " } else { "" });
        for at in 0..args {
            let _ = write!(code, "__a{at}, ");
        }
        for (at, name) in named.iter().enumerate() {
            let _ = write!(code, "{name}=__k{at}, ");
        }
        code.push_str("))\n");
        code
    }
}

struct Rewrite<'a> {
    code: &'a Playbooks,
    agent: usize,
    python: &'a mut PythonCode,
    edits: Vec<(TextRange, String)>,
    is_async: bool,
}

impl Rewrite<'_> {
    /// The stand-in of something outside, if that is what is called.
    fn host(&mut self, func: &Expr) -> Option<usize> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "other callees are values")]
        let name = match func {
            Expr::Name(name) => name.id.to_string(),
            Expr::Attribute(attribute) => {
                format!("{}.{}", attribute.value.as_name_expr()?.id, attribute.attr)
            }
            _ => return None,
        };
        match self.code.callee(self.agent, &name) {
            Callee::Function(_) | Callee::Refused(_) => None,
            Callee::Playbook(_) | Callee::Tool(_) | Callee::Builtin(_) => {
                let known = self.python.hosts.iter().position(|host| *host == name);
                Some(known.unwrap_or_else(|| {
                    self.python.hosts.push(name);
                    self.python.hosts.len() - 1
                }))
            }
        }
    }

    fn call(&mut self, func: &Expr, is_awaited: bool) {
        match self.host(func) {
            Some(host) => {
                let kind = if is_awaited || !self.is_async { "call" } else { "later" };
                self.edits.push((func.range(), format!("__{kind}_{host}")));
            }
            None => self.visit_expr(func),
        }
    }
}

impl<'a> Visitor<'a> for Rewrite<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let Stmt::FunctionDef(function) = statement else { return walk_stmt(self, statement) };
        for decorator in &function.decorator_list {
            let name =
                if let Expr::Call(call) = &decorator.expression { &call.func } else { &decorator.expression };
            if name.as_name_expr().is_some_and(|name| name.id.as_str() == "playbook") {
                self.edits.push((decorator.range(), String::new()));
            }
        }
        self.python.functions.insert(function.name.to_string(), function.is_async);
        let outer = std::mem::replace(&mut self.is_async, function.is_async);
        self.visit_parameters(&function.parameters);
        for inner in &function.body {
            self.visit_stmt(inner);
        }
        self.is_async = outer;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only calls are rewritten")]
        match expr {
            Expr::Await(awaited) => match awaited.value.as_ref() {
                Expr::Call(call) => {
                    if self.host(&call.func).is_some() {
                        let word =
                            TextRange::at(expr.range().start(), "await".len().try_into().unwrap_or_default());
                        self.edits.push((word, "     ".to_owned()));
                    }
                    self.call(&call.func, true);
                    self.visit_arguments(&call.arguments);
                }
                other => self.visit_expr(other),
            },
            Expr::Call(call) => {
                self.call(&call.func, false);
                self.visit_arguments(&call.arguments);
            }
            _ => walk_expr(self, expr),
        }
    }
}
