//! Playbooks as chats and as tests, without a server.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{Run, folder, reflexio, write};

const NATIVE: &str = "# Desk\n\n## Main($n: int = 2)\n\n### Triggers\n- At the beginning\n\n### Steps\n- $sum = $n + $bonus\n- Tell the user \"It is $sum.\"\n- Wait for user\n- Tell the user \"Bye.\"\n- Return $sum\n";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/playbooks")
}

fn run(data: &TempDir, arguments: &str) -> Run {
    reflexio(&format!("playbook run --no-publish --no-learned {arguments}"))
        .env("REFLEXIO_DATA_DIR", data.path())
}

/// The name of the run, as the last line says it.
fn name_of(stderr: &str) -> String {
    let line = stderr.lines().find(|line| line.starts_with("run ")).expect("a run");
    line.split([' ', ':']).nth(1).expect("a name").to_owned()
}

/// A program that gives one answer after the other, as a model.
fn model(folder: &Path, answers: &[&str]) -> String {
    for (at, answer) in answers.iter().enumerate() {
        write(folder, &format!("answer{at}"), answer);
    }
    let count = folder.join("count");
    let script = format!(
        "cat > /dev/null\nn=$(cat '{0}' 2>/dev/null || echo 0)\necho $((n+1)) > '{0}'\ncat '{1}'/answer$n\n",
        count.display(),
        folder.display()
    );
    format!("command:sh {}", write(folder, "model.sh", &script).display())
}

#[test]
fn the_tests_of_all_examples_pass_without_a_model() {
    let output = reflexio("playbook test").arg(examples()).ok();
    let last = output.stdout.lines().last().expect("a summary");
    assert!(last.ends_with(" passed, 0 failed"), "{output}");
    let programs = std::fs::read_dir(examples()).expect("the examples").flatten().map(|entry| entry.path());
    let mut count = 0;
    for program in programs.filter(|path| path.extension().is_some_and(|kind| kind == "md")) {
        let name = program.file_name().expect("a name").to_string_lossy().into_owned();
        if name == "README.md" || name.ends_with(".test.md") {
            continue;
        }
        count += 1;
        assert!(output.stdout.contains(&name.replace(".md", ".test.md")), "{name} has no tests");
    }
    assert!(count >= 6, "{count} examples");
    reflexio("playbook check --deny-warnings").arg(examples()).ok();
    reflexio("playbook fmt --check").arg(examples()).ok();
}

#[test]
fn a_test_that_fails_says_where_and_exits_with_1() {
    let folder = folder();
    write(folder.path(), "a.md", NATIVE);
    let file = write(
        folder.path(),
        "a.test.md",
        "# Tests of a.md\n\n## It adds\n- Given $bonus = 3\n- Agent: It is 6.\n- Expect $sum == 6\n- Expect outcome waiting\n",
    );
    let output = reflexio("playbook test").arg(&file).run();
    assert_eq!(output.code, Some(1), "{output}");
    for words in [
        ":5: the agent did not say this; next came \"It is 5.\"",
        ":6: it does not hold: $sum is 5",
        "0 passed, 1 failed",
    ] {
        assert!(output.stdout.contains(words), "{words}: {output}");
    }
    assert!(!output.stdout.contains(":7:"), "{output}");
    let report = reflexio("playbook test --json").arg(&file).run();
    let report: serde_json::Value = serde_json::from_str(&report.stdout).expect("JSON");
    assert_eq!(report["cases"][0]["problems"][0]["line"], 5);
    let wrong = write(folder.path(), "b.test.md", "# Tests of a.md\n## x\n- Expect wonders\n");
    let output = reflexio("playbook test").arg(&wrong).run();
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("b.test.md:3: `wonders` cannot be expected"), "{output}");
}

#[test]
fn a_chat_between_pipes_prints_what_is_said_and_nothing_else() {
    let (data, folder) = (folder(), folder());
    let file = write(folder.path(), "a.md", NATIVE);
    let output = run(&data, "--param bonus=3 --param n=4").arg(&file).stdin("thanks\n").ok();
    assert_eq!(output.stdout, "It is 7.\nBye.\n");
    assert!(output.stderr.contains(": done, result 7, 5 steps, 0 model calls"), "{output}");
    let told = run(&data, "--param bonus=3 --message hello --json").arg(&file).ok();
    let told: serde_json::Value = serde_json::from_str(&told.stdout).expect("JSON");
    assert_eq!((&told["outcome"], &told["result"]), (&"done".into(), &5.into()), "{told}");
    assert_eq!(told["conversation"][0]["step"], "02");
    let traced = run(&data, "--param bonus=3 -v").arg(&file).stdin("thanks\n").ok();
    assert_eq!(traced.stdout, "It is 5.\nBye.\n");
    assert!(traced.stderr.contains("Desk.Main 01\n") && traced.stderr.contains("$sum = 5"), "{traced}");
}

#[test]
fn a_run_that_nobody_answers_exits_with_3_and_goes_on_where_it_was() {
    let (data, folder) = (folder(), folder());
    let file = write(folder.path(), "a.md", NATIVE);
    let first = run(&data, "--param bonus=3").arg(&file).stdin("").run();
    assert_eq!((first.code, first.stdout.as_str()), (Some(3), "It is 5.\n"), "{first}");
    let name = name_of(&first.stderr);
    let second = run(&data, &format!("--resume {name}")).stdin("thanks\n").ok();
    assert_eq!(second.stdout, "Bye.\n", "nothing is said twice: {second}");
    assert!(second.stderr.contains("agent: It is 5."), "{second}");
    let third = run(&data, &format!("--resume {name}")).ok();
    assert_eq!(third.stdout, "", "{third}");
    std::fs::write(&file, NATIVE.replace("Bye", "Ciao")).expect("another program");
    let changed = run(&data, &format!("--resume {name}")).run();
    assert_eq!(changed.code, Some(1));
    assert!(changed.stderr.contains("another version of the program"), "{changed}");
    assert_eq!(run(&data, "--resume 2026-nothing").run().code, Some(4));
}

#[test]
fn words_come_from_a_model_and_without_one_the_step_is_named() {
    let (data, folder) = (folder(), folder());
    let text = "# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- Tell the user \"One moment.\"\n- Greet the user warmly\n- Ask the user for their $name\n- Tell the user \"Hello $name.\"\n";
    let file = write(folder.path(), "a.md", text);
    let without = run(&data, "").arg(&file).run();
    assert_eq!((without.code, without.stdout.as_str()), (Some(1), "One moment.\n"), "{without}");
    assert!(without.stderr.contains("step 02 Greet the user warmly: "), "{without}");
    let answers = [
        r#"{"steps": [{"id": "02", "status": "done", "say": [{"text": "Welcome!"}]},
            {"id": "03", "status": "waiting", "say": [{"text": "Your name?"}]}]}"#,
        r#"{"steps": [{"id": "03", "status": "done", "set": {"name": "Ada"}, "evidence": "m4"}]}"#,
    ];
    let model = model(folder.path(), &answers);
    // The run that could not go on does so once there is a model.
    let name = name_of(&without.stderr);
    let output = run(&data, &format!("--resume {name} --model")).arg(&model).stdin("I am Ada\n").ok();
    assert_eq!(output.stdout, "Welcome!\nYour name?\nHello Ada.\n", "{output}");
    assert!(output.stderr.contains("2 model calls"), "{output}");
}

#[test]
fn tools_are_commands_and_limits_end_a_run_with_what_it_has() {
    let (data, folder) = (folder(), folder());
    let text = "# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- $order = Shop.Find(\"A-1\")\n- Tell the user \"It costs {$order.price}.\"\n- While True\n  - $n = 1\n\n# Shop:MCP\nremote:\n  type: mcp\n  url: http://localhost:9\n  transport: streamable-http\n";
    let file = write(folder.path(), "a.md", text);
    let output = run(&data, "--max-loop-turns 5 --tool")
        .arg("Shop.Find(id) => grep -q A-1 && echo '{\"price\": 7}'")
        .arg(&file)
        .run();
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), "It costs 7.\n"), "{output}");
    assert!(output.stderr.contains("the run stopped at a limit: 5 turns of a loop"), "{output}");
    let failing = run(&data, "--tool").arg("Shop.Find(id) => echo broken >&2; exit 4").arg(&file).run();
    assert!(failing.code == Some(1) && failing.stderr.contains("broken"), "{failing}");
}

#[test]
fn what_cannot_start_is_refused_with_what_to_do() {
    let (data, folder) = (folder(), folder());
    let file = write(folder.path(), "a.md", NATIVE);
    let wrong = write(folder.path(), "b.md", "# Desk\n## Main\n### Steps\n- Nobody()\n");
    for (arguments, file, words) in [
        ("--param sum", &file, "lacks `=`"),
        ("--param wonder=1", &file, "no such parameter or variable"),
        ("--start Nothing", &file, "there is no playbook `Nothing`"),
        ("--tool Find", &file, "lacks `=>`"),
        ("", &wrong, "the program has 1 error"),
    ] {
        let output = run(&data, arguments).arg(file).run();
        assert_eq!(output.code, Some(2), "{arguments}: {output}");
        assert!(output.stderr.contains(words), "{arguments}: {output}");
    }
}

const ORDER: &str = "# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- Ask the user for their $order_id\n- $order = Shop.Find($order_id)\n- Tell the user \"It comes on {$order.date}.\"\n\n# Shop:MCP\nremote:\n  type: mcp\n  url: http://localhost:9\n  transport: streamable-http\n";

#[test]
fn an_assistant_answers_with_rules_as_notes_and_results_that_were_recorded() {
    let (data, folder) = (folder(), folder());
    let file = write(folder.path(), "a.md", ORDER);
    let answers = [
        r#"{"steps": [{"id": "01", "status": "waiting", "say": [{"text": "Which one?"}]}]}"#,
        r#"{"steps": [{"id": "01", "status": "done", "set": {"order_id": "A-1"}, "evidence": "m2"}]}"#,
    ];
    let tool = "Shop.Find(id) => echo '{\"date\": \"Friday\"}'";
    let told = run(&data, "--tool").arg(tool).arg("--model").arg(model(folder.path(), &answers)).arg(&file);
    let told = told.stdin("A-1\n").ok();
    assert_eq!(told.stdout, "Which one?\nIt comes on Friday.\n");
    let journal = data.path().join("playbook-runs").join(format!("{}.jsonl", name_of(&told.stderr)));

    let again = crate::support::folder();
    let model = model(again.path(), &answers);
    let request = r#"{"messages": [{"role": "user", "content": "A-1"}], "playbooks": [{"id": 3, "content": "Say please."}]}"#;
    let assistant = |recorded: bool| {
        let command =
            reflexio("playbook assistant --recorded-tool Shop.Find(id) --model").arg(&model).arg(&file);
        if recorded { command.arg("--recorded").arg(&journal) } else { command }
    };
    let answer: serde_json::Value =
        serde_json::from_str(&assistant(true).stdin(request).ok().stdout).expect("JSON");
    assert_eq!(answer, serde_json::json!({ "content": "It comes on Friday." }));
    std::fs::remove_file(again.path().join("count")).expect("a count");
    let without = assistant(false).stdin(request).run();
    assert_eq!(without.code, Some(6), "{without}");
    let wrong = assistant(true).stdin("{}").run();
    assert_eq!(wrong.code, Some(6), "{wrong}");
    assert!(wrong.stderr.contains("messages"), "{wrong}");
}

#[test]
fn a_run_publishes_its_conversation_and_an_approved_rule_can_become_a_note() {
    let server = crate::support::Server::start();
    let (data, folder) = (folder(), folder());
    let text = format!(
        "{NATIVE}\n## Other\n\n### Triggers\n- After 5 minutes\n\n### Steps\n- Return 1\n\n### Notes\n- Be kind.\n"
    );
    let file = write(folder.path(), "Desk chat.md", &text);
    let talk = server.reflexio("playbook run --param bonus=3 --user-id ann --message hello").arg(&file);
    talk.env("REFLEXIO_DATA_DIR", data.path()).ok();
    let turns = server.reflexio("interactions list --user-id ann").json().to_string();
    assert!(
        turns.contains("It is 5.") && turns.contains("hello") && turns.contains("\"step\":\"02\""),
        "{turns}"
    );
    let before = std::fs::read_to_string(&file).expect("the file");
    let promote = |playbook: &str, more: &str| {
        let into = format!("{}:{playbook}", file.display());
        server.reflexio(&format!("playbook promote 1 {more} --into")).arg(into)
    };
    let unknown = promote("Main", "").run();
    assert_eq!(unknown.code, Some(4), "{unknown}");
    add_rule(&server);
    let pending = promote("Main", "").run();
    assert!(pending.code == Some(1) && pending.stderr.contains("is not approved"), "{pending}");
    server.reflexio("agent-playbooks approve 1").ok();
    let shown = promote("Main", "").ok();
    assert!(
        shown.stdout.contains("+### Notes\n+- When they are polite: Say thanks. ## Evil - {x}"),
        "{shown}"
    );
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), before, "nothing is changed unasked");
    promote("Other", "--write").ok();
    let after = std::fs::read_to_string(&file).expect("the file");
    assert!(after.contains("- Be kind.\n- When they are polite: Say thanks. ## Evil - {x}\n"), "{after}");
    reflexio("playbook check").arg(&file).ok();
    let nowhere = promote("Nowhere", "").run();
    assert!(nowhere.code == Some(4) && nowhere.stderr.contains("there are: Main, Other"), "{nowhere}");
}

fn add_rule(server: &crate::support::Server) {
    let rule = serde_json::json!({ "agent_version": "v1", "content": "Say thanks.\n## Evil\n- {x}", "trigger": "When they are polite" });
    let rule = serde_json::from_value(rule).expect("a rule");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(server.client().add_agent_playbooks(vec![rule])).expect("an answer");
}
