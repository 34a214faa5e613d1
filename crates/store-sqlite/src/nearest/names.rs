use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Small numbers for the names of orgs, users, versions and so on, which the index in memory compares. They hold
/// for this process; 0 stands for no name.
#[derive(Debug, Default)]
pub(crate) struct Names(RwLock<HashMap<Box<str>, u32>>);

impl Names {
    /// The number of a name that some row may have.
    pub(crate) fn number(&self, name: &str) -> u32 {
        if let Some(known) = self.find(name) {
            return known;
        }
        let mut names = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let next = u32::try_from(names.len() + 1).unwrap_or(u32::MAX);
        *names.entry(name.into()).or_insert(next)
    }

    pub(crate) fn number_or_none(&self, name: Option<&str>) -> u32 {
        name.map_or(0, |name| self.number(name))
    }

    /// All names in the order of their numbers.
    pub(crate) fn all(&self) -> Vec<String> {
        let names = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<(u32, &str)> = names.iter().map(|(name, number)| (*number, &**name)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// Gives names the numbers they had, before any other has one.
    pub(crate) fn restore(&self, all: &[String]) {
        for name in all {
            self.number(name);
        }
    }

    /// The number of a name that somebody asks for; none if no row ever had it.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }
}
