use std::sync::Arc;

use async_trait::async_trait;
use reflexio_store::{
    Embedded, Error, Result, RowRef, Unembedded, VectorCounts, VectorIndex, VectorModel, Vectors,
};
use reflexio_types::{OrgId, RowKind};
use rusqlite::{Connection, OptionalExtension};

use crate::error::Result as Outcome;
use crate::fts::Index;
use crate::nearest::{self, Model, Waiting, Which};
use crate::writer::Tx;
use crate::{SqliteStore, recentre};

/// So many rows are put on the list in one transaction: other writers wait for it a few milliseconds.
const QUEUED_AT_ONCE: usize = 2_000;

#[async_trait]
impl Vectors for SqliteStore {
    async fn use_model(&self, model: Option<&VectorModel>) -> Result<()> {
        let Some(model) = model else {
            self.live.switch(None);
            return Ok(());
        };
        if self.has_loaded(model).await? {
            return Ok(());
        }
        let indexes = nearest::empty(model).map_err(|error| Error::UnusableModel(error.to_string()))?;
        let wanted = model.clone();
        let (key, queued) = self.writer.write(move |tx| switch(tx.sql, &wanted)).await?;
        if !queued {
            // Before the index is ready: whoever sees that nothing waits may rely on it.
            self.queue(&Which::NotOfModel(key)).await?;
            self.writer.write(move |tx| mark_queued(tx.sql, key)).await?;
        }
        let index = Arc::new(Model::new(key, model.clone(), indexes));
        self.live.switch(Some(Arc::clone(&index)));
        let (path, live) = (self.path.clone(), Arc::clone(&self.live));
        let loading = tokio::task::spawn_blocking(move || nearest::load(&path, &live, &index));
        Ok(loading.await.map_err(|error| Error::Internal(Box::new(error)))??)
    }

    async fn unembedded(&self, limit: usize) -> Result<Vec<(OrgId, Vec<Unembedded>)>> {
        if self.live.model().is_none() {
            return Ok(Vec::new());
        }
        self.readers.read(move |sql| unembedded(sql, limit)).await
    }

    async fn put_vectors(
        &self,
        org: &OrgId,
        model: &VectorModel,
        rows: Vec<(RowRef, Embedded)>,
    ) -> Result<u64> {
        let Some(current) = self.live.model().filter(|current| current.model == *model) else {
            return Ok(0);
        };
        let (org, model) = (org.clone(), Arc::clone(&current));
        let taken = self.writer.write(move |tx| put(tx, &org, &model, rows)).await?;
        recentre::if_needed(&self.path, &current);
        Ok(taken)
    }

    async fn vector_counts(&self, org: &OrgId) -> Result<Vec<VectorCounts>> {
        let org = org.clone();
        let counted =
            move |sql: &Connection| RowKind::ALL.map(|kind| counts(sql, &org, kind)).into_iter().collect();
        self.readers.read(counted).await
    }

    async fn rebuild_vectors(&self, org: &OrgId) -> Result<u64> {
        let forgiven = org.clone();
        let again = self.writer.write(move |tx| forgive(tx.sql, &forgiven)).await?;
        Ok(again + self.queue(&Which::OfOrg(org.clone())).await?)
    }

    fn vector_index(&self) -> VectorIndex {
        self.live.state()
    }
}

impl SqliteStore {
    /// Whether the index of this model was restored, and nothing is left to do.
    async fn has_loaded(&self, model: &VectorModel) -> Result<bool> {
        let Some(current) =
            self.live.model().filter(|current| current.model == *model && !current.is_loading())
        else {
            return Ok(false);
        };
        let wanted = model.clone();
        let (key, queued) = self.writer.write(move |tx| switch(tx.sql, &wanted)).await?;
        Ok(queued && key == current.key)
    }

    /// Puts rows on the list, a few at a time.
    async fn queue(&self, which: &Which) -> Result<u64> {
        let mut total = 0;
        for index in Index::ALL {
            let mut last = 0;
            loop {
                let which = which.clone();
                let work =
                    move |tx: &mut Tx<'_>| nearest::queue_rows(tx.sql, index, &which, last, QUEUED_AT_ONCE);
                let (count, next) = self.writer.write(work).await?;
                total += count;
                match next {
                    Some(next) => last = next,
                    None => break,
                }
            }
        }
        Ok(total)
    }
}

/// The key of the model, and whether rows with vectors of other models wait for new ones already.
fn switch(sql: &Connection, model: &VectorModel) -> Outcome<(i64, bool)> {
    let dimension = i64::try_from(model.dimension).unwrap_or(i64::MAX);
    sql.execute(
        "INSERT INTO vector_models (id, dimension, in_use, queued) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING",
        (&model.id, dimension),
    )?;
    let (key, in_use): (i64, bool) = sql.query_row(
        "SELECT key, in_use FROM vector_models WHERE id = ? AND dimension = ?",
        (&model.id, dimension),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if !in_use {
        sql.execute("UPDATE vector_models SET in_use = (key = ?1), queued = 0", [key])?;
        // What one model refuses another may take.
        sql.execute("UPDATE unembedded SET refused = NULL WHERE refused IS NOT NULL", [])?;
    }
    let queued = sql.query_row("SELECT queued FROM vector_models WHERE key = ?", [key], |row| row.get(0))?;
    Ok((key, queued))
}

fn mark_queued(sql: &Connection, key: i64) -> Outcome<()> {
    sql.execute("UPDATE vector_models SET queued = 1 WHERE key = ?", [key])?;
    Ok(())
}

fn unembedded(sql: &Connection, limit: usize) -> Outcome<Vec<(OrgId, Vec<Unembedded>)>> {
    let mut found = Vec::new();
    for (org, rows) in nearest::waiting(sql, limit)? {
        let mut texts = Vec::with_capacity(rows.len());
        for row in rows {
            let Waiting { index, key, wording } = row;
            if let Some(text) = nearest::text_of(sql, index, &org, key)? {
                texts.push(Unembedded { row: RowRef { kind: index.kind(), key, wording }, text });
            }
        }
        found.push((org, texts));
    }
    Ok(found)
}

pub(crate) fn put(
    tx: &mut Tx<'_>,
    org: &OrgId,
    model: &Model,
    rows: Vec<(RowRef, Embedded)>,
) -> Outcome<u64> {
    let mut taken = 0;
    if !is_in_use(tx.sql, model.key)? {
        return Ok(taken);
    }
    // What was changed in this very transaction gets its new wording only at its end.
    let new_texts = tx.index.new_texts();
    for (row, embedded) in rows {
        let index = Index::from(row.kind);
        let is_new = [Some(row.key), None].iter().any(|key| new_texts.contains(&(index, *key)));
        if is_new || !still_waits(tx.sql, org, index, &row)? {
            continue;
        }
        match embedded {
            Embedded::Vector(vector) if model.fits(&vector) => {
                store_vector(tx.sql, org, index, row.key, model.key, &vector)?;
                tx.index.embed(index, org, row.key, vector);
                taken += 1;
            }
            Embedded::Vector(_) => {
                let reason = format!("the model made no unit vector of {} numbers", model.model.dimension);
                refuse(tx.sql, org, index, row.key, &reason)?;
            }
            Embedded::Refused(reason) => refuse(tx.sql, org, index, row.key, &reason)?,
        }
    }
    Ok(taken)
}

/// The model may have been changed since the caller looked.
fn is_in_use(sql: &Connection, key: i64) -> Outcome<bool> {
    let mut statement = sql.prepare_cached("SELECT in_use FROM vector_models WHERE key = ?")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?.unwrap_or(false))
}

fn still_waits(sql: &Connection, org: &OrgId, index: Index, row: &RowRef) -> Outcome<bool> {
    let text = "SELECT wording FROM unembedded WHERE org_id = ? AND kind = ? AND key = ?";
    let mut statement = sql.prepare_cached(text)?;
    let wording: Option<i64> =
        statement.query_row((org.as_str(), index.number(), row.key), |row| row.get(0)).optional()?;
    Ok(wording == Some(row.wording))
}

fn store_vector(
    sql: &Connection,
    org: &OrgId,
    index: Index,
    key: i64,
    model: i64,
    vector: &[f32],
) -> Outcome<()> {
    let text = format!("INSERT OR REPLACE INTO {} (key, model, vector) VALUES (?, ?, ?)", index.vectors());
    sql.prepare_cached(&text)?.execute((key, model, nearest::to_bytes(vector)))?;
    let done = "DELETE FROM unembedded WHERE org_id = ? AND kind = ? AND key = ?";
    sql.prepare_cached(done)?.execute((org.as_str(), index.number(), key))?;
    Ok(())
}

fn refuse(sql: &Connection, org: &OrgId, index: Index, key: i64, reason: &str) -> Outcome<()> {
    let text = "UPDATE unembedded SET refused = ? WHERE org_id = ? AND kind = ? AND key = ?";
    sql.prepare_cached(text)?.execute((reason, org.as_str(), index.number(), key))?;
    Ok(())
}

/// Refused rows wait again.
fn forgive(sql: &Connection, org: &OrgId) -> Outcome<u64> {
    let text = "UPDATE unembedded SET refused = NULL WHERE org_id = ? AND refused IS NOT NULL";
    Ok(sql.prepare_cached(text)?.execute([org.as_str()])? as u64)
}

fn counts(sql: &Connection, org: &OrgId, kind: RowKind) -> Outcome<VectorCounts> {
    let index = Index::from(kind);
    let text = format!("SELECT count(*) FROM {} WHERE org_id = ?", index.rows().0);
    let rows: i64 = sql.prepare_cached(&text)?.query_row([org.as_str()], |row| row.get(0))?;
    let text = "SELECT count(*) FILTER (WHERE refused IS NULL), count(refused) FROM unembedded
                WHERE org_id = ? AND kind = ?";
    let (waiting, refused): (i64, i64) = sql
        .prepare_cached(text)?
        .query_row((org.as_str(), index.number()), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(VectorCounts {
        kind,
        rows: rows.unsigned_abs(),
        waiting: waiting.unsigned_abs(),
        refused: refused.unsigned_abs(),
    })
}
