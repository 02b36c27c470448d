//! Light-ESP: 230 jobs of 14 types, as the `EnergyFairShare` paper's table II gives them.
//!
//! On 180 machines (its cores) sizes are the table's, which are rounded up to nodes of twelve: together they
//! compute for 1,486 s, not for the theoretic 935 s of its last line, which is that of its fractions. On others
//! sizes are the fractions of the machines, rounded, at least one: 933 to 943 s from 32 machines on, and more
//! on few (2,858 s on 4). The paper says neither when jobs are
//! submitted nor their walltimes. Here each log of 230 jobs is shuffled, submissions are an
//! exponential time of mean 935 / 230 s apart, the table's theoretic run time, and walltimes twice
//! the run times. More than 230 jobs are further logs after the first (the paper plays four).

use rand::RngExt;
use rand_distr::{Distribution, Exp};

use super::streams;
use crate::job::{Job, JobId, Work};
use crate::time::Time;

/// Jobs of one log.
pub const LIGHT_ESP_JOBS: u32 = 230;
/// The paper's cores.
pub const LIGHT_ESP_MACHINES: u32 = 180;
/// How long one log occupies a machine that is never idle, s.
const THEORETIC_RUN_S: f64 = 935.0;

/// A type of jobs.
struct Type {
    /// On 180 machines.
    machines: u32,
    /// Of all machines, in hundred-thousandths.
    fraction: u64,
    jobs: u32,
    run_s: i64,
}

const fn of(machines: u32, fraction: u64, jobs: u32, run_s: i64) -> Type {
    Type { machines, fraction, jobs, run_s }
}

/// A to M, and Z.
const TYPES: [Type; 14] = [
    of(12, 3_125, 75, 22),
    of(12, 6_250, 9, 27),
    of(96, 50_000, 3, 45),
    of(48, 25_000, 3, 51),
    of(96, 50_000, 3, 26),
    of(24, 6_250, 9, 154),
    of(36, 12_500, 6, 111),
    of(36, 15_820, 6, 89),
    of(12, 3_125, 24, 119),
    of(24, 6_250, 24, 60),
    of(24, 9_570, 15, 41),
    of(36, 12_500, 36, 30),
    of(48, 25_000, 15, 15),
    of(180, 100_000, 2, 20),
];

impl Type {
    fn size(&self, machines: u32) -> u32 {
        if machines == LIGHT_ESP_MACHINES {
            return self.machines;
        }
        let rounded = (self.fraction * u64::from(machines) + 50_000) / 100_000;
        u32::try_from(rounded).unwrap_or(machines).clamp(1, machines.max(1))
    }
}

/// The first `count` jobs of as many logs as needed, for so many machines, under `seed`.
pub fn light_esp(count: u32, machines: u32, seed: u64) -> impl Iterator<Item = Job> {
    let [mut arrivals, mut order] = streams(seed);
    let mean_s = THEORETIC_RUN_S / f64::from(LIGHT_ESP_JOBS);
    let gap = Exp::new(1.0 / mean_s);
    let mut log: Vec<&Type> = Vec::new();
    let mut submitted = Time::ZERO;
    (1..=i64::from(count)).map(move |number| {
        if log.is_empty() {
            let several = |kind: &'static Type| (0..kind.jobs).map(move |_| kind);
            log.extend(TYPES.iter().flat_map(several));
        }
        let next = log.swap_remove(order.random_range(0..log.len()));
        if number > 1 {
            let gap_s = gap.as_ref().map_or(mean_s, |gap| gap.sample(&mut arrivals));
            submitted = submitted + Time::from_seconds_f64(gap_s).unwrap_or_default();
        }
        Job {
            utilisation: None,
            id: JobId::Number(number),
            profile: None,
            submitted,
            nodes: next.size(machines),
            work: Work::Delay(Time::from_seconds(next.run_s)),
            walltime: Some(Time::from_seconds(2 * next.run_s)),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Table II: 230 jobs; the fractions times jobs times run times sum to its theoretic 935 s
    /// (0.03125 * 75 * 22 = 51.6 for type A, and so on).
    #[test]
    fn one_log_is_table_ii() {
        assert_eq!(TYPES.iter().map(|kind| kind.jobs).sum::<u32>(), LIGHT_ESP_JOBS);
        let hundred_thousandths =
            |kind: &Type| i64::try_from(kind.fraction).unwrap() * i64::from(kind.jobs) * kind.run_s;
        let sum: i64 = TYPES.iter().map(hundred_thousandths).sum();
        assert_eq!(sum / 100_000, 935);
        let filled_s = |machines: u32| {
            let of =
                |kind: &Type| i64::from(kind.size(machines)) * i64::from(kind.jobs) * kind.run_s;
            TYPES.iter().map(of).sum::<i64>() / i64::from(machines)
        };
        assert_eq!([180, 179, 32, 1024, 4].map(filled_s), [1485, 938, 932, 935, 2858]);
        let mut counts = BTreeMap::new();
        for job in light_esp(LIGHT_ESP_JOBS, LIGHT_ESP_MACHINES, 5) {
            let run_s = job.work.time(1.0).as_micros() / 1_000_000;
            *counts.entry((job.nodes, run_s)).or_insert(0) += 1;
        }
        let expected = TYPES.iter().map(|kind| ((kind.machines, kind.run_s), kind.jobs)).collect();
        assert_eq!(counts, expected);
    }

    /// Of 1,000 machines type A takes 31.25, type H 158.2, type Z all.
    #[test]
    fn other_machines_are_shared_by_the_fractions() {
        let sizes: Vec<u32> = TYPES.iter().map(|kind| kind.size(1000)).collect();
        assert_eq!((sizes[0], sizes[7], sizes[13]), (31, 158, 1000));
        assert_eq!(TYPES[0].size(4), 1);
    }

    /// Four logs: each has both jobs of type Z once; submissions of 919 gaps of mean 4.065 s lie within
    /// four standard errors (4.065 * sqrt(919) = 123 s) of 3736 s.
    #[test]
    fn logs_follow_each_other() {
        let jobs: Vec<Job> = light_esp(920, LIGHT_ESP_MACHINES, 5).collect();
        for log in jobs.chunks(230) {
            assert_eq!(log.iter().filter(|job| job.nodes == 180).count(), 2);
        }
        let last_s = jobs[919].submitted.as_seconds();
        assert!((last_s - 3736.0).abs() < 493.0, "{last_s}");
        assert_eq!(light_esp(7, 180, 5).collect::<Vec<_>>(), jobs[..7]);
        assert_ne!(light_esp(7, 180, 6).collect::<Vec<_>>(), jobs[..7]);
    }
}
