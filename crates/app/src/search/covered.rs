use std::collections::HashSet;

use reflexio_cluster::{Statement, near_duplicate};
use reflexio_types::{AgentPlaybook, UserPlaybook, UserPlaybookId};

use super::Hit;

/// What a rule says: when, and what to do then; its text if it has no such parts.
pub(crate) fn statement(content: &str, trigger: Option<&str>, instruction: Option<&str>) -> Statement {
    let text = match (trigger, instruction) {
        (Some(trigger), Some(instruction)) => format!("{trigger} {instruction}"),
        _ => content.to_owned(),
    };
    Statement::new(&text, None)
}

/// What agent playbooks say already: an agent that gets them needs no user playbook for it.
#[derive(Default)]
pub(crate) struct Coverage {
    /// The user playbooks that they were made of.
    sources: HashSet<UserPlaybookId>,
    statements: Vec<Statement>,
}

impl Coverage {
    pub(crate) fn of<'a>(rules: impl IntoIterator<Item = &'a AgentPlaybook>) -> Self {
        let mut coverage = Self::default();
        coverage.add(rules);
        coverage
    }

    pub(crate) fn add<'a>(&mut self, rules: impl IntoIterator<Item = &'a AgentPlaybook>) {
        for rule in rules {
            let body = &rule.body;
            self.sources.extend(&body.source_user_playbook_ids);
            let (trigger, instruction) = (body.trigger.as_deref(), body.instruction.as_deref());
            self.statements.push(statement(&body.content, trigger, instruction));
        }
    }

    /// Whether a rule was made of this playbook, or says the same in other words.
    pub(crate) fn covers(&self, row: &UserPlaybook) -> bool {
        if self.sources.contains(&row.id) {
            return true;
        }
        if self.statements.is_empty() {
            return false;
        }
        let body = &row.body;
        let said = statement(&body.content, body.trigger.as_deref(), body.instruction.as_deref());
        self.statements.iter().any(|rule| near_duplicate(rule, &said).same())
    }

    /// Leaves out what is covered among the first rows that would be shown; says how many those were.
    pub(crate) fn leave_out(&self, rows: &mut Vec<Hit<UserPlaybook>>, top_k: usize) -> usize {
        let (mut shown, mut covered) = (0, 0);
        rows.retain(|hit| {
            if shown == top_k {
                return false;
            }
            let is_covered = self.covers(&hit.row);
            if is_covered {
                covered += 1;
            } else {
                shown += 1;
            }
            !is_covered
        });
        covered
    }
}

#[cfg(test)]
mod tests {
    use reflexio_types::{
        AgentPlaybookBody, AgentPlaybookId, PlaybookStatus, Status, Timestamp, UserPlaybookBody,
    };

    use super::*;

    fn rule(content: &str, sources: &[i64]) -> AgentPlaybook {
        AgentPlaybook {
            id: AgentPlaybookId(1),
            playbook_name: "p".to_owned(),
            agent_version: "v1".to_owned(),
            created_at: Timestamp(1),
            playbook_status: PlaybookStatus::Approved,
            status: Status::Current,
            body: AgentPlaybookBody {
                content: content.to_owned(),
                source_user_playbook_ids: sources.iter().copied().map(UserPlaybookId).collect(),
                ..AgentPlaybookBody::default()
            },
        }
    }

    fn playbook(id: i64, content: &str) -> Hit<UserPlaybook> {
        let row = UserPlaybook {
            id: UserPlaybookId(id),
            user_id: None,
            request_id: "r".into(),
            playbook_name: "p".to_owned(),
            agent_version: "v1".to_owned(),
            created_at: Timestamp(1),
            source: None,
            status: Status::Current,
            body: UserPlaybookBody { content: content.to_owned(), ..UserPlaybookBody::default() },
        };
        Hit { row, score: 1.0, parts: None }
    }

    fn left(rows: &[Hit<UserPlaybook>]) -> Vec<i64> {
        rows.iter().map(|hit| hit.row.id.0).collect()
    }

    #[test]
    fn what_a_rule_was_made_of_and_what_says_the_same_is_covered() {
        let coverage = Coverage::of(&[rule("Ask for the order number before a refund", &[7])]);
        let mut rows = vec![
            playbook(7, "something else entirely"),
            playbook(8, "ask for the order number before a refund"),
            playbook(9, "Never ask for the order number before a refund"),
            playbook(10, "Answer in short sentences"),
        ];
        assert_eq!(coverage.leave_out(&mut rows, 10), 2);
        assert_eq!(left(&rows), [9, 10], "the opposite is not the same");
    }

    #[test]
    fn only_rows_that_would_have_been_shown_are_counted() {
        let coverage = Coverage::of(&[rule("x", &[1, 3, 5])]);
        let mut rows: Vec<_> = (1..=6).map(|id| playbook(id, "a")).collect();
        assert_eq!(coverage.leave_out(&mut rows, 2), 2);
        assert_eq!(left(&rows), [2, 4]);
        assert_eq!(Coverage::of(&[]).leave_out(&mut rows, 1), 0);
        assert_eq!(left(&rows), [2]);
    }
}
