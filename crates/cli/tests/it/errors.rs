//! What a command says and exits with when it cannot do its work.

use std::net::TcpListener;

use crate::assert_snapshot;
use crate::support::{Scripted, Server, folder, reflexio, write};

/// An address at which nobody listens.
fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    for arguments in [
        "",
        "no-such-command",
        "publish",
        "publish --user-message a --file b",
        "publish --user-message a --force-extraction --evaluation-only",
        "interactions delete 5",
        "profiles delete",
        "profiles delete a --all",
        "profiles list --limit 0",
        "profiles list --since soon",
        "keys create --name n --scopes read,everything",
        "serve --rate-limit often",
        "doctor --offline",
        "--server-url ftp://host status",
    ] {
        assert_eq!(reflexio(arguments).run().code, Some(2), "{arguments}");
    }
}

#[test]
fn a_server_that_is_not_there_exits_with_3() {
    let output = reflexio("status --server-url").arg(nowhere()).run();
    assert_eq!(output.code, Some(3));
    assert_snapshot!("server_not_there", output);
    let folder = folder();
    let file = write(
        folder.path(),
        "bulk.jsonl",
        "{\"user_id\":\"u\",\"interaction_data_list\":[{\"content\":\"x\"}]}\n",
    );
    let output = reflexio("publish --file").arg(file).arg("--server-url").arg(nowhere()).run();
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn what_is_not_there_exits_with_4() {
    let server = Server::start();
    for arguments in [
        "interactions show 7",
        "interactions delete 7 --user-id u",
        "interactions delete --request-id nobody",
        "interactions delete --session-id nobody",
        "profiles show nobody",
        "profiles delete nobody",
        "user-playbooks show 7",
        "user-playbooks delete 7",
        "agent-playbooks show 7",
        "agent-playbooks approve 7",
        "agent-playbooks edit 7 --content new",
        "agent-playbooks delete 7",
        "keys revoke nobody",
    ] {
        let output = server.reflexio(arguments).run();
        assert_eq!(output.code, Some(4), "{arguments}: {output}");
        assert!(output.stderr.starts_with("error: "), "{arguments}: {output}");
        assert_eq!(output.stdout, "", "{arguments}");
    }
}

#[test]
fn input_that_is_not_accepted_exits_with_6_and_names_the_fields() {
    let server = Server::start_with(&["--max-body-bytes", "2000"]);
    let bad_action = r#"{"user_id":"u","interaction_data_list":[{"content":"x"},{"user_action":"jump"}]}"#;
    assert_snapshot!("bad_action", server.reflexio("publish --data").arg(bad_action).run());
    assert_snapshot!("no_user", server.reflexio("publish --user-message hi").run());
    assert_snapshot!("not_json", server.reflexio("publish --data").arg("{broken").run());
    let output = server.reflexio("publish --user-id u --user-message").arg("long ".repeat(1000)).run();
    assert_snapshot!("too_large", output);
    assert_snapshot!("bad_config", server.reflexio("config set windw_size 5").run());
    assert_snapshot!("bad_query", server.reflexio("profiles list --source").arg("Not A Label").run());
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let url = nowhere();
    let plain = reflexio("status --server-url").arg(&url).run();
    assert!(!plain.stderr.contains('\u{1b}'), "{plain}");
    let forced = reflexio("status --color always --server-url").arg(&url).run();
    assert!(forced.stderr.contains('\u{1b}'), "{forced}");
    let never = reflexio("status --color never --server-url").arg(&url).env("CLICOLOR_FORCE", "1").run();
    assert!(!never.stderr.contains('\u{1b}'), "{never}");
}

#[test]
fn an_address_of_something_else_is_recognised() {
    let other = Scripted::new(&[("200 OK", "hello")]);
    let output = reflexio("status --server-url").arg(&other.url).run();
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("hint: is this address that of a Reflexio server"), "{output}");
}
