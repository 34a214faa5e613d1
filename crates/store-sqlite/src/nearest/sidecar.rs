//! The indexes in memory as a file beside the database, so that a start need not read every row.
//!
//! The file is written at an orderly end and belongs to exactly that state of the database: its id stands in the
//! table `sidecars` until somebody changes what the indexes hold. Without it, or with another id, they are read from the
//! tables. Whoever starts with it takes it away, since it holds words of people who may ask to be forgotten.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reflexio_store::VectorModel;
use reflexio_vectors::Options;
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use super::live::{Indexes, Live, Model};
use super::texts::Texts;
use crate::error::Result;
use crate::fts::Index;

const MAGIC: &[u8; 8] = b"rfxmem\x00\x01";

/// What stands before the indexes.
#[derive(Serialize, Deserialize)]
struct Header {
    id: String,
    /// In the order of their numbers.
    names: Vec<String>,
    model: Option<ModelHeader>,
    /// Bytes of each index: words first, then vectors, in the order of [`Index::ALL`].
    sizes: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
struct ModelHeader {
    key: i64,
    id: String,
    dimension: usize,
}

/// Writes what is in memory, if all of it is there. Runs in the transaction that notes the id, on the writer's thread.
pub(crate) fn save(sql: &Connection, path: &Path, live: &Live) -> Result<bool> {
    let Some((header, parts)) = contents(sql, live)? else { return Ok(false) };
    let file = place(path);
    let partial = file.with_extension("index-partial");
    let written = write(&partial, &header, &parts).and_then(|()| Ok(std::fs::rename(&partial, &file)?));
    if written.is_err() {
        // It holds what people said; that it cannot be removed either is the smaller news.
        let _ = std::fs::remove_file(&partial);
    }
    written?;
    sql.execute("DELETE FROM sidecars", [])?;
    sql.execute("INSERT INTO sidecars (id) VALUES (?)", [&header.id])?;
    live.set_saved(true);
    Ok(true)
}

fn contents(sql: &Connection, live: &Live) -> Result<Option<(Header, Vec<Vec<u8>>)>> {
    let Some(texts) = live.texts().filter(|_| live.may_be_saved()) else { return Ok(None) };
    let Some(mut parts) = texts.save() else { return Ok(None) };
    let model = live.model().filter(|model| !model.is_loading());
    let model = model.map(|model| {
        parts.extend(model.save());
        ModelHeader { key: model.key, id: model.model.id.clone(), dimension: model.model.dimension }
    });
    let id = sql.query_row("SELECT hex(randomblob(16))", [], |row| row.get(0))?;
    let sizes = parts.iter().map(Vec::len).collect();
    Ok(Some((Header { id, names: live.names.all(), model, sizes }, parts)))
}

fn write(path: &Path, header: &Header, parts: &[Vec<u8>]) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(path)?;
    let header = serde_json::to_vec(header)?;
    file.write_all(MAGIC)?;
    file.write_all(&(header.len() as u64).to_le_bytes())?;
    file.write_all(blake3::hash(&header).as_bytes())?;
    file.write_all(&header)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    Ok(file.sync_all()?)
}

/// Forgets that there is a file: what it holds is not what the tables hold any more.
pub(crate) fn invalidate(sql: &Connection, live: &Live) -> Result<()> {
    sql.prepare_cached("DELETE FROM sidecars")?.execute([])?;
    live.set_saved(false);
    Ok(())
}

/// The indexes as they were at the last orderly end; empty ones if there is no file that fits. The file is gone then.
pub(crate) fn take(sql: &Connection, path: &Path) -> Result<Live> {
    let noted: Option<String> = sql.query_row("SELECT id FROM sidecars", [], |row| row.get(0)).optional()?;
    sql.execute("DELETE FROM sidecars", [])?;
    let file = place(path);
    let live = noted.and_then(|id| {
        let bytes = std::fs::read(&file).ok()?;
        let live = read(&bytes, &id);
        if live.is_none() {
            tracing::warn!(file = %file.display(), "the saved indexes cannot be used; they are read from the tables");
        }
        live
    });
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(live.unwrap_or_default()),
    }
}

fn read(bytes: &[u8], id: &str) -> Option<Live> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (digest, rest) = rest.split_first_chunk::<32>()?;
    let (header, mut rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    if blake3::hash(header).as_bytes() != digest {
        return None;
    }
    let header: Header = serde_json::from_slice(header).ok()?;
    let mut parts = Vec::new();
    for size in &header.sizes {
        let (part, after) = rest.split_at_checked(*size)?;
        parts.push(part);
        rest = after;
    }
    if header.id != id || !rest.is_empty() {
        return None;
    }
    let (words, vectors) = parts.split_at_checked(Index::ALL.len())?;
    let live = Live::default();
    live.names.restore(&header.names);
    live.restore_texts(Arc::new(Texts::restored(words)?));
    if let Some(ModelHeader { key, id, dimension }) = header.model {
        let indexes = indexes(vectors, dimension)?;
        live.switch(Some(Arc::new(Model::restored(key, VectorModel { id, dimension }, indexes))));
    }
    Some(live)
}

fn indexes(parts: &[&[u8]], dimension: usize) -> Option<Indexes> {
    let load = |(index, bytes): (Index, &&[u8])| {
        let (loaded, _) = reflexio_vectors::Index::load(bytes, Options::new(dimension)).ok()?;
        Some((index, loaded))
    };
    if parts.len() == Index::ALL.len() { Index::ALL.into_iter().zip(parts).map(load).collect() } else { None }
}

fn place(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".index");
    PathBuf::from(name)
}
