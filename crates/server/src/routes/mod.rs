//! One file per noun. Each handler parses, calls the app and answers.

mod agent_playbook_imports;
mod agent_playbook_revisions;
mod agent_playbooks;
mod analytics;
mod carry_over;
mod configs;
mod context;
mod costs;
mod embeddings;
mod evaluations;
mod health;
mod impact;
mod injections;
mod interactions;
mod jobs;
mod learning;
mod optimizations;
mod outcomes;
mod playbook_runs;
mod profiles;
mod publish;
mod requests;
mod runs;
mod search;
mod server_state;
mod shadow_comparisons;
mod user_playbooks;

use reflexio_api_types::Added;
use reflexio_store::{Downgrade, Upgrade};
use utoipa_axum::router::OpenApiRouter;

use crate::AppState;

/// Routes that need no caller: whether the server lives, and what it is.
pub(crate) fn open() -> OpenApiRouter<AppState> {
    health::routes()
}

/// Routes that act for a caller.
pub(crate) fn guarded() -> OpenApiRouter<AppState> {
    publish::routes()
        .merge(interactions::routes())
        .merge(requests::routes())
        .merge(profiles::routes())
        .merge(user_playbooks::routes())
        .merge(agent_playbooks::routes())
        .merge(carry_over::routes())
        .merge(agent_playbook_revisions::routes())
        .merge(agent_playbook_imports::routes())
        .merge(search::routes())
        .merge(context::routes())
        .merge(injections::routes())
        .merge(impact::routes())
        .merge(analytics::routes())
        .merge(embeddings::routes())
        .merge(learning::routes())
        .merge(jobs::routes())
        .merge(runs::routes())
        .merge(costs::routes())
        .merge(outcomes::routes())
        .merge(optimizations::routes())
        .merge(evaluations::routes())
        .merge(shadow_comparisons::routes())
        .merge(playbook_runs::routes())
        .merge(configs::routes())
        .merge(server_state::routes())
}

/// "Found 3 profile(s)".
fn found(count: usize, what: &str) -> Option<String> {
    Some(format!("Found {count} {what}(s)"))
}

/// Empty means absent: clients send both.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn added(ids: Vec<i64>) -> Added {
    let count = ids.len();
    Added {
        success: true,
        message: Some(format!("Added {count} item(s)")),
        added_count: count as u64,
        ids: Some(ids),
    }
}

/// Clients look at the sentence to tell "nothing to do" from "done".
fn upgraded(done: Upgrade) -> String {
    match done {
        Upgrade { promoted: 0, .. } => "No pending items found to upgrade".to_owned(),
        Upgrade { promoted, archived, deleted } => {
            format!("Upgraded: {promoted} promoted, {archived} archived, {deleted} old archived deleted")
        }
    }
}

fn downgraded(done: Downgrade) -> String {
    match done {
        Downgrade { restored: 0, .. } => "No archived items found to restore".to_owned(),
        Downgrade { demoted, restored } => format!("Downgraded: {restored} restored, {demoted} archived"),
    }
}
