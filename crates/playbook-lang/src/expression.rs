//! Expressions of playbooks as trees of Python, for whoever compiles them.
//!
//! The tree belongs to the source with `$` blanked out and in parentheses, so its offsets are those of the source
//! plus one.

pub use ruff_python_ast as ast;

use crate::expr;

/// Reads an expression as it is written in a playbook. The error says what is wrong with it.
pub fn parse(source: &str) -> Result<ast::Expr, String> {
    let tree = expr::to_python(source).and_then(|python| expr::parse_python(&python));
    tree.map_err(|error| error.message)
}

/// The value of a tree that is a literal.
#[must_use]
pub fn literal(tree: &ast::Expr) -> Option<crate::Value> {
    expr::literal(tree).map(crate::Value::from)
}

/// What an expression calls by name, methods of values among it; nothing if it is no expression.
#[must_use]
pub fn calls(source: &str) -> Vec<String> {
    let uses = expr::parse(source).unwrap_or_default();
    uses.calls.into_iter().map(|call| call.callee).collect()
}
