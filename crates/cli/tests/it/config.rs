use serde_json::{Value, json};

use crate::assert_snapshot;
use crate::support::{Server, folder, reflexio, write};

#[test]
fn the_configuration_is_shown_to_people_and_machines() {
    let server = Server::start();
    let words = server.reflexio("config show").ok().stdout;
    assert!(words.contains("\nwindow_size "), "{words}");
    assert_eq!(server.reflexio("config show").json()["window_size"], 10);
}

#[test]
fn one_value_is_set_without_touching_its_neighbours() {
    let server = Server::start();
    let before = server.reflexio("config show").json();
    assert_snapshot!("config_set", server.reflexio("config set window_size 20").ok());
    server.reflexio("config set playbook_configs.0.playbook_name refunds").ok();
    server.reflexio("config set agent_context_prompt --string 42").ok();
    let after = server.reflexio("config show").json();
    assert_eq!(after["window_size"], 20);
    assert_eq!(after["agent_context_prompt"], "42");
    let (mut expected, first) = (before["playbook_configs"].clone(), &after["playbook_configs"]);
    expected[0]["playbook_name"] = json!("refunds");
    assert_eq!(*first, expected);
}

#[test]
fn a_value_that_is_refused_changes_nothing() {
    let server = Server::start();
    let before = server.reflexio("config show").json();
    assert_snapshot!("config_set_refused", server.reflexio("config set window_size 0").run());
    assert_eq!(server.reflexio("config set playbook_configs.9.playbook_name x").run().code, Some(6));
    assert_eq!(server.reflexio("config show").json(), before);
}

#[test]
fn a_secret_survives_an_edit_and_is_never_shown() {
    let server = Server::start();
    server.reflexio("config set api_key_config.openai.api_key sk-0123456789abcdef").ok();
    let shown = server.reflexio("config show").json();
    assert_eq!(shown["api_key_config"]["openai"]["api_key"], "****cdef");
    let folder = folder();
    let script =
        write(folder.path(), "editor.sh", "sed -i 's/\"window_size\": 10/\"window_size\": 12/' \"$1\"\n");
    let edit = server.reflexio("config edit").env("EDITOR", format!("sh {}", script.display())).ok();
    assert_eq!(edit.stdout, "saved\n");
    let shown = server.reflexio("config show").json();
    assert_eq!(
        (&shown["window_size"], &shown["api_key_config"]["openai"]["api_key"]),
        (&json!(12), &json!("****cdef"))
    );
}

#[test]
fn an_edit_that_is_refused_shows_why() {
    let server = Server::start();
    let folder = folder();
    let script =
        write(folder.path(), "editor.sh", "sed -i 's/\"window_size\": 10/\"window_size\": 0/' \"$1\"\n");
    let output = server.reflexio("config edit").env("EDITOR", format!("sh {}", script.display())).run();
    assert_snapshot!("config_edit_refused", output);
    let script = write(folder.path(), "break.sh", "echo '{broken' > \"$1\"\n");
    let output = server.reflexio("config edit").env("EDITOR", format!("sh {}", script.display())).run();
    assert_eq!(output.code, Some(6), "{output}");
    let output = server.reflexio("config edit").env("EDITOR", "true").ok();
    assert_eq!(output.stderr, "nothing was changed\n");
}

#[test]
fn a_file_is_checked_without_a_server() {
    let folder = folder();
    let good = write(folder.path(), "good.json", r#"{"storage_config": null, "window_size": 5}"#);
    assert_snapshot!("config_check_good", reflexio("config check").arg(&good).run());
    let document = json!({
        "storage_config": null,
        "window_size": 4,
        "stride_size": 9,
        "playbook_configs": [
            {"playbook_name": " ", "playbook_definition_prompt": "x"},
            {"playbook_name": "a", "playbook_definition_prompt": ""},
        ],
    });
    let bad = write(folder.path(), "bad.json", &document.to_string());
    assert_snapshot!("config_check_bad", reflexio("config check").arg(&bad).run());
    let unknown = write(folder.path(), "unknown.json", r#"{"storage_config": null, "windowsize": 5}"#);
    assert_snapshot!("config_check_unknown", reflexio("config check").arg(&unknown).run());
    let output = reflexio("config check --json").arg(&bad).run();
    let result: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!((output.code, &result["valid"]), (Some(6), &json!(false)));
    assert_eq!(reflexio("config check").arg(write(folder.path(), "no.json", "{")).run().code, Some(6));
}
