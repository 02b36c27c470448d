//! Quota adjustments: rules of quotas that operators make for a time, before those of the settings.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::identity::QuotaAdjustmentId;
use planner::quota::{QuotaAdjustment, QuotaRule};
use planner::time::Timestamp;

/// A rule that an operator made for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredQuotaAdjustment {
    /// Its id, of version 7: of two, the newer one is greater.
    pub id: QuotaAdjustmentId,
    /// The operator.
    pub made_by: String,
    /// In words, for people.
    pub reason: String,
    /// When it was made.
    pub created: Timestamp,
    /// Grows with each change.
    pub row_version: i64,
    /// When it comes into force.
    pub from: Timestamp,
    /// When it ends; `None` for no end that is known.
    pub to: Option<Timestamp>,
    /// The rule.
    pub rule: QuotaRule,
}

/// Which adjustments are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaAdjustmentFilter {
    /// All that there ever were.
    All,
    /// Those that end after an instant, or do not.
    EndingAfter(Timestamp),
    /// Those in force at an instant.
    InForceAt(Timestamp),
}

impl StoredQuotaAdjustment {
    /// As quotas are judged by it.
    pub fn adjustment(&self) -> QuotaAdjustment {
        QuotaAdjustment::new(self.id, self.rule.clone(), (self.from, self.to))
    }
}
