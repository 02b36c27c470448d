//! Synthetic workloads. Each kind of draw has a stream of its own: one more job comes after the others
//! and changes none of them.
//!
//! Simbatch's (section 4.1): whole seconds between submissions from a Poisson law of mean 300,
//! processors uniform over 1 to 7, run times over 600 to 1800 s, walltimes the run time times a
//! uniform factor of 1.1 to 3.

mod light_esp;
mod weibull;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Poisson};

use crate::job::{Job, JobId, Work};
use crate::time::Time;

pub use light_esp::{LIGHT_ESP_JOBS, LIGHT_ESP_MACHINES, light_esp};
pub use weibull::weibull;

/// Mean time between submissions, s.
const MEAN_GAP_S: f64 = 300.0;

/// The first `count` jobs of Simbatch's workload under `seed`.
pub fn simbatch(count: u32, seed: u64) -> impl Iterator<Item = Job> {
    let [mut arrivals, mut sizes, mut lengths, mut factors] = streams(seed);
    let gap = Poisson::new(MEAN_GAP_S);
    let mut submitted = Time::ZERO;
    (1..=i64::from(count)).map(move |number| {
        if number > 1 {
            let gap_s = gap.as_ref().map_or(MEAN_GAP_S, |gap| gap.sample(&mut arrivals));
            submitted = submitted + Time::from_seconds_f64(gap_s).unwrap_or_default();
        }
        let run_s: i64 = lengths.random_range(600..=1800);
        let factor: f64 = factors.random_range(1.1..=3.0);
        let walltime = Time::from_seconds_f64((run_s as f64 * factor).ceil());
        Job {
            utilisation: None,
            id: JobId::Number(number),
            profile: None,
            submitted,
            nodes: sizes.random_range(1..=7),
            work: Work::Delay(Time::from_seconds(run_s)),
            walltime,
        }
    })
}

/// Independent streams of a seed.
pub(crate) fn streams<const N: usize>(seed: u64) -> [ChaCha8Rng; N] {
    let mut number = 0;
    [(); N].map(|()| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        number += 1;
        rng
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means of 10,000 draws lie within four standard errors: of the gaps sqrt(300 / 10000) = 0.17, of
    /// the sizes 2 / 100 = 0.02, of the run times 347 / 100 = 3.5.
    #[test]
    fn draws_follow_their_laws_and_their_seed() {
        let jobs: Vec<Job> = simbatch(10_001, 7).collect();
        let mean = |sum: f64| sum / 10_000.0;
        let last = jobs.last().map(|job| job.submitted.as_seconds()).unwrap();
        assert!((mean(last) - 300.0).abs() < 0.7, "{last}");
        let nodes: f64 = jobs[1..].iter().map(|job| f64::from(job.nodes)).sum();
        assert!((mean(nodes) - 4.0).abs() < 0.08, "{nodes}");
        let runs: f64 = jobs[1..].iter().map(|job| job.work.time(1.0).as_seconds()).sum();
        assert!((mean(runs) - 1200.0).abs() < 14.0, "{runs}");
        assert!(jobs.iter().all(|job| job.nodes >= 1 && job.nodes <= 7));
        assert!(jobs.iter().all(|job| job.walltime > Some(job.work.time(1.0))));
        assert_eq!(simbatch(5, 7).collect::<Vec<_>>(), jobs[..5]);
        assert_ne!(simbatch(5, 8).collect::<Vec<_>>(), jobs[..5]);
    }
}
