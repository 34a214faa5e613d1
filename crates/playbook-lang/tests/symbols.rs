//! Names in programs: where they stand, and that renaming keeps what a program means.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;

use playbook_lang::{FileId, Program, RenameError, Role, SourceFile, Symbol, Symbols, rename};

const DESK: &str = r#"# Order desk

## CheckStatus($order_id, lang: str = "en")
Check {$order_id} for {customer}, see {Greeting(name=customer)}.

### Triggers
- After calling Find the order

### Steps
- $status = FindTheOrder(key=$order_id)
- If $status is empty
  - Tell the user "No $order_id in {lang.upper()}, sorry; $5 back"
- Otherwise
  - $words = f"{$status} of '$order_id'" + "$order_id"
- Ask user for $customer
- $tax = Books.Tax($status.total)
- Return $words

### Notes
- Call FindTheOrder before you greet; Greeting is polite. Keep $order_id.

## Find the order($key)
### Steps
- Return {"key": $key}

## Greeting(name)
### Steps
- Return "Hello " + name

# Books

## Tax($amount)
public: true
### Steps
- Return $amount * 0.2
"#;

fn parse(text: &str) -> Program {
    Program::parse(vec![SourceFile::new("desk.md", text)])
}

/// The places of the name that stands at a marker, as `line:column role`.
#[track_caller]
fn places(text: &str, marker: &str) -> Vec<String> {
    let program = parse(text);
    let symbols = Symbols::new(&program);
    let symbol = symbol_at(text, &symbols, marker);
    symbols
        .of(&symbol)
        .map(|one| {
            let at = program.sources().start(one.span);
            let role = if one.role == Role::Definition { " set" } else { "" };
            format!("{}:{}{role}", at.line, at.column)
        })
        .collect()
}

#[track_caller]
fn symbol_at(text: &str, symbols: &Symbols, marker: &str) -> Symbol {
    let offset = u32::try_from(text.find(marker).expect("the marker") + marker.len()).unwrap();
    symbols.at(FileId(0), offset).expect("a name").symbol.clone()
}

/// The text after a renaming.
#[track_caller]
fn renamed(text: &str, marker: &str, new: &str) -> Result<String, RenameError> {
    let program = parse(text);
    let symbols = Symbols::new(&program);
    let symbol = symbol_at(text, &symbols, marker);
    Ok(applied(text, rename(&program, &symbols, &symbol, new)?))
}

fn applied(text: &str, mut edits: Vec<playbook_lang::Edit>) -> String {
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut text = text.to_owned();
    for edit in edits {
        text.replace_range(edit.span.range(), &edit.text);
    }
    text
}

#[test]
fn a_variable_is_found_in_code_and_in_prose_but_not_in_strings() {
    assert_eq!(
        places(DESK, "Check {$order_id"),
        ["3:17 set", "4:9", "10:31", "12:24", "20:65"],
        "line 14 has it in strings, where it is text"
    );
}

#[test]
fn a_playbook_is_found_however_it_is_spelled() {
    assert_eq!(places(DESK, "- $status = FindTheOrder"), ["7:17", "10:13", "20:8", "22:4 set"]);
    assert_eq!(places(DESK, "Books.Tax"), ["16:16", "32:4 set"]);
}

#[test]
fn an_argument_given_by_name_is_the_parameter() {
    assert_eq!(places(DESK, "FindTheOrder(key"), ["10:26", "22:20 set", "24:19"]);
    assert_eq!(places(DESK, "Greeting(name"), ["4:49", "26:13 set", "28:21"]);
}

#[test]
fn a_renamed_playbook_is_called_by_its_new_name() {
    let text = renamed(DESK, "FindTheOrder", "Look the order up").unwrap();
    assert!(text.contains("## Look the order up($key)"), "{text}");
    assert!(text.contains("$status = LookTheOrderUp(key=$order_id)"), "{text}");
    assert!(text.contains("After calling Look the order up"), "{text}");
    assert!(text.contains("Call LookTheOrderUp before"), "{text}");
    assert_eq!(codes(&text), codes(DESK));
}

#[test]
fn a_renamed_variable_keeps_the_dollar_and_the_strings() {
    let text = renamed(DESK, "Check {$order_id", "$number").unwrap();
    assert!(text.contains("## CheckStatus($number, lang"), "{text}");
    assert!(text.contains(r#"of '$order_id'" + "$order_id""#), "{text}");
    assert!(text.contains("No $number in"), "{text}");
    assert_eq!(codes(&text), codes(DESK));
}

#[test]
fn names_that_would_change_the_meaning_are_refused() {
    let refused = |marker: &str, new: &str| renamed(DESK, marker, new).unwrap_err();
    assert_eq!(refused("- $status", "words"), RenameError::Taken("words".to_owned()));
    assert_eq!(refused("- $status", "not a name"), RenameError::NotAVariable("not a name".to_owned()));
    assert_eq!(refused("- $status", "class"), RenameError::NotAVariable("class".to_owned()));
    assert_eq!(refused("- $status", "len"), RenameError::Taken("len".to_owned()));
    assert_eq!(refused("see {Greeting", "check_status"), RenameError::Taken("check_status".to_owned()));
    assert_eq!(refused("FindTheOrder", "Tax"), RenameError::Taken("Tax".to_owned()));
    assert_eq!(refused("FindTheOrder", "2"), RenameError::NotCallable("2".to_owned()));
    assert_eq!(refused("# Order", "Desk"), RenameError::Agent);
    let python =
        "# A\n```python\ndef f():\n    return agent.state.total\n```\n## B\n### Steps\n- $total = 1\n";
    assert_eq!(renamed(python, "- $total", "sum_of_all"), Err(RenameError::InPython("total".to_owned())));
}

#[test]
fn calls_in_python_blocks_follow_their_playbook() {
    let text = "# A\n```python\n@playbook\nasync def Work():\n    return await Greet('Greet')  # Greet\n```\n## Greet\n### Steps\n- $x = Work()\n- Return $x\n";
    let greet = renamed(text, "## Greet", "Welcome").unwrap();
    assert!(greet.contains("await Welcome('Greet')  # Greet"), "{greet}");
    let work = renamed(text, "$x = Work", "Toil").unwrap();
    assert!(work.contains("async def Toil():") && work.contains("$x = Toil()"), "{work}");
}

#[test]
fn a_renamed_program_has_the_same_problems_and_the_same_places() {
    for (name, text) in programs() {
        let program = parse(&text);
        let symbols = Symbols::new(&program);
        let mut seen = Vec::new();
        for one in symbols.iter() {
            assert!(one.span.range().end <= text.len(), "{name}: {one:?}");
            if seen.contains(&&one.symbol) || matches!(one.symbol, Symbol::Agent { .. }) {
                continue;
            }
            seen.push(&one.symbol);
            let old = program.sources().slice(one.span).to_owned();
            let Ok(edits) = rename(&program, &symbols, &one.symbol, "Zq_other") else { continue };
            let there = applied(&text, edits);
            assert_eq!(codes(&there), codes(&text), "{name}: {old} → Zq_other\n{there}");
            let after = parse(&there);
            let symbols = Symbols::new(&after);
            let symbol = symbols.at(FileId(0), one.span.start).expect("still a name").symbol.clone();
            let count = symbols.of(&symbol).count();
            assert_eq!(count, Symbols::new(&program).of(&one.symbol).count(), "{name}: {old}\n{there}");
        }
    }
}

#[test]
fn no_two_names_overlap() {
    for (name, text) in programs() {
        let program = parse(&text);
        let symbols = Symbols::new(&program);
        let spans: Vec<_> = symbols.iter().map(|one| one.span).collect();
        for pair in spans.windows(2) {
            assert!(pair[0].end <= pair[1].start, "{name}: {pair:?}");
        }
    }
}

/// What there is to say about a program, without places. Whether a name is used at all, the linter also tells by
/// ordinary words of the prose, which no renaming touches; and a new name may settle that two have the same.
fn codes(text: &str) -> Vec<&'static str> {
    let program = parse(text);
    let codes = program.diagnostics().iter().map(|found| found.code.number());
    let mut codes: Vec<_> = codes.filter(|code| !matches!(*code, "E003" | "W102" | "W103")).collect();
    codes.sort_unstable();
    codes
}

fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    files.iter().map(|path| (path.display().to_string(), text(path))).collect()
}
