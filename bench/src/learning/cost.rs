use reflexio_llm::endpoint::{Reply, TestEndpoint};

use super::publishing::{answer, correction, post, with_model};
use crate::bench::Bench;
use crate::server::Server;

/// What one publish of three turns costs.
pub(crate) struct Cost {
    pub(crate) calls: usize,
    /// Of the prompt alone.
    pub(crate) prompt: usize,
    /// Of the whole request, the schema included.
    pub(crate) characters: usize,
    pub(crate) rows: u64,
}

pub(super) async fn measure(bench: &Bench) -> anyhow::Result<Cost> {
    let endpoint = TestEndpoint::start().await?;
    endpoint.respond(|_| Reply::Json(answer()));
    let folder = bench.folder()?;
    let server = Server::start_with(&bench.program, folder.path(), with_model(&endpoint)).await?;
    let path = "/api/publish_interaction?wait_for_response=true";
    let learned = post(&server, path, &correction("ann")).await?;
    server.stop().await?;
    let count = |name: &str| learned[name].as_u64().unwrap_or_default();
    let bodies = endpoint.requests().into_iter().map(|seen| seen.body.to_string().chars().count());
    Ok(Cost {
        calls: endpoint.count(),
        prompt: endpoint.prompt_characters(),
        characters: bodies.sum(),
        rows: count("profiles_added") + count("playbooks_added"),
    })
}
