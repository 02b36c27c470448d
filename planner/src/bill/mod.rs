//! What a month's highest power costs, and who caused how much of it.
//!
//! 1. A demand charge is for the quarter-hour of the month, among those that begin in its windows, in which most
//!    energy was drawn; the first among equals. Its power is that energy over 900 s.
//! 2. The charge is its price of a kilowatt times that power, rounded half up to millionths of the currency.
//! 3. Each party has a share in proportion to its energy in that quarter-hour. Shares are whole millionths that sum to
//!    the charge, by the [largest remainder](crate::ledger::apportion).

mod demand;
mod window;

pub use demand::{DemandCharge, DemandPeak, demand_shares};
pub use window::DemandWindow;
