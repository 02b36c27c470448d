//! What a workload is like: sizes, times and load, in bounded memory. Times in seconds.

use serde::Serialize;

use crate::job::Job;
use crate::quantiles::{Quantiles, Shares};
use crate::time::Time;

/// A workload's jobs in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    /// The number of values.
    pub jobs: u64,
    /// From the first submission to the last.
    pub submission_span_s: f64,
    /// Machines times run time, over all jobs.
    pub machine_seconds: f64,
    /// That over the machines there are and the span of submissions, where both are known.
    pub load: Option<f64>,
    /// Machines of a job.
    pub nodes: Spread,
    /// Run times.
    pub run_time_s: Spread,
    /// Walltimes, of jobs that have one.
    pub requested_time_s: Spread,
    /// From one submission to the next.
    pub interarrival_s: Spread,
}

/// Values of all jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The greatest.
    pub max: f64,
    /// Quantiles.
    #[serde(flatten)]
    pub shares: Shares,
}

/// Values as they come.
#[derive(Debug, Default)]
struct Values {
    sum: f64,
    max: f64,
    quantiles: Quantiles,
}

impl Values {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.max = self.max.max(value);
        self.quantiles.add(value);
    }

    fn spread(&self) -> Spread {
        let count = self.quantiles.count();
        let mean = if count == 0 { 0.0 } else { self.sum / count as f64 };
        Spread { mean, max: self.max, shares: self.quantiles.shares() }
    }
}

/// Describes jobs that come in the order of submission, on machines of `speed` operations a second.
///
/// # Errors
/// Those of the workload.
pub fn describe<E>(
    jobs: impl Iterator<Item = Result<Job, E>>,
    machines: Option<u32>,
    speed: f64,
) -> Result<Description, E> {
    let [mut nodes, mut runs, mut walltimes, mut gaps] = [(); 4].map(|()| Values::default());
    let mut span: Option<(Time, Time)> = None;
    let (mut count, mut machine_seconds) = (0, 0.0);
    for job in jobs {
        let job = job?;
        let run = job.occupied(speed, Time::ZERO).as_seconds();
        count += 1;
        machine_seconds += run * f64::from(job.nodes);
        nodes.add(f64::from(job.nodes));
        runs.add(run);
        if let Some(walltime) = job.walltime {
            walltimes.add(walltime.as_seconds());
        }
        let (first, last) = span.unwrap_or((job.submitted, job.submitted));
        if count > 1 {
            gaps.add((job.submitted - last).as_seconds());
        }
        span = Some((first, job.submitted));
    }
    let span_s = span.map_or(0.0, |(first, last)| (last - first).as_seconds());
    let load = machines.filter(|_| span_s > 0.0);
    Ok(Description {
        jobs: count,
        submission_span_s: span_s,
        machine_seconds,
        load: load.map(|machines| machine_seconds / f64::from(machines) / span_s),
        nodes: nodes.spread(),
        run_time_s: runs.spread(),
        requested_time_s: walltimes.spread(),
        interarrival_s: gaps.spread(),
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::job::{JobId, Work};

    /// Jobs of 1 and 3 machines for 10 and 20 s, the second 40 s later: 10 + 60 = 70 machine-seconds on 5
    /// machines over 40 s are a load of 0.35.
    #[test]
    fn jobs_are_summed_up() {
        let job = |number: i64, nodes: u32| {
            Ok::<Job, Infallible>(Job {
                utilisation: None,
                id: JobId::Number(number),
                profile: None,
                submitted: Time::from_seconds(40 * number),
                nodes,
                work: Work::Delay(Time::from_seconds(10 * (number + 1))),
                walltime: (number > 0).then_some(Time::from_seconds(30)),
            })
        };
        let described = describe([job(0, 1), job(1, 3)].into_iter(), Some(5), 1.0);
        let Ok(described) = described;
        assert_eq!((described.jobs, described.submission_span_s), (2, 40.0));
        assert_eq!((described.machine_seconds, described.load), (70.0, Some(0.35)));
        assert_eq!((described.nodes.mean, described.nodes.shares.p50), (2.0, 1.0));
        assert_eq!((described.requested_time_s.mean, described.interarrival_s.max), (30.0, 40.0));
    }
}
