//! When would it start? The start of a job that is not submitted yet, with an interval, from the state of a queue.
//!
//! The queue is played on many times, each time with other run times: what running and waiting jobs will use of their walltimes
//! is drawn from what their users' last jobs used (`walltime_use`). That knows nothing of jobs that come later and overtake, nor
//! of what a site's scheduler does otherwise than the policy. So the waits that were predicted for earlier jobs are compared with what
//! became of them, and the quantiles are corrected by that (`earlier_waits`). Nothing is ever learned from what has not happened yet.
//!
//! Sources: Simbatch (Y. Caniou, J.-S. Gay), section 6, which proposes the prediction; A. Nurmi, J. Brevik and R. Wolski, *QBETS*,
//! 2007, for intervals from earlier waits; I. Gibbs and E. Candès, *Adaptive conformal inference under distribution shift*, 2021,
//! for levels that follow what they miss.

mod earlier_waits;
mod last_values;
mod last_waits;
mod observed;
mod of_traces;
mod predictor;
mod score;
mod simulated;
mod walltime_use;

use crate::time::Time;

pub use observed::ObservedJob;
pub use predictor::{StartPrediction, StartPredictor};
pub use score::{GroupScore, PredictionScore, score};

/// What a job asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Its nodes.
    pub nodes: u32,
    /// Its walltime.
    pub walltime: Time,
}

/// An instant that is not known yet, or a time until it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The median: as likely earlier as later.
    pub expected: Time,
    /// One in twenty is earlier.
    pub p05: Time,
    /// One in twenty is later.
    pub p95: Time,
}

impl Expected {
    /// The quantiles at these levels, as [`LEVELS`] gives them.
    fn of(mut quantile: impl FnMut(f64) -> Time) -> Self {
        let [p05, expected, p95] = LEVELS.map(&mut quantile);
        Self { expected, p05, p95 }
    }
}

/// The levels of the quantiles that are told.
const LEVELS: [f64; 3] = [0.05, 0.5, 0.95];

/// The value at `level` of values in their order, between the two that are nearest to it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
fn quantile(sorted: &[f64], level: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = level.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    Some((place - place.floor()).mul_add(sorted[above] - sorted[below], sorted[below]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between 10 and 20 lies 12.5 at a quarter; beyond the ends are the ends.
    #[test]
    fn quantiles_lie_between_their_neighbours() {
        assert_eq!(quantile(&[10.0, 20.0], 0.25), Some(12.5));
        assert_eq!(quantile(&[10.0, 20.0], 7.0), Some(20.0));
        assert_eq!(quantile(&[3.0], 0.5), Some(3.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
