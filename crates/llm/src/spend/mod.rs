//! What calls cost: estimates before, records after, limits that hold.

mod budget;
mod ledger;
mod meter;
mod price;
pub(crate) mod tokens;

pub use budget::{Budget, BudgetLimits, Estimate, Limits, NoBudget, OverBudget, Period};
pub use ledger::{CallRecord, Ledger, NoLedger, Outcome, Turn};
pub(crate) use meter::{Meter, Spent};
pub use price::{Price, PriceTable};
