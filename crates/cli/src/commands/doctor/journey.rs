//! What an agent does with the server, done once for a user who does not exist.

use std::time::Duration;

use anyhow::{anyhow, ensure};
use reflexio_api_types::{
    Content, GetInteractionsRequest, GetUserPlaybooksRequest, InteractionData, NonBlank, Positive,
    PublishUserInteractionRequest, SearchInteractionRequest, ShortText, UpdateUserPlaybookRequest,
    UserPlaybook,
};
use reflexio_client::{Client, Wait};
use reflexio_types::{Clock, SystemClock};

use super::steps::Steps;
use crate::context::Context;
use crate::failure::Failure;

const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn travel(context: &Context, steps: &mut Steps<'_>) -> anyhow::Result<()> {
    let client = context.impatient_client(PATIENCE)?;
    if steps.run("reachable", reachable(&client)).await?.is_none() {
        return Ok(());
    }
    steps.run("version", version(&client)).await?;
    let Some(may_write) = steps.run("key", key(&client)).await? else { return Ok(()) };
    steps.run("learning", learning(&client)).await?;
    if !may_write {
        return Ok(());
    }
    let traveller = Traveller::new(client);
    if steps.run("publish", traveller.publish()).await?.is_some() {
        steps.run("read back", traveller.read_back()).await?;
        steps.run("search", traveller.search()).await?;
    }
    if let Some(id) = steps.run("add", traveller.add_playbook()).await? {
        steps.run("edit", traveller.edit_playbook(id)).await?;
        steps.run("delete", traveller.delete_playbook(id)).await?;
    }
    steps.run("clean up", traveller.clean_up()).await?;
    Ok(())
}

type Checked<T> = anyhow::Result<(T, String)>;

async fn reachable(client: &Client) -> Checked<()> {
    let health = client.health().await?;
    ensure!(health.status == "healthy", "the server says it is {}", health.status);
    Ok(((), client.base_url().to_owned()))
}

async fn version(client: &Client) -> Checked<()> {
    let (theirs, ours) = (client.version().await?.server_version, env!("CARGO_PKG_VERSION"));
    let words = if theirs == ours { theirs } else { format!("{theirs}, and this command is {ours}") };
    Ok(((), words))
}

/// Whether this caller may write.
async fn key(client: &Client) -> Checked<bool> {
    let whoami = client.whoami().await?;
    let may = |scope: &str| whoami.scopes.iter().any(|granted| granted == scope || granted == "admin");
    let scopes = whoami.scopes.join(", ");
    let words = match &whoami.key_id {
        Some(key) => format!("key {key} of org {} may {scopes}", whoami.org_id),
        None => format!("none needed from this machine; org {}", whoami.org_id),
    };
    let limits = if may("write") { "" } else { "; the other steps need `write` and are left out" };
    Ok((may("write"), format!("{words}{limits}")))
}

async fn learning(client: &Client) -> Checked<()> {
    let stall = client.stall_state().await?;
    if !stall.stalled {
        return Ok(((), "not paused".to_owned()));
    }
    let why = stall.error_message.unwrap_or_else(|| "a model provider refused our key".to_owned());
    Err(Failure::failed(format!("learning is paused: {why}"))
        .hint("correct the provider's key or billing")
        .into())
}

/// A user made up for one look, who says a word that nobody else says.
struct Traveller {
    client: Client,
    user_id: String,
    word: String,
}

impl Traveller {
    fn new(client: Client) -> Self {
        let seed = format!("{}-{}", std::process::id(), SystemClock.now().0);
        let hash = blake3::hash(seed.as_bytes()).to_hex();
        Self {
            client,
            user_id: format!("reflexio-doctor-{}", &hash[..16]),
            word: format!("zq{}", &hash[16..28]),
        }
    }

    fn said(&self) -> String {
        format!("The doctor says {} and waits for the echo.", self.word)
    }

    /// For evaluation only: nothing is to be learned from a check.
    async fn publish(&self) -> Checked<()> {
        let turn = InteractionData {
            role: Some(ShortText::from("User")),
            content: Some(Content::from(self.said().as_str())),
            ..InteractionData::default()
        };
        let request = PublishUserInteractionRequest {
            request_id: None,
            user_id: NonBlank::from(self.user_id.as_str()),
            interaction_data_list: vec![turn],
            source: None,
            agent_version: None,
            session_id: None,
            skip_aggregation: Some(true),
            force_extraction: None,
            evaluation_only: Some(true),
            override_learning_stall: None,
            session_finished: None,
            retrieval_experiment_id: None,
            retrieval_experiment_arm: None,
        };
        let answer = self.client.publish(&request, Wait::No).await?;
        ensure!(answer.success, "{}", answer.message);
        Ok(((), format!("stored for user {}", self.user_id)))
    }

    async fn read_back(&self) -> Checked<()> {
        let request = GetInteractionsRequest {
            user_id: NonBlank::from(self.user_id.as_str()),
            start_time: None,
            end_time: None,
            top_k: None,
        };
        let rows = self.client.interactions(&request).await?;
        let row = rows.first().ok_or_else(|| anyhow!("what was published is not there"))?;
        ensure!(rows.len() == 1 && row.content == self.said(), "what came back is not what was published");
        Ok(((), format!("interaction {}", row.interaction_id)))
    }

    async fn search(&self) -> Checked<()> {
        let request = SearchInteractionRequest {
            user_id: NonBlank::from(self.user_id.as_str()),
            request_id: None,
            session_id: None,
            query: Some(self.word.clone()),
            start_time: None,
            end_time: None,
            top_k: Some(Positive(5)),
            most_recent_k: None,
            threshold: None,
            search_mode: None,
            explain: None,
            recency: None,
        };
        let found = self.client.search_interactions(&request).await?.interactions;
        ensure!(found.iter().any(|row| row.content == self.said()), "text search does not find it");
        Ok(((), "found by a word of it".to_owned()))
    }

    async fn add_playbook(&self) -> Checked<i64> {
        let playbook = UserPlaybook {
            user_id: Some(self.user_id.clone()),
            agent_version: "doctor".to_owned(),
            request_id: "doctor".to_owned(),
            playbook_name: Some("doctor".to_owned()),
            content: Some(self.said()),
            ..UserPlaybook::default()
        };
        let added = self.client.add_user_playbooks(vec![playbook]).await?;
        let id = added.ids.unwrap_or_default().first().copied().ok_or_else(|| anyhow!("no id came back"))?;
        Ok((id, format!("user playbook {id}")))
    }

    async fn edit_playbook(&self, id: i64) -> Checked<()> {
        let changed = format!("{} Edited.", self.said());
        let request = UpdateUserPlaybookRequest {
            user_playbook_id: Positive(id),
            playbook_name: None,
            content: Some(changed.clone()),
            trigger: None,
            rationale: None,
        };
        self.client.update_user_playbook(&request).await?;
        let content = self.playbook(id).await?;
        ensure!(content.as_deref() == Some(changed.as_str()), "the change is not there");
        Ok(((), "changed and read back".to_owned()))
    }

    async fn delete_playbook(&self, id: i64) -> Checked<()> {
        let answer = self.client.delete_user_playbooks(vec![id]).await?;
        ensure!(answer.deleted_count == 1, "{} rows were deleted instead of 1", answer.deleted_count);
        ensure!(self.playbook(id).await?.is_none(), "it is still there");
        Ok(((), "gone".to_owned()))
    }

    async fn playbook(&self, id: i64) -> anyhow::Result<Option<String>> {
        let request = GetUserPlaybooksRequest {
            user_playbook_id: Some(Positive(id)),
            ..GetUserPlaybooksRequest::default()
        };
        Ok(self.client.user_playbooks(&request).await?.pop().map(|row| row.content))
    }

    async fn clean_up(&self) -> Checked<()> {
        self.client.clear_user_data(&self.user_id).await?;
        let left = self.client.storage_stats(Some(&self.user_id)).await?;
        let rows =
            left.interaction_count + left.profile_count + left.user_playbook_count + left.request_count;
        ensure!(rows == 0, "{rows} rows of {} are still there", self.user_id);
        Ok(((), "nothing is left of it".to_owned()))
    }
}
