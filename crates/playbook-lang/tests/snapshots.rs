//! What the parser and the linter make of whole programs. `cargo insta review` shows what changed.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use playbook_lang::{FileId, Fixes, Library, Program, SourceFile, explain_text, fixed, format, render};

fn program(name: &str) -> Program {
    let files = support::programs();
    let file = files.iter().find(|file| file.name == name).unwrap().clone();
    Program::parse_with(vec![file], &Library(files))
}

fn text(name: &str) -> String {
    support::programs().into_iter().find(|file| file.name == name).unwrap().text
}

#[test]
fn every_program_has_its_tree_and_its_diagnostics() {
    for file in support::programs() {
        let program = program(&file.name);
        let shown = format!("{}\n{}", render::tree(&program), render::text(&program));
        insta::assert_snapshot!(file.name.replace('.', "_"), shown);
    }
}

#[test]
fn several_files_are_one_program() {
    let files = ["two_a.md", "two_b.md"].map(|name| SourceFile::new(name, text(name)));
    let program = Program::parse(files.to_vec());
    insta::assert_snapshot!(format!("{}\n{}", render::tree(&program), render::text(&program)));
}

#[test]
fn explanations_say_who_does_a_step_and_why() {
    insta::assert_snapshot!(explain_text(&program("seed_steps.md")));
    insta::assert_snapshot!("explain_triggers", explain_text(&program("seed_triggers.md")));
}

#[test]
fn formatting_lays_lists_and_headings_out() {
    insta::assert_snapshot!(format(&text("nested.md")));
    let ragged = "#   Shop\n\n\n\nText  \nmore\n##Not a heading\n##  Buy  ##\n\n\nDescription\n\n\n### Steps\n\n\n*   One\n\n*   If $x > 1\n      +  Two\n\n      +  Three\n           more\n\n\n\n### Notes\n* a\n";
    insta::assert_snapshot!("ragged", format(ragged));
}

#[test]
fn safe_fixes_settle_their_diagnostics() {
    let before = program("mistakes.md");
    let (text, applied) = fixed(&before, FileId(0), Fixes::Safe);
    assert_eq!(applied.len(), 2, "{text}");
    assert!(text.contains("### Triggers") && text.contains("{{\"key\": {{\"a\": 1}}}}"));
    let after = support::parse(&text);
    assert!(!render::text(&after).contains("Trigers"));
    let (again, _) = fixed(&after, FileId(0), Fixes::Safe);
    assert_eq!(again, text, "what was fixed stays fixed");
}

#[test]
fn machines_get_json_and_sarif() {
    let program = program("metadata.md");
    insta::assert_json_snapshot!("json", render::json(&program));
    let sarif = render::sarif(&program, "playbook-lang", "0");
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), program.diagnostics().len());
    insta::assert_json_snapshot!("sarif_results", sarif["runs"][0]["results"]);
}

#[cfg(feature = "miette")]
#[test]
fn miette_draws_carets() {
    use playbook_lang::render::fancy::{Style, fancy};
    insta::assert_snapshot!("miette", fancy(&program("remote.md"), Style::Plain, 100));
}

#[test]
fn a_place_has_its_playbook_and_its_step() {
    let text = text("nested.md");
    let program = program("nested.md");
    let offset = |words: &str| u32::try_from(text.find(words).unwrap() + 2).unwrap();
    let (playbook, step) = program.at(FileId(0), offset("Return \"two\"")).unwrap();
    assert_eq!((playbook.name.value.as_str(), step.unwrap().id.as_str()), ("Deep", "02.02.01"));
    let (playbook, step) = program.at(FileId(0), offset("GetIt(n)")).unwrap();
    assert_eq!((playbook.name.value.as_str(), step), ("GetIt", None));
}

/// The documentation's own program is sound.
#[test]
fn the_documented_program_has_no_errors() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/playbook-language.md"))
            .unwrap();
    let code = page.split("```markdown\n").nth(1).unwrap().split("```").next().unwrap();
    let program = support::parse(code);
    assert!(!program.has_errors(), "{}", render::text(&program));
}

#[test]
fn every_code_is_in_the_documentation() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/playbook-language.md"))
            .unwrap();
    for code in playbook_lang::Code::ALL {
        assert!(page.contains(&format!("| {code} | {} |", code.about())), "{code}");
    }
}
