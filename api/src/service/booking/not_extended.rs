//! Why a reservation cannot last longer.

use planner::time::Timestamp;
use serde::Serialize;

/// Why a reservation cannot last as long as that, and what would fit.
#[derive(Debug, Serialize)]
pub struct NotExtended {
    /// The end that was asked for.
    #[serde(skip)]
    pub(super) until: Timestamp,
    /// The longest extension that would fit.
    pub(super) longest_s: i64,
    /// The end that it would have then.
    pub(super) latest_end: Timestamp,
    /// What is in the way, the nearest first.
    pub(super) reasons: Vec<ExtensionReason>,
}

/// What is in the way of a later end.
#[derive(Debug, Serialize)]
pub struct ExtensionReason {
    /// `nodes`, `outage`, `power_cap`, `no_agenda` or `duration`.
    pub(super) code: &'static str,
    /// From when on.
    pub(super) from: Timestamp,
    /// In words.
    pub(super) detail: String,
}

impl std::fmt::Display for NotExtended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the reservation cannot last until {}", self.until)?;
        if let Some(nearest) = self.reasons.first() {
            write!(f, ": {}", nearest.detail)?;
        }
        match self.longest_s {
            0 => f.write_str("; it cannot be extended at all"),
            longest => write!(f, "; at most {longest} s more fit, until {}", self.latest_end),
        }
    }
}
