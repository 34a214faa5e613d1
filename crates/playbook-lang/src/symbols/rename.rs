//! Renames a playbook or a variable everywhere, or says why that cannot be done.

use super::{Role, Symbol, Symbols, words};
use crate::name;
use crate::names::{BUILTIN_FUNCTIONS, BUILTIN_PLAYBOOKS, SPECIAL};
use crate::program::Program;
use crate::span::Span;

/// A text to put in the place of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// Why a name stays as it is.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    #[error("agents are renamed by hand: people address them in words")]
    Agent,
    #[error("`{0}` cannot be called: a name needs letters or digits, beginning with a letter")]
    NotCallable(String),
    #[error("`{0}` is not the name of a variable: use letters, digits and `_`")]
    NotAVariable(String),
    #[error("`{0}` means something already")]
    Taken(String),
    #[error("a Python block of the agent uses the name `{0}` too; rename it there first")]
    InPython(String),
}

/// The edits that give a symbol another name. A program that was fine is fine after them and means the same.
pub fn rename(
    program: &Program,
    symbols: &Symbols,
    symbol: &Symbol,
    new: &str,
) -> Result<Vec<Edit>, RenameError> {
    let new = new.trim();
    match symbol {
        Symbol::Agent { .. } => Err(RenameError::Agent),
        Symbol::Playbook { agent, playbook } => {
            check_playbook(program, *agent, *playbook, new)?;
            let callable = if name::is_identifier(new) { new.to_owned() } else { name::camel(new) };
            let edits = symbols.of(symbol).map(|one| {
                let is_spoken = !name::is_identifier(program.sources().slice(one.span));
                let keeps_words = one.role == Role::Definition || is_spoken;
                Edit { span: one.span, text: if keeps_words { new } else { &callable }.to_owned() }
            });
            Ok(edits.collect())
        }
        Symbol::Variable { agent, playbook, name: old } => {
            let new = new.strip_prefix('$').unwrap_or(new);
            check_variable(program, symbols, (*agent, *playbook), old, new)?;
            Ok(symbols.of(symbol).map(|one| Edit { span: one.span, text: new.to_owned() }).collect())
        }
    }
}

fn check_playbook(program: &Program, agent: usize, playbook: usize, new: &str) -> Result<(), RenameError> {
    let is_heading = !new.is_empty() && !new.contains(['\n', '\r', '(', ')', '#', '>', '.']);
    if !is_heading || !name::is_identifier(&name::camel(new)) {
        return Err(RenameError::NotCallable(new.to_owned()));
    }
    let is_other = program.agents.iter().enumerate().any(|(owner, found)| {
        let number = program.names().playbook(owner, new);
        let is_itself = owner == agent && number == Some(playbook);
        let reaches = owner == agent
            || number.and_then(|number| found.playbooks.get(number)).is_some_and(|found| found.is_public());
        number.is_some() && !is_itself && reaches
    });
    let is_builtin = BUILTIN_PLAYBOOKS.contains(&new) || BUILTIN_FUNCTIONS.contains(&new);
    let is_function = program.agents.get(agent).is_some_and(|agent| {
        agent.python.iter().any(|block| block.functions.iter().any(|known| known == new))
    });
    if is_other || is_builtin || is_function { Err(RenameError::Taken(new.to_owned())) } else { Ok(()) }
}

fn check_variable(
    program: &Program,
    symbols: &Symbols,
    (agent, playbook): (usize, Option<usize>),
    old: &str,
    new: &str,
) -> Result<(), RenameError> {
    if !name::is_identifier(new) || crate::expr::is_keyword(new) {
        return Err(RenameError::NotAVariable(new.to_owned()));
    }
    let is_used = symbols.iter().any(|one| match &one.symbol {
        Symbol::Variable { agent: owner, playbook: own, name } => {
            let meets = own.is_none() || playbook.is_none() || *own == playbook;
            *owner == agent && meets && name == new && name != old
        }
        Symbol::Agent { .. } | Symbol::Playbook { .. } => false,
    });
    let is_given = SPECIAL.contains(&new)
        || BUILTIN_FUNCTIONS.contains(&new)
        || matches!(new, "true" | "false" | "null");
    if is_used || is_given {
        return Err(RenameError::Taken(new.to_owned()));
    }
    // Python reaches variables by attribute, by key, by text: where, only a person can tell.
    let blocks = program.agents.get(agent).into_iter().flat_map(|agent| &agent.python);
    let mut named = blocks.filter(|block| words::whole(&block.code, old).next().is_some());
    if named.next().is_some() { Err(RenameError::InPython(old.to_owned())) } else { Ok(()) }
}
