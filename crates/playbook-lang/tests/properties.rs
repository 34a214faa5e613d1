//! Properties of any input.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use playbook_lang::placeholder::{Host, Limits, Piece, Template, evaluate, scan};
use playbook_lang::{Span, Value, format};
use proptest::prelude::*;

struct Nothing;

impl Host for Nothing {
    fn variable(&mut self, _name: &str) -> Option<Value> {
        Some(Value::Int(1))
    }
}

/// Lines that occur in programs, put together in any order and depth.
fn programs() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "# Shop",
        "# my agent:Human",
        "## Buy($x: int = 3, y) -> str",
        "## free text",
        "### Steps",
        "### Trigger",
        "### notes",
        "### Stpes",
        "- If $x > 3",
        "* Otherwise",
        "1. $y = F($x, k='a')",
        "- Tell the user \"hi $x\"",
        "- While $x is not empty",
        "- For each $a in $b",
        "- Return $x",
        "+ Ask user for $z",
        "",
        "   ",
        "---",
        "metadata:",
        "public: true",
        "  key: [1, 2",
        "text {$x} and {{y}} {",
        "{\"a\": {\"b\": 1}}",
        "```python",
        "@playbook\ndef f(a=1):\n    return a",
        "```",
        "<!-- c -->",
        "<tag>",
        "> quote",
        "!import fragment.md",
        "\tTab",
        "- \u{1F389} ünïcode $größe",
        "| a | b |",
        "01:QUE Say(user, x)",
        "- 01:QUE Say(user, x)",
        "- ",
        "#",
        "##",
        "###",
        "- a\n\n  b\n\n  - c",
        "\r",
        "~~~",
        "    code",
        "\\",
        "- [ ] task",
        "***",
    ]);
    let line = (0_usize..5, words).prop_map(|(depth, words)| format!("{}{words}", "  ".repeat(depth)));
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    // `PROPTEST_CASES` asks for more. Failures go into tests of their own, not into a file.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_a_tree_with_sound_spans(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        support::survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text_gives_a_tree_with_sound_spans(text in "\\PC{0,200}") {
        support::survives(&text);
    }

    #[test]
    fn programs_of_any_shape_survive_everything(text in programs()) {
        support::survives(&text);
    }

    #[test]
    fn formatting_keeps_the_meaning(text in programs()) {
        let before = support::parse(&text);
        let after = support::parse(&format(&text));
        prop_assert_eq!(before.to_json(), after.to_json());
    }

    #[test]
    fn pieces_cover_the_text_in_order(text in "[a-z{}\"'$ f()\\[\\]\n:!]{0,60}") {
        let mut at = 0;
        for piece in scan(&text) {
            let range = match &piece {
                Piece::Text { range, .. } | Piece::Code { range, .. } => range.clone(),
                Piece::Unclosed { at } => *at..*at,
            };
            prop_assert_eq!(range.start, at);
            at = range.end;
            if let Piece::Code { source, range } = piece {
                prop_assert_eq!(&text[range], format!("{{{source}}}"));
            }
        }
        prop_assert_eq!(at, text.len());
    }

    #[test]
    fn text_without_braces_is_itself(text in "[^{}]{0,80}") {
        let shown = Template::new(&text, Span::default()).resolve(&mut Nothing, &Limits::default()).unwrap();
        prop_assert_eq!(shown, text);
    }

    #[test]
    fn literal_braces_come_back(text in "[a-z {}]{0,40}") {
        let escaped = text.replace('{', "{{").replace('}', "}}");
        let shown = Template::new(&escaped, Span::default()).resolve(&mut Nothing, &Limits::default()).unwrap();
        prop_assert_eq!(shown, text);
    }

    #[test]
    fn any_expression_ends_in_a_value_or_an_error(source in "[a-c0-9$.,:+*%/<=>\\[\\](){}'\"f ifelsnrot-]{0,40}") {
        let _ = evaluate(&source, &mut Nothing, &Limits::default());
    }
}
