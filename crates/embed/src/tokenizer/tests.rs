//! Equality with the reference, from fixtures that `fixtures/make.py` wrote.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

const WINDOW: usize = 256;

fn tokenizer() -> Tokenizer {
    Tokenizer::new(include_str!("../../fixtures/vocab.txt").lines()).expect("the vocabulary is whole")
}

#[derive(Deserialize)]
struct Case {
    text: String,
    times: usize,
    ids: Vec<u32>,
}

#[test]
fn hard_texts_give_the_numbers_of_the_reference() {
    let tokenizer = tokenizer();
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../fixtures/tokens.json")).expect("cases");
    assert!(cases.len() > 100);
    for case in cases {
        let got = tokenizer.encode(&case.text.repeat(case.times), WINDOW);
        assert_eq!(got, case.ids, "{:?} × {}", case.text, case.times);
    }
}

#[test]
fn every_code_point_between_letters_gives_the_numbers_of_the_reference() {
    let tokenizer = tokenizer();
    for line in include_str!("../../fixtures/sweep.txt").lines() {
        let (start, expected) = line.split_once(' ').expect("two columns");
        let start = u32::from_str_radix(start, 16).expect("a code point");
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for c in (start..start + 4096).filter_map(char::from_u32) {
            for id in tokenizer.encode(&format!("a{c}b"), WINDOW) {
                for byte in (id as u16).to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
                }
            }
        }
        assert_eq!(format!("{hash:016x}"), expected, "somewhere from {start:x}");
    }
}

#[test]
fn a_vocabulary_without_its_special_entries_is_refused() {
    assert!(Tokenizer::new(["a", "b", "[CLS]"]).is_none());
}

proptest! {
    #[test]
    fn any_text_fits_the_window_between_its_marks(text in ".{0,400}", limit in 2usize..40) {
        let tokenizer = tokenizer_once();
        let ids = tokenizer.encode(&text, limit);
        prop_assert!((2..=limit).contains(&ids.len()));
        prop_assert_eq!((ids.first(), ids.last()), (Some(&101), Some(&102)));
    }

    #[test]
    fn a_smaller_window_is_a_prefix(text in "[a-zé漢! ]{0,80}") {
        let tokenizer = tokenizer_once();
        let whole = tokenizer.encode(&text, WINDOW);
        let cut = tokenizer.encode(&text, 8);
        prop_assert_eq!(&cut[..cut.len() - 1], &whole[..cut.len() - 1]);
    }
}

fn tokenizer_once() -> &'static Tokenizer {
    static ONCE: std::sync::OnceLock<Tokenizer> = std::sync::OnceLock::new();
    ONCE.get_or_init(tokenizer)
}
