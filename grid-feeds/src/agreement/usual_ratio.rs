//! By which factor sources usually differ.

use planner::time::Seconds;

use super::{ONE, SourceAgenda, best};
use crate::beside::steps;

/// In less time together nothing is usual.
const LEAST: Seconds = Seconds::new(86_400);

/// Sources that differ by more than this factor do not differ by their methods alone.
const MOST: i64 = 2;

/// What a source usually says, of what the first source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsualRatio {
    /// The name of the source.
    pub source: Box<str>,
    /// The ratio in millionths: 1,000,000 where nothing else is usual.
    pub millionths: i64,
}

/// The usual ratio of each source to the first: the median over the time in which both have values of
/// the best quality there, so that a wrong day among a week changes little. It is 1 where it is not
/// between 1/2 and 2. Of a source that has less than a day in common with the first there is none yet.
pub fn usual_ratios(sources: &[SourceAgenda]) -> Vec<UsualRatio> {
    let steps = steps(sources.iter().map(|source| &source.agenda));
    let mut together: Vec<Vec<(i64, i64)>> = vec![Vec::new(); sources.len()];
    for step in &steps {
        let said = best(&step.values);
        let Some((0, first)) = said.first().copied() else { continue };
        for &(index, value) in said.iter().skip(1) {
            together[index].extend(ratio(first, value).map(|it| (it, step.span.length().get())));
        }
    }
    let of_source = |(index, ratios): (usize, Vec<(i64, i64)>)| {
        let millionths = if index == 0 { ONE } else { usual(ratios)? };
        Some(UsualRatio { source: sources.get(index)?.source.clone(), millionths })
    };
    together.into_iter().enumerate().filter_map(of_source).collect()
}

/// In millionths; of values that are not above zero there is none.
fn ratio(first: i64, value: i64) -> Option<i64> {
    if first <= 0 || value <= 0 {
        return None;
    }
    i64::try_from(i128::from(value) * i128::from(ONE) / i128::from(first)).ok()
}

/// The median of ratios, each with how long it held; `None` where that is too short.
fn usual(mut ratios: Vec<(i64, i64)>) -> Option<i64> {
    let all: i64 = ratios.iter().map(|(_, seconds)| seconds).sum();
    if all < LEAST.get() {
        return None;
    }
    ratios.sort_unstable();
    let mut passed = 0;
    let median = ratios.into_iter().find_map(|(ratio, seconds)| {
        passed += seconds;
        (2 * passed >= all).then_some(ratio)
    });
    Some(median.filter(|it| (ONE / MOST..=ONE * MOST).contains(it)).unwrap_or(ONE))
}
