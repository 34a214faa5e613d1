//! The approved rules of one version of the agent, proposed for another.

mod handler;

use reflexio_store::{AgentPlaybookFilter, RunStart};
use reflexio_types::config::Config;
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, Caller, JobKind, Lane, NewJob, OrgId, PlaybookStatus, RunId, RunKind,
    Scope, Status, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) use handler::Carrier;

use crate::access::Access;
use crate::aggregation::Standing;
use crate::runs::started_by;
use crate::{App, Error, Result};

/// What to carry over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarryOver {
    pub from: String,
    pub to: String,
    /// The new version may be one that nobody has published with yet.
    pub allow_new: bool,
    /// Only say what would happen.
    pub dry_run: bool,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CarriedOver {
    pub carried: Vec<Carried>,
    pub left_out: Vec<LeftOut>,
    /// As which it can be undone, unless nothing was carried.
    pub run: Option<RunId>,
}

/// A rule that is proposed for the new version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    pub from: AgentPlaybookId,
    /// Missing in a dry run.
    pub to: Option<AgentPlaybookId>,
}

/// A rule that is not, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub id: AgentPlaybookId,
    pub reason: String,
}

/// The payload of a job that carries rules over to a version that is new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Task {
    to: String,
}

/// The job for a version that is seen for the first time, if the org wants it.
pub(crate) fn for_new_version(version: &str, config: &Config) -> Option<NewJob> {
    let payload = json!(Task { to: version.to_owned() });
    let lane = Lane::Named(format!("{}:{version}", JobKind::CarryOver.as_str()));
    config.carry_over_approved.then(|| NewJob { lane, ..NewJob::new(JobKind::CarryOver, payload) })
}

impl App {
    /// Proposes the approved rules of a version as PENDING for another, except those that stand there or were rejected there.
    pub async fn carry_over(&self, caller: &Caller, carry: &CarryOver) -> Result<CarriedOver> {
        caller.needs(Scope::Write)?;
        let known = self.store.agent_versions(&caller.org).await?;
        let wanted = [("from_version", &carry.from, false), ("to_version", &carry.to, carry.allow_new)];
        for (field, version, may_be_new) in wanted {
            if !may_be_new && !known.contains(version) {
                return Err(Error::UnknownVersion { field, version: version.clone(), known });
            }
        }
        let scope = format!("agent playbooks of version {} for {}", carry.from, carry.to);
        let run = started_by(caller, RunKind::CarryOver, scope);
        let plan = self.carry_plan(&caller.org, &carry.from, &carry.to).await?;
        if carry.dry_run {
            return Ok(plan.only_planned());
        }
        self.carry(&caller.org, plan, &run).await
    }

    async fn carry_plan(&self, org: &OrgId, from: &str, to: &str) -> Result<Plan> {
        let of = |version: &str| AgentPlaybookFilter {
            agent_version: Some(version.to_owned()),
            ..AgentPlaybookFilter::default()
        };
        let approved = AgentPlaybookFilter {
            status: vec![Status::Current],
            playbook_status: vec![PlaybookStatus::Approved],
            ..of(from)
        };
        let mut rules = self.store.agent_playbooks(org, &approved, usize::MAX).await?;
        rules.sort_by_key(|rule| rule.id);
        let there = self.store.agent_playbooks(org, &of(to), usize::MAX).await?;
        Ok(Plan::new(rules, &there, to, self.now()))
    }

    async fn carry(&self, org: &OrgId, plan: Plan, run: &RunStart) -> Result<CarriedOver> {
        let Plan { proposed, mut left_out } = plan;
        if proposed.is_empty() {
            return Ok(CarriedOver { left_out, ..CarriedOver::default() });
        }
        let (sources, rows): (Vec<AgentPlaybookId>, Vec<AgentPlaybook>) = proposed.into_iter().unzip();
        let ids = self.store.carry_agent_playbooks(org, rows, run, self.now()).await?;
        self.embeddings.wake();
        let mut carried = Vec::new();
        for (from, to) in sources.into_iter().zip(ids) {
            match to {
                Some(_) => carried.push(Carried { from, to }),
                None => left_out.push(LeftOut { id: from, reason: CARRIED_ALREADY.to_owned() }),
            }
        }
        let run = (!carried.is_empty()).then(|| run.id.clone());
        Ok(CarriedOver { carried, left_out, run })
    }
}

const CARRIED_ALREADY: &str = "was carried over already";

/// Which rules are worth a person's time in the new version.
struct Plan {
    /// The rule of the old version, and what would be proposed.
    proposed: Vec<(AgentPlaybookId, AgentPlaybook)>,
    left_out: Vec<LeftOut>,
}

impl Plan {
    fn new(rules: Vec<AgentPlaybook>, there: &[AgentPlaybook], to: &str, now: Timestamp) -> Self {
        let mut plan = Plan { proposed: Vec::new(), left_out: Vec::new() };
        for rule in rules {
            let id = rule.id;
            let carried = there.iter().any(|other| other.body.carried_from == Some(id));
            let same_type = there.iter().filter(|other| other.playbook_name == rule.playbook_name);
            let standing = Standing { rules: same_type.cloned().collect() };
            let row = proposal(rule, to, now);
            let reason =
                carried.then(|| CARRIED_ALREADY.to_owned()).or_else(|| standing.objection(&row, None));
            match reason {
                Some(reason) => plan.left_out.push(LeftOut { id, reason }),
                None => plan.proposed.push((id, row)),
            }
        }
        plan
    }

    fn only_planned(self) -> CarriedOver {
        let carried = self.proposed.into_iter().map(|(from, _)| Carried { from, to: None }).collect();
        CarriedOver { carried, left_out: self.left_out, run: None }
    }
}

/// The same rule with its evidence, which waits for a person.
fn proposal(rule: AgentPlaybook, to: &str, now: Timestamp) -> AgentPlaybook {
    let mut body = rule.body;
    body.carried_from = Some(rule.id);
    (body.successor_of, body.merged_into, body.superseded_by) = (None, None, None);
    body.review = None;
    AgentPlaybook {
        id: AgentPlaybookId(0),
        agent_version: to.to_owned(),
        created_at: now,
        playbook_status: PlaybookStatus::Pending,
        status: Status::Current,
        body,
        playbook_name: rule.playbook_name,
    }
}
