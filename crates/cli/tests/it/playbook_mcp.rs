//! Agents that are MCP servers, from the command line.

use reflexio_test_support::McpServer;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Run, folder, reflexio, write};

/// A server, and what it lives on.
fn shop() -> (McpServer, tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    (runtime.block_on(McpServer::start()), runtime)
}

fn program(url: &str, steps: &str) -> String {
    format!(
        "# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n{steps}\n\n# Shop:MCP\nremote:\n  type: mcp\n  url: {url}\n  transport: streamable-http\n  auth:\n    type: bearer\n    token: ${{SHOP_TOKEN}}\n"
    )
}

fn run(data: &TempDir, arguments: &str) -> Run {
    reflexio(&format!("playbook run --no-publish --no-learned {arguments}"))
        .env("REFLEXIO_DATA_DIR", data.path())
        .env("SHOP_TOKEN", "s3cret")
}

#[test]
fn a_run_calls_the_server_of_its_agent_and_goes_on_without_calling_again() {
    let ((shop, _runtime), data, folder) = (shop(), folder(), folder());
    shop.want("authorization", "Bearer s3cret");
    let steps = "- $order = Shop.FindOrder(\"A-1\", shop=\"north\")\n- Tell the user \"It costs {$order.price}.\"\n- Wait for user\n- Tell the user \"Still {$order.price}.\"";
    let file = write(folder.path(), "a.md", &program(&shop.url, steps));
    let first = run(&data, "").arg(&file).stdin("").run();
    assert_eq!((first.code, first.stdout.as_str()), (Some(3), "It costs 12.\n"), "{first}");
    let name = first.stderr.lines().find(|line| line.starts_with("run ")).expect("a run");
    let name = name.split([' ', ':']).nth(1).expect("a name");
    let second = run(&data, &format!("--resume {name}")).stdin("well?\n").ok();
    assert_eq!(second.stdout, "Still 12.\n");
    assert_eq!(shop.calls(), [("find_order".to_owned(), json!({ "id": "A-1", "shop": "north" }))]);
    let journal = data.path().join("playbook-runs").join(format!("{name}.jsonl"));
    assert!(!std::fs::read_to_string(journal).expect("a journal").contains("s3cret"));
}

#[test]
fn a_failing_call_says_why() {
    let ((shop, _runtime), data, folder) = (shop(), folder(), folder());
    let file = write(folder.path(), "a.md", &program(&shop.url, "- Shop.Closed()"));
    let closed = run(&data, "").arg(&file).run();
    assert_eq!(closed.code, Some(1), "{closed}");
    assert!(closed.stderr.contains("`Shop.Closed` failed: the shop is closed"), "{closed}");
    let unset = run(&data, "").env("SHOP_TOKEN", "").arg(&file).run();
    assert!(unset.stderr.contains("${SHOP_TOKEN}, which the environment does not have"), "{unset}");
}

#[test]
fn a_check_with_tools_compares_calls_with_what_servers_have() {
    let ((shop, _runtime), folder) = (shop(), folder());
    let check = |steps: &str, url: &str| {
        let file = write(folder.path(), "a.md", &program(url, steps));
        reflexio("playbook check --format text --tools").env("SHOP_TOKEN", "s3cret").arg(file).run()
    };
    let right = check("- $x = Shop.FindOrder(\"A\", \"b\", note=1)\n- Return $x", &shop.url);
    assert_eq!(right.code, Some(0), "{right}");
    let wrong = check(
        "- $x = Shop.FindOrdr(1)\n- $y = Shop.add(1)\n- $z = Shop.add(a=1, b=2, c=3)\n- Return [$x, $y, $z]",
        &shop.url,
    );
    assert_eq!(wrong.code, Some(1), "{wrong}");
    for words in [
        "error[E009]: the server of `Shop` has no tool `FindOrdr`; did you mean `find_order`?",
        "error[E010]: `add` also needs `b`",
        "error[E010]: `add` has no parameter `c`",
    ] {
        assert!(wrong.stdout.contains(words), "{words}: {wrong}");
    }
    let down = check("- Shop.add(1, 2)", "http://127.0.0.1:9/mcp");
    assert_eq!(down.code, Some(1), "{down}");
    assert!(down.stdout.contains("error[E014]: its server cannot be reached"), "{down}");
    assert_eq!(shop.calls(), [], "nothing is called");
}
