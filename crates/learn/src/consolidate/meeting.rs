use super::item::Item;

/// New rows, the known ones that they resemble, and what the user wants forgotten: all that is decided at once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meeting {
    pub new: Vec<Newcomer>,
    pub known: Vec<Item>,
    pub forget: Vec<Forget>,
}

/// A new row.
#[derive(Debug, Clone, PartialEq)]
pub struct Newcomer {
    pub item: Item,
    /// Best first.
    pub similar: Vec<Similar>,
}

/// Something the user wants forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct Forget {
    /// In the user's words, or in those of a model.
    pub what: String,
    pub similar: Vec<Similar>,
}

/// A known row that is like a new one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similar {
    /// Its place among the known rows.
    pub known: usize,
    /// None if one of the two has no vector.
    pub cosine: Option<f64>,
}

impl Meeting {
    /// Whether there is anything to decide.
    pub fn is_needed(&self) -> bool {
        self.new.iter().any(|newcomer| !newcomer.similar.is_empty())
            || self.forget.iter().any(|forget| !forget.similar.is_empty())
    }
}

pub(super) fn new_label(at: usize) -> String {
    format!("N{}", at + 1)
}

pub(super) fn known_label(at: usize) -> String {
    format!("K{}", at + 1)
}

pub(super) fn forget_label(at: usize) -> String {
    format!("F{}", at + 1)
}

/// Where a label stands, however the model wrote it.
pub(super) fn place(label: &str, letter: char, count: usize) -> Option<usize> {
    let name = label.trim().trim_matches(['[', ']', '"', '#']);
    let digits = name.strip_prefix(letter).or_else(|| name.strip_prefix(letter.to_ascii_lowercase()))?;
    let number: usize = digits.parse().ok()?;
    number.checked_sub(1).filter(|at| *at < count)
}
