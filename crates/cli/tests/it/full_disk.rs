//! A disk that is full, and one that cannot be written: clear errors, nothing lost, nothing half-written.
//!
//! The disk is a small tmpfs, which takes root. Without the right to mount one, the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, folder, reflexio};

/// A file system of its own on the data folder; gone when the test ends.
struct SmallDisk {
    folder: Arc<TempDir>,
    data: PathBuf,
}

impl SmallDisk {
    fn mount(megabytes: u32) -> Option<Self> {
        let folder = Arc::new(folder());
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a folder");
        let size = format!("size={megabytes}m");
        if !mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], &data) {
            skipped("this machine lets nobody mount a small disk, so a full one was NOT tested");
            return None;
        }
        Some(Self { folder, data })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.data).output();
    }
}

#[expect(clippy::print_stdout, reason = "what was not tested must be seen in the output of the test")]
fn skipped(why: &str) {
    println!("SKIPPED: {why}");
}

fn mount(arguments: &[&str], at: &Path) -> bool {
    let mounted = Command::new("mount").args(arguments).arg(at).output();
    mounted.is_ok_and(|output| output.status.success())
}

/// Publishes one big turn; the id if it was acknowledged, else what the server said.
fn publish(server: &Server, number: u32) -> Result<String, String> {
    let id = format!("request-{number}");
    let words: Vec<String> = (0..4000).map(|word| format!("w{number}x{word}")).collect();
    let request: Value =
        json!({"request_id": id, "user_id": "u", "interaction_data_list": [{"content": words.join(" ")}]});
    let output = server.reflexio("publish --stdin").stdin(request.to_string()).run();
    if output.code == Some(0) { Ok(id) } else { Err(output.stderr) }
}

fn stored(server: &Server) -> Vec<String> {
    let rows = server.reflexio("interactions list --limit 100000").json();
    let mut ids: Vec<String> = rows
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| row["request_id"].as_str().expect("an id").to_owned())
        .collect();
    ids.sort();
    ids
}

#[test]
fn a_full_disk_refuses_clearly_loses_nothing_and_recovers_with_space() {
    let Some(disk) = SmallDisk::mount(12) else { return };
    let ballast = disk.data.join("ballast");
    std::fs::write(&ballast, vec![0; 6 << 20]).expect("space for the ballast");
    let server = Server::start_in(disk.folder.clone(), &["--quiet"]);
    let mut acknowledged = Vec::new();
    let refusal = (0..2000).find_map(|number| match publish(&server, number) {
        Ok(id) => {
            acknowledged.push(id);
            None
        }
        Err(refusal) => Some(refusal),
    });
    let refusal = refusal.expect("the disk fills up");
    assert!(refusal.contains("the disk is full"), "{refusal}");
    assert!(!acknowledged.is_empty());
    acknowledged.sort();
    assert_eq!(stored(&server), acknowledged, "reading goes on, and what was refused is not there");
    std::fs::remove_file(&ballast).expect("the ballast");
    acknowledged.push(publish(&server, 5000).expect("there is space again"));
    acknowledged.sort();
    assert_eq!(stored(&server), acknowledged);
    server.reflexio("doctor --deep").ok();
    drop(server);
    let again = Server::start_in(disk.folder.clone(), &["--quiet"]);
    assert_eq!(stored(&again), acknowledged);
}

#[test]
fn a_disk_that_cannot_be_written_stops_the_start_with_a_clear_word() {
    let Some(disk) = SmallDisk::mount(4) else { return };
    if !mount(&["-o", "remount,ro", "tmpfs"], &disk.data) {
        skipped("the small disk could not be made read-only");
        return;
    }
    let output = reflexio("serve --port 0 --data-dir").arg(&disk.data).run();
    assert_ne!(output.code, Some(0));
    let said = output.stderr.to_lowercase();
    assert!(said.contains("read-only"), "{said}");
}
