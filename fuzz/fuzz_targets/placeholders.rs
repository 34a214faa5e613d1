//! The scanner gives pieces that are all of the text, in order; each is evaluated within its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playbook_lang::Span;
use playbook_lang::placeholder::{Piece, Template, scan};

mod world;

fuzz_target!(|text: &str| {
    let mut at = 0;
    for piece in scan(text) {
        let range = match &piece {
            Piece::Text { range, .. } | Piece::Code { range, .. } => range.clone(),
            Piece::Unclosed { at } => *at..*at,
        };
        assert_eq!(range.start, at, "no piece is missing before {piece:?}");
        if let Piece::Code { source, range } = &piece {
            assert_eq!(text[range.clone()], format!("{{{source}}}"));
        }
        at = range.end;
    }
    assert_eq!(at, text.len(), "nothing is missing at the end");
    let span = Span { end: u32::try_from(text.len()).unwrap_or(u32::MAX), ..Span::default() };
    let template = Template::new(text, span);
    for placeholder in template.placeholders() {
        assert!(text.get(placeholder.span.range()).is_some(), "{placeholder:?}");
        if let Some(error) = &placeholder.error {
            assert!(placeholder.span.contains(error.span), "{placeholder:?}");
        }
    }
    match template.resolve(&mut world::World, &world::limits()) {
        Ok(shown) if !text.contains(['{', '}']) => assert_eq!(shown, text, "words stay as they are"),
        Ok(_) => {}
        Err(error) => assert!(span.contains(error.span), "{error:?}"),
    }
});
