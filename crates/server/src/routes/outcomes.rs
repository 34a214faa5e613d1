use axum::Json;
use reflexio_api_types::{
    GetSessionOutcomesRequest, GetSessionOutcomesResponse, Label, SessionOutcomeFailureReason as Reason,
    SessionOutcomeKind, SessionOutcomeRecord, SetSessionOutcomeRequest, SetSessionOutcomeResponse,
    SourceLabel,
};
use reflexio_app::{Error, MarkedOutcome, OutcomeDraft, OutcomeRefusal};
use reflexio_store::{OutcomeFilter, Page};
use reflexio_types::{SessionId, TimeRange, Timestamp, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

const DEFAULT_LISTED: usize = 100;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(set_session_outcome)).routes(routes!(get_session_outcomes))
}

/// Say how a session ended; the first word stays
#[utoipa::path(post, path = "/api/session_outcome", tag = "evaluation",
    request_body = SetSessionOutcomeRequest,
    responses((status = 200, body = SetSessionOutcomeResponse), Failure))]
async fn set_session_outcome(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<SetSessionOutcomeRequest>,
) -> Result<Json<SetSessionOutcomeResponse>> {
    let body = body.value();
    let draft = OutcomeDraft {
        session_id: SessionId::new(body.session_id.into_string()),
        user_id: given(body.user_id).map(UserId::new),
        kind: body.outcome.into(),
        occurred_at: Timestamp(body.occurred_at.0),
        label: body.label.map(Label::into_string),
        value: body.value,
        metadata: body.metadata,
    };
    let marked = match app.mark_outcome(&caller, draft).await {
        // The contract has a word for it, and its client does not read the body of a 503.
        Err(Error::Unavailable(error)) => MarkedOutcome::Refused(OutcomeRefusal::Storage(error.to_string())),
        other => other?,
    };
    Ok(Json(answer(marked)))
}

fn answer(marked: MarkedOutcome) -> SetSessionOutcomeResponse {
    let said = |success, recorded, message: &str| SetSessionOutcomeResponse {
        success,
        recorded,
        message: message.to_owned(),
        ..SetSessionOutcomeResponse::default()
    };
    match marked {
        MarkedOutcome::Recorded(outcome) => said(true, true, "Outcome recorded").about(outcome),
        MarkedOutcome::Repeated(outcome) => said(true, false, "Outcome was recorded before").about(outcome),
        MarkedOutcome::Refused(refusal) => {
            let answer = said(false, false, &refusal.to_string());
            let (reason, user) = reason(&refusal);
            let answer = SetSessionOutcomeResponse { reason: Some(reason), user_id: user, ..answer };
            if let OutcomeRefusal::Conflicting(stored) = refusal { answer.about(*stored) } else { answer }
        }
    }
}

fn reason(refusal: &OutcomeRefusal) -> (Reason, Option<String>) {
    match refusal {
        OutcomeRefusal::Conflicting(_) => (Reason::ConflictingFinalization, None),
        OutcomeRefusal::UnknownSession => (Reason::UnknownSession, None),
        OutcomeRefusal::BeforeSession(user) => (Reason::OccurredBeforeSession, Some(user.to_string())),
        OutcomeRefusal::InFuture(user) => (Reason::OccurredInFuture, Some(user.to_string())),
        OutcomeRefusal::AfterWindow(user) => (Reason::AfterOutcomeWindow, Some(user.to_string())),
        OutcomeRefusal::NotTheirs(user) => (Reason::SubjectNotWritable, Some(user.to_string())),
        OutcomeRefusal::Storage(_) => (Reason::StorageError, None),
    }
}

/// How sessions ended, latest first
#[utoipa::path(post, path = "/api/get_session_outcomes", tag = "evaluation",
    request_body = GetSessionOutcomesRequest,
    responses((status = 200, body = GetSessionOutcomesResponse), Failure))]
async fn get_session_outcomes(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetSessionOutcomesRequest>,
) -> Result<Json<GetSessionOutcomesResponse>> {
    let body = body.value();
    let time = TimeRange {
        start: body.start_time.map(|at| Timestamp(at.0)),
        end: body.end_time.map(|at| Timestamp(at.0)),
    };
    let sessions = body.session_ids.unwrap_or_default().into_iter();
    let filter = OutcomeFilter {
        session_ids: sessions.map(|id| SessionId::new(id.into_string())).collect(),
        user_id: given(body.user_id).map(UserId::new),
        source: given(body.source.map(SourceLabel::into_string)),
        kind: body.outcome.map(SessionOutcomeKind::into),
        label: given(body.label),
        time,
    };
    let page = Page {
        limit: body.top_k.map_or(DEFAULT_LISTED, |most| most.as_usize()),
        offset: body.offset.map_or(0, |offset| offset.as_usize()),
    };
    let found = app.outcomes(&caller, &filter, page).await?;
    Ok(Json(GetSessionOutcomesResponse {
        success: true,
        message: format!("Found {} outcome(s)", found.len()),
        session_outcomes: found.into_iter().map(SessionOutcomeRecord::from).collect(),
    }))
}
