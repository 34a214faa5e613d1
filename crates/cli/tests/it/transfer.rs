//! Backups and exports: what goes out comes back.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::assert_snapshot;
use crate::rows::Filled;
use crate::support::{Server, folder, reflexio, write};

fn export(data: &Path) -> String {
    reflexio("export --data-dir").arg(data).ok().stdout
}

/// A one-pixel picture.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn filled() -> Server {
    let server = Filled::new().server;
    let picture = json!([{"content": "look", "image_encoding": PNG}]);
    server.reflexio("publish --user-id ann --data").arg(picture.to_string()).ok();
    server.reflexio("config set window_size 20").ok();
    server
}

#[test]
fn an_export_of_an_import_is_the_same_export() {
    let server = filled();
    let folder = folder();
    let before = export(&server.data_dir());
    let header: Value = serde_json::from_str(before.lines().next().expect("a header")).expect("JSON");
    assert_eq!(header, json!({"reflexio_export": 1, "version": env!("CARGO_PKG_VERSION"), "org": "default"}));
    let file = write(folder.path(), "export.jsonl", &before);
    let other = folder.path().join("other");
    let import = || reflexio("import --data-dir").arg(&other).arg(&file);
    let count = before.lines().count() - 1;
    assert_eq!(import().ok().stdout, format!("{count} new, 0 already there\n"));
    assert_eq!(export(&other), before);
    assert_eq!(import().json(), json!({"new": 0, "already_there": count, "org": "default"}));
    assert_eq!(export(&other), before);
    reflexio("doctor --deep --offline --data-dir").arg(&other).ok();
}

#[test]
fn an_export_goes_to_a_file_or_through_a_pipe() {
    let server = filled();
    let folder = folder();
    let file = folder.path().join("export.jsonl");
    server.reflexio("export").arg(&file).ok();
    let written = std::fs::read_to_string(&file).expect("a file");
    assert_eq!(written, export(&server.data_dir()));
    let output =
        reflexio("import - --org copy --data-dir").arg(folder.path().join("other")).stdin(&written).ok();
    assert!(output.stdout.ends_with("0 already there\n"), "{output}");
    let copy = reflexio("export --org copy --data-dir").arg(folder.path().join("other")).ok().stdout;
    assert_eq!(copy.lines().skip(1).collect::<Vec<_>>(), written.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn a_broken_line_is_named_and_its_batch_is_not_stored() {
    let server = filled();
    let folder = folder();
    let mut lines: Vec<String> = export(&server.data_dir()).lines().map(str::to_owned).collect();
    lines.insert(3, "{\"record\":\"nonsense\"}".to_owned());
    let file = write(folder.path(), "broken.jsonl", &lines.join("\n"));
    let other = folder.path().join("other");
    let output = reflexio("import --data-dir").arg(&other).arg(&file).run();
    assert_eq!(output.code, Some(6));
    assert_snapshot!("import_broken_line", output);
    assert_eq!(export(&other).lines().count(), 1, "nothing but the header");
    let file = write(folder.path(), "other.jsonl", "{\"user_id\": 1}\n");
    assert_snapshot!("import_other_file", reflexio("import --data-dir").arg(&other).arg(&file).run());
    let file =
        write(folder.path(), "newer.jsonl", "{\"reflexio_export\":9,\"version\":\"9\",\"org\":\"o\"}\n");
    assert_eq!(reflexio("import --data-dir").arg(&other).arg(&file).run().code, Some(6));
}

#[test]
fn a_row_with_other_content_under_its_id_stops_an_import() {
    let server = filled();
    let folder = folder();
    let text = export(&server.data_dir()).replace("likes a quick refund", "likes a slow refund");
    let file = write(folder.path(), "changed.jsonl", &text);
    let before = export(&server.data_dir());
    let output = server.reflexio("import").arg(&file).run();
    assert_eq!(output.code, Some(1));
    assert_snapshot!("import_conflict", output);
    assert_eq!(export(&server.data_dir()), before);
}

#[test]
fn many_rows_go_in_batches() {
    let server = Server::start();
    let folder = folder();
    let turn = json!({"user_id": "u", "interaction_data_list": [{"content": "word"}]}).to_string();
    let file = write(folder.path(), "bulk.jsonl", &vec![turn; 600].join("\n"));
    server.reflexio("publish --file").arg(&file).ok();
    let text = export(&server.data_dir());
    assert_eq!(text.lines().count(), 1201);
    let file = write(folder.path(), "export.jsonl", &text);
    let other = folder.path().join("other");
    let broken = write(folder.path(), "broken.jsonl", &format!("{text}{{broken\n"));
    let output = reflexio("import --data-dir").arg(&other).arg(&broken).run();
    assert!(output.stderr.contains("line 1202 is not a record"), "{output}");
    assert!(output.stderr.contains("1000 records before it were stored"), "{output}");
    let answer = reflexio("import --data-dir").arg(&other).arg(&file).json();
    assert_eq!((&answer["new"], &answer["already_there"]), (&json!(200), &json!(1000)));
    assert_eq!(export(&other), text);
}

#[test]
fn a_backup_of_a_running_server_is_restored_elsewhere() {
    let server = filled();
    let folder = Arc::new(folder());
    let file = folder.path().join("backup.db");
    assert_snapshot!("backup", server.reflexio("backup").arg(&file).ok());
    let taken = server.reflexio("backup").arg(&file).run();
    assert_eq!(taken.code, Some(1), "{taken}");
    let before = export(&server.data_dir());
    let other = folder.path().join("data");
    assert_snapshot!("restored", reflexio("restore --data-dir").arg(&other).arg(&file).ok());
    assert_eq!(export(&other), before);
    let copy = Server::start_in(folder, &[]);
    copy.reflexio("doctor --deep").ok();
    assert_eq!(copy.reflexio("interactions list").json(), server.reflexio("interactions list").json());
}

#[test]
fn a_restore_never_destroys_anything() {
    let server = filled();
    let data = server.data_dir();
    let held = server.folder();
    let folder = folder();
    let file = folder.path().join("backup.db");
    server.reflexio("backup").arg(&file).ok();
    server.reflexio("publish --user-id late --user-message").arg("after the backup").ok();
    let newest = export(&data);
    let restore = || reflexio("restore --data-dir").arg(&data).arg(&file);
    assert_snapshot!("restore_while_running", restore().arg("--force").run());
    assert_eq!(server.stop().0.code(), Some(0));
    assert_snapshot!("restore_over_a_database", restore().run());
    let garbage = write(folder.path(), "garbage.db", "this is not a database, not at all");
    let output = reflexio("restore --force --data-dir").arg(&data).arg(&garbage).run();
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(export(&data), newest, "a backup that is none changes nothing");
    assert!(!data.join("reflexio.db.restoring").exists());
    assert_snapshot!("restore_forced", restore().arg("--force").ok());
    assert!(!export(&data).contains("after the backup"));
    let again = restore().arg("--force").run();
    assert_eq!(again.code, Some(1), "{again}");
    let kept = data.join("reflexio.db.before-restore");
    let old = folder.path().join("old");
    reflexio("restore --data-dir").arg(&old).arg(&kept).ok();
    assert_eq!(export(&old), newest);
    drop(held);
}

#[test]
fn what_was_lost_with_a_log_is_kept_with_it() {
    let mut server = filled();
    let data = server.data_dir();
    let folder = server.folder();
    let file = folder.path().join("backup.db");
    server.reflexio("backup").arg(&file).ok();
    server.reflexio("publish --user-id late --user-message").arg("only in the log").ok();
    server.kill();
    assert!(data.join("reflexio.db-wal").exists(), "a killed server leaves its log behind");
    reflexio("restore --force --data-dir").arg(&data).arg(&file).ok();
    assert!(!export(&data).contains("only in the log"));
    reflexio("doctor --deep --offline --data-dir").arg(&data).ok();
    let old = folder.path().join("old");
    reflexio("restore --data-dir").arg(&old).arg(data.join("reflexio.db.before-restore")).ok();
    assert!(export(&old).contains("only in the log"));
}

#[test]
fn a_backup_replaces_a_damaged_database() {
    let server = filled();
    let (data, folder) = (server.data_dir(), server.folder());
    let file = folder.path().join("backup.db");
    server.reflexio("backup").arg(&file).ok();
    let before = export(&data);
    drop(server);
    std::fs::write(data.join("reflexio.db"), "garbage ".repeat(2000)).expect("damage");
    let refused = reflexio("serve --port 0 --data-dir").arg(&data).run();
    assert_snapshot!("serve_damaged", refused);
    reflexio("restore --force --data-dir").arg(&data).arg(&file).ok();
    assert_eq!(export(&data), before);
}
