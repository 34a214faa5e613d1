use serde_json::Value;

use crate::{Client, Error, Result};

impl Client {
    /// The whole document, secrets redacted.
    pub async fn config(&self) -> Result<Value> {
        self.get("/api/get_config", &()).await
    }

    /// Replaces the whole document. Secrets that come back redacted keep their value.
    pub async fn set_config(&self, config: &Value) -> Result<()> {
        refuse_unless_done(&self.post("/api/set_config", config).await?)
    }

    /// Replaces the top-level fields that are given.
    pub async fn update_config(&self, fields: &Value) -> Result<()> {
        refuse_unless_done(&self.post("/api/update_config", fields).await?)
    }
}

fn refuse_unless_done(answer: &Value) -> Result<()> {
    if answer.get("success").and_then(Value::as_bool) != Some(false) {
        return Ok(());
    }
    let said = ["msg", "message", "error"].iter().find_map(|name| answer.get(name)?.as_str());
    Err(Error::Refused(said.unwrap_or("the configuration was not changed").to_owned()))
}
