//! What holds for any conversation whatsoever.

use std::collections::BTreeSet;

use proptest::prelude::*;
use reflexio_learn::builtin::{Definitions, LabelledTurn, Learned, OwnText, Window, learn};
use reflexio_types::config::{PlaybookConfig, ProfileExtractorConfig};
use reflexio_types::{Timestamp, ToolUse, Turn, UserAction};

/// Words that cues are made of, so that random texts reach the code behind them.
const WORDS: [&str; 60] = [
    "i",
    "I'm",
    "my",
    "you",
    "forgot",
    "to",
    "ask",
    "always",
    "never",
    "use",
    "don't",
    "please",
    "stop",
    "asking",
    "not",
    "but",
    ",",
    ".",
    "?",
    "!",
    "\n",
    "\n\n",
    "```",
    "> ",
    "\"",
    "'",
    "`",
    "<reflexio>",
    "</reflexio>",
    "a",
    "nurse",
    "live",
    "in",
    "Berlin",
    "prefer",
    "tables",
    "that's",
    "wrong",
    "meant",
    "from",
    "now",
    "on",
    "when",
    "whenever",
    "for",
    "recipe",
    "forget",
    "worked",
    "didn't",
    "work",
    "call",
    "me",
    "Max",
    "ich",
    "bin",
    "nicht",
    "soy",
    "é",
    "退款",
    "🙂",
];

fn text() -> impl Strategy<Value = String> {
    let spoken = prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..40)
        .prop_map(|words| words.join(" "));
    prop_oneof![3 => spoken, 1 => "\\PC{0,200}", 1 => "(?s).{0,80}"]
}

fn turn() -> impl Strategy<Value = Turn> {
    let role = prop_oneof![Just("User"), Just("Agent"), Just(""), Just("tool"), Just("Ann")];
    let expert = prop_oneof![4 => Just(String::new()), 1 => text()];
    let action = prop::sample::select(UserAction::ALL.as_slice());
    let tools = prop::collection::vec(("[ab]", prop_oneof![Just("error"), Just("success"), Just("")]), 0..4);
    (role, text(), expert, (action, text()), tools).prop_map(
        |(role, content, expert, (action, description), tools)| {
            let mut turn = Turn::say(Timestamp(0), role, &content);
            turn.expert_content = expert;
            turn.user_action = action;
            turn.user_action_description = description;
            let tool = |(name, status): (String, &str)| ToolUse {
                tool_name: name,
                tool_data: serde_json::Map::new(),
                status: status.to_owned(),
            };
            turn.tools_used = tools.into_iter().map(tool).collect();
            turn
        },
    )
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    prop::collection::vec(turn(), 0..8)
}

fn definitions() -> Vec<PlaybookConfig> {
    vec![
        PlaybookConfig::general(),
        PlaybookConfig::named("style", "How the agent should phrase its answers: tone, length."),
        PlaybookConfig::named("recipes", "Rules about recipes and cooking."),
    ]
}

fn learn_from(turns: &[Turn], playbooks: &[PlaybookConfig]) -> Learned {
    let labels: Vec<String> = (0..turns.len()).map(|number| format!("turn-{number}")).collect();
    let labelled: Vec<LabelledTurn<'_>> =
        labels.iter().zip(turns).map(|(label, turn)| LabelledTurn { label, turn }).collect();
    let profile = ProfileExtractorConfig::default();
    let definitions = Definitions { profile: Some(&profile), playbooks };
    learn(&Window { turns: &labelled, own: &OwnText::default() }, &definitions)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_item_is_shown_by_turns_of_the_window(turns in turns()) {
        let labels: BTreeSet<String> = (0..turns.len()).map(|number| format!("turn-{number}")).collect();
        let learned = learn_from(&turns, &definitions());
        let evidence = learned.profiles.iter().map(|item| &item.evidence);
        let evidence = evidence.chain(learned.playbooks.iter().map(|item| &item.evidence));
        for shown in evidence.chain(learned.forget.iter().map(|item| &item.evidence)) {
            prop_assert!(!shown.is_empty());
            prop_assert!(shown.iter().all(|label| labels.contains(label)), "{:?}", shown);
        }
    }

    #[test]
    fn items_say_something(turns in turns()) {
        let learned = learn_from(&turns, &definitions());
        for playbook in &learned.playbooks {
            prop_assert!(!playbook.instruction.trim().is_empty() && !playbook.trigger.trim().is_empty(), "{:?}", playbook);
        }
        for profile in &learned.profiles {
            prop_assert!(!profile.content.trim().is_empty(), "{:?}", profile);
        }
    }

    #[test]
    fn the_same_window_teaches_the_same(turns in turns()) {
        prop_assert_eq!(learn_from(&turns, &definitions()), learn_from(&turns, &definitions()));
    }

    #[test]
    fn the_order_of_definitions_decides_nothing(turns in turns()) {
        let mut turned = definitions();
        turned.reverse();
        prop_assert_eq!(learn_from(&turns, &definitions()), learn_from(&turns, &turned));
    }

    #[test]
    fn marked_text_is_never_learned(said in text()) {
        let said = said.replace("</reflexio>", "");
        let turns = [Turn::say(Timestamp(0), "User", &format!("<reflexio>{said}</reflexio>"))];
        let learned = learn_from(&turns, &definitions());
        prop_assert!(learned.profiles.is_empty() && learned.playbooks.is_empty() && learned.forget.is_empty());
    }

    #[test]
    fn without_definitions_nothing_is_learned(turns in turns()) {
        let labelled: Vec<LabelledTurn<'_>> = turns.iter().map(|turn| LabelledTurn { label: "t", turn }).collect();
        let none = Definitions { profile: None, playbooks: &[] };
        let learned = learn(&Window { turns: &labelled, own: &OwnText::default() }, &none);
        prop_assert!(learned.profiles.is_empty() && learned.playbooks.is_empty());
    }
}
