use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reflexio_store::{Error, Record, Result, Transfer};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookRevision, Evaluation, ImageId, Interaction, LearningEvaluation, MediaType,
    OrgId, Profile, Request, SessionOutcome, ShadowComparison, UserId, UserPlaybook,
};
use rusqlite::{Connection, Row};
use tokio::sync::mpsc;

use crate::error::Result as Outcome;
use crate::import::import;
use crate::rows::{Stored, word};
use crate::{SqliteStore, configs, fts};

/// How many rows wait between the database and the receiver.
const ROWS_IN_FLIGHT: usize = 256;

#[async_trait]
impl Transfer for SqliteStore {
    async fn export(
        &self,
        org: &OrgId,
        sink: &mut (dyn FnMut(Record) -> std::io::Result<()> + Send),
    ) -> Result<u64> {
        let (send, mut records) = mpsc::channel(ROWS_IN_FLIGHT);
        let org = org.clone();
        let reading = self.readers.read(move |sql| export(sql, &org, &send));
        let writing = async {
            let mut count = 0;
            while let Some(record) = records.recv().await {
                sink(record).map_err(|error| Error::Internal(Box::new(error)))?;
                count += 1;
            }
            // Returning early drops the receiver, which ends the reading.
            drop(records);
            Ok(count)
        };
        let (read, written) = tokio::join!(reading, writing);
        match (read, written) {
            (_, Err(error)) | (Err(error), Ok(_)) => Err(error),
            (Ok(()), Ok(count)) => Ok(count),
        }
    }

    async fn import(&self, org: &OrgId, records: Vec<Record>) -> Result<u64> {
        let texts = records.iter().map(text_of).collect();
        let entries = fts::entries(org, texts).await?;
        let org = org.clone();
        self.writer
            .write(move |tx| {
                let mut count = 0;
                for (record, entry) in records.into_iter().zip(entries) {
                    count += u64::from(import(tx, &org, record, entry)?);
                }
                Ok(count)
            })
            .await
    }
}

fn export(sql: &Connection, org: &OrgId, to: &mpsc::Sender<Record>) -> Outcome<()> {
    stream(sql, org, "SELECT t.id, t.media_type, t.bytes FROM images t", "t.id", to, image_record)?;
    stream_rows::<Request>(sql, org, "t.key", to, Record::Request)?;
    stream_rows::<Interaction>(sql, org, "t.id", to, Record::Interaction)?;
    stream_rows::<Profile>(sql, org, "t.key", to, Record::Profile)?;
    stream_rows::<UserPlaybook>(sql, org, "t.id", to, Record::UserPlaybook)?;
    stream_rows::<AgentPlaybook>(sql, org, "t.id", to, Record::AgentPlaybook)?;
    stream_rows::<AgentPlaybookRevision>(sql, org, "t.id", to, Record::AgentPlaybookRevision)?;
    stream_rows::<SessionOutcome>(sql, org, "t.key", to, Record::SessionOutcome)?;
    stream_rows::<Evaluation>(sql, org, "t.id", to, Record::Evaluation)?;
    stream_rows::<LearningEvaluation>(sql, org, "t.id", to, Record::LearningEvaluation)?;
    stream_rows::<ShadowComparison>(sql, org, "t.id", to, Record::ShadowComparison)?;
    if let Some(config) = configs::config(sql, org)? {
        send(to, Record::Config { body: config.body })?;
    }
    Ok(())
}

fn stream_rows<R: Stored>(
    sql: &Connection,
    org: &OrgId,
    order: &str,
    to: &mpsc::Sender<Record>,
    record: fn(R) -> Record,
) -> Outcome<()> {
    let select = format!("SELECT {} FROM {}", R::COLUMNS, R::FROM);
    stream(sql, org, &select, order, to, |row| R::from_row(row).map(record))
}

fn stream(
    sql: &Connection,
    org: &OrgId,
    select: &str,
    order: &str,
    to: &mpsc::Sender<Record>,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<Record>,
) -> Outcome<()> {
    let mut statement = sql.prepare(&format!("{select} WHERE +t.org_id = ? ORDER BY {order}"))?;
    let mut rows = statement.query([org.as_str()])?;
    while let Some(row) = rows.next()? {
        send(to, read(row)?)?;
    }
    Ok(())
}

fn send(to: &mpsc::Sender<Record>, record: Record) -> Outcome<()> {
    to.blocking_send(record).map_err(|_| Error::Closed.into())
}

fn image_record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let bytes = row.get_ref(2)?.as_blob()?;
    Ok(Record::Image {
        id: ImageId::new(row.get::<_, String>(0)?),
        media_type: word(row, 1, MediaType::parse)?,
        bytes: STANDARD.encode(bytes),
    })
}

/// What the index holds of a record, if it holds anything.
fn text_of(record: &Record) -> (Option<UserId>, String) {
    match record {
        Record::Interaction(row) => (Some(row.user_id.clone()), row.turn.searchable_text()),
        Record::Profile(row) => (Some(row.user_id.clone()), row.searchable_text()),
        Record::UserPlaybook(row) => (row.user_id.clone(), row.searchable_text()),
        Record::AgentPlaybook(row) => (None, row.searchable_text()),
        Record::Image { .. }
        | Record::Request(_)
        | Record::AgentPlaybookRevision(_)
        | Record::SessionOutcome(_)
        | Record::Evaluation(_)
        | Record::LearningEvaluation(_)
        | Record::ShadowComparison(_)
        | Record::Config { .. } => (None, String::new()),
    }
}
