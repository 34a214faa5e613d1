//! Whether a rule that a cluster came to is worth a person's time.

use reflexio_cluster::{Statement, near_duplicate};
use reflexio_learn::aggregate::{Group, Member, Wording, merged_metadata};
use reflexio_store::{AggregationScope, Proposed};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, PlaybookStatus, SourceWindow, Status, Timestamp,
    UserPlaybook,
};

use crate::search;

/// So many situations are kept with a rule.
const MOST_WINDOWS: usize = 100;

/// The rules of a type and version that stand already.
pub(super) struct Standing {
    pub(super) rules: Vec<AgentPlaybook>,
}

impl Standing {
    pub(super) fn find(&self, id: AgentPlaybookId) -> Option<&AgentPlaybook> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The proposal of a cluster, or why there is none. `newest` is the last rule that this cluster came to.
    pub(super) fn proposal(
        &self,
        newest: Option<AgentPlaybookId>,
        cluster: u64,
        row: AgentPlaybook,
    ) -> Result<Proposed, String> {
        let newest = newest.and_then(|id| self.find(id)).filter(|rule| rule.status == Status::Current);
        let (mut row, mut replaces) = (row, None);
        match newest.map(|rule| (rule, rule.playbook_status)) {
            Some((rule, PlaybookStatus::Pending)) if rule.body.content == row.body.content => {
                return Err(format!("proposed already as {}", rule.id));
            }
            Some((rule, PlaybookStatus::Pending)) => {
                row.body.successor_of = rule.body.successor_of;
                replaces = Some(rule.clone());
            }
            Some((rule, PlaybookStatus::Approved)) => row.body.successor_of = Some(rule.id),
            Some((_, PlaybookStatus::Rejected)) | None => {}
        }
        let replaced = replaces.as_ref().map(|rule| rule.id);
        let others = self.rules.iter().filter(|rule| Some(rule.id) != replaced && is_decisive(rule));
        let said = |rule: &&AgentPlaybook| near_duplicate(&statement(rule), &statement(&row)).same();
        match others.into_iter().find(said) {
            Some(rule) if rule.playbook_status == PlaybookStatus::Rejected => {
                Err(format!("says what a person rejected as {}", rule.id))
            }
            Some(rule) => Err(format!("says what {} says", rule.id)),
            None => Ok(Proposed { cluster, row, replaces }),
        }
    }
}

/// Whether a rule keeps others from being proposed: in use, waiting, or rejected.
fn is_decisive(rule: &AgentPlaybook) -> bool {
    rule.status == Status::Current || rule.playbook_status == PlaybookStatus::Rejected
}

fn statement(rule: &AgentPlaybook) -> Statement {
    let body = &rule.body;
    search::statement(&body.content, body.trigger.as_deref(), body.instruction.as_deref())
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
