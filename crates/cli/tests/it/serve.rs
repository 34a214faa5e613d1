use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use reflexio_api_types::PublishUserInteractionRequest;
use reflexio_client::Wait;
use serde_json::{Value, json};

use crate::assert_snapshot;
use crate::support::{Scripted, Server, folder, reflexio};

#[test]
fn a_person_sees_where_everything_is() {
    let server = Server::start();
    let ready = server.folder().path().join("ready");
    assert_eq!(std::fs::read_to_string(&ready).expect("a ready file"), format!("{}\n", server.url));
    let folder = server.folder();
    let (status, log) = server.stop();
    assert!(status.success());
    assert_snapshot!("banner", log);
    assert!(!ready.exists(), "a server that is gone is not ready");
    let (_, log) = Server::start_in(folder, &[]).stop();
    assert!(!log.contains("  try "), "only the first run needs advice: {log}");
}

#[test]
fn a_machine_sees_json_only() {
    let (status, log) = Server::start_with(&["--log-format", "json"]).stop();
    assert!(status.success());
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.iter().any(|line| line["fields"]["message"] == "listening"), "{log}");
    let (_, log) = Server::start_with(&["--quiet", "--log", "error"]).stop();
    assert_eq!(log, "");
}

#[test]
fn a_second_server_on_the_same_folder_is_refused() {
    let server = Server::start();
    let output = reflexio("serve --port 0 --data-dir").arg(server.data_dir()).run();
    assert_eq!(output.code, Some(1));
    assert_snapshot!("second_server", output);
    server.reflexio("status").ok();
}

#[test]
fn a_port_in_use_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port().to_string();
    let folder = folder();
    let output = reflexio("serve --port").arg(&port).arg("--data-dir").arg(folder.path().join("data")).run();
    assert_eq!(output.code, Some(1));
    assert_eq!(
        output.stderr,
        format!(
            "error: port {port} is already in use on 127.0.0.1\n\
             hint: choose another one with --port, or 0 for any that is free\n"
        )
    );
}

#[test]
fn an_open_door_needs_a_key() {
    let folder = folder();
    let data = folder.path().join("data");
    let refused = reflexio("serve --host 0.0.0.0 --port 0 --data-dir").arg(&data).run();
    assert_eq!(refused.code, Some(1));
    let text = refused.to_string().replace(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], "#");
    assert!(text.contains("will not listen on #.#.#.#:"), "{refused}");
    assert!(refused.stderr.contains("reflexio keys create --name NAME --data-dir"), "{refused}");
    assert!(refused.stderr.contains("REFLEXIO_API_KEY=SECRET reflexio serve --host 0.0.0.0"), "{refused}");

    let server = Server::start_with(&["--host", "0.0.0.0", "--api-key", "a-secret"]);
    assert_eq!(server.reflexio("status").run().code, Some(5));
    server.reflexio("status --api-key a-secret").ok();
    drop(server);
    let folder = std::sync::Arc::new(crate::support::folder());
    reflexio("keys create --name n --data-dir").arg(folder.path().join("data")).ok();
    drop(Server::start_in(folder, &["--host", "0.0.0.0"]));
}

#[test]
fn a_wrong_log_filter_is_refused() {
    let folder = folder();
    let output = reflexio("serve --port 0 --log ===").arg("--data-dir").arg(folder.path()).run();
    assert_eq!(output.code, Some(2), "{output}");
}

#[test]
fn metrics_have_sensible_buckets() {
    let server = Server::start();
    server.reflexio("publish --user-id u --user-message hi").ok();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let text = runtime.block_on(server.client().metrics()).expect("metrics");
    assert!(text.contains("reflexio_store_commit_batch_size_bucket"), "{text}");
    assert!(text.contains("reflexio_http_request_seconds_bucket"), "{text}");
    assert!(text.contains("le=\"0.001\""), "{text}");
}

#[test]
fn traces_reach_a_collector_before_the_server_ends() {
    let collector = Scripted::new(&[("200 OK", "")]);
    let server = Server::start_with(&["--otlp-endpoint", &collector.url]);
    server.reflexio("publish --user-id u --user-message hi").ok();
    let (status, log) = server.stop();
    assert!(status.success(), "{log}");
    let sent = collector.requests().concat();
    assert!(sent.starts_with("POST /v1/traces "), "{sent}");
    assert!(sent.contains("/api/publish_interaction"), "{sent}");
}

#[test]
fn a_server_that_is_asked_to_stop_keeps_what_it_acknowledged() {
    let server = Server::start();
    let (folder, client) = (server.folder(), server.client());
    let stopping = AtomicBool::new(false);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let acknowledged = std::thread::scope(|scope| {
        let publishing = scope.spawn(|| {
            runtime.block_on(async {
                let mut stored = Vec::new();
                for index in 0.. {
                    let id = format!("r-{index}");
                    let answer = client.publish(&request(&id), Wait::No).await;
                    match answer {
                        Ok(answer) if answer.success => stored.push(id),
                        Ok(answer) => panic!("{answer:?}"),
                        Err(_) => break,
                    }
                    if index == 50 {
                        stopping.store(true, Ordering::Relaxed);
                    }
                }
                stored
            })
        });
        crate::support::wait_for("load", || stopping.load(Ordering::Relaxed).then_some(()));
        let (status, log) = server.stop();
        assert!(status.success(), "{log}");
        publishing.join().expect("publishers")
    });
    assert!(acknowledged.len() > 50);
    let server = Server::start_in(folder, &[]);
    let rows = server.reflexio("interactions list --user-id u --limit 100000").json();
    let stored: std::collections::BTreeSet<&str> =
        rows.as_array().expect("a list").iter().filter_map(|row| row["request_id"].as_str()).collect();
    for id in &acknowledged {
        assert!(stored.contains(id.as_str()), "{id} was acknowledged and is gone");
    }
    server.reflexio("doctor --deep").ok();
}

fn request(id: &str) -> PublishUserInteractionRequest {
    let value = json!({"request_id": id, "user_id": "u", "interaction_data_list": [{"content": format!("turn of {id}")}]});
    serde_json::from_value(value).expect("a request")
}
