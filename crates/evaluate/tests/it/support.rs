use reflexio_evaluate::Policy;
use reflexio_types::config::AgentSuccessConfig;
use reflexio_types::{Interaction, InteractionId, Timestamp, Turn};

pub(crate) fn policy() -> Policy {
    let success = AgentSuccessConfig {
        success_definition_prompt: "The user got what was asked for.".to_owned(),
        ..AgentSuccessConfig::default()
    };
    Policy { agent_context: None, tools: Vec::new(), success }
}

pub(crate) fn say(role: &str, content: &str) -> Turn {
    Turn::say(Timestamp(1), role, content)
}

pub(crate) fn session(turns: Vec<Turn>) -> Vec<Interaction> {
    let turn = |(at, turn)| Interaction {
        id: InteractionId(at as i64 + 1),
        user_id: "ann".into(),
        request_id: "r1".into(),
        session_id: "s1".into(),
        turn,
    };
    turns.into_iter().enumerate().map(turn).collect()
}
