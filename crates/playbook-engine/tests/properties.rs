//! Whatever is written and whatever happens: no panic, and a journal is enough to go on.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use support::play::{check_resume, compiled, play};

/// Steps of every kind, some of them nonsense. The number is how deep they stand.
fn step() -> impl Strategy<Value = String> {
    const LINES: &[&str] = &[
        "$n = 0",
        "$n += 1",
        "$n = $n * 2",
        "$x = Other($n)",
        "$x = Other($n, y=$n) + 1",
        "Tool1($n)",
        "$x = Py(3)",
        "Say \"n is $n\"",
        "Say \"{$n + 1} {Other(1)}\"",
        "If $n > 2",
        "If $n == 1",
        "While $n < 3",
        "Until $n > 2",
        "For each $i in [1, 2]",
        "For each $i in $list",
        "If the user is happy",
        "Greet the user",
        "Ask the user for $name",
        "Extract $x from the text",
        "$name = user's response",
        "Wait for user",
        "Wait 5 minutes",
        "Return $n",
        "Return a summary",
        "End program",
        "While conversation is active",
        "Ask Helper to do it",
        "Get approval from the boss",
        "$x = $missing",
        "$list[0] = 5",
        "$x = 'a' * 10",
        "Think about it",
        "Main()",
        "$d = {\"a\": 1}",
        "$d.a = $n",
        "Wait until the user agrees",
        "For each thing on the table",
    ];
    (0_usize..3, prop::sample::select(LINES))
        .prop_map(|(depth, line)| format!("{}- {line}\n", "  ".repeat(depth)))
}

fn program() -> impl Strategy<Value = String> {
    let trigger = prop::sample::select(
        &[
            "When $n exceeds 1",
            "After 5 minutes",
            "When user asks for help",
            "After calling Other",
            "Before calling Tool1",
            "When Other fails",
            "At 17:00",
        ][..],
    );
    (prop::collection::vec(step(), 1..14), prop::collection::vec(step(), 1..6), trigger, any::<bool>()).prop_map(
        |(main, other, trigger, describes)| {
            let description = if describes { "It is {Other(2)} and {$n}." } else { "Plain." };
            format!(
                "# Desk\n## Main\n{description}\n### Triggers\n- At the beginning\n### Steps\n{}\n### Notes\n- Be kind.\n\n## Other($a, y=1)\n### Steps\n{}- Return $a\n\n## Hook\n### Triggers\n- {trigger}\n### Steps\n- Say \"hook\"\n\n```python\nasync def Py(n):\n    return await Other(n)\n```\n\n# Helper\n## Do it\npublic: true\n### Steps\n- Return 1\n",
                main.concat(),
                other.concat()
            )
        },
    )
}

#[test]
fn most_random_programs_run() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut steps = Vec::new();
    for _ in 0..200 {
        let text = program().new_tree(&mut runner).unwrap().current();
        steps.extend(compiled(&text).map(|code| play(&code, &[2, 4, 6, 7, 9]).run.state().spent().steps));
    }
    let long = steps.iter().filter(|steps| **steps > 5).count();
    assert!(steps.len() > 150 && long > 60, "{} of 200 run, {long} for more than five steps", steps.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_run_resumed_anywhere_is_the_run_that_went_on(text in program(), seeds in prop::collection::vec(any::<u8>(), 0..12), cut in any::<prop::sample::Index>()) {
        let Some(code) = compiled(&text) else { return Ok(()) };
        check_resume(&code, &play(&code, &seeds), cut.index(usize::MAX));
    }

    #[test]
    fn any_text_compiles_or_is_refused(text in "(# |## |### Steps\n|- |\\$a = |If |\n|[a-z ]{1,9}|\\{|\\}|\\(|\\)|\"){0,40}", seeds in prop::collection::vec(any::<u8>(), 0..4)) {
        if let Some(code) = compiled(&text) {
            play(&code, &seeds);
        }
    }
}
