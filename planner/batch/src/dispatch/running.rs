//! Jobs that run, by when they are taken to end.

use std::collections::BTreeSet;

use super::free::UnitsOnNode;
use super::unit::UnitId;
use crate::time::Time;

/// A job that runs.
#[derive(Clone, Debug)]
pub(super) struct RunningUnits {
    pub unit: UnitId,
    pub places: Vec<UnitsOnNode>,
    pub started: Time,
    /// After how long it is taken to end.
    estimate: Time,
    /// After how long it ends at the latest.
    limit: Time,
}

/// All jobs that run.
#[derive(Clone, Debug, Default)]
pub(super) struct Running {
    by_key: Vec<Option<RunningUnits>>,
    /// When jobs are taken to end, where that is kept.
    ends: BTreeSet<(Time, u32)>,
    count: usize,
}

impl RunningUnits {
    pub fn new(
        unit: UnitId,
        places: Vec<UnitsOnNode>,
        started: Time,
        estimate: Time,
        limit: Time,
    ) -> Self {
        Self { unit, places, started, estimate, limit }
    }

    /// When it is taken to end.
    pub fn end(&self) -> Time {
        self.started + self.estimate
    }
}

impl Running {
    pub const fn count(&self) -> usize {
        self.count
    }

    pub fn insert(&mut self, key: u32, job: RunningUnits) {
        let place = key as usize;
        if self.by_key.len() <= place {
            self.by_key.resize(place + 1, None);
        }
        self.ends.insert((job.end(), key));
        self.by_key[place] = Some(job);
        self.count += 1;
    }

    pub fn remove(&mut self, key: u32) -> Option<RunningUnits> {
        let job = self.by_key.get_mut(key as usize)?.take()?;
        self.ends.remove(&(job.end(), key));
        self.count -= 1;
        Some(job)
    }

    pub fn all(&self) -> impl Iterator<Item = &RunningUnits> {
        self.by_key.iter().flatten()
    }

    /// In the order of the ends that are taken to be.
    pub fn by_end(&self) -> impl Iterator<Item = &RunningUnits> {
        self.with_keys_by_end().map(|(_, job)| job)
    }

    /// Jobs with their keys, in the order of the ends that are taken to be.
    pub fn with_keys_by_end(&self) -> impl Iterator<Item = (u32, &RunningUnits)> {
        let job = |key: u32| Some((key, self.by_key[key as usize].as_ref()?));
        self.ends.iter().filter_map(move |(_, key)| job(*key))
    }

    /// Corrects the estimates of jobs that outlived theirs: they double until they are longer than the job has run, up to its
    /// walltime.
    pub fn correct(&mut self, now: Time) {
        self.outlived(now);
    }

    /// Corrects them, and tells which jobs these are and when they are taken to end now.
    pub fn outlived(&mut self, now: Time) -> Vec<(u32, Time)> {
        let mut outlived = Vec::new();
        while let Some(&(end, key)) = self.ends.first().filter(|(end, _)| *end <= now) {
            self.ends.pop_first();
            let Some(job) = self.by_key[key as usize].as_mut() else { continue };
            let ran = now - job.started;
            while job.estimate <= ran {
                job.estimate = (job.estimate + job.estimate).max(Time::from_micros(1));
            }
            let limit = if job.limit > ran { job.limit } else { Time::FOREVER };
            job.estimate = job.estimate.min(limit);
            debug_assert!(job.end() > end);
            self.ends.insert((job.end(), key));
            outlived.push((key, job.end()));
        }
        outlived
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::unit::{UnitRequest, UnitRequests};

    /// After 25 s a job of an estimate of 10 s is taken to last 40 s, not 20; one that may last 30 s is taken to last those.
    #[test]
    fn estimates_that_were_outlived_double() {
        let unit = UnitRequests::default().id(&UnitRequest::default());
        let seconds = Time::from_seconds;
        let mut running = Running::default();
        for (key, limit) in [(0, 1000), (1, 30)] {
            let job = RunningUnits::new(unit, Vec::new(), seconds(5), seconds(10), seconds(limit));
            running.insert(key, job);
        }
        running.correct(seconds(14));
        assert_eq!(running.by_end().map(RunningUnits::end).collect::<Vec<_>>(), [seconds(15); 2]);
        running.correct(seconds(30));
        let ends: Vec<Time> = running.by_end().map(RunningUnits::end).collect();
        assert_eq!(ends, [seconds(35), seconds(45)]);
        assert!(running.remove(0).is_some() && running.remove(0).is_none());
        assert_eq!((running.count(), running.all().count()), (1, 1));
    }
}
