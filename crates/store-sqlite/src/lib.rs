//! The store in one SQLite file.
//!
//! All writes go through one thread that commits many of them at once (`writer.rs`); reads run on a few
//! connections of their own and never wait for it (`readers.rs`). Text is found through FTS5 tables that
//! hold terms only (`fts/`). Most other files carry the names of the traits they implement.
//!
//! This crate must never make ids or read the clock for a row, and never let a statement run that does
//! not name the org (keys, the turns and totals of the queue, the age of calls, runs and injections, what all spent, and the
//! checks of the whole file aside).

mod agent_playbook_revisions;
mod agent_playbooks;
mod agent_versions;
mod aggregations;
mod analytics;
mod answers;
mod backup;
mod configs;
mod conversations;
mod costs;
mod error;
mod evaluations;
mod fts;
mod import;
mod injections;
mod integrity;
mod interactions;
mod jobs;
mod keys;
mod known;
mod learned;
mod learning;
mod lineage;
mod maintenance;
mod nearest;
mod operations;
mod optimizations;
mod outcomes;
#[cfg(test)]
mod plans;
mod playbook_runs;
mod predicate;
mod profiles;
mod purge;
mod readers;
mod recentre;
mod requests;
mod rows;
mod runs;
mod schema;
mod shadow_comparisons;
mod successors;
mod transfer;
mod upgrade;
mod user_playbooks;
mod vectors;
mod words;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use reflexio_store::{Ask, Result, Scored};
use reflexio_types::OrgId;

use crate::fts::Searchable;
use crate::jobs::turns::SharedTurns;
use crate::nearest::{Live, Scope, sidecar};
use crate::predicate::Predicate;
use crate::readers::Readers;
use crate::writer::{Limits, Writer};

/// What can be chosen when a database is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many reads may run at the same time.
    pub readers: usize,
    /// Start with the indexes that [`reflexio_store::Maintenance::suspend`] saved, for whoever searches a lot.
    pub restore: bool,
    /// The largest size the file may grow to, in pages of 4 KiB; then writes fail as on a full disk.
    pub most_pages: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 4, restore: false, most_pages: None }
    }
}

/// One open database file. Dropping it finishes the writes that are under way.
pub struct SqliteStore {
    path: PathBuf,
    writer: Writer,
    readers: Readers,
    live: Arc<Live>,
    turns: SharedTurns,
}

impl SqliteStore {
    /// Opens the file, or creates it, and brings its schema up to date.
    pub fn open(path: &Path, options: &Options) -> Result<Self> {
        let connection = schema::patiently(|| schema::open_writer(path, options))?;
        let readers = schema::patiently(|| Readers::open(path, options.readers))?;
        let live = if options.restore { sidecar::take(&connection, path)? } else { Live::default() };
        // Whoever does not take the file may make it useless: its first change says so.
        live.set_saved(!options.restore);
        let live = Arc::new(live);
        let writer = Writer::start(connection, Arc::clone(&live), Limits::default())?;
        Ok(Self { path: path.to_owned(), writer, readers, live, turns: SharedTurns::default() })
    }

    async fn search<R: Searchable + Send + 'static>(
        &self,
        org: &OrgId,
        scope: Scope,
        predicate: Predicate,
        ask: &Ask,
    ) -> Result<Vec<Scored<R>>> {
        let (live, org, ask) = (Arc::clone(&self.live), org.clone(), ask.clone());
        self.readers.read(move |sql| nearest::search(sql, &live, &org, &scope, &predicate, &ask)).await
    }
}
