//! Replaying recorded runs of the reference (`gepa-trace/1`): the case file, the toy task it was recorded with,
//! and the comparison. Used by the tests and by the example `replay`.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "each program that includes this uses a part of it"
)]

pub mod case;
pub mod compare;
pub mod tape;
pub mod toy;
