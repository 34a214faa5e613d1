//! How many model calls a run needs at most.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use playbook_lang::{LoopCalls, ModelCalls, Open, Program, SourceFile, explain};

/// The count of the first playbook.
fn calls(body: &str) -> ModelCalls {
    let program = Program::parse(vec![SourceFile::new("file", format!("# A\n## Main\n### Steps\n{body}"))]);
    explain(&program).into_iter().next().unwrap().model_calls
}

#[test]
fn native_steps_are_free_and_questions_are_read() {
    assert_eq!(calls("- $a = 1\n- Tell the user \"hi\"\n"), ModelCalls::default());
    assert_eq!(calls("- Greet the user\n").at_most, 1);
    assert_eq!(calls("- Ask user for $order_id\n").at_most, 2);
}

#[test]
fn of_branches_the_dearest_counts() {
    let body = "- If the user is angry\n  - Calm them\n  - Offer a gift\n- Else if $a > 1\n  - Greet\n- Otherwise\n  - Leave\n";
    assert_eq!(calls(body).at_most, 3, "one judgement and two steps");
}

#[test]
fn loops_count_by_turn_unless_the_list_is_written_out() {
    let found = calls("- For each $x in $xs\n  - Describe $x\n");
    let expected = LoopCalls { playbook: "Main".to_owned(), step: "01".to_owned(), each_turn: 1 };
    assert_eq!((found.at_most, found.loops), (0, vec![expected]));
    assert_eq!(calls("- For each $x in [1, 2, 3]\n  - Describe $x\n").at_most, 3);
    let judged = calls("- While the user is unhappy\n  - Cheer them up\n");
    assert_eq!(
        (judged.at_most, judged.loops[0].each_turn),
        (1, 2),
        "the judgement that ends it, and one a turn"
    );
}

#[test]
fn calls_count_what_they_call_and_recursion_has_no_end() {
    let found = calls("- $x = Helper()\n- Helper()\n## Helper\n### Steps\n- Think of a word\n- Return $x\n");
    assert_eq!(found.at_most, 2);
    let found = calls("- Main()\n");
    assert_eq!(found.open, [Open::Recursion { playbook: "Main".to_owned() }]);
    let found = calls("- Other()\n## Other\nDo what is right.\n");
    assert_eq!(found.open, [Open::NoSteps { playbook: "Other".to_owned() }]);
}
