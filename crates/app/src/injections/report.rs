use reflexio_store::{AgentPlaybookFilter, RuleRef, UserPlaybookFilter};
use reflexio_types::{
    AgentPlaybookId, Caller, InjectedRule, InjectionId, InjectionRoute, LearningKind, OrgId, Scope,
    UserPlaybookId,
};

use super::{Prompt, Worded};
use crate::access::Access;
use crate::{App, Error, Result};

/// Rules that an agent put into a prompt by its own choice.
#[derive(Debug, Clone, PartialEq)]
pub struct NewInjection {
    pub prompt: Prompt,
    /// The version of the context block they came from.
    pub block: Option<String>,
    /// Profiles are no rules: they may be named and are left out.
    pub rules: Vec<RuleRef>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedInjection {
    /// Nothing if only profiles were named.
    pub id: Option<InjectionId>,
    pub recorded: Vec<InjectedRule>,
    /// Rules that are not there (any more).
    pub unknown: Vec<RuleRef>,
}

impl App {
    /// Records rules that an agent put into a prompt, in the words they have now. Durable when it returns.
    pub async fn report_injection(&self, caller: &Caller, new: NewInjection) -> Result<ReportedInjection> {
        caller.needs(Scope::Write)?;
        let (mut rules, mut unknown) = (Vec::new(), Vec::new());
        for rule in new.rules.into_iter().filter(|rule| rule.kind != LearningKind::Profile) {
            match self.rule_as_it_is(&caller.org, &rule).await? {
                Some(injected) => rules.push(injected),
                None => unknown.push(rule),
            }
        }
        if rules.is_empty() {
            return match unknown.first() {
                Some(rule) => Err(Error::not_found(noun(rule.kind), &rule.id)),
                None => Ok(ReportedInjection { id: None, recorded: rules, unknown }),
            };
        }
        let line = new.prompt.injection(self.now(), InjectionRoute::Reported, new.block, rules);
        let recorded = line.rules.clone();
        let id = self.store.record_injections(&caller.org, vec![line]).await?.pop();
        Ok(ReportedInjection { id, recorded, unknown })
    }

    async fn rule_as_it_is(&self, org: &OrgId, rule: &RuleRef) -> Result<Option<InjectedRule>> {
        let Ok(number) = rule.id.parse() else { return Ok(None) };
        Ok(match rule.kind {
            LearningKind::Profile => None,
            LearningKind::AgentPlaybook => {
                let id = Some(AgentPlaybookId(number));
                let filter = AgentPlaybookFilter { id, ..AgentPlaybookFilter::default() };
                self.store.agent_playbooks(org, &filter, 1).await?.first().map(Worded::injected)
            }
            LearningKind::UserPlaybook => {
                let id = Some(UserPlaybookId(number));
                let filter = UserPlaybookFilter { id, ..UserPlaybookFilter::default() };
                self.store.user_playbooks(org, &filter, 1).await?.first().map(Worded::injected)
            }
        })
    }
}

fn noun(kind: LearningKind) -> &'static str {
    match kind {
        LearningKind::Profile => "profile",
        LearningKind::UserPlaybook => "user playbook",
        LearningKind::AgentPlaybook => "agent playbook",
    }
}
