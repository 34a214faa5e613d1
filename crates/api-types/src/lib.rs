//! The HTTP contract: requests, answers, their field names and their OpenAPI schemas.
//!
//! Names and shapes are those of the public Python client, so that it works against this server; what we
//! add is added beside them. Nothing here does I/O or decides anything: a request that parses here is
//! well-formed, no more. This is the only crate that knows JSON field names of the API.

mod agent_playbook_imports;
mod agent_playbook_revisions;
mod agent_playbooks;
mod analytics;
mod body;
mod carry_over;
pub mod config;
mod context;
mod costs;
mod detail;
mod embeddings;
mod evaluations;
mod field;
mod impact;
mod injections;
mod interactions;
mod jobs;
mod learning;
mod object;
mod optimizations;
mod outcomes;
mod playbook_runs;
mod profiles;
mod publish;
mod requests;
mod responses;
mod runs;
mod search;
mod server_state;
mod shadow_comparisons;
mod time;
mod user_playbooks;

pub use agent_playbook_imports::*;
pub use agent_playbook_revisions::*;
pub use agent_playbooks::*;
pub use analytics::*;
pub use body::{Parsed, Rejected, WireRequest, parse_body, parse_query};
pub use carry_over::*;
pub use context::*;
pub use costs::*;
pub use detail::{
    Detail, LocPart, PartialConfigDetail, PartialConfigErrors, UpdateConfigErrors, ValidationErrors,
};
pub use embeddings::*;
pub use evaluations::*;
pub use field::*;
pub use impact::*;
pub use injections::*;
pub use interactions::*;
pub use jobs::*;
pub use learning::*;
pub use optimizations::*;
pub use outcomes::*;
pub use playbook_runs::*;
pub use profiles::*;
pub use publish::*;
pub use requests::*;
pub use responses::*;
pub use runs::*;
pub use search::*;
pub use server_state::*;
pub use shadow_comparisons::*;
pub use time::When;
pub use user_playbooks::*;
