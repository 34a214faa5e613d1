//! An MCP server on loopback, which can also do everything wrong.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

const VERSION: &str = "2025-06-18";
/// Tools on a page of the list.
const PAGE: usize = 3;

/// It speaks the protocol with sessions over streamable HTTP, or the one of 2026.
pub struct McpServer {
    pub url: String,
    inner: Arc<Mutex<Inner>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Inner {
    /// It speaks the protocol of 2026, which has no handshake and no sessions.
    is_modern: bool,
    /// Header and value that every request must have.
    wanted: Option<(String, String)>,
    sessions: usize,
    /// Sessions up to this one are forgotten.
    forgotten: usize,
    calls: Vec<(String, Value)>,
}

impl McpServer {
    pub async fn start() -> Self {
        let inner = Arc::new(Mutex::new(Inner::default()));
        let router = Router::new().route("/mcp", post(answer)).with_state(Arc::clone(&inner));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { url: format!("http://{address}/mcp"), inner, task }
    }

    /// From now on it speaks the protocol of 2026, and no other.
    pub fn modernise(&self) {
        self.lock().is_modern = true;
    }

    /// From now on every request must have this header.
    pub fn want(&self, header: &str, value: &str) {
        self.lock().wanted = Some((header.to_owned(), value.to_owned()));
    }

    /// As if it had been started again.
    pub fn forget_sessions(&self) {
        let mut inner = self.lock();
        inner.forgotten = inner.sessions;
    }

    pub fn sessions(&self) -> usize {
        self.lock().sessions
    }

    /// Which tools were called, with which arguments.
    pub fn calls(&self) -> Vec<(String, Value)> {
        self.lock().calls.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for McpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn tools() -> Vec<Value> {
    let tool = |name: &str, required: Value, properties: Value| {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "name": name, "description": format!("Does {name}."), "inputSchema": schema })
    };
    let none = || (json!([]), json!({}));
    let mut all = vec![
        tool(
            "find_order",
            json!(["id", "shop"]),
            json!({ "shop": { "type": "string" }, "id": { "type": "string" }, "note": {}, "limit": {} }),
        ),
        tool("add", json!(["a", "b"]), json!({ "a": { "type": "integer" }, "b": { "type": "integer" } })),
    ];
    for name in ["words", "nothing", "closed", "gossip", "crash", "garbage", "huge", "hang", "picture"] {
        let (required, properties) = none();
        all.push(tool(name, required, properties));
    }
    all
}

async fn answer(
    State(inner): State<Arc<Mutex<Inner>>>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Response {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default();
    let result = {
        let mut inner = inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.wanted.as_ref().is_some_and(|(name, value)| header(name) != value) {
            return StatusCode::UNAUTHORIZED.into_response();
        }
        if inner.is_modern && matches!(method, "initialize" | "server/discover") {
            let result = json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} }, "ttlMs": 0, "cacheScope": "private" });
            return match method {
                "initialize" => StatusCode::NOT_FOUND.into_response(),
                _ => reply(&message, &result).into_response(),
            };
        }
        if method == "initialize" {
            inner.sessions += 1;
            let session = inner.sessions.to_string();
            let server = json!({ "name": "test", "version": "1" });
            let result =
                json!({ "protocolVersion": VERSION, "capabilities": { "tools": {} }, "serverInfo": server });
            return ([("mcp-session-id", session)], reply(&message, &result)).into_response();
        }
        match header("mcp-session-id").parse::<usize>() {
            _ if inner.is_modern => {}
            Err(_) => return (StatusCode::BAD_REQUEST, "a session is needed").into_response(),
            Ok(session) if session <= inner.forgotten => return StatusCode::NOT_FOUND.into_response(),
            Ok(_) => {}
        }
        match method {
            "notifications/initialized" => return StatusCode::ACCEPTED.into_response(),
            "tools/list" => listed(&message),
            "tools/call" => {
                let (name, args) = (&message["params"]["name"], &message["params"]["arguments"]);
                inner.calls.push((name.as_str().unwrap_or_default().to_owned(), args.clone()));
                called(name.as_str().unwrap_or_default(), args, header("authorization"))
            }
            _ => return StatusCode::NOT_FOUND.into_response(),
        }
    };
    match result {
        Reply::Json(result) => reply(&message, &result).into_response(),
        Reply::Events(result) => {
            let progress = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "…" } });
            let body = format!(
                "event: message\ndata: {progress}\n\n: a comment\n\ndata: {}\n\n",
                whole(&message, &result)
            );
            ([("content-type", "text/event-stream")], body).into_response()
        }
        Reply::Raw(status, body) => (status, [("content-type", "application/json")], body).into_response(),
        Reply::Never => std::future::pending().await,
    }
}

enum Reply {
    Json(Value),
    Events(Value),
    Raw(StatusCode, &'static str),
    Never,
}

fn listed(message: &Value) -> Reply {
    let from = message["params"]["cursor"].as_str().and_then(|at| at.parse().ok()).unwrap_or(0);
    let all = tools();
    let page: Vec<&Value> = all.iter().skip(from).take(PAGE).collect();
    let next = (from + PAGE < all.len()).then(|| (from + PAGE).to_string());
    Reply::Json(match next {
        Some(next) => json!({ "tools": page, "nextCursor": next }),
        None => json!({ "tools": page }),
    })
}

fn called(name: &str, args: &Value, authorization: &str) -> Reply {
    let text = |text: &str| json!({ "type": "text", "text": text });
    match name {
        "find_order" => {
            let order = json!({ "id": args["id"], "price": 12 });
            Reply::Json(json!({ "content": [text(&order.to_string())], "structuredContent": order }))
        }
        "add" => {
            let sum = args["a"].as_i64().unwrap_or(0) + args["b"].as_i64().unwrap_or(0);
            Reply::Events(
                json!({ "content": [text(&sum.to_string())], "structuredContent": { "result": sum } }),
            )
        }
        "words" => Reply::Json(json!({ "content": [text("two"), text("words")] })),
        "nothing" => Reply::Json(json!({ "content": [] })),
        "closed" => Reply::Json(json!({ "content": [text("the shop is closed")], "isError": true })),
        "gossip" => Reply::Json(json!({ "content": [text(authorization)], "isError": true })),
        "picture" => {
            Reply::Json(json!({ "content": [{ "type": "image", "data": "AAAA", "mimeType": "image/png" }] }))
        }
        "crash" => Reply::Raw(StatusCode::INTERNAL_SERVER_ERROR, "oh no"),
        "garbage" => Reply::Raw(StatusCode::OK, "<html>"),
        "huge" => Reply::Json(json!({ "content": [text(&"x".repeat(10 << 20))] })),
        _ => Reply::Never,
    }
}

fn reply(message: &Value, result: &Value) -> Json<Value> {
    Json(whole(message, result))
}

fn whole(message: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
}
