//! Tools of MCP servers, with a server that also does everything wrong.

use playbook_engine::{POSITIONS, Tool, Value};
use playbook_lang::{Program, SourceFile};
use playbook_run::{CommandTools, McpOperator, McpTools, Tools};
use reflexio_test_support::McpServer;
use serde_json::{Value as Json, json};

fn program(remote: &str, steps: &str) -> Program {
    let text = format!(
        "# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n{steps}\n\n# Shop:MCP\nremote:\n  type: mcp\n{remote}\n"
    );
    let program = Program::parse(vec![SourceFile::new("a.md", text)]);
    assert!(!program.has_errors(), "{:?}", program.diagnostics());
    program
}

fn at(server: &McpServer, more: &str) -> Program {
    program(&format!("  url: {}\n  transport: streamable-http\n{more}", server.url), "- Shop.Words()")
}

fn operator() -> McpOperator {
    let variable = |name: &str| (name == "SHOP_TOKEN").then(|| "s3cret".to_owned());
    McpOperator { variable, may_run_commands: true }
}

fn positions(values: Json) -> Vec<(String, Value)> {
    vec![(POSITIONS.to_owned(), Value::from(values))]
}

async fn call(tools: &McpTools, program: &Program, tool: &str) -> Result<Json, String> {
    tools.call(program, tool, &[]).await.map(|value| serde_json::to_value(value).unwrap_or_default())
}

#[tokio::test]
async fn what_a_tool_gives_becomes_a_value() {
    let server = McpServer::start().await;
    let (tools, program) = (McpTools::new(operator()), at(&server, ""));
    let order = tools.call(&program, "Shop.FindOrder", &positions(json!(["A-1", "north"]))).await;
    assert_eq!(order, Ok(Value::from(json!({ "id": "A-1", "price": 12 }))));
    assert_eq!(server.calls(), [("find_order".to_owned(), json!({ "id": "A-1", "shop": "north" }))]);
    // A result that is no object comes in one, here in a stream of events.
    assert_eq!(tools.call(&program, "Shop.add", &positions(json!(["2", 3]))).await, Ok(Value::Int(5)));
    assert_eq!(call(&tools, &program, "Shop.words").await, Ok(json!("two\nwords")));
    assert_eq!(call(&tools, &program, "Shop.nothing").await, Ok(Json::Null));
    assert_eq!(
        call(&tools, &program, "Shop.picture").await.map(|all| all[0]["type"].clone()),
        Ok(json!("image"))
    );
    assert_eq!(server.sessions(), 1, "one connection is enough");
}

#[tokio::test]
async fn a_server_without_handshake_and_sessions_is_called_as_well() {
    let server = McpServer::start().await;
    server.modernise();
    let (tools, program) = (McpTools::new(operator()), at(&server, ""));
    assert_eq!(tools.call(&program, "Shop.Add", &positions(json!([2, 3]))).await, Ok(Value::Int(5)));
    assert_eq!(call(&tools, &program, "Shop.words").await, Ok(json!("two\nwords")));
    assert_eq!(server.sessions(), 0);
}

#[tokio::test]
async fn a_failure_says_what_to_do_and_leaves_the_next_call_alone() {
    let server = McpServer::start().await;
    let (tools, program) = (McpTools::new(operator()), at(&server, ""));
    for (tool, words) in [
        ("Shop.closed", "the shop is closed"),
        ("Shop.crash", "its server answered with status 500"),
        ("Shop.garbage", "its server does not speak MCP"),
        ("Shop.huge", "the answer is larger than 4194304 bytes"),
        ("Shop.FindOrdr", "its server has no such tool; did you mean `find_order`?"),
        ("Shop.find_order", "`id` is missing"),
        ("Desk.words", "there is no tool `Desk.words`"),
    ] {
        let failed = call(&tools, &program, tool).await.expect_err(tool);
        assert!(failed.contains(words), "{tool}: {failed}");
        assert_eq!(call(&tools, &program, "Shop.words").await, Ok(json!("two\nwords")), "after {tool}");
    }
    let hurried = at(&server, "  timeout: 0.2\n");
    let failed = call(&tools, &hurried, "Shop.hang").await.expect_err("it hangs");
    assert_eq!(failed, "its server did not answer within 0.2 seconds");
    assert_eq!(call(&tools, &program, "Shop.words").await, Ok(json!("two\nwords")));
    let named = |name: &str| vec![(name.to_owned(), Value::from("A")), ("shop".to_owned(), Value::from("b"))];
    for (args, words) in [
        (
            positions(json!(["A", "b", "c"])),
            "it takes 2 argument(s) without a name, and more were given; name the others",
        ),
        (
            [positions(json!(["A"])), named("limt")].concat(),
            "it has no parameter `limt`; it has id, shop, limit, note",
        ),
        ([positions(json!(["A"])), named("id")].concat(), "`id` is given twice"),
        (positions(json!([["A"], "b"])), "`id`: [\"A\"] is not of type `str`"),
    ] {
        let called = server.calls().len();
        let failed = tools.call(&program, "Shop.find_order", &args).await.unwrap_err();
        assert!(failed.contains(words), "{failed}");
        assert_eq!(server.calls().len(), called, "a call that cannot be right is not made");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_and_one_that_comes_back_is_used() {
    let server = McpServer::start().await;
    let (tools, program) = (McpTools::new(operator()), at(&server, ""));
    assert!(call(&tools, &program, "Shop.words").await.is_ok());
    server.forget_sessions();
    assert!(call(&tools, &program, "Shop.words").await.is_ok(), "a session that was lost is made again");
    assert_eq!((server.sessions(), server.calls().len()), (2, 2));
    drop(server);
    let nowhere =
        self::program("  url: http://127.0.0.1:9/mcp\n  transport: streamable-http", "- Shop.Words()");
    let failed = call(&tools, &nowhere, "Shop.words").await.expect_err("nobody is there");
    assert!(failed.contains("its server cannot be reached: ") && failed.contains("refused"), "{failed}");
}

#[tokio::test]
async fn credentials_are_sent_and_never_shown() {
    let bearer = "  auth:\n    type: bearer\n    token: ${SHOP_TOKEN}\n";
    let basic = "  auth:\n    type: basic\n    username: me\n    password: ${SHOP_TOKEN}\n";
    let key = "  auth:\n    type: api_key\n    key: ${SHOP_TOKEN}\n";
    for (auth, header, value) in [
        (bearer, "authorization", "Bearer s3cret"),
        (basic, "authorization", "Basic bWU6czNjcmV0"),
        (key, "x-api-key", "s3cret"),
    ] {
        let server = McpServer::start().await;
        server.want(header, value);
        let (tools, program) = (McpTools::new(operator()), at(&server, auth));
        assert_eq!(call(&tools, &program, "Shop.words").await, Ok(json!("two\nwords")), "{auth}");
        let gossip = call(&tools, &program, "Shop.gossip").await.expect_err("it repeats what it was told");
        assert!(!gossip.contains("s3cret") && !gossip.contains("czNjcmV0"), "{gossip}");
        server.want(header, "another");
        let failed = call(&tools, &program, "Shop.words").await.expect_err("they are wrong");
        assert!(
            failed.contains("refuses the credentials (status 401)") && !failed.contains("s3cret"),
            "{failed}"
        );
    }
    let server = McpServer::start().await;
    let program = at(&server, &bearer.replace("SHOP_TOKEN", "NOBODY_SET_THIS"));
    let failed = call(&McpTools::new(operator()), &program, "Shop.words").await.expect_err("it is not set");
    assert!(failed.contains("${NOBODY_SET_THIS}, which the environment does not have"), "{failed}");
}

#[tokio::test]
async fn services_of_the_cloud_are_not_called() {
    let program =
        program("  url: http://169.254.169.254/mcp\n  transport: streamable-http", "- Shop.Words()");
    let failed = call(&McpTools::new(operator()), &program, "Shop.words").await;
    assert_eq!(failed, Err("the address of `url` may not be called".to_owned()));
}

#[tokio::test]
async fn commands_are_started_only_where_that_is_allowed() {
    let program = program("  url: echo no licence >&2; exit 3\n  transport: stdio", "- Shop.Words()");
    let failed = call(&McpTools::default(), &program, "Shop.words").await.expect_err("not allowed");
    assert!(failed.contains("the operator has not allowed that"), "{failed}");
    let failed = call(&McpTools::new(operator()), &program, "Shop.words").await.expect_err("it ends at once");
    assert!(failed.contains("its server cannot be reached") && failed.contains("no licence"), "{failed}");
}

/// A server over pipes: it answers each line by its number, with the list for everything that is not a call.
const PIPES: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p'); [ -n "$id" ] || continue
  case "$line" in
    *server/discover*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id";;
    *initialize*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
    *tools/list*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"pid","inputSchema":{"type":"object"}},{"name":"die","inputSchema":{"type":"object"}}]}}\n' "$id";;
    *'"die"'*) exit 0;;
    *) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$$";;
  esac
done"#;

#[tokio::test]
async fn a_command_is_kept_and_started_again_when_it_died() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("server.sh");
    std::fs::write(&script, PIPES).expect("a file");
    let remote = format!("  url: exec sh {}\n  transport: stdio\n  timeout: 20", script.display());
    let (tools, program) = (McpTools::new(operator()), program(&remote, "- Shop.Pid()"));
    let first = call(&tools, &program, "Shop.pid").await.expect("it answers");
    assert_eq!(call(&tools, &program, "Shop.Pid").await, Ok(first.clone()), "one process is enough");
    let failed = call(&tools, &program, "Shop.die").await.expect_err("it died");
    assert!(failed.contains("its server cannot be reached"), "{failed}");
    assert_ne!(call(&tools, &program, "Shop.pid").await.expect("a new one"), first);
}

#[tokio::test]
async fn a_model_sees_what_servers_offer_and_a_program_without_one_asks_nobody() {
    let server = McpServer::start().await;
    let remote = format!("  url: {}\n  transport: streamable-http", server.url);
    let tools = Tools { commands: CommandTools::default(), mcp: McpTools::new(operator()) };
    let native = program(&remote, "- $order = Shop.FindOrder(\"A-1\", \"north\")");
    let offered = tools.offered(&native).await;
    assert_eq!((offered.tools, server.sessions()), (vec![Tool::open("Shop.FindOrder")], 0));

    let told = program(
        &remote,
        "- $order = Shop.FindOrder(\"A-1\", \"north\")\n- Shop.Nowhere()\n- Cheer the user up",
    );
    let offered = tools.offered(&told).await;
    let find = offered.tools.iter().find(|tool| tool.name == "Shop.FindOrder").expect("as it is written");
    let params: Vec<_> = find.params.iter().map(|param| (param.name.as_str(), param.is_named_only)).collect();
    assert_eq!(params, [("id", false), ("shop", false), ("limit", true), ("note", true)]);
    assert_eq!(find.description, "Does find_order.");
    assert!(offered.tools.contains(&Tool::open("Shop.Nowhere")), "it fails when it is called");
    assert!(offered.tools.iter().any(|tool| tool.name == "Shop.words" && !tool.is_open));
    assert!(!offered.tools.iter().any(|tool| tool.name == "Shop.find_order"), "a tool has one name");

    let gone = program(
        "  url: http://127.0.0.1:9\n  transport: streamable-http",
        "- Shop.Words()\n- Cheer the user up",
    );
    let offered = tools.offered(&gone).await;
    assert_eq!(offered.tools, [Tool::open("Shop.Words")]);
    assert!(offered.silent[0].0 == "Shop" && offered.silent[0].1.contains("cannot be reached"));
}

#[tokio::test]
async fn a_command_takes_the_place_of_a_tool_and_of_a_whole_server() {
    let server = McpServer::start().await;
    let command = "Shop.Words() => echo mine".parse().expect("a tool");
    let tools = Tools { commands: CommandTools::new(vec![command]), mcp: McpTools::new(operator()) };
    let program = program(
        &format!("  url: {}\n  transport: streamable-http", server.url),
        "- $x = Shop.Words()\n- Cheer the user up",
    );
    let offered = tools.offered(&program).await;
    assert_eq!((offered.tools.len(), server.sessions()), (0, 0), "the server is not needed");
    assert_eq!(tools.call(&program, "Shop.Words", &[]).await, Ok(Value::from("mine")));
    assert_eq!(tools.call(&program, "Shop.nothing", &[]).await, Ok(Value::None));
    assert_eq!(server.calls(), [("nothing".to_owned(), json!({}))]);
}
