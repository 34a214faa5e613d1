use serde_json::json;

use crate::context::Context;

pub(crate) fn run(context: &Context) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    Ok(context
        .out
        .result(&json!({"name": "reflexio", "version": version}), || format!("reflexio {version}"))?)
}
