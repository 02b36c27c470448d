//! The power of switching nodes under the cap.

use std::collections::BTreeMap;
use std::ops::Range;

/// What switching nodes draw over time, and what is left for it under the cap. Instants are milliseconds.
pub(super) struct Burst {
    /// Microwatts that are left beside what is reserved, in time order; where there is no step there is no limit.
    limits: Vec<(Range<i64>, i64)>,
    /// Microwatts that switching takes from an instant on.
    taken: BTreeMap<i64, i64>,
}

impl Burst {
    pub fn new(limits: Vec<(Range<i64>, i64)>) -> Self {
        Self { limits, taken: BTreeMap::new() }
    }

    /// The last start, not after one that is wished for and not before the earliest, from which so much power fits for a time.
    pub fn latest_start(&self, wished: i64, earliest: i64, length: i64, power: i64) -> Option<i64> {
        let mut start = wished;
        while start >= earliest {
            match self.exceeded(start..start + length, power).first() {
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
        for edge in [during.start, during.end] {
            let before = self.taken_at(edge);
            self.taken.entry(edge).or_insert(before);
        }
        for taken in self.taken.range_mut(during) {
            *taken.1 += power;
        }
    }

    /// The parts of a time in which so much more power exceeds what is left, in time order.
    fn exceeded(&self, during: Range<i64>, power: i64) -> Vec<Range<i64>> {
        let mut parts = Vec::new();
        if power == 0 {
            return parts;
        }
        let first = self.limits.partition_point(|(limit, _)| limit.end <= during.start);
        for (limit, left) in &self.limits[first..] {
            if limit.start >= during.end {
                break;
            }
            let part = limit.start.max(during.start)..limit.end.min(during.end);
            let mut edges = vec![part.start];
            edges.extend(self.taken.range(part.start + 1..part.end).map(|it| *it.0));
            edges.push(part.end);
            let steps = edges.windows(2).map(|pair| pair[0]..pair[1]);
            parts.extend(steps.filter(|step| self.taken_at(step.start) + power > *left));
        }
        parts
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
