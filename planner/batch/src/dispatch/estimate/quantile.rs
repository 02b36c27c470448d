//! A quantile of what the user's last jobs with the same queue and walltime lasted: too short for a known part of jobs.

use std::collections::{BTreeMap, VecDeque};

use super::{EstimatePart, Memory, PowerEstimatePart, Remembered};
use crate::dispatch::jobs::UnitJob;
use crate::policy::{About, Options, PolicyOption, option};
use crate::time::Time;

/// A quantile of the last ones.
pub(super) const ESTIMATE: EstimatePart = EstimatePart {
    about: About {
        name: "quantile",
        meaning: "what so many of the user's last jobs with the same queue and walltime did not exceed",
        options: OPTIONS,
    },
    build: |options| Box::new(Remembered(LastOnes::read(options))),
};

/// A quantile of the last powers.
pub(super) const POWER: PowerEstimatePart = PowerEstimatePart {
    about: About {
        name: "quantile",
        meaning: "what a unit of so many of the user's last jobs with the same queue and walltime did not exceed",
        options: OPTIONS,
    },
    memory: Some(|options| Box::new(LastOnes::read(options))),
};

const OPTIONS: &[PolicyOption] = &[
    option("estimate_quantile", "0.9", "the share of jobs that are not to exceed the estimate"),
    option("estimate_jobs", "32", "of how many last jobs"),
];

/// Below so many jobs nothing is estimated from them.
const ENOUGH: usize = 4;

/// User, queue and walltime.
type Kind = (Box<str>, Box<str>, Option<Time>);

#[derive(Debug)]
struct LastOnes {
    quantile: f64,
    jobs: usize,
    last: BTreeMap<Kind, VecDeque<i64>>,
}

fn kind(job: &UnitJob) -> Kind {
    (job.user.clone(), job.queue.clone(), job.walltime)
}

impl LastOnes {
    fn read(options: &mut Options<'_>) -> Self {
        let quantile = options.number("estimate_quantile", 0.0, 1.0).unwrap_or(0.9);
        let jobs = options.read("estimate_jobs", "a whole number from 1 to 1000", |text| {
            text.parse().ok().filter(|jobs| (1..=1000).contains(jobs))
        });
        Self { quantile, jobs: jobs.unwrap_or(32), last: BTreeMap::new() }
    }
}

impl Memory for LastOnes {
    fn recall(&self, job: &UnitJob) -> Option<i64> {
        let last = self.last.get(&kind(job)).filter(|last| last.len() >= ENOUGH.min(self.jobs))?;
        let mut sorted: Vec<i64> = last.iter().copied().collect();
        sorted.sort_unstable();
        Some(sorted[place(self.quantile, sorted.len())])
    }

    fn learn(&mut self, job: &UnitJob, amount: i64) {
        let last = self.last.entry(kind(job)).or_default();
        if last.len() == self.jobs {
            last.pop_front();
        }
        last.push_back(amount);
    }
}

/// The place, by the nearest rank, of a quantile of so many.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to count")]
fn place(quantile: f64, count: usize) -> usize {
    ((quantile * count as f64).ceil() as usize).clamp(1, count) - 1
}

#[cfg(test)]
mod tests {
    use super::super::{Estimator, job_of};
    use super::*;

    /// Of 10, 20, 30, 40 and 50 s half of the jobs did not exceed the third, 30 s, and nine tenths not the fifth. With room for four
    /// the first is forgotten: half of 20 to 50 s are the second, 30 s.
    #[test]
    fn so_many_jobs_did_not_last_longer() {
        for (quantile, jobs, expected) in [(0.5, 9, 30), (0.9, 9, 50), (0.5, 4, 30), (0.0, 4, 20)] {
            let mut estimator = Remembered(LastOnes { quantile, jobs, last: BTreeMap::new() });
            let job = job_of("ada", "run", 60, 1);
            for ran in [10, 20, 30, 40, 50] {
                if ran == 40 {
                    assert_eq!(estimator.estimate(&job), Time::from_seconds(60));
                }
                estimator.ended(&job, Time::from_seconds(ran));
            }
            assert_eq!(estimator.estimate(&job), Time::from_seconds(expected));
            assert_eq!(estimator.estimate(&job_of("ada", "run", 70, 1)), Time::from_seconds(70));
        }
    }
}
