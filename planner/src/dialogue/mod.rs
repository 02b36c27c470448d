//! The rules of the dialogue with the supplier, as pure functions: what is missing under a cap, who
//! keeps power when a cap is lowered, what will be consumed, and when that is little.
//!
//! Source: the SESAMES paper, section IV (a bidirectional dialogue: agendas one way; planned
//! consumption, warnings of low consumption and requests for extra power the other way). Where it is
//! silent the rules are ours, stated in each module and in `docs/MODEL.md`.

mod grant;
mod keep;
mod missing;
mod planned;
mod quiet;

pub use grant::{Grant, GrantState};
pub use keep::{Claim, YieldOrder, keep, turns};
pub use missing::{PowerOver, missing, raised};
pub use planned::{Consumer, PlannedInterval, mean_power, planned_consumption};
pub use quiet::{QuietRule, quiet_spans};
