//! Playbooks on a server that is killed.

use std::sync::Arc;

use reflexio_api_types::PlaybookRunStatus;

use crate::support::{Server, folder, wait_for, write};

const PROGRAM: &str = "# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n- Tell the user \"One.\"\n- Wait for user\n- $x = Shop.Slow()\n- Tell the user \"It is $x.\"\n\n# Shop:MCP\nremote:\n  type: mcp\n  url: http://localhost:9\n  transport: streamable-http\n";

#[test]
fn a_run_goes_on_after_kill_9_and_says_nothing_twice() {
    let data = Arc::new(folder());
    let playbooks = folder();
    write(playbooks.path(), "desk.md", PROGRAM);
    // The tool hangs in the server that is killed, and answers in the next one.
    let flag = playbooks.path().join("called");
    let tool =
        format!("Shop.Slow() => test -e '{0}' && echo 7 || {{ touch '{0}'; sleep 60; }}", flag.display());
    let folder_text = playbooks.path().to_string_lossy().into_owned();
    let arguments = ["--playbooks", &folder_text, "--playbook-tool", &tool];
    let mut server = Server::start_in(Arc::clone(&data), &arguments);
    let talk = server.reflexio("playbook run --server desk --user-id ann --message hello");
    let mut chat = talk.spawn();
    wait_for("the tool", || flag.exists().then_some(()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let runs = runtime.block_on(server.client().playbook_runs(&Default::default())).expect("runs");
    let run = runs.runs[0].run_id.clone();
    server.kill();
    let _ = chat.kill();
    let _ = chat.wait();

    let server = Server::start_in(data, &arguments);
    let state = wait_for("the end of the run", || {
        let state = runtime.block_on(server.client().playbook_run(&run)).expect("the run");
        (state.run.status == PlaybookRunStatus::Done).then_some(state)
    });
    let said: Vec<&str> = state.conversation.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(said, ["One.", "hello", "It is 7."]);
    let turns = server.reflexio("interactions list --user-id ann").json().to_string();
    assert_eq!(turns.matches("It is 7.").count(), 1, "{turns}");
    let shown = server.reflexio("playbook run --server desk --user-id bob --message hello").ok();
    assert_eq!(shown.stdout, "One.\nIt is 7.\n");
}
