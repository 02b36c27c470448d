//! The mean of the user's last two jobs (Tsafrir, Etsion and Feitelson 2007).

use std::collections::BTreeMap;

use super::{EstimatePart, Memory, PowerEstimatePart, Remembered};
use crate::dispatch::jobs::UnitJob;
use crate::policy::About;

/// The mean of two.
pub(super) const ESTIMATE: EstimatePart = EstimatePart {
    about: About {
        name: "last_two",
        meaning: "the mean of the user's last two jobs, at most the requested time",
        options: &[],
    },
    build: |_| Box::new(Remembered(LastTwo::default())),
};

/// The mean of two.
pub(super) const POWER: PowerEstimatePart = PowerEstimatePart {
    about: About {
        name: "last_two",
        meaning: "the mean of what a unit of the user's last two jobs drew",
        options: &[],
    },
    memory: Some(|_| Box::new(LastTwo::default())),
};

/// The last amount of each user, and the one before it.
#[derive(Debug, Default)]
struct LastTwo {
    last: BTreeMap<Box<str>, (i64, Option<i64>)>,
}

impl Memory for LastTwo {
    fn recall(&self, job: &UnitJob) -> Option<i64> {
        match self.last.get(&job.user) {
            Some(&(last, Some(before))) => Some(last.saturating_add(before) / 2),
            _ => None,
        }
    }

    fn learn(&mut self, job: &UnitJob, amount: i64) {
        let before = self.last.get(&job.user).map(|(last, _)| *last);
        self.last.insert(job.user.clone(), (amount, before));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Estimator, job_of};
    use super::*;
    use crate::time::Time;

    /// Of 10 and 21 s the mean is 15.5 s; of 21 and 100 s 60.5 s, but 60 s are asked for. One job is not enough.
    #[test]
    fn two_jobs_tell_of_the_third() {
        let mut estimator = Remembered(LastTwo::default());
        let job = job_of("ada", "run", 60, 1);
        let mut told = Vec::new();
        for ran in [10, 21, 100] {
            told.push(estimator.estimate(&job).as_seconds());
            estimator.ended(&job, Time::from_seconds(ran));
        }
        told.push(estimator.estimate(&job).as_seconds());
        told.push(estimator.estimate(&job_of("eve", "run", 60, 1)).as_seconds());
        assert_eq!(told, [60.0, 60.0, 15.5, 60.0, 60.0]);
    }
}
