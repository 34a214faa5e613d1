//! What a tool gave, as a value.

use playbook_engine::Value;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value as Json;

use super::fault::Fault;

/// As much as a value may hold.
const MOST_BYTES: usize = 1 << 20;

/// Data as it is, text that is JSON as what it says, other text as text. A result that says it is an error is one.
pub(super) fn value(result: CallToolResult) -> Result<Value, Fault> {
    let texts: Option<Vec<&str>> = result.content.iter().map(text).collect();
    let text = texts.map(|texts| texts.join("\n"));
    if result.is_error == Some(true) {
        let said = text.filter(|text| !text.trim().is_empty());
        return Err(Fault::Tool(said.unwrap_or_else(|| "it gives no reason".to_owned())));
    }
    let value = match (result.structured_content, text) {
        (Some(data), text) => Value::from(unwrapped(data, text.as_deref())),
        (None, Some(_)) if result.content.is_empty() => Value::None,
        (None, Some(text)) => serde_json::from_str(&text).unwrap_or(Value::Text(text)),
        // Pictures and sounds stay what the server made of them.
        (None, None) => Value::from(serde_json::to_value(&result.content).unwrap_or_default()),
    };
    let size = serde_json::to_vec(&value).map_or(usize::MAX, |bytes| bytes.len());
    if size > MOST_BYTES { Err(Fault::TooLarge(MOST_BYTES)) } else { Ok(value) }
}

fn text(block: &ContentBlock) -> Option<&str> {
    if let ContentBlock::Text(text) = block {
        return Some(&text.text);
    }
    let ContentBlock::Resource(held) = block else { return None };
    if let ResourceContents::TextResourceContents { text, .. } = &held.resource { Some(text) } else { None }
}

/// Servers put a result that is no object into one, as `result`; the text beside it does not say so.
fn unwrapped(mut data: Json, text: Option<&str>) -> Json {
    let is_alone = data.as_object().is_some_and(|fields| fields.len() == 1 && fields.contains_key("result"));
    let told = text.and_then(|text| serde_json::from_str::<Json>(text).ok());
    if !is_alone || told.as_ref() == Some(&data) {
        return data;
    }
    data.get_mut("result").map(Json::take).unwrap_or_default()
}
