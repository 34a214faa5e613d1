use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};

use serde_json::Value;

use crate::assert_snapshot;
use crate::rows::Filled;
use crate::support::{Server, reflexio};

#[test]
fn a_sound_server_passes_every_check_and_is_left_clean() {
    let server = Server::start();
    assert_snapshot!("doctor", server.reflexio("doctor --deep").ok());
    assert_eq!(server.reflexio("status").json()["storage"]["request_count"], 0);
    let report = server.reflexio("doctor --deep").json();
    assert_eq!(report["ok"], true);
    assert_eq!(report["integrity"]["problems"], serde_json::json!([]));
}

#[test]
fn a_server_that_is_not_there_fails_the_first_check() {
    let output = reflexio("doctor --server-url http://127.0.0.1:9").run();
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.starts_with('✗'), "{output}");
    assert!(output.stdout.contains("hint: start a server with `reflexio serve`"), "{output}");
    let output = reflexio("doctor --json --server-url http://127.0.0.1:9").run();
    let report: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!((output.code, &report["ok"]), (Some(1), &serde_json::json!(false)));
}

#[test]
fn a_damaged_database_is_found() {
    let filled = Filled::new();
    let (folder, data) = (filled.server.folder(), filled.server.data_dir());
    let (status, _) = filled.server.stop();
    assert!(status.success());
    let check = || reflexio("doctor --deep --offline --data-dir").arg(&data).run();
    assert_eq!(check().code, Some(0));
    let path = data.join("reflexio.db");
    let length = std::fs::metadata(&path).expect("a database").len();
    let mut file = OpenOptions::new().write(true).open(&path).expect("a file");
    for page in (length / 4096 / 2)..(length / 4096) {
        file.seek(SeekFrom::Start(page * 4096 + 100)).expect("a place");
        file.write_all(&[0x5a; 2000]).expect("damage");
    }
    let output = check();
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains('✗'), "{output}");
    drop(folder);
}
