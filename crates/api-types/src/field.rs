//! Field types that can only hold what the contract allows.

use reflexio_types::Status;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// An error type and a sentence, carried through serde's plain-text errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldError {
    pub(crate) kind: String,
    pub(crate) message: String,
}

const MARK: char = '\u{1}';

impl FieldError {
    pub(crate) fn encode(kind: &str, message: &str) -> String {
        format!("{MARK}{kind}{MARK}{message}")
    }

    pub(crate) fn decode(text: &str) -> Option<Self> {
        let (kind, message) = text.strip_prefix(MARK)?.split_once(MARK)?;
        Some(Self { kind: kind.to_owned(), message: message.to_owned() })
    }
}

/// A type that is one text on the wire and is checked while it is read.
macro_rules! text_field {
    ($(#[$meta:meta])* $name:ident, $check:expr) => {
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
        #[serde(transparent)]
        $(#[$meta])*
        pub struct $name(pub String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let check: fn(String) -> Result<String, String> = $check;
                check(text).map(Self).map_err(D::Error::custom)
            }
        }
    };
}

text_field! {
    /// Trimmed text that is not empty.
    #[schema(pattern = r"\S")]
    NonBlank, |text| {
        let trimmed = text.trim();
        match trimmed.is_empty() {
            true => Err(FieldError::encode("value_error", "Value error, String must not be empty or whitespace-only")),
            false if trimmed.len() == text.len() => Ok(text),
            false => Ok(trimmed.to_owned()),
        }
    }
}

text_field! {
    /// Empty, or a lower-case label such as `support_chat`.
    #[schema(pattern = "^([a-z0-9][a-z0-9._:-]{0,127})?$")]
    SourceLabel, |text| {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._:-".contains(c);
        let starts = text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        match text.is_empty() || (starts && text.chars().all(fits) && text.len() <= 128) {
            true => Ok(text),
            false => Err(FieldError::encode(
                "string_pattern_mismatch",
                "String should match pattern '^[a-z0-9][a-z0-9._:-]{0,127}$': lower-case letters, digits, . _ : -, \
                 for example `support_chat`",
            )),
        }
    }
}

fn at_most(text: String, longest: usize) -> Result<String, String> {
    // Bytes are an upper bound of characters, and cheap.
    if text.len() > longest && text.chars().count() > longest {
        let message = format!("String should have at most {longest} characters");
        return Err(FieldError::encode("string_too_long", &message));
    }
    Ok(text)
}

text_field! {
    /// What was said.
    #[schema(max_length = 1_000_000)]
    Content, |text| at_most(text, 1_000_000)
}
text_field! {
    /// A description of what was done.
    #[schema(max_length = 10_000)]
    Description, |text| at_most(text, 10_000)
}
text_field! {
    /// A name or a label.
    #[schema(max_length = 1_000)]
    ShortText, |text| at_most(text, 1_000)
}
text_field! {
    /// Trimmed text of 1 to 128 characters.
    #[schema(max_length = 128, pattern = r"\S")]
    Label, |text| {
        let text = at_most(text.trim().to_owned(), 128)?;
        match text.is_empty() {
            true => Err(FieldError::encode("value_error", "Value error, must not be empty")),
            false => Ok(text),
        }
    }
}
text_field! {
    /// An id chosen by the caller.
    #[schema(max_length = 255)]
    Id, |text| at_most(text, 255)
}
text_field! {
    /// A picture as base64, plain or as a data URL.
    #[schema(max_length = 15_000_000)]
    ImageText, |text| at_most(text, 15_000_000)
}
text_field! {
    /// A web address of a picture, or a data URL; empty for none.
    #[schema(max_length = 2_048, pattern = "^((https?://|data:).*)?$")]
    ImageUrl, |text| {
        let text = at_most(text, 2_048)?;
        let known = ["http://", "https://", "data:"].iter().any(|scheme| {
            text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        match text.is_empty() || known {
            true => Ok(text),
            false => Err(FieldError::encode("value_error", "Value error, the URL must begin with http://, https:// or data:")),
        }
    }
}

/// A type that is one whole number on the wire, within bounds.
macro_rules! number_field {
    ($(#[$meta:meta])* $name:ident, $least:expr, $most:expr) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
        #[serde(transparent)]
        $(#[$meta])*
        pub struct $name(pub i64);

        impl $name {
            pub fn as_usize(self) -> usize {
                usize::try_from(self.0).unwrap_or(usize::MAX)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = whole_number(deserializer)?;
                within(number, $least, $most).map(Self).map_err(D::Error::custom)
            }
        }
    };
}

number_field! {
    /// 1 or more.
    #[schema(minimum = 1)]
    Positive, 1, i64::MAX
}
number_field! {
    /// 0 or more.
    #[schema(minimum = 0)]
    NonNegative, 0, i64::MAX
}
number_field! {
    /// 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    UpToHundred, 1, 100
}
number_field! {
    /// 1 to 1000.
    #[schema(minimum = 1, maximum = 1000)]
    UpToThousand, 1, 1000
}
number_field! {
    /// 100 to 100,000 tokens.
    #[schema(minimum = 100, maximum = 100_000)]
    TokenBudget, 100, 100_000
}
number_field! {
    /// Seconds since 1970.
    #[schema(minimum = 0, maximum = 253_402_300_799i64)]
    EpochSeconds, 0, 253_402_300_799
}

fn within(number: i64, least: i64, most: i64) -> Result<i64, String> {
    if number < least {
        let (kind, words) = match least {
            1 => ("greater_than", "greater than 0".to_owned()),
            other => ("greater_than_equal", format!("greater than or equal to {other}")),
        };
        return Err(FieldError::encode(kind, &format!("Input should be {words}")));
    }
    if number > most {
        let hint =
            if most == 253_402_300_799 { " (seconds since 1970; is this in milliseconds?)" } else { "" };
        let message = format!("Input should be less than or equal to {most}{hint}");
        return Err(FieldError::encode("less_than_equal", &message));
    }
    Ok(number)
}

/// Accepts 5, 5.0 and (as query strings give it) "5".
fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Raw {
        Int(i64),
        Float(f64),
        Text(String),
    }
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let wrong = || D::Error::custom(FieldError::encode("int_type", "Input should be a valid integer"));
    match Raw::deserialize(deserializer).map_err(|_| wrong())? {
        Raw::Int(number) => Ok(number),
        Raw::Float(number) if number.fract() == 0.0 && number.abs() <= EXACT => Ok(number as i64),
        Raw::Float(_) => Err(wrong()),
        Raw::Text(text) => text.trim().parse().map_err(|_| wrong()),
    }
}

/// 0.0 to 1.0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[schema(minimum = 0, maximum = 1)]
#[serde(transparent)]
pub struct Share(pub f64);

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let fail = |kind: &str, message: &str| Err(D::Error::custom(FieldError::encode(kind, message)));
        match number {
            _ if number < 0.0 => fail("greater_than_equal", "Input should be greater than or equal to 0"),
            _ if number > 1.0 => fail("less_than_equal", "Input should be less than or equal to 1"),
            _ => Ok(Self(number)),
        }
    }
}

/// A lifecycle status. `current`, `None` and null are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusName(pub Status);

impl Serialize for StatusName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for StatusName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = if text == "None" { Some(Status::Current) } else { Status::parse(&text) };
        known.map(Self).ok_or_else(|| {
            D::Error::custom(FieldError::encode(
                "enum",
                "Input should be null, 'None' or 'current' (all the same), 'pending', 'archived', \
                 'archive_in_progress', 'merged', 'superseded' or 'expired'",
            ))
        })
    }
}

impl utoipa::PartialSchema for StatusName {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        let names = Status::ALL.map(Status::as_str).into_iter().chain(["None"]);
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .enum_values(Some(names))
            .into()
    }
}

impl ToSchema for StatusName {}

/// Null in a list of statuses means CURRENT.
pub fn statuses(filter: Option<Vec<Option<StatusName>>>) -> Vec<Status> {
    filter.unwrap_or_default().into_iter().map(|item| item.map_or(Status::Current, |name| name.0)).collect()
}

/// How a row's status is shown: CURRENT rows have none.
pub fn shown_status(status: Status) -> Option<StatusName> {
    (status != Status::Current).then_some(StatusName(status))
}
