//! Publishes the bundled conversations, waits until they are learned from, and aggregates.

use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use reflexio_api_types::{
    AgentPlaybookView, EpochSeconds, GetAgentPlaybooksRequest, GetAllProfilesQuery, GetJobsQuery,
    GetShadowComparisonsQuery, GetUserPlaybooksRequest, JobState, NonBlank, Positive, ProfileView,
    PublishUserInteractionRequest, RunPlaybookAggregationRequest, SessionOutcomeKind,
    SetSessionOutcomeRequest, ShadowRateView, UserPlaybookView, parse_body,
};
use reflexio_client::{Client, Wait};
use reflexio_types::{Clock, SystemClock};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, Progress};

/// Written for this; `examples/demo` says how.
const CONVERSATIONS: &str = include_str!("../../../../../examples/demo/conversations.jsonl");
const AT_ONCE: usize = 8;
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Learning without a model takes seconds; something is wrong if it takes longer than this.
const LONGEST: Duration = Duration::from_secs(300);
const MOST_ROWS: i64 = 10_000;
/// Work that has to be done before there is something to show.
const KINDS: [&str; 2] = ["learn", "compare_shadow"];

/// What a demo found.
pub(super) struct Found {
    pub(super) conversations: usize,
    pub(super) seconds: f64,
    pub(super) profiles: Vec<ProfileView>,
    pub(super) user_playbooks: Vec<UserPlaybookView>,
    pub(super) proposals: Vec<AgentPlaybookView>,
    pub(super) shadow: Vec<ShadowRateView>,
}

pub(super) async fn play(out: &Output, client: &Client) -> anyhow::Result<Found> {
    let started = Instant::now();
    client.update_config(&config()).await?;
    let requests = requests()?;
    publish(out, client, &requests).await?;
    outcomes(client, &requests).await?;
    learn(out, client).await?;
    client
        .run_playbook_aggregation(&RunPlaybookAggregationRequest { agent_version: None, playbook_name: None })
        .await?;
    let limit = Some(Positive(MOST_ROWS));
    let profiles = GetAllProfilesQuery { limit, ..GetAllProfilesQuery::default() };
    let user_playbooks = GetUserPlaybooksRequest { limit, ..GetUserPlaybooksRequest::default() };
    let proposals = GetAgentPlaybooksRequest { limit, ..GetAgentPlaybooksRequest::default() };
    let mut proposals = client.agent_playbooks(&proposals).await?;
    proposals.sort_by_key(|rule| (std::cmp::Reverse(rule.distinct_users), rule.agent_playbook_id));
    Ok(Found {
        conversations: requests.len(),
        profiles: client.profiles(&profiles).await?,
        user_playbooks: client.user_playbooks(&user_playbooks).await?,
        proposals,
        shadow: client.shadow_comparisons(&GetShadowComparisonsQuery::default()).await?.rates,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Three types of playbooks, each with a rule about when several users make one for all.
fn config() -> serde_json::Value {
    let playbook = |name: &str, definition: &str| {
        json!({"playbook_name": name, "playbook_definition_prompt": definition,
               "playbook_aggregator_config":
                   {"min_cluster_size": 3, "cluster_size_counts": "users", "reaggregation_trigger_count": 10}})
    };
    json!({
        "agent_context_prompt": "Answers customers of a shop for bicycles and parts.",
        "playbook_configs": [
            playbook("response_quality", "What the agent should do differently, and what helped."),
            playbook("refunds_and_returns", "Refunds, returns and damaged parcels."),
            playbook("tone", "How answers should sound: style, length and tone."),
        ],
    })
}

/// What is learned waits for the aggregation at the end, which sees all of it.
fn requests() -> anyhow::Result<Vec<PublishUserInteractionRequest>> {
    let request = |line: &str| {
        let parsed = parse_body::<PublishUserInteractionRequest>(line.as_bytes());
        let mut request =
            parsed.map_err(|_| Failure::failed("the bundled conversations cannot be read"))?.value;
        request.force_extraction = Some(true);
        request.skip_aggregation = Some(true);
        Ok(request)
    };
    CONVERSATIONS.lines().map(request).collect()
}

async fn publish(
    out: &Output,
    client: &Client,
    requests: &[PublishUserInteractionRequest],
) -> anyhow::Result<()> {
    let progress = Progress::new(out, "publishing", Some(requests.len() as u64));
    let mut answers =
        stream::iter(requests).map(|request| client.publish(request, Wait::No)).buffer_unordered(AT_ONCE);
    while let Some(answer) = answers.next().await {
        answer?;
        progress.add(1);
    }
    Ok(())
}

/// Some sessions are known to have ended well or badly.
async fn outcomes(client: &Client, requests: &[PublishUserInteractionRequest]) -> anyhow::Result<()> {
    for (number, request) in requests.iter().enumerate().filter(|(number, _)| number % 4 == 0) {
        let Some(session) = &request.session_id else { continue };
        let outcome =
            if number % 12 == 0 { SessionOutcomeKind::Failure } else { SessionOutcomeKind::Success };
        let request = SetSessionOutcomeRequest {
            session_id: NonBlank::from(session.as_str()),
            outcome,
            occurred_at: EpochSeconds(SystemClock.now().0),
            label: None,
            value: None,
            metadata: None,
            user_id: None,
        };
        client.set_outcome(&request).await?;
    }
    Ok(())
}

async fn learn(out: &Output, client: &Client) -> anyhow::Result<()> {
    let progress = Progress::new(out, "learning", Some(0));
    let deadline = Instant::now() + LONGEST;
    let mut total = 0;
    loop {
        let left = left(client).await?;
        total = total.max(left);
        progress.set(total - left, total);
        if left == 0 {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(Failure::failed("learning takes too long")
                .hint("look at `reflexio jobs list`")
                .into());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Jobs that wait or run.
async fn left(client: &Client) -> anyhow::Result<u64> {
    let mut left = 0;
    for kind in KINDS {
        for state in [JobState::Queued, JobState::Running] {
            let query = GetJobsQuery {
                state: Some(state),
                kind: Some(kind.to_owned()),
                limit: Some(Positive(1000)),
                ..GetJobsQuery::default()
            };
            left += client.jobs(&query).await?.jobs.len() as u64;
        }
    }
    Ok(left)
}
