use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::Table;
use super::vocabulary::WordHasher;
use crate::builtin::text::Word;

/// A language that has a cue table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    #[default]
    English,
    German,
    Spanish,
}

impl Language {
    pub const ALL: [Language; 3] = [Language::English, Language::German, Language::Spanish];

    /// The language whose small words occur most; ties and texts without any fall to `otherwise`.
    pub(in crate::builtin) fn guess<'w>(words: impl Iterator<Item = &'w Word>, otherwise: Self) -> Self {
        let mut counts = [0_usize; Self::ALL.len()];
        for word in words {
            let languages = COMMON.get(word.lower.as_str()).copied().unwrap_or(0);
            for (index, count) in counts.iter_mut().enumerate() {
                *count += usize::from(languages >> index & 1 == 1);
            }
        }
        let mut best = otherwise;
        let of = |language: Self| counts.get(language as usize).copied().unwrap_or(0);
        for language in Self::ALL {
            if of(language) > of(best) {
                best = language;
            }
        }
        best
    }
}

/// The small words of all languages: bit n stands for the nth of them.
static COMMON: LazyLock<HashMap<&'static str, u8, BuildHasherDefault<WordHasher>>> = LazyLock::new(|| {
    let mut common: HashMap<&'static str, u8, BuildHasherDefault<WordHasher>> = HashMap::default();
    for (index, language) in Language::ALL.into_iter().enumerate() {
        for word in Table::of(language).set("common") {
            *common.entry(word.as_str()).or_default() |= 1 << index;
        }
    }
    common
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::text::words;

    #[test]
    fn small_words_tell_the_language() {
        let guess = |text: &str| Language::guess(words(text).iter(), Language::English);
        assert_eq!(guess("Where is the parcel I sent to you?"), Language::English);
        assert_eq!(guess("Ich möchte nicht, dass du das machst."), Language::German);
        assert_eq!(guess("No me gusta que la respuesta sea larga."), Language::Spanish);
        assert_eq!(guess("12345"), Language::English);
    }
}
