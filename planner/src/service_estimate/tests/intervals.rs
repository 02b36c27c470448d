//! Intervals between checkpoints: published values, brute force, and jobs that are played failure by failure.

use proptest::prelude::*;

use super::super::renewal::{Renewal, Stage, Weight, daly_s, young_s};

const MINUTE: f64 = 60.0;

/// Daly (2006), figures 3 to 5: checkpoints of 5 minutes and a mean time between failures of 24 h, 6 h and 15 min have the
/// best intervals 117, 57 and 9.1 minutes. For the first by hand: sqrt(2 x 5 x 1440) = 120; 5 / 2880 = 0.001736;
/// 120 x (1 + 0.04167 / 3 + 0.001736 / 9) - 5 = 116.69.
#[test]
fn dalys_published_intervals() {
    for (mtbf, published, rounding) in
        [(1_440.0, 117.0, 0.5), (360.0, 57.0, 0.5), (15.0, 9.1, 0.05)]
    {
        let interval = daly_s(5.0 * MINUTE, mtbf * MINUTE) / MINUTE;
        assert!((interval - published).abs() < rounding, "{interval} is not {published}");
        // It approximates the exact one.
        let exact = coordinated(5.0 * MINUTE, mtbf * MINUTE).best_interval_s(Weight::Time);
        let exact = exact.unwrap() / MINUTE;
        assert!((exact / interval - 1.0).abs() < 0.01, "{exact} is not {interval}");
    }
    assert!((young_s(5.0, 1_440.0) - 120.0).abs() < 1e-9);
    // Where a checkpoint takes twice as long as the job lives, Daly's is that life.
    assert!((daly_s(30.0, 15.0) - 15.0).abs() < 1e-9);
}

/// To first order the interval that is best by energy is Young's, with the energy of a checkpoint over the power of work in
/// the place of its time: sqrt(2 M E / P). With M = 1e8 s and 20 s at 440 W against 800 W: sqrt(2e8 x 11) = 46,904 s.
#[test]
fn the_best_interval_by_energy_to_first_order() {
    let mut job = coordinated(20.0, 1e8);
    job.again_w = 800.0;
    job.checkpoint[0].first_w = 440.0;
    job.checkpoint[0].again_w = 440.0;
    let best = job.best_interval_s(Weight::Energy).unwrap();
    assert!((best / 46_904.0 - 1.0).abs() < 1e-3, "{best}");
}

/// A job that goes back as a whole.
fn coordinated(checkpoint_s: f64, mtbf_s: f64) -> Renewal {
    let stage = |name, length_s| Stage { name, length_s, first_w: 1.0, again_w: 1.0 };
    Renewal {
        groups: 1.0,
        rate: 1.0 / mtbf_s,
        again_w: 1.0,
        checkpoint: vec![stage("writing", checkpoint_s)],
        downtime: stage("downtime", 0.0),
        reading: stage("reading", 10.0 * MINUTE),
    }
}

/// What an interval takes for each second of it, but for the first time that it is worked.
fn rate_of(job: &Renewal, interval_s: f64, weight: Weight) -> f64 {
    let means = job.means(interval_s);
    let first = |stage: &Stage| match weight {
        Weight::Time => stage.length_s,
        Weight::Energy => stage.length_s * stage.first_w,
    };
    let of = |spent: super::super::renewal::Spent| match weight {
        Weight::Time => spent.time_s,
        Weight::Energy => spent.energy_j,
    };
    let checkpoint: f64 = job.checkpoint.iter().map(first).sum();
    (checkpoint + of(means.again) + of(means.downtime) + of(means.reading)) / interval_s
}

fn jobs() -> impl Strategy<Value = Renewal> {
    let watts = || 1.0..1_000.0_f64;
    let stage = move |name, longest: f64| {
        (0.0..longest, watts(), watts()).prop_map(move |(length_s, first_w, again_w)| Stage {
            name,
            length_s,
            first_w,
            again_w,
        })
    };
    let stages = (stage("coordination", 10.0), stage("writing", 600.0));
    let after = (stage("downtime", 3_600.0), stage("reading", 600.0));
    (1_u32..50, 1e3..1e7_f64, watts(), stages, after).prop_map(
        |(groups, mtbf_s, again_w, (coordination, writing), (downtime, reading))| Renewal {
            groups: f64::from(groups),
            rate: 1.0 / mtbf_s,
            again_w,
            checkpoint: vec![coordination, Stage { length_s: writing.length_s + 0.1, ..writing }],
            downtime,
            reading,
        },
    )
}

proptest! {
    /// No interval of a fine grid over seven orders of magnitude is better than the best one.
    #[test]
    fn no_other_interval_is_better(job in jobs()) {
        for weight in [Weight::Time, Weight::Energy] {
            let best = job.best_interval_s(weight).unwrap();
            let least = rate_of(&job, best, weight);
            for step in -350..=350 {
                let other = best * 10_f64.powf(f64::from(step) / 100.0);
                let rate = rate_of(&job, other, weight);
                prop_assert!(least <= rate * (1.0 + 1e-9), "{best}: {least}; {other}: {rate}");
            }
        }
    }
}

/// Evenly distributed numbers above 0 and up to 1 (Marsaglia's xorshift).
struct Draws(u64);

impl Draws {
    fn exponential(&mut self, mean: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        -(((self.0 >> 11) + 1) as f64 / (1_u64 << 53) as f64).ln() * mean
    }
}

/// Plays an interval of one group attempt by attempt; seconds and joules beyond the first time that it is done.
fn played(job: &Renewal, interval_s: f64, draws: &mut Draws) -> (f64, f64) {
    let mut stages = vec![(interval_s, job.again_w)];
    stages.extend(job.checkpoint.iter().map(|it| (it.length_s, it.again_w)));
    let (mut time_s, mut energy_j) = (0.0, 0.0);
    let mut spend = |seconds: f64, watts: f64| {
        time_s += seconds;
        energy_j += seconds * watts;
    };
    loop {
        let mut left = draws.exponential(1.0 / job.rate);
        let mut failed = false;
        for (length, watts) in &stages {
            failed = left < *length;
            spend(left.min(*length), *watts);
            left -= length;
            if failed {
                break;
            }
        }
        if !failed {
            let once: f64 = stages.iter().map(|(length, _)| length).sum();
            let energy: f64 = stages.iter().map(|(length, watts)| length * watts).sum();
            return (time_s - once, energy_j - energy);
        }
        loop {
            spend(job.downtime.length_s, job.downtime.again_w);
            let left = draws.exponential(1.0 / job.rate);
            spend(left.min(job.reading.length_s), job.reading.again_w);
            if left >= job.reading.length_s {
                break;
            }
        }
    }
}

/// 200,000 intervals that are played take in the mean what the formulas say, within 2 %.
#[test]
fn played_failures_take_what_the_formulas_say() {
    let stage = |name, length_s, again_w| Stage { name, length_s, first_w: 0.0, again_w };
    let job = Renewal {
        groups: 3.0,
        rate: 1.0 / 500.0,
        again_w: 200.0,
        checkpoint: vec![stage("coordination", 20.0, 700.0), stage("writing", 80.0, 50.0)],
        downtime: stage("downtime", 40.0, 10.0),
        reading: stage("reading", 60.0, 90.0),
    };
    let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
    let (mut time_s, mut energy_j) = (0.0, 0.0);
    let count = 200_000;
    for _ in 0..count {
        let (time, energy) = played(&job, 300.0, &mut draws);
        time_s += job.groups * time / f64::from(count);
        energy_j += job.groups * energy / f64::from(count);
    }
    let means = job.means(300.0);
    let parts = [means.again, means.downtime, means.reading];
    let time: f64 = parts.iter().map(|it| it.time_s).sum();
    let energy: f64 = parts.iter().map(|it| it.energy_j).sum();
    assert!((time_s / time - 1.0).abs() < 0.02, "{time_s} is not {time}");
    assert!((energy_j / energy - 1.0).abs() < 0.02, "{energy_j} is not {energy}");
}
