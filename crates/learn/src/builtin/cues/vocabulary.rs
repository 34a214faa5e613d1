use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A word of a table as a number. Words that no cue has are all [`WordId::UNKNOWN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WordId(u32);

impl WordId {
    pub(super) const UNKNOWN: WordId = WordId(u32::MAX);

    pub(super) fn index(self) -> Option<usize> {
        (self != Self::UNKNOWN).then_some(self.0 as usize)
    }
}

/// What a word can do in a sentence, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Role(u8);

impl Role {
    /// Changes nothing at the beginning of a clause: "no", "please".
    pub(super) const FILLS: Role = Role(1);
    /// Joins two clauses: "but", "because".
    pub(super) const JOINS: Role = Role(2);
    /// Begins a clause after a comma or "and": "I", "please".
    pub(super) const BEGINS: Role = Role(4);
    pub(super) const SUBJECT: Role = Role(8);
    pub(super) const COORDINATES: Role = Role(16);
    pub(super) const COMMA: Role = Role(32);
    pub(super) const MARK: Role = Role(64);

    pub(super) fn contains(self, role: Role) -> bool {
        self.0 & role.0 != 0
    }
}

/// The words of a table. One look-up a word is all the hashing that finding cues needs.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    ids: HashMap<String, u32, BuildHasherDefault<WordHasher>>,
    roles: Vec<Role>,
}

impl Vocabulary {
    pub(super) fn add(&mut self, word: &str) -> WordId {
        let next = u32::try_from(self.roles.len()).unwrap_or(u32::MAX);
        let id = *self.ids.entry(word.to_owned()).or_insert(next);
        if id == next {
            self.roles.push(Role::default());
        }
        WordId(id)
    }

    pub(super) fn give_role(&mut self, word: &str, role: Role) {
        let WordId(id) = self.add(word);
        if let Some(roles) = self.roles.get_mut(id as usize) {
            roles.0 |= role.0;
        }
    }

    pub(super) fn id(&self, word: &str) -> WordId {
        self.ids.get(word).map_or(WordId::UNKNOWN, |id| WordId(*id))
    }

    pub(super) fn role(&self, WordId(id): WordId) -> Role {
        self.roles.get(id as usize).copied().unwrap_or_default()
    }
}

/// A hash for short words of our own tables, where nobody can choose keys that collide (FNV-1a).
#[derive(Debug)]
pub(in crate::builtin) struct WordHasher(u64);

impl Default for WordHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
