//! Places survive the way to the editor and back, whatever the text.
#![expect(clippy::panic, reason = "a helper of a test fails the test")]

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use playbook_lsp::{Document, Index};
use proptest::prelude::*;

/// Texts with everything that has two lengths: accents, emoji, three kinds of line ends.
fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just("\n"),
            Just("\r\n"),
            Just("\r"),
            Just("é"),
            Just("😀"),
            Just("$x"),
            Just("- "),
            Just(""),
            Just("字")
        ],
        0..40,
    )
    .prop_map(|parts| parts.concat())
}

fn document(text: String) -> Document {
    let uri = "untitled:one".parse().unwrap_or_else(|error| panic!("{error}"));
    Document { uri, name: "one".to_owned(), text, version: 0, root: None }
}

proptest! {
    #[test]
    fn every_offset_comes_back(text in text()) {
        let index = Index::new(&text);
        for (at, _) in text.char_indices() {
            // Between \r and \n there is no place.
            let is_inside = text[..at].ends_with('\r') && text[at..].starts_with('\n');
            if !is_inside {
                prop_assert_eq!(index.offset(index.position(at)), at);
            }
        }
        prop_assert_eq!(index.offset(index.position(text.len())), text.len());
    }

    #[test]
    fn every_place_is_a_character_boundary(text in text(), line in 0..50_u32, character in 0..50_u32) {
        let offset = Index::new(&text).offset(Position { line, character });
        prop_assert!(text.is_char_boundary(offset));
    }

    #[test]
    fn a_change_does_what_the_editor_did(text in text(), a in 0..200_usize, b in 0..200_usize, new in text()) {
        let index = Index::new(&text);
        let (a, b) = (text.floor_char_boundary(a), text.floor_char_boundary(b));
        let range = Range::new(index.position(a.min(b)), index.position(a.max(b)));
        let (start, end) = (index.offset(range.start), index.offset(range.end));
        let mut expected = text.clone();
        expected.replace_range(start..end.max(start), &new);
        let mut changed = document(text);
        changed.change(TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: new });
        prop_assert_eq!(changed.text, expected);
    }
}

#[test]
fn columns_count_utf_16_units() {
    let index = Index::new("a😀b\r\n字$x");
    assert_eq!(index.position("a😀".len()), Position::new(0, 3));
    assert_eq!(index.offset(Position::new(0, 2)), 1, "the middle of a pair is its beginning");
    assert_eq!(index.offset(Position::new(0, 99)), "a😀b".len());
    assert_eq!(index.position("a😀b\r\n字".len()), Position::new(1, 1));
    assert_eq!(index.offset(Position::new(7, 0)), "a😀b\r\n字$x".len());
}
