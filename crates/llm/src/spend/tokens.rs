//! How many tokens a text will be, roughly and without any model's tokenizer.
//!
//! Estimates lean to the high side: they guard budgets and context windows.

use crate::message::{Message, Part};

/// What the largest providers count for a picture of usual size.
const PICTURE: u64 = 1_100;
/// What each message costs beside its text.
const MESSAGE: u64 = 4;

/// The estimated tokens of a text.
pub fn of_text(text: &str) -> u64 {
    let (mut plain, mut accented, mut dense) = (0_u64, 0_u64, 0_u64);
    for letter in text.chars() {
        match u32::from(letter) {
            0..0x80 => plain += 1,
            0x80..0x0e00 => accented += 1,
            // Scripts of which a character is a syllable or a word.
            _ => dense += 1,
        }
    }
    plain.div_ceil(4) + accented.div_ceil(2) + dense
}

/// The estimated tokens of a conversation, pictures included.
pub fn of_messages(messages: &[Message]) -> u64 {
    let part = |part: &Part| match part {
        Part::Text(text) => of_text(text),
        Part::Image(_) => PICTURE,
    };
    messages.iter().map(|message| MESSAGE + message.parts.iter().map(part).sum::<u64>()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_near_for_english_and_never_small_for_dense_scripts() {
        let english = "The customer asked for a refund because the parcel arrived late.";
        assert!((12..=18).contains(&of_text(english)), "{}", of_text(english));
        assert_eq!(of_text("返金"), 2);
        assert_eq!(of_text(""), 0);
    }
}
