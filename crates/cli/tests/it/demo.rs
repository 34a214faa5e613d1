use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{command, reflexio, wait_for};

/// A demo that is over; its server is stopped when the test ends.
struct Demo(Value);

impl Demo {
    fn run() -> Self {
        Self(reflexio("demo").json())
    }

    fn folder(&self) -> &Path {
        Path::new(self.0["folder"].as_str().expect("a folder"))
    }

    /// Runs a command exactly as it was printed.
    #[track_caller]
    fn sh(&self, name: &str) -> String {
        let line = self.0["commands"][name].as_str().unwrap_or_else(|| panic!("no command `{name}`"));
        let output = Command::new("sh").arg("-c").arg(line).output().expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = command().args(["demo", "--stop"]).arg(self.folder()).output();
    }
}

fn rows<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().expect("a list")
}

#[test]
fn the_demo_learns_and_its_commands_work_as_printed() {
    let demo = Demo::run();
    let found = &demo.0;
    assert!(found["conversations"].as_u64() > Some(200), "{found}");
    assert!(rows(found, "profiles").len() >= 10);
    let types: std::collections::BTreeSet<&str> =
        rows(found, "user_playbooks").iter().filter_map(|row| row["playbook_name"].as_str()).collect();
    assert_eq!(types.into_iter().collect::<Vec<_>>(), ["refunds_and_returns", "response_quality", "tone"]);
    assert!(rows(found, "shadow").iter().any(|rate| rate["wins"].as_u64() > Some(0)), "{}", found["shadow"]);
    let proposals = rows(found, "proposals");
    assert!(proposals.len() >= 6, "{proposals:?}");
    for rule in proposals {
        assert_eq!(rule["playbook_status"], "pending");
        assert!(rule["distinct_users"].as_u64() >= Some(3), "several people taught it: {rule}");
    }
    let says = |words: &str| {
        proposals.iter().any(|rule| rule["instruction"].as_str().unwrap_or_default().contains(words))
    };
    for lesson in ["photo of the dama", "order number", "brake", "address", "short", "discount"] {
        assert!(says(lesson), "nobody proposes anything about `{lesson}`: {proposals:#?}");
    }
    assert!(demo.sh("show").contains("evidence"), "a proposal tells why it is believed");
    let serves_a_rule = |answer: &str| answer.lines().any(|line| line == "agent playbooks");
    let before = demo.sh("search");
    assert!(!serves_a_rule(&before), "nobody approved one: {before}");
    demo.sh("approve");
    let after = demo.sh("search");
    assert!(serves_a_rule(&after) && after.contains("approved"), "{after}");
    demo.sh("stop");
    assert!(!demo.folder().exists());
}

#[test]
fn a_port_that_is_taken_is_told_and_leaves_nothing() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let folder = crate::support::folder();
    let output = reflexio(&format!("demo --port {port}")).env("TMPDIR", folder.path()).run();
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("already in use") && output.stderr.contains("--port"), "{output}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left");
}

#[test]
fn an_interrupted_demo_leaves_nothing() {
    let folder = crate::support::folder();
    let mut demo = command().arg("demo").env("TMPDIR", folder.path()).spawn().expect("a demo");
    let count = || std::fs::read_dir(folder.path()).expect("a folder").count();
    let address = wait_for("the server of the demo", || {
        let entry = std::fs::read_dir(folder.path()).ok()?.next()?.ok()?;
        std::fs::read_to_string(entry.path().join("address")).ok()
    });
    let id = demo.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    let status = demo.wait().expect("an end");
    // It may have been done already; then it goes on as it should.
    if status.success() {
        let entry = std::fs::read_dir(folder.path()).expect("a folder").next().expect("a demo");
        let path = entry.expect("an entry").path();
        assert!(command().args(["demo", "--stop"]).arg(path).status().expect("a stop").success());
    }
    assert_eq!(count(), 0, "nothing is left");
    let host = address.trim().trim_start_matches("http://").to_owned();
    assert!(std::net::TcpStream::connect(host).is_err(), "the server was stopped");
}

#[test]
fn only_the_folder_of_a_demo_is_ever_removed() {
    let folder = crate::support::folder();
    let output = reflexio("demo --stop").arg(folder.path()).run();
    assert_eq!(output.code, Some(4), "{output}");
    assert!(folder.path().exists());
}
