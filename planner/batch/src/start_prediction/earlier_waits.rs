//! What became of earlier jobs that stood where a job stands.
//!
//! A job stands somewhere by the waits that were simulated for it, its shape, the time of day, the jobs that wait and its user's last
//! waits. The jobs that stood nearest are found, and how far each waited from the median of its simulated waits. A wait `w` counts as
//! `ln(w + 60 s)`, so that minutes matter where waits are short and not where they are long. A quantile is taken at a level that moves
//! whenever it is missed or not, so that the parts that are missed become those that are promised even while what is kept lags behind
//! what happens (adaptive conformal inference); beyond 0 and 1 it widens what was seen. Of jobs that one user submitted in one hour with
//! one shape the nearest counts alone: they wait alike, so that all of them tell no more than one.

use std::collections::{HashSet, VecDeque};
use std::f64::consts::TAU;

use super::{LEVELS, Shape, quantile};
use crate::time::Time;

/// How many of the last jobs are kept, and how many of them are near.
const KEPT: usize = 20_000;
const NEAR: usize = 50;

/// Below so many jobs, the simulated quantiles are left as they are.
const ENOUGH: usize = 20;

/// How far a level moves at a miss, and how far it may be beyond 0 and 1.
const STEP: f64 = 0.01;
const BEYOND: f64 = 1.0;

/// By how much `ln(w + 60 s)` is beyond what was seen where a level is beyond by 1.
const WIDENED: f64 = 2.0;

/// The simulated medians, in seconds, at which the next length begins; each has levels of its own.
const LENGTHS_S: [f64; 4] = [1.0, 3_600.0, 14_400.0, 57_600.0];

/// Where a job stands when it is submitted.
#[derive(Clone, Debug)]
pub(super) struct Situation {
    /// The simulated waits, seconds, in their order.
    simulated_s: Vec<f64>,
    /// What it is near by.
    place: [f64; PLACES],
    burst: Burst,
}

/// A user, a shape, and an hour of submission.
type Burst = (Box<str>, Shape, i64);

const PLACES: usize = 9;

impl Situation {
    /// A job of this user and shape, submitted `now`, for which these waits were simulated while so many waited, and whose user waited for
    /// `last_s` of late.
    pub fn new(
        mut simulated_s: Vec<f64>,
        (user, shape): (&str, Shape),
        now: Time,
        waiting: usize,
        last_s: f64,
    ) -> Self {
        simulated_s.sort_unstable_by(f64::total_cmp);
        let burst = (user.into(), shape, now.as_micros().div_euclid(3_600_000_000));
        let mut situation = Self { simulated_s, place: [0.0; PLACES], burst };
        let [low, middle, high] = [0.1, 0.5, 0.9].map(|level| scale(situation.at(level)));
        let (nodes, waiting) = (f64::from(shape.nodes).ln(), (1.0 + waiting as f64).ln());
        let day = (now.as_seconds() / 86_400.0).fract() * TAU;
        situation.place = [
            0.5 * low,
            middle,
            0.5 * high,
            0.4 * nodes,
            0.4 * scale(shape.walltime.as_seconds()),
            0.3 * waiting,
            0.4 * scale(last_s),
            0.5 * day.sin(),
            0.5 * day.cos(),
        ];
        situation
    }

    fn at(&self, level: f64) -> f64 {
        quantile(&self.simulated_s, level).unwrap_or_default()
    }

    fn length(&self) -> usize {
        LENGTHS_S.partition_point(|begin| *begin <= self.at(0.5))
    }
}

fn scale(wait_s: f64) -> f64 {
    (wait_s + 60.0).ln()
}

fn unscaled(scaled: f64) -> f64 {
    (scaled.exp() - 60.0).max(0.0)
}

/// What became of earlier jobs.
#[derive(Clone, Debug)]
pub(super) struct EarlierWaits {
    kept: VecDeque<Kept>,
    levels: [[f64; 3]; LENGTHS_S.len() + 1],
}

#[derive(Clone, Debug)]
struct Kept {
    place: [f64; PLACES],
    /// How far it waited from the median of its simulated waits.
    far: f64,
    burst: Burst,
}

impl Default for EarlierWaits {
    fn default() -> Self {
        Self { kept: VecDeque::new(), levels: [LEVELS; LENGTHS_S.len() + 1] }
    }
}

/// The distribution of a wait.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    sorted_s: Vec<f64>,
    levels: [f64; 3],
}

impl Waits {
    /// The wait, in seconds, that is exceeded with the probability `1 - level`.
    pub fn at(&self, level: f64) -> f64 {
        let level = moved(self.levels, level);
        let wait_s = quantile(&self.sorted_s, level).unwrap_or_default();
        let beyond = level - level.clamp(0.0, 1.0);
        if beyond == 0.0 { wait_s } else { unscaled(scale(wait_s) + WIDENED * beyond) }
    }
}

impl EarlierWaits {
    /// How long a job waits that stands there.
    pub fn waits(&self, situation: &Situation) -> Waits {
        if self.kept.len() < ENOUGH {
            return Waits { sorted_s: situation.simulated_s.clone(), levels: LEVELS };
        }
        let distance = |kept: &Kept| -> f64 {
            kept.place.iter().zip(situation.place).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut by_distance: Vec<(f64, &Kept)> =
            self.kept.iter().map(|kept| (distance(kept), kept)).collect();
        by_distance.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut bursts = HashSet::new();
        let alone = by_distance.iter().filter(|(_, kept)| bursts.insert(&kept.burst));
        let middle = scale(situation.at(0.5));
        let near = alone.take(NEAR.min(self.kept.len() / 2));
        let mut sorted_s: Vec<f64> = near.map(|(_, kept)| unscaled(middle + kept.far)).collect();
        sorted_s.sort_unstable_by(f64::total_cmp);
        Waits { sorted_s, levels: self.levels[situation.length()] }
    }

    /// A job that stood there waited for `wait_s`, and was told [`LEVELS`] as `told_s`.
    pub fn learn(&mut self, situation: &Situation, told_s: [f64; 3], wait_s: f64) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        let far = scale(wait_s) - scale(situation.at(0.5));
        let burst = situation.burst.clone();
        self.kept.push_back(Kept { place: situation.place, far, burst });
        let levels = &mut self.levels[situation.length()];
        for ((now, level), told_s) in levels.iter_mut().zip(LEVELS).zip(told_s) {
            // Nothing is missed where a job waits for as long as it was told: mostly not at all.
            let order = wait_s.total_cmp(&told_s);
            if order.is_ne() {
                let shorter = f64::from(u8::from(order.is_lt()));
                *now = (*now + STEP * (level - shorter)).clamp(-BEYOND, 1.0 + BEYOND);
            }
        }
    }
}

/// The level at which the quantile of `level` is taken: between those that moved as far as it lies between theirs.
fn moved(levels: [f64; 3], level: f64) -> f64 {
    let ([low, middle, high], [low_now, middle_now, high_now]) = (LEVELS, levels);
    let ends = [(0.0, low_now.min(0.0)), (1.0, high_now.max(1.0))];
    let points = [ends[0], (low, low_now), (middle, middle_now), (high, high_now), ends[1]];
    let place = points.partition_point(|(at, _)| *at < level).clamp(1, points.len() - 1);
    let (from, to) = (points[place - 1], points[place]);
    (level - from.0) / (to.0 - from.0) * (to.1 - from.1) + from.1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a job of a user who submits no other.
    fn situation(simulated_s: Vec<f64>, user: u32) -> Situation {
        let shape = Shape { nodes: 1, walltime: Time::from_seconds(60) };
        Situation::new(simulated_s, (&user.to_string(), shape), Time::ZERO, 5, 100.0)
    }

    fn told(earlier: &EarlierWaits, situation: &Situation) -> [f64; 3] {
        let waits = earlier.waits(situation);
        LEVELS.map(|level| waits.at(level))
    }

    /// Each wait is from one to three times what was simulated; the simulation knows nothing of that. Of the last 2,000 of
    /// 4,000 waits nine tenths lie between the outer quantiles, a twentieth below and a twentieth above.
    #[test]
    fn so_many_are_missed_as_promised() {
        let mut earlier = EarlierWaits::default();
        let mut below = [0_u32; 3];
        for round in 0..4_000_u32 {
            let simulated_s = f64::from(500 + round % 97 * 100);
            let simulated = vec![simulated_s * 0.9, simulated_s, simulated_s * 1.1];
            let situation = situation(simulated, round);
            let told_s = told(&earlier, &situation);
            let wait_s = simulated_s * (1.0 + f64::from(round * 7_919 % 1_009) / 504.5);
            earlier.learn(&situation, told_s, wait_s);
            if round >= 2_000 {
                for (below, told_s) in below.iter_mut().zip(told_s) {
                    *below += u32::from(wait_s < told_s);
                }
            }
        }
        let shares = below.map(|below| f64::from(below) / 2_000.0);
        let near = |(share, level): (f64, f64)| (share - level).abs() < 0.02;
        assert!(shares.into_iter().zip(LEVELS).all(near), "{shares:?}");
    }

    /// Before anything is known the simulated quantiles stand: of 0, 100 and 200 s they are 10, 100 and 190 s.
    #[test]
    fn at_first_simulated_waits_are_told() {
        let situation = situation(vec![200.0, 0.0, 100.0], 0);
        let told_s = told(&EarlierWaits::default(), &situation);
        assert!(told_s.iter().zip([10.0, 100.0, 190.0]).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    /// Jobs that start at once, as was simulated, are told so for sure.
    #[test]
    fn no_wait_is_told_as_none() {
        let mut earlier = EarlierWaits::default();
        for user in 0..100 {
            let situation = situation(vec![0.0; 4], user);
            let told_s = told(&earlier, &situation);
            earlier.learn(&situation, told_s, 0.0);
        }
        let told_s = told(&earlier, &situation(vec![0.0; 4], 100));
        assert!(told_s.iter().all(|told_s| told_s.abs() < 1e-9));
    }

    /// Ninety jobs of as many users waited for 100 s, as was simulated, and then a burst of one more user's 400 jobs for 1,000 s. As one of
    /// 51 values at most the burst moves neither the median nor the quantile of 5 %.
    #[test]
    fn a_burst_counts_as_one_job() {
        let mut earlier = EarlierWaits::default();
        let places = (0..90).map(|user| (user, 100.0)).chain((0..400).map(|_| (90, 1_000.0)));
        for (user, wait_s) in places {
            // As told, so that the levels stay.
            earlier.learn(&situation(vec![100.0; 4], user), [wait_s; 3], wait_s);
        }
        let [low_s, median_s, _] = told(&earlier, &situation(vec![100.0; 4], 91));
        assert!((low_s - 100.0).abs() < 1e-9 && (median_s - 100.0).abs() < 1e-9);
    }

    /// At level 1.5, beyond 1 by a half, `ln(w + 60 s)` is 2 * 0.5 more than the longest wait's: 160 s * e - 60 s; below 0 it is less,
    /// 160 s / e - 60 s, which is below nothing.
    #[test]
    fn levels_beyond_the_ends_widen_what_was_seen() {
        let waits = Waits { sorted_s: vec![100.0; 3], levels: [-0.5, 0.5, 1.5] };
        let told_s = LEVELS.map(|level| waits.at(level));
        let expected_s = [0.0, 100.0, 160.0 * std::f64::consts::E - 60.0];
        assert!(told_s.iter().zip(expected_s).all(|(a, b)| (a - b).abs() < 1e-9), "{told_s:?}");
    }
}
