use axum::Json;
use reflexio_api_types::{EmbeddingCounts, EmbeddingStatusResponse, RebuildEmbeddingsResponse};
use reflexio_store::VectorIndex;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(embeddings)).routes(routes!(rebuild_embeddings))
}

/// How far rows are on their way to be found by meaning
#[utoipa::path(get, path = "/api/embeddings", tag = "search",
    responses((status = 200, body = EmbeddingStatusResponse), Failure))]
async fn embeddings(UseCases(app): UseCases, Who(caller): Who) -> Result<Json<EmbeddingStatusResponse>> {
    let status = app.embedding_status(&caller).await?;
    let (index, indexed_rows, index_bytes) = match status.index {
        VectorIndex::Off => ("off", 0, 0),
        VectorIndex::Loading { done, .. } => ("loading", done, 0),
        VectorIndex::Ready { rows, bytes } => ("ready", rows, bytes),
    };
    let count = |counts: reflexio_store::VectorCounts| EmbeddingCounts {
        kind: counts.kind.as_str().to_owned(),
        rows: counts.rows,
        waiting: counts.waiting,
        refused: counts.refused,
    };
    Ok(Json(EmbeddingStatusResponse {
        success: true,
        dimension: status.model.as_ref().map(|model| model.dimension as u64),
        model: status.model.map(|model| model.id),
        index: index.to_owned(),
        indexed_rows,
        index_bytes,
        kinds: status.counts.into_iter().map(count).collect(),
        trouble: status.trouble,
    }))
}

/// Make all vectors of the org anew, in the background
#[utoipa::path(post, path = "/api/embeddings/rebuild", tag = "search",
    responses((status = 200, body = RebuildEmbeddingsResponse), Failure))]
async fn rebuild_embeddings(
    UseCases(app): UseCases,
    Who(caller): Who,
) -> Result<Json<RebuildEmbeddingsResponse>> {
    Ok(Json(RebuildEmbeddingsResponse { success: true, rows: app.rebuild_embeddings(&caller).await? }))
}
