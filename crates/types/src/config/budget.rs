use serde::{Deserialize, Serialize};

/// What models may cost at most. A limit that is missing is none; the operator's limits hold besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct BudgetConfig {
    /// US dollars from midnight to midnight UTC, for the whole org.
    #[serde(alias = "daily_usd", alias = "max_usd_per_day")]
    pub per_day_usd: Option<f64>,
    /// US dollars for one run: everything that one background job asks models.
    #[serde(alias = "run_usd", alias = "max_usd_per_run")]
    pub per_run_usd: Option<f64>,
}

/// Millionths of a dollar, rounded down.
pub fn micros(usd: f64) -> u64 {
    // A float becomes the nearest number that fits; nothing for what is none.
    (usd * 1e6).floor() as u64
}
