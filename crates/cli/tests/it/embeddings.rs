use std::sync::Arc;

use serde_json::{Value, json};

use crate::assert_snapshot;
use crate::support::{Embedder, Server, folder, wait_for, write};

/// What `embeddings status` says once it fits.
fn status_when(server: &Server, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
    wait_for(what, || Some(server.reflexio("embeddings status").json()).filter(&fits))
}

fn waiting(status: &Value) -> u64 {
    status["kinds"].as_array().expect("kinds").iter().filter_map(|kind| kind["waiting"].as_u64()).sum()
}

#[test]
fn a_missing_model_is_named_with_the_way_to_get_it() {
    let folder = Arc::new(folder());
    let models = folder.path().join("models");
    let server = Server::start_in(folder, &["--model-dir", models.to_str().expect("a path")]);
    server.reflexio("publish --user-id ann --user-message hello").ok();
    assert_snapshot!("embeddings_without_a_model", server.reflexio("embeddings status").ok());
    let status = server.reflexio("embeddings status").json();
    assert_eq!((&status["index"], status.get("model")), (&json!("off"), None));
    let in_vain = server.reflexio("embeddings rebuild --wait").run();
    assert_eq!(in_vain.code, Some(1));
    assert_snapshot!("embeddings_rebuild_in_vain", in_vain);
    let (_, log) = server.stop();
    let told = log.lines().any(|line| line.contains("is missing") && line.contains("make model"));
    assert!(told, "{log}");
}

#[test]
fn a_damaged_model_is_named_with_the_way_to_get_another() {
    let folder = Arc::new(folder());
    write(folder.path(), "minilm-l6-v2.rfxm", "this is not a model");
    let models = folder.path().to_str().expect("a path").to_owned();
    let server = Server::start_in(folder, &["--model-dir", &models]);
    server.reflexio("publish --user-id ann --user-message hello").ok();
    status_when(&server, "the trouble", |status| status["trouble"].is_string());
    assert_snapshot!("embeddings_with_a_damaged_model", server.reflexio("embeddings status").ok());
    let found = server.reflexio("search hello --type interactions --user-id ann").json();
    assert_eq!(found["interactions"].as_array().map(Vec::len), Some(1), "words are searched all the same");
    let (_, log) = server.stop();
    let told = log.lines().any(|line| line.contains("cannot be used") && line.contains("make model"));
    assert!(told, "{log}");
}

#[test]
fn rows_are_counted_until_all_have_vectors_and_made_anew_on_request() {
    let embedder = Embedder::start();
    let server = Server::start_with(&["--embedder", "openai/test", "--embedder-url", &embedder.url]);
    server.reflexio("publish --user-id ann --user-message hello --agent-response hi").ok();
    status_when(&server, "vectors", |status| status["index"] == "ready" && waiting(status) == 0);
    assert_snapshot!("embeddings_status", server.reflexio("embeddings status").ok());
    let status = server.reflexio("embeddings status").json();
    assert_eq!((&status["model"], &status["dimension"]), (&json!("openai/test"), &json!(8)));
    assert_eq!((&status["indexed_rows"], status.get("trouble")), (&json!(2), None));

    assert_snapshot!("embeddings_rebuild", server.reflexio("embeddings rebuild").ok());
    status_when(&server, "vectors", |status| waiting(status) == 0);
    assert_snapshot!("embeddings_rebuild_wait", server.reflexio("embeddings rebuild --wait").ok());
    assert_eq!(waiting(&server.reflexio("embeddings status").json()), 0);
    let answer = server.reflexio("embeddings rebuild").json();
    assert_eq!(answer, json!({"success": true, "rows": 2}));
}

#[test]
fn an_embedder_that_does_not_exist_is_refused_at_once() {
    let data = folder();
    let command = crate::support::reflexio("serve --port 0 --embedder nonsense --data-dir");
    let output = command.arg(data.path()).run();
    assert_eq!(output.code, Some(2), "{output}");
    assert_snapshot!("embedder_unknown", output);
}
