use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_learn::aggregate::{Aggregation, Group, Member, Memory, Task, Topic, Written, without_a_model};
use reflexio_learn::engine::{Error as LearnError, Meaning};
use reflexio_llm::{Options, Purpose, Role};
use reflexio_store::{
    AgentPlaybookFilter, Aggregated, AggregationScope, JobEnd, RunStart, UserPlaybookFilter,
};
use reflexio_types::config::{ClusterSizeCounts, PlaybookConfig};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, JobProgress, OrgId, PlaybookStatus, RunKind, Status, UserPlaybook,
    UserPlaybookId,
};

use super::proposals::{Came, Standing, row};
use crate::App;
use crate::learning::{payload, unavailable};
use crate::runs::{Asked, of_job, scope_of};

/// More playbooks of one type and version are not clustered; the newest ones count.
const MOST_ROWS: usize = 100_000;
/// Texts that are embedded together.
const TEXTS_AT_ONCE: usize = 256;

/// Makes agent playbooks of the user playbooks of one type and version.
pub(crate) struct Aggregator(pub(crate) Arc<App>);

#[async_trait]
impl Handler for Aggregator {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: Task = payload(running)?;
        tokio::select! {
            ended = self.0.aggregate_now(running, &task) => ended,
            () = running.cancelled() => Err(Failure::Stopped),
        }
    }
}

/// What came of the clusters that changed.
#[derive(Default)]
struct Tally {
    /// Why clusters came to nothing, and how often.
    reasons: BTreeMap<String, u64>,
}

impl App {
    async fn aggregate_now(&self, running: &Running, task: &Task) -> Result<(), Failure> {
        let org = running.org();
        let scope = clustered(task);
        let (_, config) = self.config_in_force(org).await.map_err(|error| unavailable(&error))?;
        let playbook =
            config.playbook_configs.into_iter().find(|one| one.playbook_name == scope.playbook_name);
        let playbook = playbook.unwrap_or_else(|| PlaybookConfig::named(scope.playbook_name.clone(), ""));
        let rows = self.rows_of(org, &scope).await?;
        let clustering = self.store.clustering(org, &scope).await?;
        let mut memory: Memory = serde_json::from_value(clustering.state).unwrap_or_default();
        let least = playbook.playbook_aggregator_config.reaggregation_trigger_count.max(1) as usize;
        let counts = playbook.playbook_aggregator_config.cluster_size_counts;
        if !task.forced && memory.unseen(&rows) < least {
            let new = rows.into_iter().filter(|row| memory.is_new(row)).collect();
            let new = self.members(org, new, counts).await?;
            return self.join(running, task, clustering.revision, memory, &new, &playbook).await;
        }
        let members = self.members(org, rows, counts).await?;
        let refreshed = memory
            .refresh(&members, &playbook.playbook_aggregator_config)
            .map_err(|error| Failure::permanent(error.to_string()))?;
        let standing = self.standing_rules(org, &scope).await?;
        let mut tally = Tally::default();
        let (mut proposed, mut grown) = (Vec::new(), Vec::new());
        for group in &refreshed.changed {
            let newest = memory.playbook_of(group.cluster);
            let before = newest.and_then(|id| standing.find(id)).map(|rule| rule.body.content.as_str());
            let made = match self.word(running, &playbook, group, &members, before).await? {
                Written::Rule { wording, written_by } => {
                    let rule = row(&scope, group, &members, wording, written_by, self.now());
                    standing.proposal(newest, group.cluster, rule)
                }
                Written::Nothing(reason) => Came::Nothing(reason),
            };
            match made {
                Came::Rule(proposal) => proposed.push(*proposal),
                Came::Evidence(rule) => {
                    let said = format!(
                        "proposed already as {}, its evidence was brought up to date",
                        rule.before.id
                    );
                    *tally.reasons.entry(said).or_default() += 1;
                    grown.push(*rule);
                }
                Came::Nothing(reason) => *tally.reasons.entry(reason).or_default() += 1,
            }
        }
        let outdated = outdated(&standing, &refreshed.outdated);
        let progress = progress(&tally, members.len(), refreshed.clusters, proposed.len(), outdated.len());
        let state = serde_json::to_value(&memory).map_err(|error| Failure::permanent(error.to_string()))?;
        let aggregated = Aggregated {
            scope,
            revision: clustering.revision,
            state,
            proposed,
            grown,
            outdated,
            run: run_of(running, task),
            progress: Some(progress),
            end: JobEnd::Done,
        };
        self.store.aggregate(&running.lease, aggregated, self.now()).await?;
        self.embeddings.wake();
        Ok(())
    }

    /// Rows that are too few for a refresh join the clusters they belong to; no model is asked.
    async fn join(
        &self,
        running: &Running,
        task: &Task,
        revision: u64,
        mut memory: Memory,
        new: &[Member],
        playbook: &PlaybookConfig,
    ) -> Result<(), Failure> {
        if new.is_empty() {
            return Ok(());
        }
        let joined = memory.join(new, &playbook.playbook_aggregator_config);
        let message = format!(
            "{} new user playbooks: {} joined clusters, {} wait for their like",
            new.len(),
            new.len() - joined.waiting,
            joined.waiting
        );
        let state = serde_json::to_value(&memory).map_err(|error| Failure::permanent(error.to_string()))?;
        let aggregated = Aggregated {
            scope: clustered(task),
            revision,
            state,
            proposed: Vec::new(),
            grown: Vec::new(),
            outdated: Vec::new(),
            run: run_of(running, task),
            progress: Some(JobProgress { done: 0, total: None, message: Some(message) }),
            end: JobEnd::Done,
        };
        self.store.aggregate(&running.lease, aggregated, self.now()).await?;
        Ok(())
    }

    async fn rows_of(&self, org: &OrgId, scope: &AggregationScope) -> Result<Vec<UserPlaybook>, Failure> {
        let filter = UserPlaybookFilter {
            agent_version: Some(scope.agent_version.clone()),
            playbook_name: Some(scope.playbook_name.clone()),
            status: vec![Status::Current],
            ..UserPlaybookFilter::default()
        };
        Ok(self.store.user_playbooks(org, &filter, MOST_ROWS).await?)
    }

    /// Rows with what is to be known about them.
    async fn members(
        &self,
        org: &OrgId,
        rows: Vec<UserPlaybook>,
        counts: ClusterSizeCounts,
    ) -> Result<Vec<Member>, Failure> {
        let mut vectors = self.meanings_of(org, &rows).await?;
        let mut sessions = HashMap::new();
        if counts == ClusterSizeCounts::Sessions {
            let requests: Vec<_> = rows.iter().map(|row| row.request_id.clone()).collect();
            sessions = self.store.request_sessions(org, &requests).await?;
        }
        let member = |row: UserPlaybook| Member {
            vector: vectors.remove(&row.id),
            session: sessions.get(&row.request_id).cloned(),
            row,
        };
        Ok(rows.into_iter().map(member).collect())
    }

    /// Vectors that are stored already, and those of rows that still wait for theirs. All or none: words and meaning are not
    /// compared with each other.
    async fn meanings_of(
        &self,
        org: &OrgId,
        rows: &[UserPlaybook],
    ) -> Result<HashMap<UserPlaybookId, Vec<f32>>, Failure> {
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let mut vectors = self.store.user_playbook_vectors(org, &ids).await?;
        let missing: Vec<&UserPlaybook> = rows.iter().filter(|row| !vectors.contains_key(&row.id)).collect();
        let meaning = self.meaning();
        for rows in missing.chunks(TEXTS_AT_ONCE) {
            let texts: Vec<String> = rows.iter().map(|row| row.searchable_text()).collect();
            let Some(made) = meaning.vectors(&texts).await else { break };
            vectors.extend(rows.iter().map(|row| row.id).zip(made));
        }
        if rows.iter().any(|row| !vectors.contains_key(&row.id)) {
            vectors.clear();
        }
        Ok(vectors)
    }

    async fn standing_rules(&self, org: &OrgId, scope: &AggregationScope) -> Result<Standing, Failure> {
        let filter = AgentPlaybookFilter {
            agent_version: Some(scope.agent_version.clone()),
            playbook_name: Some(scope.playbook_name.clone()),
            ..AgentPlaybookFilter::default()
        };
        Ok(Standing { rules: self.store.agent_playbooks(org, &filter, usize::MAX).await? })
    }

    /// What a cluster says, in the words of the org's model or of the member in its middle.
    async fn word(
        &self,
        running: &Running,
        playbook: &PlaybookConfig,
        group: &Group,
        members: &[Member],
        before: Option<&str>,
    ) -> Result<Written, Failure> {
        let rows: Vec<&UserPlaybook> =
            group.members.iter().filter_map(|at| members.get(*at)).map(|member| &member.row).collect();
        let org = running.org();
        let models = self.models(org, Role::Aggregation).await.map_err(|error| unavailable(&error))?;
        let Some(models) = models else { return Ok(without_a_model(&rows)) };
        let broken = |error: String| LearnError::Model(reflexio_llm::Error::Misconfigured(error));
        let model = match models.for_role(Role::Aggregation) {
            Ok(model) => Aggregation::new(model).map_err(|error| broken(error.to_string())),
            Err(error) => Err(LearnError::Model(error)),
        };
        let topic = Topic {
            playbook_name: &playbook.playbook_name,
            definition: &playbook.playbook_definition_prompt,
            before,
        };
        let purpose = Purpose::of_job(running.lease.job).asked_by([playbook.playbook_name.clone()]);
        let written = match model {
            Ok(model) => {
                let written = model.write(topic, &rows, &Options::with_purpose(purpose)).await;
                written.map_err(LearnError::Model)
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(written) => Ok(written),
            Err(LearnError::Model(reflexio_llm::Error::Declined { .. })) => Ok(without_a_model(&rows)),
            Err(error) => Err(self.failure(org, error).await),
        }
    }
}

/// What a task is about.
fn clustered(task: &Task) -> AggregationScope {
    AggregationScope { agent_version: task.agent_version.clone(), playbook_name: task.playbook_name.clone() }
}

fn run_of(running: &Running, task: &Task) -> RunStart {
    let parts = [("type", Some(task.playbook_name.as_str())), ("version", Some(task.agent_version.as_str()))];
    let asked = if task.forced { Asked::By(task.asked_by.clone()) } else { Asked::ByNobody };
    of_job(running.lease.job, RunKind::Aggregation, scope_of("user playbooks", &parts), asked)
}

/// Pending rules whose cluster is no more; what a person decided stays.
fn outdated(standing: &Standing, gone: &[AgentPlaybookId]) -> Vec<AgentPlaybook> {
    let rules = gone.iter().filter_map(|id| standing.find(*id));
    let waits = |rule: &&AgentPlaybook| {
        rule.status == Status::Current && rule.playbook_status == PlaybookStatus::Pending
    };
    rules.filter(waits).cloned().collect()
}

fn progress(tally: &Tally, rows: usize, clusters: usize, proposed: usize, outdated: usize) -> JobProgress {
    let mut message = format!("{rows} user playbooks, {clusters} clusters, {proposed} proposed");
    if outdated > 0 {
        message.push_str(&format!(", {outdated} outdated"));
    }
    for (reason, count) in &tally.reasons {
        message.push_str(&format!("; {count} × {reason}"));
    }
    JobProgress { done: proposed as u64, total: Some(clusters as u64), message: Some(message) }
}
