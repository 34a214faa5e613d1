//! Where the names of a program stand: for editors that jump to them, list them and rename them.

mod collect;
mod python;
mod rename;
mod words;

use rustc_hash::FxHashSet;

pub use rename::{Edit, RenameError, rename};

use crate::program::Program;
use crate::span::{FileId, Span};

/// Something that has a name. Numbers count agents of the program and playbooks of their agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    Agent {
        agent: usize,
    },
    Playbook {
        agent: usize,
        playbook: usize,
    },
    /// A variable belongs to its agent; one that is never written with `$`, to its playbook.
    Variable {
        agent: usize,
        playbook: Option<usize>,
        name: String,
    },
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The heading of an agent or a playbook, the parameter or the step that gives a variable its value.
    Definition,
    Reference,
}

/// One place where a name stands: exactly the name, without `$` and without the agent before the dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub symbol: Symbol,
    pub span: Span,
    pub role: Role,
}

/// Every occurrence of a program, in the order of its files. No two overlap.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    occurrences: Vec<Occurrence>,
}

impl Symbols {
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let mut found = collect::all(program);
        // What was read as code comes first and wins over what a search of the words found at the same place.
        found.sort_by_key(|occurrence| (occurrence.span.file, occurrence.span.start));
        let mut occurrences: Vec<Occurrence> = Vec::with_capacity(found.len());
        for one in found {
            let overlaps = occurrences
                .last()
                .is_some_and(|last| last.span.file == one.span.file && one.span.start < last.span.end);
            if !overlaps {
                occurrences.push(one);
            }
        }
        Self { occurrences }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter()
    }

    /// The name at a place; the end of a name still belongs to it, as a cursor stands there after typing.
    #[must_use]
    pub fn at(&self, file: FileId, offset: u32) -> Option<&Occurrence> {
        let after = self.occurrences.partition_point(|one| (one.span.file, one.span.start) <= (file, offset));
        let before = self.occurrences.get(after.checked_sub(1)?)?;
        (before.span.file == file && offset <= before.span.end).then_some(before)
    }

    pub fn of<'a>(&'a self, symbol: &'a Symbol) -> impl Iterator<Item = &'a Occurrence> {
        self.occurrences.iter().filter(move |occurrence| occurrence.symbol == *symbol)
    }

    /// Where a name gets its meaning: its heading, its parameter, the first step that writes it.
    #[must_use]
    pub fn definition(&self, symbol: &Symbol) -> Option<&Occurrence> {
        self.occurrences
            .iter()
            .find(|occurrence| occurrence.role == Role::Definition && occurrence.symbol == *symbol)
    }

    /// The variables that a playbook of an agent can use, each once, in alphabetical order.
    #[must_use]
    pub fn variables(&self, agent: usize, playbook: Option<usize>) -> Vec<&str> {
        let mut seen = FxHashSet::default();
        let mut names: Vec<&str> = self
            .occurrences
            .iter()
            .filter_map(|occurrence| match &occurrence.symbol {
                Symbol::Variable { agent: owner, playbook: own, name }
                    if *owner == agent && (own.is_none() || *own == playbook) =>
                {
                    Some(name.as_str())
                }
                Symbol::Agent { .. } | Symbol::Playbook { .. } | Symbol::Variable { .. } => None,
            })
            .filter(|name| seen.insert(*name))
            .collect();
        names.sort_unstable();
        names
    }
}
