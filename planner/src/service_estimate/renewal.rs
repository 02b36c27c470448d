//! What work takes with checkpoints and failures, and the interval between checkpoints that is best.
//!
//! Failures come at random, at a constant rate. An interval of work and the checkpoint that ends it are repeated from the
//! start by whoever failed until no failure hits them (Daly 2006; Bougeret and others 2011). The mean time of each
//! thing that is done follows exactly, and with its power its mean energy.

/// Something of a fixed length that a job does, with the power of all of its nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    /// What it is called.
    pub name: &'static str,
    /// Seconds.
    pub length_s: f64,
    /// Watts of all nodes when it is done first.
    pub first_w: f64,
    /// Watts of all nodes when those that failed do it again.
    pub again_w: f64,
}

/// A job that fails and goes on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Renewal {
    /// How many groups of nodes fail and go back each for itself: one if all go back together.
    pub groups: f64,
    /// The failures of a group in a second.
    pub rate: f64,
    /// Watts of all nodes while a group works again.
    pub again_w: f64,
    /// What a checkpoint consists of.
    pub checkpoint: Vec<Stage>,
    /// Until what failed is back.
    pub downtime: Stage,
    /// Reading the last checkpoint. A failure meanwhile is followed by another downtime.
    pub reading: Stage,
}

/// The mean time and energy of something that is done in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spent {
    /// Seconds.
    pub time_s: f64,
    /// Joules.
    pub energy_j: f64,
}

/// The means of an interval with its checkpoint, until both are done.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IntervalMeans {
    /// What was lost by failures and is done again, work and parts of checkpoints.
    pub again: Spent,
    /// Downtimes.
    pub downtime: Spent,
    /// Reading checkpoints.
    pub reading: Spent,
    /// Failures.
    pub failures: f64,
}

/// Whether seconds count, or joules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Time,
    Energy,
}

impl Renewal {
    /// Seconds of a checkpoint.
    pub fn checkpoint_s(&self) -> f64 {
        self.checkpoint.iter().map(|stage| stage.length_s).sum()
    }

    /// The mean time between failures of the job, seconds.
    pub fn mtbf_s(&self) -> f64 {
        1.0 / (self.groups * self.rate)
    }

    /// What failures take in an interval of `interval_s` and the checkpoint that ends it.
    ///
    /// With the rate `r`, an attempt at a length `L` lasts until `x` with the probability `exp(-r x)`, and there are
    /// `exp(r L)` attempts in the mean: a part of the attempt from `L - u` to `L - v` takes
    /// `(exp(r u) - exp(r v)) / r` in all of them.
    pub fn means(&self, interval_s: f64) -> IntervalMeans {
        let Self { groups, rate, downtime, reading, .. } = self;
        let checkpoint_s = self.checkpoint_s();
        let grown = |length: f64| (rate * length).exp_m1();
        let length_s = interval_s + checkpoint_s;
        let work_s = (rate * checkpoint_s).exp() * grown(interval_s) / rate - interval_s;
        let mut again = Spent { time_s: work_s, energy_j: work_s * self.again_w };
        let mut left_s = checkpoint_s;
        for stage in &self.checkpoint {
            let after_s = left_s - stage.length_s;
            let time_s = (grown(left_s) - grown(after_s)) / rate - stage.length_s;
            again = again + Spent { time_s, energy_j: time_s * stage.again_w };
            left_s = after_s;
        }
        let failures = groups * grown(length_s);
        let each = |stage: &Stage, time_s: f64| Spent {
            time_s: failures * time_s,
            energy_j: failures * time_s * stage.again_w,
        };
        IntervalMeans {
            again: Spent { time_s: groups * again.time_s, energy_j: groups * again.energy_j },
            downtime: each(downtime, (rate * reading.length_s).exp() * downtime.length_s),
            reading: each(reading, grown(reading.length_s) / rate),
            failures,
        }
    }

    /// The interval by which work takes the least time or energy; `None` where a checkpoint takes nothing.
    ///
    /// An interval of `t` and its checkpoint take `a (exp(r t) - 1) + c` and something in proportion to `t`. For each
    /// second of work that is least where `(x - 1) exp(x) + 1 = c / a`, with `x = r t`: Lambert's function gives
    /// the same. To first order it is Young's `sqrt(2 c / (a r^2))`.
    pub fn best_interval_s(&self, weight: Weight) -> Option<f64> {
        let weigh = |watts: f64| if weight == Weight::Time { 1.0 } else { watts };
        let (groups, rate) = (self.groups, self.rate);
        let grown = |length: f64| (rate * length).exp_m1();
        let checkpoint_s = self.checkpoint_s();
        let (down, read) = (&self.downtime, &self.reading);
        let failure = weigh(read.again_w) * grown(read.length_s) / rate
            + weigh(down.again_w) * (rate * read.length_s).exp() * down.length_s;
        let mut constant = groups * failure * grown(checkpoint_s);
        let mut left_s = checkpoint_s;
        for stage in &self.checkpoint {
            let after_s = left_s - stage.length_s;
            let again_s = (grown(left_s) - grown(after_s)) / rate - stage.length_s;
            constant += weigh(stage.first_w) * stage.length_s;
            constant += groups * weigh(stage.again_w) * again_s;
            left_s = after_s;
        }
        let growing = groups * (rate * checkpoint_s).exp() * (weigh(self.again_w) / rate + failure);
        let ratio = constant / growing;
        (ratio > 0.0 && ratio.is_finite()).then(|| solve(ratio) / rate)
    }
}

impl std::ops::Add for Spent {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { time_s: self.time_s + other.time_s, energy_j: self.energy_j + other.energy_j }
    }
}

/// The `x` above zero at which `(x - 1) exp(x) + 1` is `value`, which is above zero.
fn solve(value: f64) -> f64 {
    // Near zero the function is x^2 / 2 + x^3 / 3 + x^4 / 8; its terms would cancel out otherwise.
    let at = |x: f64| {
        if x < 1e-3 { x * x * (0.5 + x / 3.0 + x * x / 8.0) } else { (x - 1.0) * x.exp() + 1.0 }
    };
    let (mut low, mut high) = (0.0, 1.0);
    while at(high) < value {
        (low, high) = (high, high * 2.0);
    }
    // Halving ends where no double lies between both.
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return high;
        }
        if at(middle) < value { low = middle } else { high = middle }
    }
}

/// Young's interval between checkpoints (1974): `sqrt(2 C M)`.
pub(super) fn young_s(checkpoint_s: f64, mtbf_s: f64) -> f64 {
    (2.0 * checkpoint_s * mtbf_s).sqrt()
}

/// Daly's interval of higher order (2006, equation 37): the mean time between failures where a checkpoint takes twice as
/// long or longer.
pub(super) fn daly_s(checkpoint_s: f64, mtbf_s: f64) -> f64 {
    if checkpoint_s >= 2.0 * mtbf_s {
        return mtbf_s;
    }
    let part = checkpoint_s / (2.0 * mtbf_s);
    young_s(checkpoint_s, mtbf_s) * (1.0 + part.sqrt() / 3.0 + part / 9.0) - checkpoint_s
}
