//! What the tests of this folder share.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses a part of it")]

pub(crate) mod vectors;

use std::path::Path;
use std::process::Command;

use reflexio_store::{Maintenance, NewRequest, Requests, Result};
use reflexio_store_sqlite::{Options, SqliteStore};
use reflexio_types::{LearningIntent, OrgId, Request, Timestamp, Turn};
use tempfile::TempDir;

pub(crate) fn org() -> OrgId {
    OrgId::new("acme")
}

pub(crate) fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, &Options::default()).unwrap()
}

pub(crate) fn new_request(id: &str, texts: &[&str]) -> NewRequest {
    let request = Request {
        id: id.into(),
        user_id: "u1".into(),
        session_id: "s1".into(),
        created_at: Timestamp(1),
        source: String::new(),
        agent_version: "v1".to_owned(),
        experiment: None,
        intent: LearningIntent::default(),
    };
    let turns = texts.iter().map(|text| Turn::say(Timestamp(1), "User", text)).collect();
    NewRequest { request, turns, images: Vec::new(), job: None, also: Vec::new(), for_new_version: None }
}

pub(crate) async fn publish(store: &SqliteStore, id: &str) -> Result<()> {
    store.publish(&org(), new_request(id, &["I want a refund"])).await.map(drop)
}

/// A turn of about 50 kB.
pub(crate) async fn publish_long(store: &SqliteStore, id: &str) -> Result<()> {
    let text: String = (0..6000).map(|n| format!("{id}word{} ", n % 700)).collect();
    store.publish(&org(), new_request(id, &[&text])).await.map(drop)
}

/// How many requests are stored.
pub(crate) async fn count(store: &SqliteStore) -> u64 {
    store.stats(&org(), None).await.unwrap().request_count
}

/// A small disk of its own. Only root can make one; elsewhere the tests that need it do nothing.
pub(crate) struct Mount {
    folder: TempDir,
}

impl Mount {
    pub(crate) fn tmpfs(size: &str) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let options = format!("size={size}");
        run("mount", &["-t", "tmpfs", "-o", &options, "tmpfs"], folder.path()).then_some(Self { folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn make_read_only(&self) {
        assert!(run("mount", &["-o", "remount,ro"], self.path()));
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily, because the store that is dropped later may still hold its files.
        run("umount", &["--lazy"], self.path());
    }
}

fn run(program: &str, arguments: &[&str], path: &Path) -> bool {
    let output = Command::new(program).args(arguments).arg(path).output();
    output.is_ok_and(|output| output.status.success())
}
