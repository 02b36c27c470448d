//! The workload of the Batsim thesis, section 4.7.2: times between submissions from a Weibull law of
//! shape 2 and scale 15 s; 2 to the power of the whole part of u machines, u log-normal with mu 0.25
//! and sigma 0.5, drawn again above 5.
//!
//! Its jobs are real programs, whose run times it does not list. Here run times are log-normal with mu
//! 4.18 and sigma 1.56, drawn again below 1 s and above 600 s, in milliseconds: mean and deviation of the
//! logarithms in the published workload of seed 9, whose run times lie from 1.6 s to 594 s. Walltimes are
//! 1.5 times the run time, to the next second, as there.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, LogNormal, Weibull};

use super::streams;
use crate::job::{Job, JobId, Work};
use crate::time::Time;

const GAP_SCALE_S: f64 = 15.0;
const GAP_SHAPE: f64 = 2.0;
/// Mu and sigma of the logarithm of machines, to base 2.
const SIZE: (f64, f64) = (0.25, 0.5);
/// The largest jobs take 2^5 = 32 machines.
const LARGEST: f64 = 5.0;
/// Mu and sigma of run times in seconds.
const RUN: (f64, f64) = (4.18, 1.56);
const SHORTEST_S: f64 = 1.0;
const LONGEST_S: f64 = 600.0;
const WALLTIME_FACTOR: f64 = 1.5;

/// The first `count` jobs under `seed`.
pub fn weibull(count: u32, seed: u64) -> impl Iterator<Item = Job> {
    let [mut arrivals, mut sizes, mut lengths] = streams(seed);
    let gap = Weibull::new(GAP_SCALE_S, GAP_SHAPE);
    let mut submitted = Time::ZERO;
    (1..=i64::from(count)).map(move |number| {
        if number > 1 {
            let gap_s = gap.as_ref().map_or(GAP_SCALE_S, |gap| gap.sample(&mut arrivals));
            submitted = submitted + Time::from_seconds_f64(gap_s).unwrap_or_default();
        }
        let exponent = between(SIZE, |drawn| drawn.floor() <= LARGEST, &mut sizes).floor();
        let run_s = between(RUN, |drawn| (SHORTEST_S..=LONGEST_S).contains(&drawn), &mut lengths);
        let run_s = (run_s * 1000.0).round() / 1000.0;
        let run = Time::from_seconds_f64(run_s).unwrap_or_default();
        Job {
            utilisation: None,
            id: JobId::Number(number),
            profile: None,
            submitted,
            nodes: (0..=5)
                .rfind(|power| f64::from(*power) <= exponent)
                .map_or(1, |power| 1 << power),
            work: Work::Delay(run),
            walltime: Time::from_seconds_f64((run_s * WALLTIME_FACTOR).ceil()),
        }
    })
}

/// A log-normal draw that fits.
fn between((mu, sigma): (f64, f64), fits: fn(f64) -> bool, rng: &mut ChaCha8Rng) -> f64 {
    let Ok(law) = LogNormal::new(mu, sigma) else { return mu.exp() };
    loop {
        let drawn = law.sample(rng);
        if fits(drawn) {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Weibull law of shape 2 and scale 15 has mean 15 * gamma(1.5) = 13.293 and deviation
    /// 15 * sqrt(gamma(2) - gamma(1.5)^2) = 6.949: of 20,000 draws the mean lies within 0.2 of it (four
    /// standard errors), and 1 - exp(-1) = 63.2 % lie below the scale, within 1.4 points.
    #[test]
    fn gaps_follow_the_weibull_law() {
        let jobs: Vec<Job> = weibull(20_001, 3).collect();
        let gaps: Vec<f64> = jobs
            .windows(2)
            .map(|pair| (pair[1].submitted - pair[0].submitted).as_seconds())
            .collect();
        let mean = gaps.iter().sum::<f64>() / 20_000.0;
        assert!((mean - 13.293).abs() < 0.2, "{mean}");
        let below = gaps.iter().filter(|gap| **gap < 15.0).count();
        assert!((12_360..=12_920).contains(&below), "{below}");
    }

    /// Of u = exp(N(0.25, 0.5)) the whole part is below k with probability Phi((ln k - 0.25) / 0.5):
    /// 0 with Phi(-0.5) = 0.3085; 1 with Phi(0.8863) - 0.3085 = 0.5037; 2 with Phi(1.6972) - 0.8123
    /// = 0.1429; 3 with Phi(2.2726) - 0.9552 = 0.0333; 4 with 0.0085; 5 with 0.0023. Divided by
    /// Phi(3.0835) = 0.9990, and of 20,000 jobs: 6177, 10085, 2861, 666, 169, 45. The published workload
    /// has 207, 381, 176, 25, 7, 4 of 800.
    #[test]
    fn sizes_are_powers_of_two_of_the_log_normal_law() {
        let mut counts = [0_i64; 6];
        for job in weibull(20_000, 3) {
            assert!(job.nodes.is_power_of_two() && job.nodes <= 32);
            counts[job.nodes.trailing_zeros() as usize] += 1;
        }
        for (count, (expected, within)) in counts.into_iter().zip([
            (6177, 270),
            (10_085, 290),
            (2861, 200),
            (666, 105),
            (169, 55),
            (45, 28),
        ]) {
            assert!((count - expected).abs() <= within, "{counts:?}");
        }
    }

    #[test]
    fn run_times_stay_inside_and_the_seed_decides() {
        let jobs: Vec<Job> = weibull(2000, 3).collect();
        let runs: Vec<f64> = jobs.iter().map(|job| job.work.time(1.0).as_seconds()).collect();
        assert!(runs.iter().all(|run| (SHORTEST_S..=LONGEST_S).contains(run)));
        for (job, run) in jobs.iter().zip(runs) {
            assert_eq!(job.walltime, Time::from_seconds_f64((run * 1.5).ceil()));
        }
        assert_eq!(weibull(9, 3).collect::<Vec<_>>(), jobs[..9]);
        assert_ne!(weibull(9, 4).collect::<Vec<_>>(), jobs[..9]);
    }
}
