//! Where tolerances need more starts than the breakpoints, in exact mode.
//!
//! Between two neighbouring candidates the same nodes are taken and every criterion is linear in
//! the start. A step of a ranking keeps what lies within a threshold, which a criterion may cross
//! between two candidates: the whole seconds on either side of each crossing are candidates too.

use super::Feasible;
use crate::criterion::Criterion;
use crate::ranking::Ranking;
use crate::request::Tolerances;
use crate::time::{Seconds, Timestamp};

/// Seconds of one shape between which every criterion is linear; both ends included.
#[derive(Clone, Copy, Debug)]
struct Line {
    shape: usize,
    from: (i64, [i128; 3]),
    until: (i64, [i128; 3]),
}

/// The seconds to look at beside the candidates, with their shapes; `starts` are the feasible
/// candidates of all shapes, `neighbours` the pairs of neighbouring candidates that are both
/// feasible and more than a second apart.
pub(super) fn crossings(
    starts: &[Feasible],
    neighbours: &[(Feasible, Feasible)],
    tolerances: &Tolerances,
) -> Vec<(usize, Timestamp)> {
    let end = |it: &Feasible| (it.span.start().as_unix_seconds(), it.amounts);
    let line = |(from, until): (&Feasible, &Feasible)| Line {
        shape: from.shape,
        from: end(from),
        until: end(until),
    };
    let points = starts.iter().map(|start| line((start, start)));
    let lines = neighbours.iter().map(|(from, until)| line((from, until)));
    let lines: Vec<Line> = points.chain(lines).collect();
    let mut found: Vec<(usize, i64)> = Vec::new();
    for ranking in Ranking::ALL {
        let mut kept = lines.clone();
        for criterion in ranking.criteria() {
            let criterion = criterion as usize;
            let ends = kept.iter().flat_map(|line| [line.from.1, line.until.1]);
            let Some(least) = ends.map(|amounts| amounts[criterion]).min() else { break };
            let threshold = tolerances.of(Criterion::ALL[criterion]).threshold(least);
            kept = kept
                .iter()
                .filter_map(|line| line.within(criterion, threshold, &mut found))
                .collect();
        }
    }
    found.sort_unstable();
    found.dedup();
    let instant = |(shape, second)| (shape, Timestamp::from_unix_seconds(second));
    found.into_iter().map(instant).collect()
}

impl Line {
    /// The part where a criterion is at most `threshold`; the seconds on either side of a crossing
    /// are noted.
    fn within(
        &self,
        criterion: usize,
        threshold: i128,
        found: &mut Vec<(usize, i64)>,
    ) -> Option<Self> {
        let (first, last) = (self.from.0, self.until.0);
        let value = self.from.1[criterion];
        let slope = self.slope(criterion);
        let (mut from, mut until) = (first, last);
        match slope.signum() {
            1 => {
                // As many whole seconds on as stay within.
                let room = (threshold - value).div_euclid(slope);
                until = last.min(first.saturating_add(i64::try_from(room).unwrap_or(i64::MAX)));
            }
            -1 => {
                // As few whole seconds on as reach the threshold.
                let excess = (value - threshold).max(0);
                let needed = (excess - slope - 1) / -slope;
                from = first.saturating_add(i64::try_from(needed).unwrap_or(i64::MAX));
            }
            _ if value > threshold => return None,
            _ => {}
        }
        if (slope > 0 && value > threshold) || from > until {
            return None;
        }
        if until < last {
            found.extend([(self.shape, until), (self.shape, until + 1)]);
        }
        if from > first {
            found.extend([(self.shape, from - 1), (self.shape, from)]);
        }
        Some(Self { from: self.at(from), until: self.at(until), ..*self })
    }

    /// What a criterion gains in a second: whole, since integrals of whole rates are.
    fn slope(&self, criterion: usize) -> i128 {
        let seconds = i128::from(self.until.0 - self.from.0).max(1);
        (self.until.1[criterion] - self.from.1[criterion]) / seconds
    }

    fn at(&self, second: i64) -> (i64, [i128; 3]) {
        let seconds = i128::from(second - self.from.0);
        let amount = |criterion: usize| self.from.1[criterion] + self.slope(criterion) * seconds;
        (second, [amount(0), amount(1), amount(2)])
    }
}

/// The candidates of one shape with the seconds that crossings add, in time order.
pub(super) fn with_crossings(
    mut starts: Vec<Timestamp>,
    shape: usize,
    crossings: &[(usize, Timestamp)],
) -> Vec<Timestamp> {
    starts.extend(crossings.iter().filter(|(of, _)| *of == shape).map(|(_, start)| *start));
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Whether there are more seconds between two neighbouring candidates.
pub(super) fn apart(earlier: &Feasible, later: &Feasible) -> bool {
    later.span.start() - earlier.span.start() > Seconds::ONE
}
