//! Stretches of users' jobs beside those of another simulation of the same jobs (`EnergyFairShare`, table I), and which jobs waited.
//!
//! Both need to know jobs again: jobs are numbered from 0 by their ids, in the order of submission.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::jobs::UnitJob;
use super::observer::{UnitObserver, UnitPlayed};
use crate::job::JobId;
use crate::time::Time;

/// Jobs by number, a bit each: those whose slowdown is not 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitedJobs(Vec<u64>);

impl WaitedJobs {
    fn add(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    /// Adds those of another simulation.
    pub fn join(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(to, from)| *to |= from);
    }

    /// How many they are.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Bytes of all words, the least significant first.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// What [`WaitedJobs::to_bytes`] gave.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        Self(words.collect())
    }
}

/// How a user's jobs fared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UserStretch {
    /// The name.
    pub user: Box<str>,
    /// Jobs that ran at all.
    pub jobs: u64,
    /// Mean stretch, `(wait + run) / run`.
    pub mean_stretch: f64,
    /// The mean over the jobs of stretch over the job's stretch in the baseline; none without a baseline.
    pub mean_ratio: Option<f64>,
}

#[derive(Debug, Default)]
struct Sums {
    jobs: u64,
    stretch: f64,
    compared: u64,
    ratio: f64,
}

/// Collects stretches while jobs end.
#[derive(Debug, Default)]
pub struct StretchCollector<'a> {
    baseline: Option<&'a [f64]>,
    kept: Option<Vec<f64>>,
    waited: WaitedJobs,
    users: BTreeMap<Box<str>, Sums>,
}

impl<'a> StretchCollector<'a> {
    /// Compares with the stretches of a baseline by job number, where there is one.
    pub fn beside(baseline: Option<&'a [f64]>) -> Self {
        Self { baseline, ..Self::default() }
    }

    /// Keeps the stretch of every job: this is a baseline.
    pub fn keeping() -> Self {
        Self { kept: Some(Vec::new()), ..Self::default() }
    }

    /// The stretches that were kept by job number (0 for a job that did not run), the users by name, and the jobs that waited.
    pub fn finish(self) -> (Vec<f64>, Vec<UserStretch>, WaitedJobs) {
        // A baseline beside itself.
        let own = self.kept.is_some();
        let users = self.users.into_iter().map(|(user, sums)| {
            let ratio = if own { Some(1.0) } else { mean(sums.ratio, sums.compared) };
            UserStretch {
                user,
                jobs: sums.jobs,
                mean_stretch: mean(sums.stretch, sums.jobs).unwrap_or(0.0),
                mean_ratio: ratio,
            }
        });
        (self.kept.unwrap_or_default(), users.collect(), self.waited)
    }

    fn ended(&mut self, job: &UnitJob, stretch: f64) {
        let JobId::Number(number) = job.id else { return };
        let Ok(number) = usize::try_from(number) else { return };
        if stretch > 1.0 {
            self.waited.add(number);
        }
        if let Some(kept) = &mut self.kept {
            if kept.len() <= number {
                kept.resize(number + 1, 0.0);
            }
            kept[number] = stretch;
        }
        if !self.users.contains_key(&*job.user) {
            self.users.insert(job.user.clone(), Sums::default());
        }
        let Some(sums) = self.users.get_mut(&*job.user) else { return };
        sums.jobs += 1;
        sums.stretch += stretch;
        let before = self.baseline.and_then(|it| it.get(number)).filter(|it| **it > 0.0);
        if let Some(before) = before {
            sums.compared += 1;
            sums.ratio += stretch / before;
        }
    }
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

impl UnitObserver for StretchCollector<'_> {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        let run = played.finished - played.started;
        if run > Time::ZERO {
            let all = played.finished - played.job.submitted;
            self.ended(played.job, all.as_seconds() / run.as_seconds());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_waited_survive_as_bytes() {
        let mut jobs = WaitedJobs::default();
        for number in [0, 63, 64, 200] {
            jobs.add(number);
        }
        let mut again = WaitedJobs::from_bytes(&jobs.to_bytes());
        assert_eq!(again, jobs);
        let mut other = WaitedJobs::default();
        for number in [1, 64, 500] {
            other.add(number);
        }
        again.join(&other);
        assert_eq!((jobs.count(), again.count()), (4, 6));
    }
}
