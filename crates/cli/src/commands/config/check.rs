use std::path::Path;

use anyhow::Context as _;
use reflexio_api_types::config::parse_full;
use reflexio_types::Config;
use reflexio_types::config::Violation;
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::report::violation_line;

pub(super) fn run(context: &Context, file: &Path) -> anyhow::Result<()> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| {
        Failure::bad_input(format!("{name} is not JSON")).details(vec![error.to_string()])
    })?;
    let violations = violations(&document);
    if violations.is_empty() {
        return Ok(context
            .out
            .done(&json!({"valid": true, "problems": []}), || format!("{name} is valid"))?);
    }
    let lines: Vec<String> = violations.iter().map(violation_line).collect();
    if context.out.is_json() {
        context.out.json(&json!({"valid": false, "problems": lines}))?;
    }
    let count = if lines.len() == 1 { "1 problem".to_owned() } else { format!("{} problems", lines.len()) };
    Err(Failure::bad_input(format!("{name} has {count}")).details(lines).into())
}

/// Everything that is wrong with a document; what cannot be read hides the rest.
pub(super) fn violations(document: &Value) -> Vec<Violation> {
    match parse_full(document, &Config::default()) {
        Ok(config) => config.violations(),
        Err(violations) => violations,
    }
}
