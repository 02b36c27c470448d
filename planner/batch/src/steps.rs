//! Values that hold from one instant to the next: prices, caps and rates in simulated time.

use crate::time::Time;

/// A piecewise-constant function of time; nothing before its first step and after its last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// When each value begins, in order, and what it is; none from the last on.
    steps: Vec<(Time, Option<i64>)>,
}

/// Time without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// All of it.
    pub total: Time,
    /// The first part: from, until.
    pub first: (Time, Time),
}

impl Steps {
    /// Of pieces: from, until, value; in order, without overlaps. Others are passed over.
    pub fn of(pieces: impl IntoIterator<Item = (Time, Time, i64)>) -> Self {
        let mut steps: Vec<(Time, Option<i64>)> = Vec::new();
        for (from, until, value) in pieces {
            let end = steps.last().map_or(Time::from_micros(i64::MIN), |(end, _)| *end);
            if from < end || from >= until {
                continue;
            }
            if end == from {
                steps.pop();
            }
            steps.extend([(from, Some(value)), (until, None)]);
        }
        Self { steps }
    }

    /// The value in force at `instant`.
    pub fn at(&self, instant: Time) -> Option<i64> {
        self.from(instant).0
    }

    /// The value in force at `instant`, and until when.
    pub fn from(&self, instant: Time) -> (Option<i64>, Time) {
        let next = self.steps.partition_point(|(at, _)| *at <= instant);
        let value = next.checked_sub(1).and_then(|index| self.steps[index].1);
        (value, self.steps.get(next).map_or(Time::FOREVER, |(at, _)| *at))
    }

    /// The integral from one instant to another, value-microseconds; gaps count nothing.
    pub fn integral(&self, from: Time, until: Time) -> i128 {
        self.over(from, until).0
    }

    /// The same, and for how long of it there is a value, us.
    pub fn over(&self, from: Time, until: Time) -> (i128, i64) {
        let (mut sum, mut covered, mut at) = (0, 0, from);
        while at < until {
            let (value, next) = self.from(at);
            let end = next.min(until);
            if let Some(value) = value {
                let length = (end - at).as_micros();
                sum += i128::from(value) * i128::from(length);
                covered += length;
            }
            at = end;
        }
        (sum, covered)
    }

    /// What there is no value for from one instant to another.
    pub fn missing(&self, from: Time, until: Time) -> Option<Missing> {
        let (mut at, mut missing) = (from, None::<Missing>);
        while at < until {
            let (value, next) = self.from(at);
            let end = next.min(until);
            if value.is_none() {
                let first = missing.map_or((at, end), |missing| missing.first);
                let before = missing.map_or(Time::ZERO, |missing| missing.total);
                missing = Some(Missing { total: before + (end - at), first });
            }
            at = end;
        }
        missing
    }

    /// The same steps with other values.
    #[must_use]
    pub fn map(&self, value: impl Fn(i64) -> i64) -> Self {
        let steps = self.steps.iter().map(|(at, old)| (*at, old.map(&value))).collect();
        Self { steps }
    }

    /// The part from one instant to another.
    #[must_use]
    pub fn part(&self, from: Time, until: Time) -> Self {
        let mut pieces = Vec::new();
        let mut at = from;
        while at < until {
            let (value, next) = self.from(at);
            let end = next.min(until);
            pieces.extend(value.map(|value| (at, end, value)));
            at = end;
        }
        Self::of(pieces)
    }

    /// The pieces: from, until, value.
    pub fn pieces(&self) -> impl Iterator<Item = (Time, Time, i64)> + '_ {
        let pairs = self.steps.windows(2);
        pairs.filter_map(|pair| pair[0].1.map(|value| (pair[0].0, pair[1].0, value)))
    }

    /// The lesser value of both, or the one that there is.
    #[must_use]
    pub fn least(&self, other: &Self) -> Self {
        let all = self.steps.iter().chain(&other.steps).map(|(at, _)| *at);
        let mut instants: Vec<Time> = all.collect();
        instants.sort_unstable();
        instants.dedup();
        let of = |at: Time| match (self.at(at), other.at(at)) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Self { steps: instants.into_iter().map(|at| (at, of(at))).collect() }
    }

    /// When the first value begins and the last ends.
    pub fn bounds(&self) -> Option<(Time, Time)> {
        Some((self.steps.first()?.0, self.steps.last()?.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    /// 7 from 0 to 10, 3 from 10 to 20, nothing until 30, 5 until 40.
    #[test]
    fn values_hold_until_the_next() {
        let steps = Steps::of([(s(0), s(10), 7), (s(10), s(20), 3), (s(30), s(40), 5)]);
        assert_eq!(steps.from(s(9)), (Some(7), s(10)));
        assert_eq!(steps.from(s(10)), (Some(3), s(20)));
        assert_eq!(steps.from(s(25)), (None, s(30)));
        assert_eq!(steps.from(s(40)), (None, Time::FOREVER));
        // 7 * 5 + 3 * 10 + 0 * 10 + 5 * 2 = 75.
        assert_eq!(steps.integral(s(5), s(32)), 75_000_000);
        assert_eq!(steps.over(s(5), s(32)), (75_000_000, 17_000_000));
        // From 5 to 50 there is nothing from 20 to 30, and from 40 on.
        let missing = Missing { total: s(20), first: (s(20), s(30)) };
        assert_eq!(steps.missing(s(5), s(50)), Some(missing));
        assert_eq!(steps.missing(s(5), s(20)), None);
        assert_eq!(Steps::default().missing(s(0), s(0)), None);
        assert_eq!(steps.part(s(15), s(35)).bounds(), Some((s(15), s(35))));
        assert_eq!(steps.part(s(15), s(35)).integral(s(0), s(99)), 40_000_000);
        assert_eq!(steps.map(|value| 2 * value).at(s(12)), Some(6));
        let least = steps.least(&Steps::of([(s(5), s(35), 4)]));
        let expected = [
            (s(0), s(5), 7),
            (s(5), s(10), 4),
            (s(10), s(20), 3),
            (s(20), s(30), 4),
            (s(30), s(35), 4),
            (s(35), s(40), 5),
        ];
        assert_eq!(least.pieces().collect::<Vec<_>>(), expected);
    }
}
