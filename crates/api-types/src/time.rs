use reflexio_types::{TimeRange, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::detail::Detail;
use crate::field::FieldError;

/// A moment: ISO 8601 with or without offset (then UTC), or seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When(pub Timestamp);

impl Serialize for When {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_iso())
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Text(String),
            Int(i64),
            Float(f64),
        }
        let wrong = || {
            D::Error::custom(FieldError::encode(
                "datetime_parsing",
                "Input should be a valid datetime, for example 2026-01-31T12:00:00Z, or seconds since 1970",
            ))
        };
        match Raw::deserialize(deserializer).map_err(|_| wrong())? {
            Raw::Int(second) => Ok(Self(Timestamp(second))),
            Raw::Float(second) if second.is_finite() => Ok(Self(Timestamp(second as i64))),
            Raw::Float(_) => Err(wrong()),
            Raw::Text(text) => {
                let number = text.trim().parse().map(Timestamp).ok();
                number.or_else(|| Timestamp::parse_iso(&text)).map(Self).ok_or_else(wrong)
            }
        }
    }
}

impl utoipa::PartialSchema for When {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, Type};
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
        let number = ObjectBuilder::new().schema_type(Type::Number);
        OneOfBuilder::new().item(text).item(number).into()
    }
}

impl ToSchema for When {}

/// Gives a request with `start_time` and `end_time` its range, and the check that it is one.
macro_rules! has_time_range {
    ($($name:ty),+) => {$(
        impl $name {
            pub fn time(&self) -> reflexio_types::TimeRange {
                $crate::time::time_range(self.start_time, self.end_time)
            }
        }

        impl $crate::body::WireRequest for $name {
            fn check(&self, _: &[String]) -> Vec<$crate::detail::Detail> {
                $crate::time::check_range(self.start_time, self.end_time)
            }
        }
    )+};
}

pub(crate) use has_time_range;

pub(crate) fn time_range(start: Option<When>, end: Option<When>) -> TimeRange {
    TimeRange { start: start.map(|when| when.0), end: end.map(|when| when.0) }
}

/// A range that ends before it begins is a mistake, not an empty answer.
pub(crate) fn check_range(start: Option<When>, end: Option<When>) -> Vec<Detail> {
    match (start, end) {
        (Some(start), Some(end)) if end.0 <= start.0 => {
            vec![Detail::body("value_error", &["end_time"], "Value error, end_time must be after start_time")]
        }
        _ => Vec::new(),
    }
}
