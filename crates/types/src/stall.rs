use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Why no model works for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StallReason {
    BillingError,
    AuthError,
    /// Our own limit for the day is reached.
    BudgetSpent,
}

/// Learning is paused, because a provider answered with an auth or billing error, or because the day's budget is
/// spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    pub reason: StallReason,
    pub stalled_at: Timestamp,
    pub reset_estimate: Option<Timestamp>,
    pub error_message: Option<String>,
    /// A client already told its user.
    pub notified: bool,
}
