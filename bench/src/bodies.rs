//! The requests that are sent, made from a seed and a number.

use bytes::Bytes;
use reflexio_api_types::{
    AddUserPlaybookRequest, Content, EpochSeconds, GetUserPlaybooksRequest, InteractionData, NonBlank,
    Positive, PublishUserInteractionRequest, SearchInteractionRequest, ShortText, SourceLabel, UserPlaybook,
};
use serde::Serialize;

use crate::connection::Call;
use crate::random::Random;
use crate::text::{self, Speaker};

/// 2026-01-01; stored rows are spread from there, so that no two of a user have the same time.
const FIRST_SECOND: u64 = 1_767_225_600;
const SECONDS_BETWEEN_TURNS: u64 = 20;
const SECONDS_BETWEEN_PLAYBOOKS: u64 = 600;

/// Makes requests; the same number makes the same request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bodies {
    pub(crate) seed: u64,
    pub(crate) users: u64,
}

impl Bodies {
    /// A conversation of one of the users, as an agent publishes it right after it happened.
    pub(crate) fn publish(self, number: u64, turns: usize) -> anyhow::Result<Call> {
        let mut random = Random::stream(self.seed, number);
        let user = random.below(self.users);
        let session = format!("session-{}", random.below(20_000));
        let turns = (0..turns as u64).map(|at| interaction(&mut random, at, None)).collect();
        publish_call(user, session, turns)
    }

    /// One of many requests that fill a store: the users take turns, and time goes on from row to row.
    pub(crate) fn fill(self, number: u64, first_row: u64, turns: u64) -> anyhow::Result<Call> {
        let mut random = Random::stream(!self.seed, first_row);
        let interactions = (0..turns)
            .map(|at| {
                interaction(&mut random, at, Some(FIRST_SECOND + (first_row + at) * SECONDS_BETWEEN_TURNS))
            })
            .collect();
        publish_call(number % self.users, format!("import-{first_row}"), interactions)
    }

    /// User playbooks `first` to `first + count`.
    pub(crate) fn playbooks(self, first: u64, count: u64) -> anyhow::Result<Call> {
        let user_playbooks = (first..first + count).map(|number| self.playbook(number)).collect();
        post("/api/add_user_playbook", &AddUserPlaybookRequest { user_playbooks })
    }

    fn playbook(self, number: u64) -> UserPlaybook {
        let mut random = Random::stream(self.seed.rotate_left(7), number);
        let second = FIRST_SECOND + number * SECONDS_BETWEEN_PLAYBOOKS;
        UserPlaybook {
            user_id: Some(user_name(random.below(self.users))),
            agent_version: format!("1.{}", random.below(4)),
            request_id: format!("request-{number}"),
            playbook_name: Some("support".to_owned()),
            created_at: Some(EpochSeconds(i64::try_from(second).unwrap_or_default())),
            trigger: Some(text::turn(&mut random, Speaker::User)),
            content: Some(text::turn(&mut random, Speaker::Agent)),
            rationale: Some(text::turn(&mut random, Speaker::Agent)),
            ..UserPlaybook::default()
        }
    }

    /// A search of one user's interactions.
    pub(crate) fn search(self, number: u64) -> anyhow::Result<Call> {
        let mut random = Random::stream(self.seed.rotate_left(13), number);
        let user = random.below(self.users);
        let request = SearchInteractionRequest {
            user_id: NonBlank(user_name(user)),
            request_id: None,
            session_id: None,
            query: Some(text::query(&mut random)),
            start_time: None,
            end_time: None,
            top_k: None,
            most_recent_k: None,
            threshold: None,
            search_mode: None,
            explain: None,
            recency: None,
        };
        post("/api/search_interactions", &request)
    }
}

/// The newest playbooks of everybody.
pub(crate) fn list_playbooks(limit: i64) -> anyhow::Result<Call> {
    let request =
        GetUserPlaybooksRequest { limit: Some(Positive(limit)), ..GetUserPlaybooksRequest::default() };
    post("/api/get_user_playbooks", &request)
}

fn interaction(random: &mut Random, at: u64, second: Option<u64>) -> InteractionData {
    let (role, speaker) =
        if at.is_multiple_of(2) { ("User", Speaker::User) } else { ("Assistant", Speaker::Agent) };
    InteractionData {
        created_at: second.map(|second| EpochSeconds(i64::try_from(second).unwrap_or_default())),
        role: Some(ShortText::from(role)),
        content: Some(Content(text::turn(random, speaker))),
        ..InteractionData::default()
    }
}

fn publish_call(user: u64, session: String, interactions: Vec<InteractionData>) -> anyhow::Result<Call> {
    let request = PublishUserInteractionRequest {
        request_id: None,
        user_id: NonBlank(user_name(user)),
        interaction_data_list: interactions,
        source: Some(SourceLabel::from("bench")),
        agent_version: Some(ShortText::from("1.0")),
        session_id: Some(NonBlank(session)),
        skip_aggregation: None,
        force_extraction: None,
        evaluation_only: None,
        override_learning_stall: None,
        session_finished: None,
        retrieval_experiment_id: None,
        retrieval_experiment_arm: None,
    };
    post("/api/publish_interaction", &request)
}

fn user_name(number: u64) -> String {
    format!("user-{number:04}")
}

fn post(path: &'static str, body: &impl Serialize) -> anyhow::Result<Call> {
    Ok(Call::post(path, Bytes::from(serde_json::to_vec(body)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_makes_the_same_request() {
        let bodies = Bodies { seed: 42, users: 10 };
        let length = |call: anyhow::Result<Call>| call.unwrap().body_bytes();
        assert_eq!(length(bodies.publish(7, 3)), length(bodies.publish(7, 3)));
        assert!(length(bodies.publish(7, 30)) > length(bodies.publish(7, 3)));
    }
}
