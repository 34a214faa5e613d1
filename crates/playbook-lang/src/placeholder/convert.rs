//! Values on their way into the sandbox and out of it.

use monty_types::{MontyDateTime, MontyObject};

use super::host::Moment;
use crate::value::Value;

/// A value as the interpreter's object.
#[must_use]
pub fn to_python(value: Value) -> MontyObject {
    match value {
        Value::None => MontyObject::None,
        Value::Bool(value) => MontyObject::Bool(value),
        Value::Int(int) => MontyObject::Int(int),
        Value::Float(float) => MontyObject::Float(float),
        Value::Text(text) => MontyObject::String(text),
        Value::List(items) => MontyObject::List(items.into_iter().map(to_python).collect()),
        Value::Dict(pairs) => {
            let pairs = pairs.into_iter().map(|(key, value)| (MontyObject::String(key), to_python(value)));
            MontyObject::dict(pairs.collect::<Vec<_>>())
        }
    }
}

/// Python writes no number that is longer either: finding its digits takes time that nobody limits.
const MOST_DIGITS: u64 = 4_300;

/// Says what is wrong with an object that nobody could write out.
pub(super) fn check_digits(object: &MontyObject) -> Result<(), String> {
    // Ten bits are three digits.
    if any_number(object, &|bits| bits / 10 * 3 > MOST_DIGITS) {
        return Err(format!("it gives a whole number of more than {MOST_DIGITS} digits"));
    }
    Ok(())
}

/// The object as a value to keep. A whole number beyond 64 bits has no place among the values, and as a text it would
/// be taken for one.
pub fn to_value(object: &MontyObject) -> Result<Value, String> {
    if any_number(object, &|_| true) {
        return Err("it gives a whole number beyond 64 bits".to_owned());
    }
    Ok(from_python(object))
}

/// Whether some whole number beyond 64 bits is of a length that fits.
fn any_number(object: &MontyObject, fits: &dyn Fn(u64) -> bool) -> bool {
    let any = |items: &[MontyObject]| items.iter().any(|item| any_number(item, fits));
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others hold no numbers")]
    match object {
        MontyObject::BigInt(number) => fits(number.bits()),
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::Set(items)
        | MontyObject::FrozenSet(items) => any(items),
        MontyObject::NamedTuple { values, .. } => any(values),
        MontyObject::Dict(pairs) => {
            pairs.into_iter().any(|(key, value)| any_number(key, fits) || any_number(value, fits))
        }
        _ => false,
    }
}

/// The interpreter's object as a value. What has no place among the values becomes its text.
#[must_use]
pub fn from_python(object: &MontyObject) -> Value {
    #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is shown as text")]
    match object {
        MontyObject::None => Value::None,
        MontyObject::Bool(value) => Value::Bool(*value),
        MontyObject::Int(int) => Value::Int(*int),
        MontyObject::Float(float) => Value::Float(*float),
        MontyObject::String(text) => Value::Text(text.clone()),
        MontyObject::List(items) | MontyObject::Tuple(items) | MontyObject::Set(items) => {
            Value::List(items.iter().map(from_python).collect())
        }
        MontyObject::Dict(pairs) => {
            Value::Dict(pairs.into_iter().map(|(key, value)| (key.to_string(), from_python(value))).collect())
        }
        other => Value::Text(super::format::shown(other)),
    }
}

pub(super) fn moment(moment: Moment) -> MontyObject {
    MontyObject::DateTime(MontyDateTime {
        year: moment.year,
        month: moment.month,
        day: moment.day,
        hour: moment.hour,
        minute: moment.minute,
        second: moment.second,
        microsecond: moment.microsecond,
        offset_seconds: None,
        timezone_name: None,
    })
}
