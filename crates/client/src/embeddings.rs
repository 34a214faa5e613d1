use reflexio_api_types::{EmbeddingStatusResponse, RebuildEmbeddingsResponse};

use crate::{Client, Result};

impl Client {
    /// How far rows are on their way to be found by meaning.
    pub async fn embeddings(&self) -> Result<EmbeddingStatusResponse> {
        self.get("/api/embeddings", &()).await
    }

    /// Makes all vectors of the org anew.
    pub async fn rebuild_embeddings(&self) -> Result<RebuildEmbeddingsResponse> {
        self.post("/api/embeddings/rebuild", &()).await
    }
}
