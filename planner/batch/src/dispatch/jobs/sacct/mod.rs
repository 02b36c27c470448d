//! Exports of Slurm's accounting as jobs of units: what `sacct` prints as a table (`-P`) or as JSON (`--json`).
//!
//! A job asks for what it had (`AllocTRES`), or where that is not said for what it asked for (`ReqTRES`). A unit is a node's part.
//! Steps are left out; jobs that never started, still run or took no time are dropped.

mod document;
mod table;
mod tres;

pub use document::RowsOfSacctJson;
pub use table::RowsOfSacct;

/// Reads an instant as accounting writes it: seconds since 1970 in UTC. Whoever calls knows the time zone.
pub type InstantReader = Box<dyn Fn(&str) -> Result<i64, String>>;

/// States of jobs that have not ended.
const UNENDED: [&str; 9] = [
    "PENDING",
    "RUNNING",
    "SUSPENDED",
    "CONFIGURING",
    "COMPLETING",
    "REQUEUED",
    "RESIZING",
    "STOPPED",
    "SIGNALING",
];

/// Why a job in this state, which ran so long, is dropped.
fn dropped(state: &str, started: bool, run_s: f64) -> Option<&'static str> {
    let state = state.split_whitespace().next().unwrap_or_default();
    if !started {
        Some("never started")
    } else if UNENDED.contains(&state) {
        Some("has not ended")
    } else if run_s <= 0.0 {
        Some("has no run time")
    } else {
        None
    }
}
