//! Properties of any file of tests.

use playbook_run::{parse_tool, testing::Suite};
use proptest::prelude::*;

fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# Tests of a.md".to_owned()),
        Just("## Case".to_owned()),
        Just("```json".to_owned()),
        Just("```".to_owned()),
        "- (User:|Agent:|Model:|Wrong model:|Tool|Expect|Given|Argument|Learned|Time|Start) [ -~]{0,30}",
        "[ -~]{0,20}",
    ];
    prop::collection::vec(line, 0..20).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_file_is_a_suite_or_has_mistakes_with_lines(text in prop_oneof![lines(), "\\PC{0,200}"]) {
        match Suite::parse(&text) {
            Ok(suite) => prop_assert!(!suite.files.is_empty()),
            Err(mistakes) => {
                let count = text.lines().count().max(1);
                prop_assert!(!mistakes.is_empty());
                prop_assert!(mistakes.iter().all(|mistake| (1..=count).contains(&mistake.line)), "{:?}", mistakes);
            }
        }
    }

    #[test]
    fn any_signature_is_a_tool_or_is_refused(text in "[A-Za-z_.(),:=$ 0-9é]{0,40}") {
        if let Ok(tool) = parse_tool(&text) {
            prop_assert!(tool.name.split('.').all(|part| !part.is_empty()));
        }
    }
}
