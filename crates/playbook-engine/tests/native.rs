//! Native steps: what the engine does by itself.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use playbook_engine::{Outcome, Script, Value};
use support::{assert_done, compile, failure, run, said, steps, with_variables};

#[test]
fn assignments_compute_and_words_are_filled_in() {
    let words = said(
        "- $price = 20\n- $quantity = 3\n- $total = $price * $quantity\n- Tell the user \"It is $total.\"",
    );
    assert_eq!(words, ["It is 60."]);
}

#[test]
fn the_first_branch_that_holds_is_taken() {
    let program = |total: i64| {
        format!(
            "- $total = {total}\n- If $total > 100\n  - Say \"large\"\n- Else if $total > 10\n  - Say \"middle\"\n- Otherwise\n  - Say \"small\"\n- Say \"end\""
        )
    };
    assert_eq!(said(&program(500)), ["large", "end"]);
    assert_eq!(said(&program(50)), ["middle", "end"]);
    assert_eq!(said(&program(5)), ["small", "end"]);
}

#[test]
fn loops_count_and_end() {
    assert_eq!(said("- $n = 0\n- While $n < 3\n  - $n += 1\n- Say \"$n\""), ["3"]);
    assert_eq!(said("- $n = 0\n- Until $n is at least 4\n  - Increment $n\n- Say \"$n\""), ["4"]);
}

#[test]
fn lists_are_gone_through_in_order_and_can_be_nested() {
    let text = "- $all = []\n- For each $x in [1, 2]\n  - For each $y in [\"a\", \"b\"]\n    - $all = $all + [str($x) + $y]\n- Say \"{$all}\"";
    assert_eq!(said(text), [r#"["1a", "1b", "2a", "2b"]"#]);
}

#[test]
fn places_inside_values_are_assigned() {
    let text = "- $order = {\"lines\": [{\"n\": 1}], \"id\": 7}\n- $order.lines[0].n = 5\n- $order[\"new\"] = \"x\"\n- Say \"{$order}\"";
    assert_eq!(said(text), [r#"{"lines": [{"n": 5}], "id": 7, "new": "x"}"#]);
}

const CALLS: &str = r#"# Shop

## Main
### Triggers
- At the beginning
### Steps
- $a = Discount(200)
- $b = Discount(total=50, level="gold")
- $c = Accountant.Tax($a)
- $d = Tax(10) + Discount(100)
- If Discount(100) > 5
  - Say "$a $b $c $d"
- Return $d

## Discount($total, $level: str = "none")
### Steps
- If $level == "gold"
  - Return $total // 2
- Return $total // 10

# Accountant
## Tax($amount)
public: true
### Steps
- Return $amount + 1
## Secret
### Steps
- Return 1
"#;

#[test]
fn playbooks_call_each_other_with_positions_names_and_defaults() {
    let drive = run(&compile(CALLS), &mut Script::default());
    assert_eq!(drive.said().collect::<Vec<_>>(), ["20 25 21 21"]);
    assert_eq!(drive.run.state().outcome(), Some(&Outcome::Done { result: Value::Int(21) }));
}

#[test]
fn a_parameter_keeps_its_value_when_its_playbook_calls_itself() {
    let program = "# Math\n\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $f = Factorial(5)\n- Say \"$f\"\n\n## Factorial($n)\n### Steps\n- If $n <= 1\n  - Return 1\n- $rest = Factorial($n - 1)\n- Return $n * $rest\n";
    let drive = run(&compile(program), &mut Script::default());
    assert_eq!(drive.said().collect::<Vec<_>>(), ["120"]);
}

#[test]
fn end_program_ends_everything() {
    let drive = run(&steps("- Say \"a\"\n- End program\n- Say \"b\""), &mut Script::default());
    assert_eq!(drive.said().collect::<Vec<_>>(), ["a"]);
    assert_eq!(drive.run.state().outcome(), Some(&Outcome::Ended));
}

#[test]
fn an_error_names_the_step_and_what_was_probably_meant() {
    let drive = run(&steps("- $total = 1\n- If True\n  - $x = $totla + 1"), &mut Script::default());
    insta::assert_snapshot!(failure(&drive), @"Desk.Main step 02.01: `$totla + 1` failed: NameError: name 'totla' is not defined; did you mean `total`?");
}

#[test]
fn a_variable_that_was_never_set_is_empty() {
    assert_eq!(said("- If $name is empty\n  - Say \"who?\""), ["who?"]);
}

#[test]
fn agents_have_their_own_variables() {
    let program = "# One\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $x = 1\n- Two.Set()\n- Say \"$x\"\n# Two\n## Set\npublic: true\n### Steps\n- $x = 2\n";
    let drive = run(&compile(program), &mut Script::default());
    assert_eq!(drive.said().collect::<Vec<_>>(), ["1"]);
}

#[test]
fn variables_can_be_given_at_the_start() {
    let code = steps("- Say \"Hello, $name\"");
    let drive = support::drive(&code, with_variables(&[("name", "Ada".into())]), &mut Script::default());
    assert_done(&drive);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["Hello, Ada"]);
}
