//! Answers that come in pieces. They are put together to what the server would have sent at once, so that nothing
//! after this knows the difference.

use serde_json::{Value, json};

use super::Encoded;
use crate::provider::Wire;

/// Makes a request one for an answer in pieces.
pub(crate) fn wanted(wire: Wire, encoded: &mut Encoded) {
    match wire {
        Wire::OpenAi => {
            encoded.body["stream"] = json!(true);
            // Else nobody says what it cost.
            encoded.body["stream_options"] = json!({"include_usage": true});
        }
        Wire::Anthropic | Wire::Ollama => encoded.body["stream"] = json!(true),
        Wire::Gemini => {
            encoded.url = encoded.url.replace(":generateContent", ":streamGenerateContent?alt=sse");
        }
    }
}

/// Whether a server answers in pieces: one that does not know how sends everything at once.
pub(crate) fn is_stream(content_type: &str) -> bool {
    content_type.starts_with("text/event-stream") || content_type.starts_with("application/x-ndjson")
}

/// An answer that is coming in.
pub(crate) struct Stream {
    wire: Wire,
    /// The line that has not ended yet.
    line: Vec<u8>,
    whole: Value,
    is_complete: bool,
}

impl Stream {
    pub(crate) fn new(wire: Wire) -> Self {
        Self { wire, line: Vec::new(), whole: json!({}), is_complete: false }
    }

    /// Takes what came over the wire; gives the text that is new.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for &byte in bytes {
            if byte == b'\n' {
                let line = std::mem::take(&mut self.line);
                text.push_str(&self.event(&line));
            } else {
                self.line.push(byte);
            }
        }
        text
    }

    /// What the server would have sent at once; nothing if it broke off.
    pub(crate) fn whole(mut self) -> Option<Value> {
        let line = std::mem::take(&mut self.line);
        self.event(&line);
        self.is_complete.then_some(self.whole)
    }

    fn event(&mut self, line: &[u8]) -> String {
        let line = line.trim_ascii();
        let data = line.strip_prefix(b"data:").map_or(line, <[u8]>::trim_ascii);
        if data == b"[DONE]" {
            self.is_complete = true;
        }
        let Ok(event) = serde_json::from_slice::<Value>(data) else { return String::new() };
        if !event["error"].is_null() {
            // A failure in the middle is the answer.
            (self.whole, self.is_complete) = (event, true);
            return String::new();
        }
        match self.wire {
            Wire::OpenAi => self.openai(&event),
            Wire::Anthropic => self.anthropic(&event),
            Wire::Gemini => self.gemini(&event),
            Wire::Ollama => self.ollama(&event),
        }
    }

    fn openai(&mut self, event: &Value) -> String {
        let choice = &event["choices"][0];
        let whole = &mut self.whole;
        if !whole["choices"].is_array() {
            whole["choices"] = json!([{"message": {"content": ""}}]);
        }
        if event["usage"].is_object() {
            whole["usage"] = event["usage"].clone();
        }
        if event["base_resp"].is_object() {
            whole["base_resp"] = event["base_resp"].clone();
        }
        let own = &mut whole["choices"][0];
        if choice["finish_reason"].is_string() {
            own["finish_reason"] = choice["finish_reason"].clone();
            self.is_complete = true;
        }
        append(&mut own["message"]["refusal"], &choice["delta"]["refusal"]);
        append(&mut own["message"]["content"], &choice["delta"]["content"])
    }

    fn anthropic(&mut self, event: &Value) -> String {
        let at = usize::try_from(event["index"].as_u64().unwrap_or_default()).unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                self.whole = event["message"].clone();
                self.whole["content"] = json!([]);
            }
            "content_block_start" => {
                if let Some(blocks) = self.whole["content"].as_array_mut() {
                    blocks.push(event["content_block"].clone());
                }
            }
            "content_block_delta" => return self.anthropic_piece(at, &event["delta"]),
            "content_block_stop" => {
                // The input of a tool comes as text.
                if let Some(block) = self.whole["content"].get_mut(at)
                    && let Some(input) = block["partial"].as_str()
                {
                    block["input"] = serde_json::from_str(input).unwrap_or_else(|_| json!(input));
                }
            }
            "message_delta" => {
                self.whole["stop_reason"] = event["delta"]["stop_reason"].clone();
                if let (Some(all), Some(new)) =
                    (self.whole["usage"].as_object_mut(), event["usage"].as_object())
                {
                    all.extend(new.clone());
                }
            }
            "message_stop" => self.is_complete = true,
            _ => {}
        }
        String::new()
    }

    fn anthropic_piece(&mut self, at: usize, delta: &Value) -> String {
        let Some(block) = self.whole["content"].get_mut(at) else { return String::new() };
        match delta["type"].as_str() {
            Some("text_delta") => append(&mut block["text"], &delta["text"]),
            Some("input_json_delta") => append(&mut block["partial"], &delta["partial_json"]),
            _ => String::new(),
        }
    }

    fn gemini(&mut self, event: &Value) -> String {
        let candidate = &event["candidates"][0];
        for (key, value) in event.as_object().into_iter().flatten().filter(|(key, _)| *key != "candidates") {
            self.whole[key] = value.clone();
        }
        if !event["promptFeedback"]["blockReason"].is_null() {
            self.is_complete = true;
        }
        if !candidate.is_object() {
            return String::new();
        }
        if !self.whole["candidates"].is_array() {
            self.whole["candidates"] = json!([{"content": {"parts": [{"text": ""}]}}]);
        }
        let own = &mut self.whole["candidates"][0];
        if candidate["finishReason"].is_string() {
            own["finishReason"] = candidate["finishReason"].clone();
            self.is_complete = true;
        }
        let parts = candidate["content"]["parts"].as_array().into_iter().flatten();
        let spoken = parts.filter(|part| part["thought"] != true).map(|part| &part["text"]);
        spoken.map(|text| append(&mut own["content"]["parts"][0]["text"], text)).collect()
    }

    fn ollama(&mut self, event: &Value) -> String {
        let said = self.whole["message"]["content"].as_str().unwrap_or_default().to_owned();
        if event["done"] == true {
            self.whole = event.clone();
            self.is_complete = true;
        }
        let mut all = json!(said);
        let piece = append(&mut all, &event["message"]["content"]);
        self.whole["message"] = json!({"content": all});
        piece
    }
}

/// Adds text to text; gives what was added.
fn append(to: &mut Value, piece: &Value) -> String {
    let Some(piece) = piece.as_str().filter(|piece| !piece.is_empty()) else { return String::new() };
    let mut all = to.as_str().unwrap_or_default().to_owned();
    all.push_str(piece);
    *to = Value::String(all);
    piece.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Unusable, decode};

    fn heard(wire: Wire, sent: &str, size: usize) -> (String, Option<Value>) {
        let mut stream = Stream::new(wire);
        let text = sent.as_bytes().chunks(size).map(|chunk| stream.feed(chunk)).collect();
        (text, stream.whole())
    }

    const OPENAI: &str = concat!(
        ": keep-alive\n\n",
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"Gr\u{fc}\"},\"finish_reason\":null}],\"usage\":null}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"\u{df}e\"},\"finish_reason\":\"stop\"}]}\r\n\r\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
    );
    const ANTHROPIC: &str = concat!(
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"input\":{}}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\"\"}}\n\n",
        "data: {\"type\":\"ping\"}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\":1}\"}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":2}}\n\n",
        "data: {\"type\":\"message_stop\"}\n\n"
    );
    const GEMINI: &str = concat!(
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true},{\"text\":\"a\"}]}}]}\r\n\r\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}],",
        "\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":2}}\r\n\r\n"
    );
    const OLLAMA: &str = concat!(
        "{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"message\":{\"content\":\"b\"},\"done\":false}\n",
        "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":2}\n"
    );
    const ALL: [(Wire, &str, &str); 4] = [
        (Wire::OpenAi, OPENAI, "Gr\u{fc}\u{df}e"),
        (Wire::Anthropic, ANTHROPIC, "{\"a\":1}"),
        (Wire::Gemini, GEMINI, "ab"),
        (Wire::Ollama, OLLAMA, "ab"),
    ];

    #[test]
    fn pieces_cut_anywhere_make_the_answer_that_comes_at_once() {
        for (wire, sent, text) in ALL {
            for size in [1, 2, 7, 64, 10_000] {
                let (heard, whole) = heard(wire, sent, size);
                let answer = decode(wire, &whole.unwrap()).unwrap();
                assert_eq!(
                    (answer.text.as_str(), heard.as_str()),
                    (text, text),
                    "{wire:?} in pieces of {size}"
                );
                let usage = answer.usage.unwrap();
                assert_eq!((usage.prompt_tokens, usage.output_tokens), (3, 2), "{wire:?}");
            }
        }
    }

    #[test]
    fn an_answer_that_breaks_off_is_none() {
        for (wire, sent, _) in ALL {
            let half = &sent[..sent.floor_char_boundary(sent.len() / 2)];
            assert_eq!(heard(wire, half, 5).1, None, "{wire:?}");
        }
    }

    #[test]
    fn a_failure_in_the_middle_is_a_failure() {
        let first = OPENAI.split_inclusive("\n\n").take(3).collect::<String>();
        let sent = first + "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n";
        let (_, whole) = heard(Wire::OpenAi, &sent, 9);
        assert_eq!(decode(Wire::OpenAi, &whole.unwrap()), Err(Unusable::Fault(429)));
    }
}
