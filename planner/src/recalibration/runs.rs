//! What runs of applications drew, and the utilisation that follows from it.

use crate::node::Node;
use crate::quantity::{MILLION, Power};

/// So many of the newest runs of an application count.
pub const MOST_RUNS: usize = 20;

/// Of a run what its nodes drew over the quarter-hours that it had them throughout, in sums of mean powers: microwatts
/// times quarter-hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSums {
    /// Quarter-hours of nodes.
    pub quarters: u32,
    /// What was measured.
    pub measured: i128,
    /// What the nodes draw idle.
    pub idle: i128,
    /// What they draw at most.
    pub max: i128,
}

/// The utilisation that runs of an application had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearntUtilisation {
    /// The median over the runs, in millionths, whole thousandths.
    pub utilisation: i64,
    /// The median distance of the runs from it, in millionths.
    pub spread: i64,
    /// How many runs count.
    pub runs: u32,
}

/// Utilisations are told in thousandths: they are measured no finer.
const STEP: i64 = MILLION / 1000;

impl RunSums {
    /// Adds a quarter-hour of a node.
    pub fn add(&mut self, node: &Node, measured: Power) {
        self.quarters = self.quarters.saturating_add(1);
        self.measured += i128::from(measured.as_microwatts());
        self.idle += i128::from(node.idle().as_microwatts());
        self.max += i128::from(node.max().as_microwatts());
    }

    /// How hard it used its nodes between idle (0) and maximum (a million); `None` where these are the same.
    pub fn utilisation(&self) -> Option<i64> {
        let above_idle = (self.measured - self.idle) * i128::from(MILLION);
        let utilisation = above_idle.checked_div(self.max - self.idle)?;
        i64::try_from(utilisation.clamp(0, MILLION.into())).ok()
    }

    /// The paper's `alpha`: the share of their maximum power that they drew, in millionths.
    pub fn alpha(&self) -> Option<i64> {
        i64::try_from((self.measured * i128::from(MILLION)).checked_div(self.max)?).ok()
    }
}

/// The utilisation to be expected of the next run, from those of earlier ones in millionths, newest first: the median
/// of the newest [`MOST_RUNS`]. `None` for fewer than `least_runs`.
pub fn learn_utilisation(runs: &[i64], least_runs: usize) -> Option<LearntUtilisation> {
    let newest = &runs[..runs.len().min(MOST_RUNS)];
    if newest.len() < least_runs.max(1) {
        return None;
    }
    let middle = median(newest.to_vec())?;
    let distances = newest.iter().map(|it| (it - middle).abs()).collect();
    Some(LearntUtilisation {
        utilisation: (middle + STEP / 2) / STEP * STEP,
        spread: median(distances)?,
        runs: u32::try_from(newest.len()).ok()?,
    })
}

/// The median; of an even count the mean of the two middle ones, rounded down.
fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(i64::midpoint(lower, upper))
}
