use async_trait::async_trait;
use reflexio_store::{EvaluationFilter, Evaluations, JobEnd, JudgedBy, Judgement, Lease, Result, SessionRef};
use reflexio_types::{
    Evaluation, EvaluationId, Impact, InteractionId, LearningEvaluation, LearningEvaluationId, LearningKind,
    LearningsStatus, Operation, OrgId, SessionId, TimeRange, Timestamp, UserId, Verdict,
};
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use serde::{Deserialize, Serialize};

use crate::error::Result as Outcome;
use crate::jobs::attempt;
use crate::predicate::Predicate;
use crate::rows::{Stored, compact, json, select};
use crate::writer::Tx;
use crate::{SqliteStore, operations};

#[derive(Serialize, Deserialize)]
struct Body {
    #[serde(default)]
    evaluation_name: Option<String>,
    verdict: Verdict,
    learnings: LearningsStatus,
    evaluated_by: String,
    #[serde(default)]
    run: Option<String>,
}

impl Stored for Evaluation {
    const FROM: &'static str = "evaluations t";
    const COLUMNS: &'static str =
        "t.id, t.user_id, t.session_id, t.agent_version, t.created_at, t.covered, t.body";
    const ORDER: &'static str = "t.created_at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let body: Body = json(row, 6)?;
        Ok(Self {
            id: EvaluationId(row.get(0)?),
            user_id: row.get::<_, String>(1)?.into(),
            session_id: SessionId::new(row.get::<_, String>(2)?),
            agent_version: row.get(3)?,
            created_at: Timestamp(row.get(4)?),
            covered: InteractionId(row.get(5)?),
            evaluation_name: body.evaluation_name,
            verdict: body.verdict,
            learnings: body.learnings,
            evaluated_by: body.evaluated_by,
            run: body.run,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct LearningBody {
    interaction_id: InteractionId,
    interaction_created_at: Timestamp,
    kind: LearningKind,
    learning_id: String,
    #[serde(default)]
    is_relevant: Option<bool>,
    #[serde(default)]
    relevance_reason: String,
    #[serde(default)]
    impact: Option<Impact>,
    #[serde(default)]
    impact_reason: String,
    evaluated_by: String,
}

impl Stored for LearningEvaluation {
    const FROM: &'static str = "learning_evaluations t";
    const COLUMNS: &'static str = "t.id, t.user_id, t.session_id, t.agent_version, t.created_at, t.body";
    const ORDER: &'static str = "t.created_at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let body: LearningBody = json(row, 5)?;
        Ok(Self {
            id: LearningEvaluationId(row.get(0)?),
            user_id: row.get::<_, String>(1)?.into(),
            session_id: SessionId::new(row.get::<_, String>(2)?),
            agent_version: row.get(3)?,
            created_at: Timestamp(row.get(4)?),
            interaction_id: body.interaction_id,
            interaction_created_at: body.interaction_created_at,
            kind: body.kind,
            learning_id: body.learning_id,
            is_relevant: body.is_relevant,
            relevance_reason: body.relevance_reason,
            impact: body.impact,
            impact_reason: body.impact_reason,
            evaluated_by: body.evaluated_by,
        })
    }
}

#[async_trait]
impl Evaluations for SqliteStore {
    async fn judge(
        &self,
        org: &OrgId,
        judgement: Option<Judgement>,
        by: Option<JudgedBy<'_>>,
        at: Timestamp,
    ) -> Result<Option<EvaluationId>> {
        let org = org.clone();
        let by = by.map(|by| Job { lease: by.lease.clone(), end: by.end, operation: by.operation });
        self.writer
            .write(move |tx| {
                if let Some(job) = &by {
                    job.note(tx, at)?;
                }
                judgement.as_ref().map_or(Ok(None), |judgement| store(tx.sql, &org, judgement))
            })
            .await
    }

    async fn evaluations(
        &self,
        org: &OrgId,
        filter: &EvaluationFilter,
        limit: usize,
    ) -> Result<Vec<Evaluation>> {
        let which = filtered(org, filter);
        self.readers.read(move |sql| select(sql, which, Evaluation::ORDER, limit)).await
    }

    async fn learning_evaluations(
        &self,
        org: &OrgId,
        filter: &EvaluationFilter,
        limit: usize,
    ) -> Result<Vec<LearningEvaluation>> {
        let which = filtered(org, filter);
        self.readers.read(move |sql| select(sql, which, LearningEvaluation::ORDER, limit)).await
    }

    async fn sessions_within(&self, org: &OrgId, time: TimeRange) -> Result<Vec<SessionRef>> {
        let which = Predicate::of_org(org).time("t.created_at", time);
        self.readers.read(move |sql| sessions_within(sql, which)).await
    }
}

/// A [`JudgedBy`] that can go to the writer.
struct Job {
    lease: Lease,
    end: JobEnd,
    operation: Option<Operation>,
}

impl Job {
    fn note(&self, tx: &Tx<'_>, at: Timestamp) -> Outcome<()> {
        match self.end {
            JobEnd::Done => attempt::complete_in(tx, &self.lease, at)?,
            JobEnd::GoesOn => attempt::go_on_in(tx, &self.lease)?,
        }
        self.operation
            .as_ref()
            .map_or(Ok(()), |operation| operations::put(tx.sql, &self.lease.org, operation))
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &EvaluationFilter) -> Predicate {
    Predicate::of_org(org)
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text("t.session_id", filter.session_id.as_ref().map(SessionId::as_str))
        .text("t.agent_version", filter.agent_version.as_deref())
        .time("t.created_at", filter.time)
}

fn store(sql: &Connection, org: &OrgId, judgement: &Judgement) -> Outcome<Option<EvaluationId>> {
    let (user, session) = (judgement.user_id.as_str(), judgement.session_id.as_str());
    // The session may have been deleted while it was judged.
    let text = "SELECT 1 FROM interactions WHERE id = ? AND +org_id = ? AND user_id = ?";
    let values = (judgement.covered.0, org.as_str(), user);
    if sql.prepare_cached(text)?.query_row(values, |_| Ok(())).optional()?.is_none() {
        return Ok(None);
    }
    if let Some(learnings) = &judgement.learnings {
        let text = "DELETE FROM learning_evaluations WHERE org_id = ? AND user_id = ? AND session_id = ?";
        sql.prepare_cached(text)?.execute((org.as_str(), user, session))?;
        learnings.iter().try_for_each(|row| insert_learning(sql, org, None, row))?;
    }
    let Some(evaluation) = &judgement.evaluation else { return Ok(None) };
    let text = "DELETE FROM evaluations
                WHERE org_id = ? AND user_id = ? AND session_id = ? AND agent_version = ?";
    sql.prepare_cached(text)?.execute((org.as_str(), user, session, &evaluation.agent_version))?;
    insert(sql, org, None, evaluation).map(Some)
}

/// Stores a judged session; without an id it gets the next one.
pub(crate) fn insert(
    sql: &Connection,
    org: &OrgId,
    id: Option<EvaluationId>,
    row: &Evaluation,
) -> Outcome<EvaluationId> {
    let body = Body {
        evaluation_name: row.evaluation_name.clone(),
        verdict: row.verdict.clone(),
        learnings: row.learnings,
        evaluated_by: row.evaluated_by.clone(),
        run: row.run.clone(),
    };
    let mut statement = sql.prepare_cached(
        "INSERT INTO evaluations (id, org_id, user_id, session_id, agent_version, created_at, covered, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let values = (
        id.map(|id| id.0),
        org.as_str(),
        row.user_id.as_str(),
        row.session_id.as_str(),
        &row.agent_version,
        row.created_at.0,
        row.covered.0,
        compact(&body)?,
    );
    Ok(EvaluationId(statement.insert(values)?))
}

pub(crate) fn insert_learning(
    sql: &Connection,
    org: &OrgId,
    id: Option<LearningEvaluationId>,
    row: &LearningEvaluation,
) -> Outcome<()> {
    let body = LearningBody {
        interaction_id: row.interaction_id,
        interaction_created_at: row.interaction_created_at,
        kind: row.kind,
        learning_id: row.learning_id.clone(),
        is_relevant: row.is_relevant,
        relevance_reason: row.relevance_reason.clone(),
        impact: row.impact,
        impact_reason: row.impact_reason.clone(),
        evaluated_by: row.evaluated_by.clone(),
    };
    let mut statement = sql.prepare_cached(
        "INSERT INTO learning_evaluations (id, org_id, user_id, session_id, agent_version, created_at, body)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    statement.execute((
        id.map(|id| id.0),
        org.as_str(),
        row.user_id.as_str(),
        row.session_id.as_str(),
        &row.agent_version,
        row.created_at.0,
        compact(&body)?,
    ))?;
    Ok(())
}

/// Of the columns without a function SQLite takes those of the row with the maximum.
pub(crate) fn sessions_text(which: &Predicate) -> String {
    format!(
        "SELECT t.user_id, t.session_id, t.agent_version, max(t.created_at) FROM requests t WHERE {}
         GROUP BY t.user_id, t.session_id ORDER BY t.user_id, t.session_id",
        which.sql()
    )
}

fn sessions_within(sql: &Connection, which: Predicate) -> Outcome<Vec<SessionRef>> {
    let mut statement = sql.prepare_cached(&sessions_text(&which))?;
    let rows = statement.query_map(params_from_iter(which.into_values()), |row| {
        Ok(SessionRef {
            user_id: row.get::<_, String>(0)?.into(),
            session_id: SessionId::new(row.get::<_, String>(1)?),
            agent_version: row.get(2)?,
            last_at: Timestamp(row.get(3)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Judgements of sessions of which these requests lose turns: they rest on what is gone now.
pub(crate) fn forget(sql: &Connection, org: &OrgId, requests: &Predicate) -> Outcome<()> {
    for table in ["evaluations", "learning_evaluations"] {
        let text = format!(
            "DELETE FROM {table} WHERE org_id = ? AND (user_id, session_id) IN
                 (SELECT t.user_id, t.session_id FROM requests t WHERE {})",
            requests.sql()
        );
        let values = std::iter::once(org.as_str().to_owned().into()).chain(requests.values().iter().cloned());
        sql.prepare_cached(&text)?.execute(params_from_iter(values))?;
    }
    Ok(())
}
