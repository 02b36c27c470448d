//! Powers from quarter-hours, a few of which may be wrong.

use crate::quantity::Power;
use crate::robust::{Tolerance, median, spread};

/// So many of the largest powers are not believed.
const NOT_BELIEVED: usize = 2;

/// A power that quarter-hours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The power.
    pub power: Power,
    /// Standard deviation of the quarter-hours that it rests on.
    pub spread: Power,
    /// How many quarter-hours it rests on.
    pub quarters: u32,
}

/// The median of what the Hampel identifier keeps, as calibration has it; `None` without any. Up to half of the
/// quarter-hours but one may be wrong, however far.
pub fn idle(powers: &[Power]) -> Option<Estimate> {
    let sorted = sorted(powers);
    let tolerance = Tolerance::around(&sorted)?;
    let kept: Vec<Power> = sorted.into_iter().filter(|it| tolerance.accepts(*it)).collect();
    Some(Estimate { power: median(&kept)?, spread: spread(&kept), quarters: count(&kept) })
}

/// The third largest: two wrong quarter-hours do not raise it. `None` for fewer than three. Of a day's quarter-hours it is
/// the nearest rank of the quantile 0.98 (Hyndman and Fan, "Sample quantiles in statistical packages", The American
/// Statistician 50 (1996), definition 1).
///
/// The Hampel identifier would not do here: where a node mostly works at half of what it can, it takes the
/// quarter-hours at full load for outliers.
pub fn upper(powers: &[Power]) -> Option<Estimate> {
    let sorted = sorted(powers);
    let kept = sorted.get(..sorted.len().checked_sub(NOT_BELIEVED)?)?;
    Some(Estimate { power: *kept.last()?, spread: spread(kept), quarters: count(kept) })
}

fn sorted(powers: &[Power]) -> Vec<Power> {
    let mut sorted = powers.to_vec();
    sorted.sort_unstable();
    sorted
}

fn count(powers: &[Power]) -> u32 {
    u32::try_from(powers.len()).unwrap_or(u32::MAX)
}
