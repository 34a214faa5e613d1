use axum::Json;
use reflexio_api_types::{
    Detail, InteractionData, LocPart, Parsed, PublishQuery, PublishUserInteractionRequest,
    PublishUserInteractionResponse,
};
use reflexio_app::{Error, LearningStatus, Publish, PublishOutcome, TurnDraft, Wait};
use reflexio_types::{
    Citation, Experiment, LearningIntent, RequestId, RetrievedLearning, SessionId, Timestamp, ToolUse, Turn,
    UserId,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AppState;
use crate::error::{ApiError, Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(publish_interaction))
}

/// Store a conversation and learn from it
#[utoipa::path(post, path = "/api/publish_interaction", tag = "interactions", params(PublishQuery),
    request_body(content = PublishUserInteractionRequest, example = json!({
        "user_id": "user_123",
        "session_id": "chat_1",
        "source": "support_chat",
        "agent_version": "v2.1.0",
        "interaction_data_list": [
            {"role": "User", "content": "How do I reset my password?"},
            {"role": "Agent", "content": "Go to Settings > Security > Reset Password."},
            {"role": "User", "content": "Perfect, that worked!"}
        ]
    })),
    responses((status = 200, body = PublishUserInteractionResponse), Failure))]
async fn publish_interaction(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<PublishQuery>,
    Body(parsed): Body<PublishUserInteractionRequest>,
) -> Result<Json<PublishUserInteractionResponse>> {
    let mut warnings = Vec::new();
    let mut publish = read(parsed, app.now(), &mut warnings)?;
    publish.wait = if query.wait_for_response { Wait::UntilLearned } else { Wait::No };
    let session_id = publish.session_id.as_ref().map(ToString::to_string);
    match app.publish(&caller, publish).await {
        Ok(outcome) => {
            let storage = app.whoami(&caller);
            warnings.extend(outcome.warnings.iter().cloned());
            let mut response = published(outcome, session_id, warnings);
            response.storage_type = Some(storage.storage_type.to_owned());
            response.storage_label = Some(storage.storage_label);
            Ok(Json(response))
        }
        Err(Error::DuplicateRequest(id)) => Ok(Json(PublishUserInteractionResponse {
            success: false,
            message: Error::DuplicateRequest(id.clone()).to_string(),
            request_id: Some(id),
            duplicate: Some(true),
            ..PublishUserInteractionResponse::default()
        })),
        Err(error) => Err(error.into()),
    }
}

fn published(
    outcome: PublishOutcome,
    session_id: Option<String>,
    warnings: Vec<String>,
) -> PublishUserInteractionResponse {
    let request_id = outcome.request_id.into_string();
    let message = match warnings.len() {
        0 => "Interaction published successfully".to_owned(),
        count => format!("Interaction published successfully with {count} warning(s)"),
    };
    PublishUserInteractionResponse {
        success: true,
        message,
        warnings,
        session_id: Some(session_id.unwrap_or_else(|| request_id.clone())),
        request_id: Some(request_id),
        profiles_added: Some(outcome.profiles_added),
        playbooks_added: Some(outcome.playbooks_added),
        learning_status: Some(
            if outcome.learning.status == LearningStatus::Done { "done" } else { "deferred" }.to_owned(),
        ),
        learning_reason: Some(outcome.learning.reason.to_owned()),
        ..PublishUserInteractionResponse::default()
    }
}

fn read(
    parsed: Parsed<PublishUserInteractionRequest>,
    now: Timestamp,
    warnings: &mut Vec<String>,
) -> Result<Publish> {
    let request = parsed.value;
    warnings.extend(parsed.ignored.iter().map(|path| format!("ignored unknown field `{path}`")));
    let mut turns = Vec::with_capacity(request.interaction_data_list.len());
    let mut empty = Vec::new();
    for (index, interaction) in request.interaction_data_list.into_iter().enumerate() {
        if interaction.carries_content() {
            turns.push(draft(interaction, index, now)?);
        } else {
            empty.push(index.to_string());
        }
    }
    if !empty.is_empty() {
        let at = empty.join(", ");
        warnings.push(format!(
            "skipped {} empty interaction(s) without any content, at index(es) {at}",
            empty.len()
        ));
    }
    let experiment = request.retrieval_experiment_id.zip(request.retrieval_experiment_arm);
    Ok(Publish {
        request_id: request.request_id.map(|id| RequestId::new(id.into_string())),
        user_id: UserId::new(request.user_id.into_string()),
        session_id: request.session_id.map(|id| SessionId::new(id.into_string())),
        source: request.source.map_or_else(String::new, |source| source.into_string()),
        agent_version: request
            .agent_version
            .map(|version| version.into_string())
            .filter(|text| !text.is_empty()),
        experiment: experiment.map(|(id, arm)| Experiment { id: id.into_string(), arm: arm.into() }),
        intent: LearningIntent {
            evaluation_only: request.evaluation_only.unwrap_or_default(),
            force_extraction: request.force_extraction.unwrap_or_default(),
            skip_aggregation: request.skip_aggregation.unwrap_or_default(),
            override_learning_stall: request.override_learning_stall.unwrap_or_default(),
            session_finished: request.session_finished.unwrap_or_default(),
        },
        wait: Wait::No,
        turns,
    })
}

fn draft(interaction: InteractionData, index: usize, now: Timestamp) -> Result<TurnDraft> {
    let image = interaction.image().map_err(|problem| {
        let loc = vec![
            LocPart::from("body"),
            LocPart::from("interaction_data_list"),
            LocPart::Index(index as u64),
            LocPart::from("image_encoding"),
        ];
        ApiError::Invalid(vec![Detail::new("value_error", loc, format!("Value error, {problem}"))])
    })?;
    let turn = Turn {
        created_at: interaction.created_at.map_or(now, |at| Timestamp(at.0)),
        role: interaction.role.map_or_else(|| "User".to_owned(), |role| role.into_string()),
        content: interaction.content.map_or_else(String::new, |text| text.into_string()),
        shadow_content: interaction.shadow_content.map_or_else(String::new, |text| text.into_string()),
        expert_content: interaction.expert_content.map_or_else(String::new, |text| text.into_string()),
        user_action: interaction.user_action.unwrap_or_default().into(),
        user_action_description: interaction
            .user_action_description
            .map_or_else(String::new, |text| text.into_string()),
        image_url: interaction.interacted_image_url.map_or_else(String::new, |url| url.into_string()),
        image: None,
        tools_used: interaction.tools_used.unwrap_or_default().into_iter().map(tool).collect(),
        citations: interaction.citations.unwrap_or_default().into_iter().map(citation).collect(),
        retrieved_learnings: interaction
            .retrieved_learnings
            .unwrap_or_default()
            .into_iter()
            .map(|learning| RetrievedLearning {
                kind: learning.kind.into(),
                learning_id: learning.learning_id.into_string(),
            })
            .collect(),
    };
    Ok(TurnDraft { turn, image })
}

fn tool(tool: reflexio_api_types::ToolUsed) -> ToolUse {
    ToolUse {
        tool_name: tool.tool_name,
        tool_data: tool.tool_data.unwrap_or_default(),
        status: tool.status.unwrap_or_default(),
    }
}

fn citation(citation: reflexio_api_types::Citation) -> Citation {
    Citation {
        kind: citation.kind.into(),
        real_id: citation.real_id,
        tag: citation.tag.unwrap_or_default(),
        title: citation.title.unwrap_or_default(),
    }
}
