use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Server, folder, write};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// An approved rule, its successor, and one that waits.
fn filled() -> Server {
    let server = Server::start_with(&["--learning-workers", "0"]);
    let rule = |trigger: &str, instruction: &str, more: Value| {
        let mut rule = json!({"agent_version": "v1", "playbook_name": "refunds", "trigger": trigger,
            "instruction": instruction, "content": format!("When: {trigger}\nDo: {instruction}")});
        if let (Some(rule), Some(more)) = (rule.as_object_mut(), more.as_object()) {
            rule.extend(more.clone());
        }
        serde_json::from_value(rule).expect("a rule")
    };
    let refund = "The user asks for a refund";
    let approved = vec![rule(refund, "Ask for a photo", json!({"playbook_status": "approved"}))];
    let waiting = vec![
        rule(refund, "Ask for two photos", json!({"successor_of": 1})),
        rule("The user is angry", "Stay calm\n## and `kind`", json!({"pitfall": "Arguing\nor worse"})),
    ];
    for rules in [approved, waiting] {
        runtime().block_on(server.client().add_agent_playbooks(rules)).expect("rules");
    }
    server
}

#[test]
fn a_successor_is_shown_with_what_it_changes() {
    let server = filled();
    let shown = server.reflexio("agent-playbooks show 2").ok().stdout;
    assert!(shown.contains("agent playbook 2 would change 1:"), "{shown}");
    assert!(shown.contains("Ask for [-a photo-]{+two photos+}"), "{shown}");
    let coloured = server.reflexio("agent-playbooks diff 2 --color always").ok().stdout;
    assert!(coloured.contains("\u{1b}[32m") && !coloured.contains("{+"), "{coloured:?}");
    assert_eq!(server.reflexio("agent-playbooks diff 2").json()["successor_of"], 1);
    let none = server.reflexio("agent-playbooks diff 3").ok().stdout;
    assert!(none.contains("follows no other"), "{none}");
}

#[test]
fn decisions_and_edits_are_told_with_their_reasons() {
    let server = filled();
    server.reflexio("agent-playbooks edit 3 --instruction").arg("Stay calm").ok();
    server.reflexio("agent-playbooks reject 3 --reason").arg("too soft").ok();
    let told = server.reflexio("agent-playbooks history 3").ok().stdout;
    assert!(told.contains("rejected: too soft") && told.contains("    - ## and `kind`"), "{told}");
    let events = server.reflexio("agent-playbooks history 3").json()["events"].clone();
    assert_eq!(events.as_array().map(Vec::len), Some(3), "{events}");
    let shown = server.reflexio("agent-playbooks show 3").ok().stdout;
    assert!(shown.contains("too soft"), "{shown}");
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{text}");
    std::fs::write(path, text.replace(from, to)).expect("a file");
}

#[test]
fn rules_go_to_files_and_come_back_edited() {
    let server = filled();
    let folder = folder();
    let export =
        |more: &str| server.reflexio(&format!("agent-playbooks export {more} --markdown")).arg(folder.path());
    let import = |more: &str| server.reflexio(&format!("agent-playbooks import {more}")).arg(folder.path());
    export("").ok();
    assert_eq!(files(folder.path()), ["refunds-1.md", "refunds-2.md", "refunds-3.md"]);
    assert_eq!(export("").json()["written"], json!([]), "the same rules, the same bytes");
    server.reflexio("playbook check --deny-warnings").arg(folder.path().join("refunds-3.md")).ok();
    let told = import("").ok().stdout;
    assert!(told.contains("nothing was stored"), "{told}");
    edit(&folder.path().join("refunds-1.md"), "Ask for a photo", "Ask politely for a photo");
    edit(&folder.path().join("refunds-3.md"), "status: pending", "status: approved");
    std::fs::remove_file(folder.path().join("refunds-2.md")).expect("a file");
    let new = "## Thank\nmetadata:\n  agent_version: v1\n  playbook_name: manners\n---\n### Triggers\n- The talk ends\n\
               ### Steps\n- Thank the user\n";
    write(folder.path(), "thank.md", new);
    let actions = |answer: &Value| -> Vec<String> {
        let results = answer["results"].as_array().expect("results");
        results.iter().map(|result| result["action"].as_str().expect("an action").to_owned()).collect()
    };
    assert_eq!(actions(&import("--dry-run").json()), ["proposed", "approved", "added"]);
    assert_eq!(server.reflexio("agent-playbooks list").json().as_array().map(Vec::len), Some(3));
    let answer = import("").json();
    assert_eq!(actions(&answer), ["proposed", "approved", "added"]);
    assert_eq!(answer["applied"], true);
    assert_eq!(actions(&import("").json()), ["unchanged"; 3], "the same files again do nothing");
    let id = answer["results"][0]["agent_playbook_id"].to_string();
    assert_eq!(server.reflexio("agent-playbooks show").arg(&id).json()["successor_of"], 1);
    assert_eq!(server.reflexio("agent-playbooks show 3").json()["playbook_status"], "approved");
    assert_eq!(server.reflexio("agent-playbooks show 2").json()["playbook_status"], "pending");
}

#[test]
fn a_file_that_cannot_be_understood_keeps_all_others_out() {
    let server = filled();
    let folder = folder();
    server.reflexio("agent-playbooks export --status approved --markdown").arg(folder.path()).ok();
    edit(&folder.path().join("refunds-1.md"), "Ask for a photo", "Ask for three photos");
    let bad = write(folder.path(), "bad.md", "## X\nmetadata:\n  agent_version: v1\n---\n### Steps\n- y\n");
    let refused = server.reflexio("agent-playbooks import").arg(folder.path()).run();
    assert_eq!(refused.code, Some(6), "{refused}");
    assert!(refused.stderr.contains("bad.md:1: a rule needs"), "{refused}");
    std::fs::remove_file(bad).expect("a file");
    edit(&folder.path().join("refunds-1.md"), "id: 1", "id: 99");
    let refused = server.reflexio("agent-playbooks import").arg(folder.path()).run();
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr.contains("refunds-1.md: agent playbook 99 does not exist here"), "{refused}");
    assert_eq!(server.reflexio("agent-playbooks list").json().as_array().map(Vec::len), Some(3));
}

#[test]
fn rules_become_skills() {
    let server = filled();
    let folder = folder();
    server.reflexio("agent-playbooks export --skill --status approved --markdown").arg(folder.path()).ok();
    let text = std::fs::read_to_string(folder.path().join("refunds-1").join("SKILL.md")).expect("a skill");
    let head =
        "---\nname: refunds-1\ndescription: \"Use when: The user asks for a refund. Ask for a photo\"\n---\n";
    assert!(text.starts_with(head), "{text}");
    let told = server.reflexio("agent-playbooks import").arg(folder.path()).json();
    assert_eq!(told["results"][0]["action"], "unchanged");
}
