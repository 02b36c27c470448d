//! Orders of the queue: which waiting job is the first, and whether those behind one that does not fit are tried.

mod lengths;
mod plan;
mod priority_rule;
pub(super) mod shares;

use std::fmt::Debug;

use super::estimate::Estimate;
use super::plan::PlanSettings;
use super::system::System;
use super::unit::{UnitId, UnitRequests};
use crate::policy::{About, Options, PartKind};
use crate::time::Time;

pub use shares::{SharesError, SharesFile};

/// An order of the queue.
#[derive(Debug)]
pub struct UnitOrderPart {
    /// The name, the rule and the options.
    pub about: About,
    /// Makes the order of the system, the shares and the options.
    pub(super) build: fn(&OrderSetting<'_>, &mut Options<'_>) -> Box<dyn QueueOrder>,
}

impl PartKind for UnitOrderPart {
    const KIND: &'static str = "order of --system";
    const ALL: &'static [&'static Self] = &[
        &lengths::FCFS,
        &lengths::SJF,
        &lengths::LJF,
        &priority_rule::ORDER,
        &plan::ORDER,
        &shares::FAIR_SHARE,
        &shares::ENERGY_FAIR_SHARE,
        &shares::BOTH,
    ];

    fn about(&self) -> &About {
        &self.about
    }
}

/// What orders are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderSetting<'a> {
    pub system: &'a System,
    pub shares: Option<&'a SharesFile>,
}

/// A job that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub key: u32,
    /// How many jobs were submitted before it.
    pub arrival: u64,
    pub submitted: Time,
    pub estimate: Estimate,
    /// After how long it ends at the latest.
    pub limit: Time,
    pub unit: UnitId,
    pub units: u32,
    pub user: u32,
    /// Its queue by position, if it is listed.
    pub queue: Option<u16>,
    /// The least goes first, of equal ones the job that was submitted first.
    pub rank: (i64, i64),
}

/// What a job of a user used when it ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    pub user: u32,
    /// Of the resource that is shared, times seconds.
    pub seconds: f64,
    pub joules: f64,
}

/// Ranks jobs that wait.
pub(super) trait QueueOrder: Debug {
    /// Looks at what time and ends have changed, before jobs are ranked; whether ranks may be others than before.
    fn prepare(&mut self, _now: Time) -> bool {
        self.changes()
    }

    /// The rank of a job: the least goes first.
    fn rank(&self, job: &Waiting, units: &UnitRequests, now: Time) -> (i64, i64);

    /// The rank of a job that has been ranked before.
    fn rank_again(&self, job: &Waiting, units: &UnitRequests, now: Time) -> (i64, i64) {
        self.rank(job, units, now)
    }

    /// Whether a job that is submitted now comes behind all that were submitted before.
    fn newcomers_are_last(&self) -> bool {
        false
    }

    /// Whether ranks change while jobs wait.
    fn changes(&self) -> bool {
        false
    }

    /// Whether jobs behind one that does not fit are tried without backfilling.
    fn goes_on(&self) -> bool {
        false
    }

    /// How the whole queue is planned, where that says who starts.
    fn plan(&self) -> Option<PlanSettings> {
        None
    }

    /// A user was met: the next number.
    fn user(&mut self, _name: &str) {}

    /// A job ended.
    fn ended(&mut self, _now: Time, _used: Used) {}

    /// The position of the resource whose seconds are shared; none where nothing is.
    fn shares(&self) -> Option<usize> {
        None
    }

    /// The factors of equation 4 of users, in the order of their numbers; empty where nothing is shared.
    fn factors(&mut self, _now: Time) -> Vec<f64> {
        Vec::new()
    }
}
