//! Expressions: read once, evaluated often.
//!
//! Most expressions of playbooks are comparisons and sums. Those have a tree of our own ([`tree`]) that is walked in
//! nanoseconds. Whatever the tree is not certain about, errors included, is left to the sandbox of
//! `playbook_lang::placeholder`, so that both always agree.

mod compute;
mod place;
#[cfg(test)]
mod tests;
mod tree;
mod value;

use std::borrow::Cow;
use std::sync::Arc;

use playbook_lang::Value;

pub(crate) use place::{Part, Place, put};
pub(crate) use value::{brief, fitted, is_storable, literal_text, shown};

use tree::Node;

/// Where names are looked up.
pub(crate) trait Scope {
    fn get(&self, name: &str) -> Option<&Value>;
}

/// One expression of a program.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) source: Arc<str>,
    tree: Option<Node>,
}

impl Expression {
    /// `is_function` knows the names that a program gives a meaning of its own.
    pub(crate) fn new(source: &str, is_function: &dyn Fn(&str) -> bool) -> Self {
        let parsed = playbook_lang::expression::parse(source).ok();
        let tree = parsed.and_then(|parsed| Node::new(&parsed, is_function));
        Self { source: source.into(), tree }
    }

    /// A literal, in whatever spelling.
    pub(crate) fn constant(source: &str, value: Value) -> Self {
        Self { source: source.into(), tree: Some(Node::Constant(value)) }
    }

    /// Whether it reads one of some names, as far as it has a tree.
    pub(crate) fn reads_any(&self, is_wanted: &dyn Fn(&str) -> bool) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.reads_any(is_wanted))
    }

    /// The value, if our own evaluator is certain of it.
    pub(crate) fn quick<'a>(&'a self, scope: &'a dyn Scope) -> Option<Cow<'a, Value>> {
        compute::value(self.tree.as_ref()?, scope)
    }
}
