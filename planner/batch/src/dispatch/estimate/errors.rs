//! How far predictions were from what happened: durations in seconds, powers in watts.
//!
//! The error is `predicted - real`. A prediction that is too long or too high wastes room; one that is too short or too low breaks
//! promises, so both are told apart. Sums are exact, in millionths.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::quantiles::{Quantiles, Shares};

/// Errors over all jobs. Seconds or watts, as the place says where it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PredictionErrors {
    /// Sums and means.
    #[serde(flatten)]
    pub sums: GroupErrors,
    /// Quantiles of the error without its sign.
    pub absolute_error_quantiles: Shares,
    /// Quantiles of the shortfall, over the predictions that were too small.
    pub underestimate_quantiles: Shares,
}

/// Errors over some jobs. Seconds or watts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GroupErrors {
    /// Jobs with a prediction that ended.
    pub predicted: u64,
    /// Jobs without one: they asked for no time, or nobody says what they draw.
    pub unpredicted: u64,
    /// Mean of the error without its sign.
    pub mean_absolute_error: f64,
    /// Mean of the error without its sign over what was real, where that was not nothing.
    pub mean_relative_error: f64,
    /// Predictions that were too large.
    pub overestimates: u64,
    /// Sum of what they were too large by.
    pub overestimated: f64,
    /// Predictions that were too small.
    pub underestimates: u64,
    /// Their share.
    pub underestimated_share: f64,
    /// Sum of what they were too small by.
    pub underestimated: f64,
    /// Mean of what they were too small by, over them.
    pub mean_underestimate: f64,
    /// The most that one was too small by.
    pub max_underestimate: f64,
}

impl PredictionErrors {
    /// Whether any job was there.
    pub const fn is_of_any(&self) -> bool {
        self.sums.predicted + self.sums.unpredicted > 0
    }
}

/// Whose jobs a row of errors is about.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionGroup {
    /// `user` or `queue`.
    pub of: &'static str,
    /// The name.
    pub name: Box<str>,
    /// The errors.
    pub errors: GroupErrors,
}

/// Sums of errors.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    predicted: u64,
    unpredicted: u64,
    over: i128,
    overestimates: u64,
    under: i128,
    underestimates: u64,
    most_under: i64,
    relative: f64,
    relatives: u64,
}

impl Sums {
    fn add(&mut self, predicted: Option<i64>, real: i64) {
        let Some(predicted) = predicted else {
            self.unpredicted += 1;
            return;
        };
        self.predicted += 1;
        let error = predicted.saturating_sub(real);
        if error > 0 {
            self.over += i128::from(error);
            self.overestimates += 1;
        } else if error < 0 {
            self.under -= i128::from(error);
            self.underestimates += 1;
            self.most_under = self.most_under.max(error.saturating_neg());
        }
        if real > 0 {
            self.relative += error.unsigned_abs() as f64 / real as f64;
            self.relatives += 1;
        }
    }

    fn errors(&self) -> GroupErrors {
        let millionths = |sum: i128| sum as f64 / 1e6;
        GroupErrors {
            predicted: self.predicted,
            unpredicted: self.unpredicted,
            mean_absolute_error: mean(millionths(self.over + self.under), self.predicted),
            mean_relative_error: mean(self.relative, self.relatives),
            overestimates: self.overestimates,
            overestimated: millionths(self.over),
            underestimates: self.underestimates,
            underestimated_share: mean(self.underestimates as f64, self.predicted),
            underestimated: millionths(self.under),
            mean_underestimate: mean(millionths(self.under), self.underestimates),
            max_underestimate: self.most_under as f64 / 1e6,
        }
    }
}

fn mean(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// Adds up errors over all jobs.
#[derive(Debug, Default)]
pub(in crate::dispatch) struct ErrorTally {
    sums: Sums,
    absolute: Quantiles,
    under: Quantiles,
}

impl ErrorTally {
    /// A job of which so much was predicted and that was real: microseconds or microwatts.
    pub fn add(&mut self, predicted: Option<i64>, real: i64) {
        self.sums.add(predicted, real);
        let Some(predicted) = predicted else { return };
        let error = predicted.saturating_sub(real) as f64 / 1e6;
        self.absolute.add(error.abs());
        if error < 0.0 {
            self.under.add(-error);
        }
    }

    pub fn errors(&self) -> PredictionErrors {
        PredictionErrors {
            sums: self.sums.errors(),
            absolute_error_quantiles: self.absolute.shares(),
            underestimate_quantiles: self.under.shares(),
        }
    }
}

/// Adds up errors by user and by queue.
#[derive(Debug, Default)]
pub(in crate::dispatch) struct GroupTally {
    by_user: Vec<Sums>,
    by_queue: BTreeMap<Box<str>, Sums>,
}

impl GroupTally {
    /// As [`ErrorTally::add`], of a job of a user, by number, in a queue.
    pub fn add(&mut self, user: u32, queue: &str, predicted: Option<i64>, real: i64) {
        let place = user as usize;
        if self.by_user.len() <= place {
            self.by_user.resize(place + 1, Sums::default());
        }
        self.by_user[place].add(predicted, real);
        match self.by_queue.get_mut(queue) {
            Some(sums) => sums.add(predicted, real),
            None => self.by_queue.entry(queue.into()).or_default().add(predicted, real),
        }
    }

    /// The errors of users, whose names are given with their numbers, and of queues.
    pub fn groups(&self, users: &BTreeMap<Box<str>, u32>) -> Vec<PredictionGroup> {
        let of_users = users.iter().filter_map(|(name, user)| {
            let errors = self.by_user.get(*user as usize)?.errors();
            Some(PredictionGroup { of: "user", name: name.clone(), errors })
        });
        let of_queues = self.by_queue.iter().map(|(name, sums)| PredictionGroup {
            of: "queue",
            name: name.clone(),
            errors: sums.errors(),
        });
        of_users.chain(of_queues).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Predicted 10, 20, 30, 5 and 0 s; real 4, 20, 40, 8 and 0 s; one more had no prediction. Too long by 6 s; too short by 10 and 3 s. The
    /// mean error is (6 + 0 + 10 + 3 + 0) / 5 = 3.8 s; relative (6/4 + 0 + 10/40 + 3/8) / 4 = 2.125 / 4, as the last ran for no time.
    #[test]
    fn errors_are_told_apart_by_sign() {
        let (mut tally, mut groups) = (ErrorTally::default(), GroupTally::default());
        let s = |seconds: i64| seconds * 1_000_000;
        let jobs = [(10, 4), (20, 20), (30, 40), (5, 8), (0, 0)];
        for (at, (predicted, real)) in (0..).zip(jobs) {
            tally.add(Some(s(predicted)), s(real));
            groups.add(at / 3, "debug", Some(s(predicted)), s(real));
        }
        tally.add(None, s(7));
        let all = tally.errors();
        let sums = all.sums;
        assert_eq!((sums.predicted, sums.unpredicted, sums.overestimates), (5, 1, 1));
        assert_eq!((sums.underestimates, sums.overestimated, sums.underestimated), (2, 6.0, 13.0));
        assert_eq!((sums.mean_absolute_error, sums.mean_relative_error), (3.8, 0.53125));
        assert_eq!((sums.mean_underestimate, sums.max_underestimate), (6.5, 10.0));
        assert_eq!((sums.underestimated_share, all.absolute_error_quantiles.p50), (0.4, 3.0));
        let under = all.underestimate_quantiles;
        assert_eq!((under.p50, under.p99), (3.0, 10.0));
        let users = BTreeMap::from([("ada".into(), 0), ("eve".into(), 1), ("none".into(), 2)]);
        let groups = groups.groups(&users);
        let told: Vec<_> =
            groups.iter().map(|it| (it.of, &*it.name, it.errors.predicted)).collect();
        assert_eq!(told, [("user", "ada", 3), ("user", "eve", 2), ("queue", "debug", 5)]);
        assert_eq!((groups[1].errors.underestimated, groups[1].errors.overestimated), (3.0, 0.0));
        assert_eq!(ErrorTally::default().errors(), PredictionErrors::default());
    }
}
