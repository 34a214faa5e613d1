//! Names in the Python blocks of an agent.

use std::ops::Range;

use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged;

/// Every name of a block, none of those in strings and comments; nothing if the block does not parse.
pub(super) fn names(code: &str) -> Vec<Range<usize>> {
    if crate::python::is_too_complex(code) {
        return Vec::new();
    }
    let Ok(parsed) = ruff_python_parser::parse_module(code) else { return Vec::new() };
    parsed
        .tokens()
        .iter()
        .filter(|token| token.kind() == TokenKind::Name)
        .map(|token| usize::from(token.range().start())..usize::from(token.range().end()))
        .collect()
}
