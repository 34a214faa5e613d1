use serde_json::{Value, json};

use crate::assert_snapshot;
use crate::support::{Scripted, Server, folder, reflexio, write};

fn contents(server: &Server, user: &str) -> Vec<String> {
    let rows = server.reflexio("interactions list --user-id").arg(user).json();
    let mut rows: Vec<Value> = rows.as_array().expect("a list").clone();
    rows.sort_by_key(|row| row["interaction_id"].as_i64());
    rows.iter().map(|row| row["content"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_form_of_input_is_understood() {
    let server = Server::start();
    let folder = folder();
    let turns = json!([{"role": "User", "content": "one"}, {"role": "Agent", "content": "two"}]);
    let request = |user: &str| json!({"user_id": user, "interaction_data_list": turns}).to_string();

    let inline = "publish --user-id inline --user-message one --agent-response two";
    assert_snapshot!("published", server.reflexio(inline).ok());
    server.reflexio("publish --data").arg(request("data")).ok();
    server.reflexio("publish --user-id data-turns --data").arg(turns.to_string()).ok();
    let file = write(folder.path(), "one.json", &request("file"));
    server.reflexio("publish --file").arg(&file).ok();
    let file = write(folder.path(), "turns.json", &turns.to_string());
    server.reflexio("publish --user-id file-turns --file").arg(&file).ok();
    let list = format!("[{}, {}]", request("list-1"), request("list-2"));
    let file = write(folder.path(), "list.json", &list);
    assert_snapshot!("published_list", server.reflexio("publish --file").arg(&file).ok());
    let lines = format!("{}\n\n{}\n", request("lines-1"), request("lines-2"));
    let file = write(folder.path(), "lines.jsonl", &lines);
    assert_snapshot!("published_lines", server.reflexio("publish --file").arg(&file).ok());
    server.reflexio("publish --stdin").stdin(request("stdin")).ok();
    server.reflexio("publish --stdin").stdin(lines.replace("lines", "stdin-lines")).ok();

    for user in [
        "inline",
        "data",
        "data-turns",
        "file",
        "file-turns",
        "list-1",
        "list-2",
        "lines-1",
        "lines-2",
        "stdin",
        "stdin-lines-1",
        "stdin-lines-2",
    ] {
        assert_eq!(contents(&server, user), ["one", "two"], "{user}");
    }
}

#[test]
fn options_reach_the_stored_request() {
    let server = Server::start();
    let answer = server
        .reflexio("publish --user-id u --user-message hi --session-id s --source support_chat --request-id r")
        .arg("--agent-version=v2")
        .arg("--evaluation-only")
        .json();
    assert_eq!((answer["request_id"].as_str(), answer["session_id"].as_str()), (Some("r"), Some("s")));
    assert_eq!(answer["learning_reason"], "not_applicable");
    let rows = server.reflexio("interactions list --session-id s --source support_chat").json();
    assert_eq!(rows[0]["request_id"], "r");
    assert_eq!(server.reflexio("interactions list --source other").json(), json!([]));
}

#[test]
fn a_file_published_twice_is_stored_once() {
    let server = Server::start();
    let folder = folder();
    let line = |index: usize| json!({"user_id": format!("u{}", index % 7), "interaction_data_list": [{"content": "same"}]});
    let lines: Vec<String> = (0..300).map(|index| line(index).to_string()).collect();
    let file = write(folder.path(), "bulk.jsonl", &lines.join("\n"));
    let first = server.reflexio("publish --jobs 16 --file").arg(&file).json();
    assert_eq!(first, json!({"published": 300, "already_stored": 0, "failed": 0, "problems": []}));
    let second = server.reflexio("publish --file").arg(&file).json();
    assert_eq!(second, json!({"published": 0, "already_stored": 300, "failed": 0, "problems": []}));
    assert_eq!(server.reflexio("status").json()["storage"]["interaction_count"], 300);
    // Said again on purpose, the same words are stored again.
    for _ in 0..2 {
        server.reflexio("publish --user-id twice --user-message same").ok();
    }
    assert_eq!(contents(&server, "twice").len(), 2);
}

#[test]
fn a_request_id_makes_a_retry_harmless() {
    let server = Server::start();
    let publish = || server.reflexio("publish --user-id u --user-message hi --request-id mine");
    publish().ok();
    assert_snapshot!("published_before", publish().ok());
    assert_eq!(publish().json()["duplicate"], true);
    assert_eq!(contents(&server, "u"), ["hi"]);
}

#[test]
fn a_bad_line_is_named_and_the_others_are_stored() {
    let server = Server::start();
    let folder = folder();
    let good = json!({"user_id": "u", "interaction_data_list": [{"content": "x"}]}).to_string();
    let no_user = json!({"interaction_data_list": [{"content": "x"}]}).to_string();
    let empty = json!({"user_id": "u", "interaction_data_list": []}).to_string();
    let lines = [good.as_str(), "{broken", &good, &no_user, "", &empty, "5", &good].join("\n");
    let file = write(folder.path(), "bulk.jsonl", &lines);
    let output = server.reflexio("publish --file").arg(&file).run();
    assert_eq!(output.code, Some(6));
    assert_snapshot!("bad_lines", output);
    assert_eq!(contents(&server, "u").len(), 3);
    let again = server.reflexio("publish --json --file").arg(&file).run();
    let summary: Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!((summary["published"].as_u64(), summary["already_stored"].as_u64()), (Some(0), Some(3)));
    assert_eq!(summary["problems"][0]["number"], 2);
}

#[test]
fn what_means_nothing_is_warned_about() {
    let server = Server::start();
    let data =
        json!({"user_id": "u", "interaction_data_list": [{"content": "x", "Contents": "y"}, {}]}).to_string();
    assert_snapshot!("warnings", server.reflexio("publish --data").arg(data).ok());
}

#[test]
fn a_busy_server_is_asked_again() {
    let busy = Scripted::new(&[
        ("429 Too Many Requests\r\nretry-after: 0", r#"{"error": "Rate limit exceeded: 1 per 1 minute"}"#),
        (
            "503 Service Unavailable\r\nretry-after: 0",
            r#"{"detail": "nothing was stored: the disk is full"}"#,
        ),
        ("200 OK", r#"{"success": true}"#),
    ]);
    let folder = folder();
    let line = json!({"user_id": "u", "interaction_data_list": [{"content": "x"}]}).to_string();
    let file = write(folder.path(), "bulk.jsonl", &line);
    let summary = reflexio("publish --server-url").arg(&busy.url).arg("--file").arg(&file).json();
    assert_eq!((&summary["published"], &summary["failed"]), (&json!(1), &json!(0)));
    let bodies: Vec<String> = busy
        .requests()
        .iter()
        .map(|request| request.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| *body == bodies[0] && body.contains("file-")), "{bodies:?}");
}
