//! The assistants of `examples/assistant`, as people will run them.

use std::path::Path;
use std::sync::Arc;

use reflexio_assistant::{Assistant, Operator, Scripts};
use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_types::config::PlaybookOptimizerConfig;

use crate::payload;

fn example(file: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Arc<dyn Assistant> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/assistant");
    let path = ("PATH".to_owned(), std::env::var("PATH").unwrap());
    let more = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let scripts = Scripts::from(&folder, std::iter::once(path).chain(more).collect()).unwrap();
    let config = PlaybookOptimizerConfig {
        assistant_script_path: Some(file.to_owned()),
        assistant_script_args: arguments.iter().map(|text| (*text).to_owned()).collect(),
        webhook_max_retries: 0,
        ..PlaybookOptimizerConfig::default()
    };
    Operator { scripts: Some(scripts), ..Operator::default() }.assistant(&config).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_example_asks_a_model_with_the_playbook_in_its_prompt() {
    let endpoint = TestEndpoint::scripted([Reply::Text("What is the number?".to_owned())]).await.unwrap();
    let address = format!("{}/v1", endpoint.url());
    let assistant = example("assistant.py", &[], &[("OPENAI_BASE_URL", &address), ("OPENAI_API_KEY", "k")]);
    assert_eq!(assistant.respond(&payload()).await, Ok("What is the number?".to_owned()));
    let prompt = endpoint.requests()[0].prompt();
    assert!(prompt.contains("Ask for the number. (when: orders)"), "{prompt}");
    assert!(prompt.contains("Where is my order?"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_example_gives_any_command_the_prompt() {
    if std::process::Command::new("jq").arg("--version").output().is_err() {
        eprintln!("SKIPPED: jq is missing, which the example needs");
        return;
    }
    let answer = example("assistant.sh", &["cat"], &[]).respond(&payload()).await.unwrap();
    assert!(answer.contains("- Ask for the number. (when: orders)"), "{answer}");
    assert!(answer.ends_with("[user]\nWhere is my order?\n"), "{answer:?}");
    let error = example("assistant.sh", &[], &[]).respond(&payload()).await.unwrap_err().to_string();
    assert!(error.contains("usage: assistant.sh COMMAND"), "{error}");
}
