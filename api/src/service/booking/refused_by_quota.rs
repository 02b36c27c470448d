//! What a refusal by quota tells.

use std::fmt;

use planner::quota::QuotaRefusal;
use planner::time::Timestamp;
use serde::Serialize;

/// A quota that refuses a reservation, or every start at which all else is there.
#[derive(Clone, Debug)]
pub struct RefusedByQuota {
    /// Why it refuses the reservation, or the first of the starts.
    pub refusal: QuotaRefusal,
    /// When there is room.
    pub next_start: NextStart,
}

/// The first start after the window at which the quotas are kept, as far as what is held goes; in documents null where
/// there is none, or none that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum NextStart {
    /// That one.
    At(Timestamp),
    /// There is none within two months.
    NoneWithinTwoMonths,
    /// There is none as far as prices and CO2 are known, by which it is told what an offer takes of a budget.
    NotKnown,
    /// It was not looked for: the start of the reservation stays as it is.
    NotSought,
}

impl NextStart {
    /// Whether it was not looked for, so that nothing is told of it.
    pub const fn is_not_sought(&self) -> bool {
        matches!(self, Self::NotSought)
    }
}

impl fmt::Display for RefusedByQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.refusal)?;
        match self.next_start {
            NextStart::At(start) => write!(f, "; the next start that keeps the quotas is {start}"),
            NextStart::NoneWithinTwoMonths => {
                f.write_str("; within two months no start keeps the quotas; ask for less")
            }
            NextStart::NotKnown => f.write_str(
                "; no start keeps the quotas as far as prices and CO2 are known; ask for less, or later",
            ),
            NextStart::NotSought => Ok(()),
        }
    }
}
