use std::fmt;

use serde::{Deserialize, Serialize};

/// The SHA-256 of an image's bytes, as lower-case hex: the same picture is stored once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ImageId(String);

impl ImageId {
    pub fn new(hex: impl Into<String>) -> Self {
        Self(hex.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ImageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The picture formats that are accepted, because every vision model takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MediaType {
    #[serde(rename = "image/png")]
    Png,
    #[serde(rename = "image/jpeg")]
    Jpeg,
    #[serde(rename = "image/gif")]
    Gif,
    #[serde(rename = "image/webp")]
    Webp,
}

/// The bytes are of none of the accepted picture formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a PNG, JPEG, GIF or WebP image")]
pub struct UnsupportedImage;

impl MediaType {
    /// Tells the format from the first bytes; names and declared types are not trusted.
    pub fn sniff(bytes: &[u8]) -> Result<Self, UnsupportedImage> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Ok(MediaType::Png),
            [0xff, 0xd8, 0xff, ..] => Ok(MediaType::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Ok(MediaType::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Ok(MediaType::Webp),
            _ => Err(UnsupportedImage),
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            MediaType::Png => "image/png",
            MediaType::Jpeg => "image/jpeg",
            MediaType::Gif => "image/gif",
            MediaType::Webp => "image/webp",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [MediaType::Png, MediaType::Jpeg, MediaType::Gif, MediaType::Webp]
            .into_iter()
            .find(|media_type| media_type.as_str() == text)
    }
}

/// Which stored image a turn shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageRef {
    pub id: ImageId,
    pub media_type: MediaType,
}

/// A stored picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub id: ImageId,
    pub media_type: MediaType,
    pub bytes: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        assert_eq!(MediaType::sniff(b"\x89PNG\r\n\x1a\nrest"), Ok(MediaType::Png));
        assert_eq!(MediaType::sniff(b"\xff\xd8\xff\xe0"), Ok(MediaType::Jpeg));
        assert_eq!(MediaType::sniff(b"GIF89a"), Ok(MediaType::Gif));
        assert_eq!(MediaType::sniff(b"RIFF\0\0\0\0WEBPVP8 "), Ok(MediaType::Webp));
        assert_eq!(MediaType::sniff(b"<svg/>"), Err(UnsupportedImage));
        assert_eq!(MediaType::sniff(b""), Err(UnsupportedImage));
    }
}
