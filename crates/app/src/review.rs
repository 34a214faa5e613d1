//! Who may decide about a rule: a person, and not the one who wrote it.

use reflexio_store::AgentPlaybookChange;
use reflexio_types::{AgentPlaybook, Caller, FieldChange, PlaybookStatus, Signature, Status, Timestamp};

use crate::access::Access;
use crate::{App, Error, Result};

/// How far a caller is bound when reviewing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reviewer {
    /// The key that must not review its own writing; nothing where nobody is bound.
    bound: Option<String>,
}

impl App {
    pub(crate) async fn reviewer(&self, caller: &Caller) -> Result<Reviewer> {
        let Some(key) = caller.actor() else { return Ok(Reviewer { bound: None }) };
        let (_, config) = self.config_in_force(&caller.org).await?;
        Ok(Reviewer { bound: config.review_config.another_key.then(|| key.to_owned()) })
    }
}

impl Reviewer {
    /// Whether a rule may be changed so. The machine's rules may be reviewed with any key that reviews.
    pub(crate) fn check(&self, rule: &AgentPlaybook, change: &AgentPlaybookChange) -> Result<()> {
        let Some(key) = &self.bound else { return Ok(()) };
        let after = change.applied(rule, Signature { key: Some(key.clone()), at: Timestamp(0) });
        let edits = !FieldChange::between(rule, &after).is_empty();
        let decides =
            after.body.review != rule.body.review && after.playbook_status != PlaybookStatus::Pending;
        let author = rule.body.written_by.as_ref().and_then(|by| by.key.as_ref());
        if decides && (edits || author == Some(key)) {
            return Err(Error::OwnWriting(format!(
                "agent playbook {} was last written with this key",
                rule.id
            )));
        }
        let in_production =
            after.playbook_status == PlaybookStatus::Approved && rule.status == Status::Current;
        if edits && in_production {
            return Err(Error::OwnWriting(format!(
                "agent playbook {} is in production, so a new text is proposed as its successor (`successor_of`)",
                rule.id
            )));
        }
        Ok(())
    }

    /// Whether a new rule may be stored with this decision.
    pub(crate) fn check_new(&self, status: PlaybookStatus) -> Result<()> {
        if self.bound.is_some() && status != PlaybookStatus::Pending {
            let status = status.as_str();
            return Err(Error::OwnWriting(format!("a rule cannot be added as {status} by whoever wrote it")));
        }
        Ok(())
    }
}
