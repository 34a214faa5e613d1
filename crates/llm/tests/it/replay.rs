use std::sync::Arc;

use reflexio_llm::endpoint::Reply;
use reflexio_llm::replay::{Recorder, Replayer};
use reflexio_llm::{Models, Options, Prompt, Role, Services, Settings, Transport, live};
use reflexio_types::config::Secret;
use reflexio_types::{MediaType, SystemClock};
use serde_json::json;

use crate::support::{Facts, endpoint, facts_schema};

fn models_over(settings: Settings, transport: Arc<dyn Transport>) -> Models {
    let services = Services { transport: Some(transport), ..Services::default() };
    Models::new(settings, services).expect("models")
}

async fn two_calls(models: &Models) -> (String, Vec<String>) {
    let model = models.for_role(Role::Extraction).expect("a model");
    let prompt = Prompt::user("look").with_image(MediaType::Png, *b"pixels");
    let text = model.complete(&prompt, &Options::default()).await.expect("an answer").text;
    let facts =
        model.complete_json::<Facts>(&Prompt::user("Facts?"), &facts_schema(), &Options::default()).await;
    (text, facts.expect("facts").value.facts)
}

#[tokio::test]
async fn what_was_recorded_is_played_back_without_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.json");
    let replies =
        [Reply::Text("a cup".to_owned()), Reply::SchemaViolation, Reply::Json(json!({"facts": ["tea"]}))];
    let endpoint = endpoint(replies).await;
    let mut settings = endpoint.settings();
    settings.endpoints.get_mut("test").expect("the endpoint").key = Some(Secret::new("sk-very-secret-key"));
    let real = live(&settings, Arc::new(SystemClock)).expect("a transport");
    let recorder = Recorder::new(real, &file).expect("a recording");
    let recorded = two_calls(&models_over(settings.clone(), Arc::new(recorder))).await;
    assert_eq!(endpoint.count(), 3);
    drop(endpoint);

    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(!text.contains("sk-very-secret-key") && !text.contains("127.0.0.1"), "{text}");
    let replayer = Replayer::open(&file).expect("a recording");
    let replayed = two_calls(&models_over(settings.clone(), Arc::new(replayer))).await;
    assert_eq!(replayed, recorded);

    let replayer = Replayer::open(&file).expect("a recording");
    let model = models_over(settings, Arc::new(replayer)).for_role(Role::Extraction).expect("a model");
    let error =
        model.complete(&Prompt::user("something new"), &Options::default()).await.expect_err("not recorded");
    assert!(error.to_string().contains("record it again"), "{error}");
}
