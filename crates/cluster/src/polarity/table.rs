use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The words by which one language denies and opposes.
#[derive(Debug, Default)]
pub(super) struct Table {
    common: HashSet<&'static str>,
    pub(super) negation: HashSet<&'static str>,
    pub(super) shunning: HashSet<&'static str>,
    pub(super) undoing: HashSet<&'static str>,
    pub(super) harmless: HashSet<&'static str>,
    pub(super) opposites: HashMap<&'static str, Vec<&'static str>>,
    /// Lines that are no part of a table; a test sees that there are none.
    problems: Vec<&'static str>,
}

/// The first is taken when nothing tells which language a text is in.
static TABLES: LazyLock<[Table; 3]> = LazyLock::new(|| {
    [include_str!("en.cues"), include_str!("de.cues"), include_str!("es.cues")].map(Table::read)
});

impl Table {
    /// The table of the language whose small words occur most.
    pub(super) fn of(words: &[String]) -> &'static Self {
        let tables = &*TABLES;
        let known = |table: &Self| words.iter().filter(|word| table.is_small_word(word)).count();
        let [first, others @ ..] = tables;
        others.iter().fold(first, |best, table| if known(table) > known(best) { table } else { best })
    }

    fn is_small_word(&self, word: &str) -> bool {
        self.common.contains(word) || self.negation.contains(word)
    }

    fn read(source: &'static str) -> Self {
        let mut table = Self::default();
        let mut section = "";
        for line in source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(name) => section = name,
                None => table.take(section, line),
            }
        }
        table
    }

    fn take(&mut self, section: &str, line: &'static str) {
        let words = line.split_whitespace();
        match section {
            "common" => self.common.extend(words),
            "negation" => self.negation.extend(words),
            "shunning" => self.shunning.extend(words),
            "undoing" => self.undoing.extend(words),
            "harmless" => self.harmless.extend(words),
            "opposites" => match words.collect::<Vec<_>>()[..] {
                [one, other] => {
                    self.opposites.entry(one).or_default().push(other);
                    self.opposites.entry(other).or_default().push(one);
                }
                _ => self.problems.push(line),
            },
            _ => self.problems.push(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_table_is_understood() {
        for table in &*TABLES {
            assert_eq!(table.problems, [""; 0]);
            assert!(!table.negation.is_empty() && !table.opposites.is_empty() && !table.common.is_empty());
        }
    }
}
