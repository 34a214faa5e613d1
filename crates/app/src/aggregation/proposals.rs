//! Whether a rule that a cluster came to is worth a person's time.

use reflexio_cluster::{Statement, near_duplicate};
use reflexio_learn::aggregate::{Group, Member, Wording, merged_metadata};
use reflexio_store::{AggregationScope, Grown, Proposed};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, PlaybookStatus, SourceWindow, Status, Timestamp,
    UserPlaybook,
};

/// So many situations are kept with a rule.
const MOST_WINDOWS: usize = 100;

/// What a changed cluster came to.
pub(super) enum Came {
    /// A new proposal.
    Rule(Box<Proposed>),
    /// The rule that waits stands on other evidence.
    Evidence(Box<Grown>),
    /// Why.
    Nothing(String),
}

/// The rules of a type and version that stand already.
pub(crate) struct Standing {
    pub(crate) rules: Vec<AgentPlaybook>,
}

impl Standing {
    pub(super) fn find(&self, id: AgentPlaybookId) -> Option<&AgentPlaybook> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// What becomes of a cluster. `newest` is the last rule that it came to.
    pub(super) fn proposal(&self, newest: Option<AgentPlaybookId>, cluster: u64, row: AgentPlaybook) -> Came {
        let newest = newest.and_then(|id| self.find(id)).filter(|rule| rule.status == Status::Current);
        let (mut row, mut replaces) = (row, None);
        match newest.map(|rule| (rule, rule.playbook_status)) {
            Some((rule, PlaybookStatus::Pending)) if is_kept(rule, &row) => {
                return Came::Evidence(Box::new(Grown { before: rule.clone(), after: grown(rule, row) }));
            }
            Some((rule, PlaybookStatus::Pending)) => {
                row.body.successor_of = rule.body.successor_of;
                replaces = Some(rule.clone());
            }
            Some((rule, PlaybookStatus::Approved)) => row.body.successor_of = Some(rule.id),
            Some((_, PlaybookStatus::Rejected)) | None => {}
        }
        match self.objection(&row, replaces.as_ref().map(|rule| rule.id)) {
            Some(reason) => Came::Nothing(reason),
            None => Came::Rule(Box::new(Proposed { cluster, row, replaces })),
        }
    }

    /// Why a rule is not worth proposing: one that stands says the same, or a person rejected that. The one that it would
    /// replace does not count.
    pub(crate) fn objection(&self, row: &AgentPlaybook, replaced: Option<AgentPlaybookId>) -> Option<String> {
        let mut others = self.rules.iter().filter(|rule| Some(rule.id) != replaced && is_decisive(rule));
        let rule = others.find(|rule| near_duplicate(&statement(rule), &statement(row)).same())?;
        if rule.playbook_status != PlaybookStatus::Rejected {
            return Some(format!("says what {} says", rule.id));
        }
        let reason = rule.body.review.as_ref().and_then(|review| review.reason.as_deref());
        let why = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        Some(format!("says what a person rejected as {}{why}", rule.id))
    }
}

/// Whether the rule that waits stays: it says the same, or a person worded it.
fn is_kept(rule: &AgentPlaybook, row: &AgentPlaybook) -> bool {
    rule.body.content == row.body.content || rule.body.written_by.is_some()
}

/// The rule that waits, with the evidence of today. What a person wrote stays.
fn grown(rule: &AgentPlaybook, row: AgentPlaybook) -> AgentPlaybook {
    let mut after = rule.clone();
    let evidence = row.body;
    after.body.cluster_size = evidence.cluster_size;
    after.body.distinct_users = evidence.distinct_users;
    after.body.agreement = evidence.agreement;
    after.body.source_user_playbook_ids = evidence.source_user_playbook_ids;
    after.body.source_windows = evidence.source_windows;
    after.body.playbook_metadata = evidence.playbook_metadata;
    if rule.body.written_by.is_none() {
        after.body.rationale = evidence.rationale;
    }
    after
}

/// Whether a rule keeps others from being proposed: in use, waiting, or rejected.
fn is_decisive(rule: &AgentPlaybook) -> bool {
    rule.status == Status::Current || rule.playbook_status == PlaybookStatus::Rejected
}

fn statement(rule: &AgentPlaybook) -> Statement {
    let body = &rule.body;
    let parts = [body.trigger.as_deref(), body.instruction.as_deref()];
    let text = match parts {
        [Some(trigger), Some(instruction)] => format!("{trigger} {instruction}"),
        [_, _] => body.content.clone(),
    };
    Statement::new(&text, None)
}

/// The rule of a cluster, which waits for a person.
pub(super) fn row(
    scope: &AggregationScope,
    group: &Group,
    members: &[Member],
    wording: Wording,
    written_by: String,
    now: Timestamp,
) -> AgentPlaybook {
    let rows: Vec<&UserPlaybook> =
        group.members.iter().filter_map(|at| members.get(*at)).map(|member| &member.row).collect();
    let windows = rows.iter().filter(|row| !row.body.source_interaction_ids.is_empty()).take(MOST_WINDOWS);
    AgentPlaybook {
        id: AgentPlaybookId(0),
        playbook_name: scope.playbook_name.clone(),
        agent_version: scope.agent_version.clone(),
        created_at: now,
        playbook_status: PlaybookStatus::Pending,
        status: Status::Current,
        body: AgentPlaybookBody {
            content: wording.content(),
            playbook_metadata: merged_metadata(rows.iter().map(|row| row.body.playbook_metadata.as_str())),
            source_user_playbook_ids: rows.iter().map(|row| row.id).collect(),
            cluster_size: u32::try_from(rows.len()).ok(),
            distinct_users: u32::try_from(group.users).ok(),
            agreement: Some((group.agreement * 1_000.0).round() / 1_000.0),
            source_windows: windows
                .map(|row| SourceWindow {
                    user_playbook_id: row.id,
                    request_id: row.request_id.clone(),
                    interaction_ids: row.body.source_interaction_ids.clone(),
                })
                .collect(),
            trigger: Some(wording.trigger),
            instruction: Some(wording.instruction),
            pitfall: wording.pitfall,
            rationale: wording.rationale,
            learned_by: Some(written_by),
            ..AgentPlaybookBody::default()
        },
    }
}
