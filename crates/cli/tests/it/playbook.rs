//! Playbook files on the command line: no server, no data folder.

use std::path::{Path, PathBuf};

use crate::assert_snapshot;
use crate::support::{folder, reflexio, write};

const CLEAN: &str =
    "# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- Tell the user \"Hello\"\n";
const WRONG: &str = "# Desk\n\n## Main\n\n### Trigers\n- At the beginning\n\n### Steps\n- $x = Hlper($y)\n- Return $x\n\n## Helper($a)\n### Steps\n- Return $a\n";
const DOUBTFUL: &str = "# Desk\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Return $nothing\n";

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../playbook-lang/tests/programs").join(name)
}

#[test]
fn a_clean_program_exits_with_0() {
    let folder = folder();
    let file = write(folder.path(), "clean.md", CLEAN);
    let output = reflexio("playbook check").arg(&file).ok();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", "no problems in 1 file\n"));
}

#[test]
fn errors_exit_with_1_and_show_the_place_and_what_was_meant() {
    let folder = folder();
    let file = write(folder.path(), "wrong.md", WRONG);
    let output = reflexio("playbook check --format text").arg(&file).run();
    assert_eq!(output.code, Some(1));
    assert_snapshot!("playbook_check_text", output);
    assert_snapshot!("playbook_check_fancy", reflexio("playbook check").arg(&file).run());
}

#[test]
fn warnings_count_when_they_are_denied() {
    let folder = folder();
    let file = write(folder.path(), "doubtful.md", DOUBTFUL);
    assert_eq!(reflexio("playbook check").arg(&file).run().code, Some(0));
    let output = reflexio("playbook check --deny-warnings").arg(&file).run();
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("1 warning in 1 file"), "{output}");
}

#[test]
fn what_cannot_be_read_exits_with_2() {
    let folder = folder();
    std::fs::write(folder.path().join("latin.md"), b"# Caf\xe9\n").expect("a file");
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    for (name, reason) in
        [("missing.md", "cannot be read"), ("latin.md", "not UTF-8 (byte 6)"), ("empty", "no playbooks")]
    {
        for command in ["playbook check", "playbook fmt", "playbook explain"] {
            let output = reflexio(command).arg(folder.path().join(name)).run();
            assert_eq!(output.code, Some(2), "{command} {name}: {output}");
            assert!(output.stderr.contains(reason), "{command} {name}: {output}");
        }
    }
}

#[test]
fn machines_get_json_and_sarif_and_nothing_else() {
    let folder = folder();
    let file = write(folder.path(), "wrong.md", WRONG);
    for arguments in
        ["playbook check --format json", "playbook check --json", "playbook check --format sarif"]
    {
        let output = reflexio(arguments).arg(&file).run();
        assert_eq!(output.code, Some(1));
        let document: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        if arguments.ends_with("sarif") {
            assert_eq!(document["version"], "2.1.0");
            assert_eq!(document["runs"][0]["results"][1]["ruleId"], "E006");
        } else {
            assert_eq!(document["diagnostics"][1]["code"], "E006");
            assert_eq!(document["summary"]["fixable"], 1);
        }
    }
}

#[test]
fn fixes_are_written_told_and_not_repeated() {
    let folder = folder();
    let file = write(folder.path(), "wrong.md", WRONG);
    make_executable(&file);
    let output = reflexio("playbook check --fix --format text").arg(&file).run();
    assert!(output.stderr.contains("write `Triggers` (line 5)"), "{output}");
    let text = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(text, WRONG.replace("Trigers", "Triggers"), "suggestions are for people");
    assert!(is_executable(&file), "the file keeps its mode");
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing is left beside it");
    let again = reflexio("playbook check --fix").arg(&file).run();
    assert!(!again.stderr.contains("fixed"), "{again}");
}

#[test]
fn a_fix_goes_below_the_frontmatter() {
    let folder = folder();
    let text =
        "---\ntitle: x\n---\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Tell the user \"Hi\"\n";
    let file = write(folder.path(), "headless.md", text);
    reflexio("playbook check --fix").arg(&file).ok();
    let fixed = std::fs::read_to_string(&file).expect("the file");
    assert!(fixed.starts_with("---\ntitle: x\n---\n# Agent\n\n## Main"), "{fixed}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_loses_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).expect("a folder");
    let file = write(&inner, "wrong.md", WRONG);
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o500)).expect("a mode");
    let can_write = std::fs::write(inner.join("probe"), "").is_ok();
    let output = reflexio("playbook check --fix").arg(&file).run();
    std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    // Whoever may do everything is not stopped by a mode.
    if !can_write {
        assert!(output.stderr.contains("cannot write"), "{output}");
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), WRONG);
    }
}

#[test]
fn standard_input_is_checked_fixed_and_laid_out() {
    let output = reflexio("playbook check --format text -").stdin(WRONG).run();
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("--> <stdin>:5:5"), "{output}");
    let output = reflexio("playbook check --fix -").stdin(WRONG).run();
    assert_eq!(output.stdout, WRONG.replace("Trigers", "Triggers"));
    assert_eq!(reflexio("playbook check --fix --json -").stdin(WRONG).run().code, Some(2));
    let output = reflexio("playbook fmt -").stdin("# A\n## B\n### Steps\n* One\n").ok();
    assert_eq!(output.stdout, "# A\n\n## B\n\n### Steps\n- One\n");
}

#[test]
fn several_files_are_one_program_and_a_folder_holds_many() {
    let folder = folder();
    let one = write(
        folder.path(),
        "one.md",
        "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- B.Work()\n",
    );
    let two =
        write(folder.path(), "two.md", "# B\n## Work\npublic: true\n### Steps\n- Tell the user \"done\"\n");
    write(folder.path(), "README.md", "# About\n\n## Use\n- Read it\n\nText with {braces.\n");
    assert_eq!(reflexio("playbook check").arg(&one).run().code, Some(1), "B is in the other file");
    reflexio("playbook check").arg(&one).arg(&two).ok();
    let output = reflexio("playbook check").arg(folder.path()).run();
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("in 2 files"), "the README is no program: {output}");
}

#[test]
fn the_examples_are_programs_without_errors() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/playbooks");
    let summary = reflexio("playbook check").arg(examples).json()["summary"].clone();
    assert_eq!(summary["errors"], 0, "{summary}");
    assert!(summary["files"].as_u64() >= Some(6), "{summary}");
}

#[test]
fn imports_are_found_beside_the_file_and_parts_are_not_programs() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("parts")).expect("a folder");
    write(&folder.path().join("parts"), "greet.md", "### Steps\n- Tell the user $nmae\n- Return $name\n");
    let main = write(
        folder.path(),
        "main.md",
        "# A\n## Main($name)\n### Triggers\n- At the beginning\n!import parts/greet.md\n",
    );
    let output = reflexio("playbook check --format text").arg(&main).run();
    assert!(output.stdout.contains("parts/greet.md:2:"), "{output}");
    let output = reflexio("playbook check").arg(folder.path()).run();
    assert!(!output.stdout.contains("E001"), "the part is read with its file: {output}");
    write(folder.path(), "main.md", "# A\n## Main\n!import main.md\n");
    let output = reflexio("playbook check --format text").arg(&main).run();
    assert!(output.stdout.contains("E012"), "{output}");
}

#[test]
fn fmt_changes_layout_once_and_check_only_looks() {
    let folder = folder();
    let ragged = "# A\n## B\n### Steps\n*   One\n    *  Two\n";
    let file = write(folder.path(), "ragged.md", ragged);
    let output = reflexio("playbook fmt --check").arg(&file).run();
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), ragged);
    reflexio("playbook fmt").arg(&file).ok();
    assert_eq!(
        std::fs::read_to_string(&file).expect("the file"),
        "# A\n\n## B\n\n### Steps\n- One\n  - Two\n"
    );
    reflexio("playbook fmt --check").arg(&file).ok();
    assert_eq!(reflexio("playbook fmt").arg(&file).json()["unchanged"], 1);
}

#[test]
fn fmt_keeps_the_line_ends_of_a_file() {
    let output =
        reflexio("playbook fmt -").stdin("# A\r\n## B\r\nText\r\nmore\r\n### Steps\r\n* One\r\n").ok();
    assert_eq!(output.stdout, "# A\r\n\r\n## B\r\nText\r\nmore\r\n\r\n### Steps\r\n- One\r\n");
}

#[test]
fn explain_says_who_does_each_step_and_what_it_costs() {
    let file = sample("seed_order_status.md");
    let output = reflexio("playbook explain").arg(&file).ok();
    assert_snapshot!("playbook_explain", output.stdout);
    let colours = reflexio("playbook explain --color always").arg(&file).ok();
    assert_eq!(console::strip_ansi_codes(&colours.stdout), output.stdout);
    let document = reflexio("playbook explain").arg(&file).json();
    assert_eq!(document["playbooks"][0]["steps"][0]["doer"], "model");
    assert!(document["playbooks"][0]["model_calls"]["at_most"].is_u64());
}

#[test]
fn placeholders_are_compared_with_what_they_must_become() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../playbook-lang/tests/cases/placeholders.json");
    let output = reflexio("dev placeholders").arg(cases).ok();
    let last = output.stdout.lines().last().unwrap_or_default();
    assert!(last.ends_with(" passed, 0 failed"), "{last}");
    let folder = folder();
    let file = write(
        folder.path(),
        "cases.json",
        r#"{"state": {"n": 2}, "cases": [{"in": "{$n}", "out": "2"}, {"in": "{$n + 1}", "out": "4"}]}"#,
    );
    let output = reflexio("dev placeholders").arg(&file).run();
    assert_eq!(output.code, Some(1));
    assert_snapshot!("dev_placeholders", output);
    let bad = write(folder.path(), "bad.json", "[1]");
    assert_eq!(reflexio("dev placeholders").arg(bad).run().code, Some(2));
    assert_eq!(reflexio("dev placeholders no-such.json").run().code, Some(2));
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) {}

#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}
