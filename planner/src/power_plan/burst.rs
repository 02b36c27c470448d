//! The power of switching nodes under the cap.

use std::collections::BTreeMap;
use std::ops::Range;

/// What switching nodes draw over time, and what is left for it under the cap. Instants are milliseconds.
pub(super) struct Burst {
    /// What is left beside what is reserved, in time order; where there is none there is no limit.
    limits: Vec<Limit>,
    /// Microwatts that switching takes from an instant on.
    taken: BTreeMap<i64, i64>,
}

/// Microwatts that are left for switching over a span.
struct Limit {
    span: Range<i64>,
    left: i64,
    /// No more is taken in the span.
    most_taken: i64,
}

impl Burst {
    /// Nothing is taken of what is left over spans, in time order.
    pub fn new(limits: Vec<(Range<i64>, i64)>) -> Self {
        let limit = |(span, left)| Limit { span, left, most_taken: 0 };
        Self { limits: limits.into_iter().map(limit).collect(), taken: BTreeMap::new() }
    }

    /// The last start, not after one that is wished for and not before the earliest, from which so much power fits for a time.
    pub fn latest_start(&self, wished: i64, earliest: i64, length: i64, power: i64) -> Option<i64> {
        let mut start = wished;
        while start >= earliest {
            match self.exceeded(start..start + length, power).next() {
                None => return Some(start),
                Some(exceeded) => start = exceeded.start - length,
            }
        }
        None
    }

    /// The first start, not before one that is wished for and not after the latest, from which so much power fits for a time.
    pub fn earliest_start(&self, wished: i64, latest: i64, length: i64, power: i64) -> Option<i64> {
        let mut start = wished;
        while start <= latest {
            match self.exceeded(start..start + length, power).last() {
                None => return Some(start),
                Some(exceeded) => start = exceeded.end,
            }
        }
        None
    }

    /// Takes power for a time.
    pub fn take(&mut self, during: Range<i64>, power: i64) {
        let before = self.taken_at(during.start);
        self.taken.entry(during.start).or_insert(before);
        let (mut last, mut most_taken) = (before, 0);
        for (_, taken) in self.taken.range_mut(during.clone()) {
            last = *taken;
            *taken += power;
            most_taken = most_taken.max(*taken);
        }
        self.taken.entry(during.end).or_insert(last);
        let first = self.limits.partition_point(|limit| limit.span.end <= during.start);
        for limit in &mut self.limits[first..] {
            if limit.span.start >= during.end {
                break;
            }
            limit.most_taken = limit.most_taken.max(most_taken);
        }
    }

    /// The parts of a time in which so much more power exceeds what is left, in time order.
    fn exceeded(&self, during: Range<i64>, power: i64) -> impl Iterator<Item = Range<i64>> {
        let first = self.limits.partition_point(|limit| limit.span.end <= during.start);
        let limits = self.limits[first..].iter();
        let limits = limits.take_while(move |limit| limit.span.start < during.end);
        // Most of the time so little is taken that it need not be looked at closely.
        let limits = limits.filter(move |it| power > 0 && it.most_taken + power > it.left);
        limits.flat_map(move |Limit { span, left, .. }| {
            let (start, end) = (span.start.max(during.start), span.end.min(during.end));
            let first = (start, self.taken_at(start));
            let changes = self.taken.range(start + 1..end).map(|it| (*it.0, *it.1));
            let ends = changes.clone().map(|it| it.0).chain([end]);
            let steps = [first].into_iter().chain(changes).zip(ends);
            let exceeded = steps.filter(move |((_, taken), _)| taken + power > *left);
            exceeded.map(|((start, _), end)| start..end)
        })
    }

    fn taken_at(&self, instant: i64) -> i64 {
        self.taken.range(..=instant).next_back().map_or(0, |it| *it.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 250 of a unit are left until 100, and 150 afterwards. One takes 100 in [80, 100). A second one of 100 for a time of 20
    /// ends at 100 beside it; a third does not fit, and ends at 80. What needs 200 from 90 on waits for ever.
    #[test]
    fn switching_gives_way_to_what_switches() {
        let mut burst = Burst::new(vec![(0..100, 250), (100..200, 150)]);
        for expected in [80, 80, 60] {
            let start = burst.latest_start(80, 0, 20, 100).unwrap();
            assert_eq!(start, expected);
            burst.take(expected..expected + 20, 100);
        }
        assert_eq!(burst.latest_start(80, 70, 20, 100), None);
        assert_eq!(burst.earliest_start(70, 150, 20, 100), Some(100));
        assert_eq!(burst.earliest_start(90, 150, 20, 200), None);
        // Beyond what is known of the cap there is no limit.
        assert_eq!(burst.earliest_start(90, 300, 20, 200), Some(200));
    }
}
