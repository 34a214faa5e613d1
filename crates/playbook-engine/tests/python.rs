//! Python blocks call playbooks and are called by them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use playbook_engine::{Script, Tool, Value};
use serde_json::json;
use support::{assert_done, compile, compile_with, failure, run, script, trace};

fn program(python: &str, steps: &str) -> String {
    format!(
        "{}\n```python\n{python}\n```\n\n## Double($n)\n### Steps\n- Return $n * 2\n\n## Slogan($topic)\nFind a slogan.\n### Steps\n- Return a slogan about $topic\n",
        support::main_of(steps)
    )
}

fn said(python: &str, steps: &str) -> Vec<String> {
    let drive = run(&compile(&program(python, steps)), &mut Script::default());
    assert_done(&drive);
    drive.said().map(str::to_owned).collect()
}

#[test]
fn functions_and_playbooks_of_python_are_called_from_steps() {
    let python = "import math\n\n@playbook\nasync def Interest(amount: float, years: int = 1, *, rate=0.5) -> float:\n    \"\"\"The interest.\"\"\"\n    return amount * rate * years\n\ndef helper(x):\n    return math.floor(x)";
    assert_eq!(
        said(python, "- $i = Interest(5, years=3)\n- $r = helper($i) + 1\n- Say \"$i $r\""),
        ["7.5 8"]
    );
}

#[test]
fn python_calls_native_playbooks_awaited_or_not() {
    let python = "@playbook\nasync def Twice(n):\n    once = await Double(n)\n    return await Double(n=once)\n\n@playbook\ndef Plain(n):\n    return Double(n) + 1";
    assert_eq!(said(python, "- $a = Twice(3)\n- $b = Plain(3)\n- Say \"$a $b\""), ["12 7"]);
}

#[test]
fn rest_parameters_of_python_take_the_rest() {
    let python = "@playbook\ndef All(first, *rest, sep=\"-\", **more):\n    return sep.join([str(x) for x in [first, *rest]]) + str(len(more))";
    assert_eq!(said(python, "- $a = All(1, 2, 3, sep=\"+\", x=1, y=2)\n- Say \"$a\""), ["1+2+32"]);
}

#[test]
fn python_calls_a_playbook_in_words_and_goes_on_with_its_answer() {
    let python = "import asyncio\n\n@playbook(public=True)\nasync def Both(topics):\n    found = await asyncio.gather(*[Slogan(topic) for topic in topics])\n    return \" / \".join(found)";
    let answer = |text: &str| json!({ "steps": [{ "id": "01", "status": "done", "return": text }] });
    let mut script = script(&[], &[answer("Tea!"), answer("Milk!")]);
    let drive =
        run(&compile(&program(python, "- $s = Both([\"tea\", \"milk\"])\n- Say \"$s\"")), &mut script);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["Tea! / Milk!"], "{}", trace(&drive.journal));
    assert_eq!(script.asked.len(), 2);
}

#[test]
fn python_catches_the_failure_of_what_it_calls() {
    let python = "@playbook\nasync def Safe():\n    try:\n        return await Broken()\n    except RuntimeError as error:\n        return \"caught \" + str(error)";
    let code = compile_with(&program(python, "- $s = Safe()\n- Say \"$s\""), vec![Tool::new("Broken", &[])]);
    let mut script = Script::default();
    script.tools.insert("Broken".to_owned(), [Err("no connection".to_owned())].into());
    let drive = run(&code, &mut script);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["caught no connection"], "{}", trace(&drive.journal));
}

#[test]
fn the_research_example_goes_from_words_to_python_and_back() {
    let text = include_str!("../../../examples/playbooks/research.md");
    let code = compile_with(text, vec![Tool::new("Library.Search", &["query"])]);
    let answers = [
        json!({ "triggers": [{ "id": "Researcher.Answer:T1", "why": "asks", "args": { "question": "tides" } }] }),
        json!("The moon pulls."),
        json!("The sun helps."),
        json!({ "applied": ["N1"], "steps": [
            { "id": "03", "status": "done", "set": { "summary": "Moon and sun." } },
            { "id": "04", "status": "done", "say": [{ "text": "Moon and sun (two sources)." }] }
        ]}),
    ];
    let mut script = script(&["Why are there tides?"], &answers);
    let titles = Value::List(vec!["Tides II".into(), "Tides I".into(), "Zebras".into()]);
    script.tools.insert("Library.Search".to_owned(), [Ok(titles)].into());
    let drive = run(&code, &mut script);
    assert_eq!(
        drive.said().collect::<Vec<_>>(),
        ["Moon and sun (two sources)."],
        "{}",
        trace(&drive.journal)
    );
    assert_eq!(
        script.asked[1].context.playbook.as_ref().unwrap().description,
        "Sum the document \"Tides I\" up in one sentence."
    );
}

#[test]
fn python_cannot_leave_the_sandbox() {
    let cases = [
        ("import", "import os\ndef f():\n    return os.listdir('/')"),
        ("hidden import", "def f():\n    return __import__('os').system('id')"),
        ("open", "def f():\n    return open('/etc/passwd').read()"),
        ("classes", "def f():\n    return ().__class__.__bases__[0].__subclasses__()"),
        ("forever", "def f():\n    while True:\n        pass"),
        ("too deep", "def f():\n    return f()"),
        ("too large", "def f():\n    return 'x' * 10_000_000_000"),
        ("too large to keep", "def f():\n    return 'x' * 2_000_000"),
        ("too many calls", "def f():\n    n = 0\n    while True:\n        n = Double(n)"),
    ];
    let mut shown = String::new();
    for (name, python) in cases {
        let drive = run(&compile(&program(python, "- $x = f()\n- Say \"escaped\"")), &mut Script::default());
        assert_eq!(drive.said().count(), 0, "{name}");
        shown.push_str(&format!("{name}: {}\n", failure(&drive)));
    }
    insta::assert_snapshot!("python_limits", shown);
}

/// Ten lists of ten of the same ten …: small in the interpreter, beyond all memory when it is written out.
#[test]
fn a_value_that_cannot_be_written_out_is_refused_wherever_python_gives_it_away() {
    let huge =
        "def huge():\n    x = [1] * 10\n    for _ in range(12):\n        x = [x] * 10\n    return x\n\n";
    for (python, steps) in [
        ("@playbook\nasync def Main_one():\n    return huge()", "- $x = Main_one()"),
        ("@playbook\nasync def Main_two():\n    return await Double(huge())", "- $x = Main_two()"),
        (
            "@playbook\nasync def Main_three():\n    later = Double(n=huge())\n    return await later",
            "- $x = Main_three()",
        ),
        ("", "- $x = huge()"),
    ] {
        let drive = run(&compile(&program(&format!("{huge}{python}"), steps)), &mut Script::default());
        assert!(failure(&drive).contains("more than 100000 parts"), "{}", failure(&drive));
    }
}
