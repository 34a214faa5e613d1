//! What is said to a model, before any wire format.

use std::sync::Arc;

use reflexio_types::MediaType;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    System,
    User,
    Assistant,
}

impl Speaker {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A picture. Only its bytes are sent: no model provider is told an address of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub media_type: MediaType,
    pub bytes: Arc<[u8]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Image(Picture),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub speaker: Speaker,
    pub parts: Vec<Part>,
}

impl Message {
    pub fn text(speaker: Speaker, text: impl Into<String>) -> Self {
        Self { speaker, parts: vec![Part::Text(text.into())] }
    }

    /// The text parts, joined by line breaks.
    pub(crate) fn joined_text(&self) -> String {
        let texts: Vec<&str> = self.parts.iter().filter_map(Part::as_text).collect();
        texts.join("\n")
    }
}

impl Part {
    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image(_) => None,
        }
    }
}

/// A conversation that ends where the model is to answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    pub messages: Vec<Message>,
    /// Which template made it, in which version (`extraction@v3`); kept in the ledger.
    pub version: Option<String>,
}

impl Prompt {
    /// A prompt of one user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::default().with(Speaker::User, text)
    }

    #[must_use]
    pub fn with_system(mut self, text: impl Into<String>) -> Self {
        self.messages.insert(0, Message::text(Speaker::System, text));
        self
    }

    #[must_use]
    pub fn with(mut self, speaker: Speaker, text: impl Into<String>) -> Self {
        self.messages.push(Message::text(speaker, text));
        self
    }

    /// Adds a picture to the last message.
    #[must_use]
    pub fn with_image(mut self, media_type: MediaType, bytes: impl Into<Arc<[u8]>>) -> Self {
        if self.messages.is_empty() {
            self.messages.push(Message { speaker: Speaker::User, parts: Vec::new() });
        }
        if let Some(last) = self.messages.last_mut() {
            last.parts.push(Part::Image(Picture { media_type, bytes: bytes.into() }));
        }
        self
    }

    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    pub fn has_images(&self) -> bool {
        has_images(&self.messages)
    }
}

pub(crate) fn has_images(messages: &[Message]) -> bool {
    messages.iter().flat_map(|message| &message.parts).any(|part| part.as_text().is_none())
}

/// The same messages for a model that cannot see: each picture becomes a note.
pub(crate) fn without_images(messages: &[Message]) -> Vec<Message> {
    let blind = |part: &Part| match part {
        Part::Text(text) => Part::Text(text.clone()),
        Part::Image(picture) => Part::Text(format!(
            "[a picture ({}) was here; it is left out because this model cannot see pictures]",
            picture.media_type.as_str()
        )),
    };
    let message = |message: &Message| Message {
        speaker: message.speaker,
        parts: message.parts.iter().map(blind).collect(),
    };
    messages.iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_becomes_a_note_for_a_blind_model() {
        let prompt =
            Prompt::user("look").with_image(MediaType::Png, *b"one").with_image(MediaType::Jpeg, *b"two");
        assert!(prompt.has_images());
        let blind = without_images(&prompt.messages);
        let text = blind[0].joined_text();
        assert!(
            text.starts_with("look\n") && text.contains("image/png") && text.contains("image/jpeg"),
            "{text}"
        );
        assert!(!Prompt { messages: blind, version: None }.has_images());
    }
}
