//! Estimates of how long jobs last, which orders, backfilling and fits go by.

mod errors;
mod history;
mod last_two;
mod power;
mod power_part;
mod quantile;
mod recall;

use std::fmt::Debug;

use super::jobs::UnitJob;
use crate::policy::{About, Options, PartKind};
use crate::time::Time;

pub(super) use errors::{ErrorTally, GroupTally};
pub use errors::{GroupErrors, PredictionErrors, PredictionGroup};
pub(super) use power::{PowerPredictor, full_power};
pub use power_part::PowerEstimatePart;
use recall::{Memory, Remembered};

/// A way to estimate.
#[derive(Debug)]
pub struct EstimatePart {
    /// The name, the rule and the options.
    pub about: About,
    /// Makes the estimator.
    pub(super) build: fn(&mut Options<'_>) -> Box<dyn Estimator>,
}

impl PartKind for EstimatePart {
    const KIND: &'static str = "estimate";
    const ALL: &'static [&'static Self] =
        &[&WALLTIME, &REAL, &history::ESTIMATE, &last_two::ESTIMATE, &quantile::ESTIMATE];

    fn about(&self) -> &About {
        &self.about
    }
}

/// How long a job is taken to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Estimate {
    /// As it was told at the submission, above nothing.
    pub told: Time,
}

impl Estimate {
    /// At least a microsecond.
    pub fn of(time: Time) -> Self {
        Self { told: time.max(Time::from_micros(1)).min(Time::FOREVER) }
    }
}

/// Estimates how long jobs last.
pub(super) trait Estimator: Debug {
    /// How long a job will last that is submitted now.
    fn estimate(&mut self, job: &UnitJob) -> Time;

    /// A job ended after so long.
    fn ended(&mut self, _job: &UnitJob, _ran: Time) {}
}

/// The requested time.
const WALLTIME: EstimatePart = EstimatePart {
    about: About { name: "walltime", meaning: "the requested time", options: &[] },
    build: |_| Box::new(Walltime),
};

/// The run time, which nobody knows.
const REAL: EstimatePart = EstimatePart {
    about: About {
        name: "real",
        meaning: "as long as it will run, which nobody knows",
        options: &[],
    },
    build: |_| Box::new(Real),
};

#[derive(Debug)]
struct Walltime;

impl Estimator for Walltime {
    fn estimate(&mut self, job: &UnitJob) -> Time {
        requested(job)
    }
}

#[derive(Debug)]
struct Real;

impl Estimator for Real {
    fn estimate(&mut self, job: &UnitJob) -> Time {
        job.occupied()
    }
}

/// The requested time; [`Time::FOREVER`] where none is.
fn requested(job: &UnitJob) -> Time {
    job.walltime.unwrap_or(Time::FOREVER)
}

/// A job for tests of estimators.
#[cfg(test)]
fn job_of(user: &str, name: &str, walltime_s: i64, cores: u32) -> UnitJob {
    UnitJob {
        id: crate::job::JobId::Number(1),
        submitted: Time::ZERO,
        run: Time::from_seconds(1),
        walltime: Some(Time::from_seconds(walltime_s)),
        user: user.into(),
        queue: "debug".into(),
        name: name.into(),
        units: 1,
        unit: super::unit::UnitRequest::of(&[cores], 1),
        energy: None,
        latest_start: None,
    }
}
