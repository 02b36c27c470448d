//! Values that hold from one instant to the next: prices, caps and rates in simulated time.

use planner::quantity::{Power, Rate};

use crate::quantity::ExactEnergy;
use crate::time::Time;

/// A piecewise-constant function of time, without a value before its first step and after its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps<V> {
    /// When each value begins, in order, and the value; none from the last on.
    steps: Vec<(Time, Option<V>)>,
}

impl<V> Default for Steps<V> {
    fn default() -> Self {
        Self { steps: Vec::new() }
    }
}

/// The time for which steps have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The sum of all its parts.
    pub total: Time,
    /// The first part: from, until.
    pub first: (Time, Time),
}

/// A rate integrated over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateIntegral {
    /// Millionths of the rate's unit times microseconds.
    pub millionth_micros: i128,
    /// For how long of the time there is a value.
    pub covered: Time,
}

impl<V: Copy> Steps<V> {
    /// Steps of pieces: from, until, value; in order, without overlaps. Others are passed over.
    pub fn of(pieces: impl IntoIterator<Item = (Time, Time, V)>) -> Self {
        let mut steps: Vec<(Time, Option<V>)> = Vec::new();
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
    pub fn at(&self, instant: Time) -> Option<V> {
        self.from(instant).0
    }

    /// The value in force at `instant`, and until when.
    pub fn from(&self, instant: Time) -> (Option<V>, Time) {
        let next = self.steps.partition_point(|(at, _)| *at <= instant);
        let value = next.checked_sub(1).and_then(|index| self.steps[index].1);
        (value, self.steps.get(next).map_or(Time::FOREVER, |(at, _)| *at))
    }

    /// Calls `each` with every value from one instant to another, and with how long it holds.
    fn over(&self, from: Time, until: Time, mut each: impl FnMut(V, Time)) {
        let mut at = from;
        while at < until {
            let (value, next) = self.from(at);
            let end = next.min(until);
            if let Some(value) = value {
                each(value, end - at);
            }
            at = end;
        }
    }

    /// The time from one instant to another for which there is no value.
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

    /// Steps at the same instants, each with what `value` makes of its value.
    #[must_use]
    pub fn map<W>(&self, value: impl Fn(V) -> W) -> Steps<W> {
        let steps = self.steps.iter().map(|(at, old)| (*at, old.map(&value))).collect();
        Steps { steps }
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
    pub fn pieces(&self) -> impl Iterator<Item = (Time, Time, V)> + '_ {
        let pairs = self.steps.windows(2);
        pairs.filter_map(|pair| pair[0].1.map(|value| (pair[0].0, pair[1].0, value)))
    }

    /// When the first value begins and the last ends.
    pub fn bounds(&self) -> Option<(Time, Time)> {
        Some((self.steps.first()?.0, self.steps.last()?.0))
    }
}

impl Steps<Power> {
    /// The energy from one instant to another; where there is no value it is none.
    pub fn energy(&self, from: Time, until: Time) -> ExactEnergy {
        let mut energy = ExactEnergy::ZERO;
        self.over(from, until, |power, time| energy += power * time);
        energy
    }
}

impl<R: Rate> Steps<R> {
    /// The integral from one instant to another; where there is no value it is nothing.
    pub fn integral(&self, from: Time, until: Time) -> RateIntegral {
        let mut integral = RateIntegral { millionth_micros: 0, covered: Time::ZERO };
        self.over(from, until, |rate, time| {
            let micros = i128::from(time.as_micros());
            integral.millionth_micros += i128::from(rate.as_millionths()) * micros;
            integral.covered = integral.covered + time;
        });
        integral
    }
}

impl<V: Copy + Ord> Steps<V> {
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
}

#[cfg(test)]
mod tests {
    use planner::quantity::EnergyPrice;

    use super::*;

    /// Powers in microwatts, from and until whole seconds.
    fn uw<const N: usize>(pieces: [(i64, i64, i64); N]) -> Steps<Power> {
        let power = Power::from_microwatts;
        Steps::of(pieces.map(|(from, until, value)| (s(from), s(until), power(value))))
    }

    fn s(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    /// 7 from 0 to 10, 3 from 10 to 20, nothing until 30, 5 until 40.
    #[test]
    fn values_hold_until_the_next() {
        let steps = uw([(0, 10, 7), (10, 20, 3), (30, 40, 5)]);
        let power = |microwatts| Some(Power::from_microwatts(microwatts));
        assert_eq!(steps.from(s(9)), (power(7), s(10)));
        assert_eq!(steps.from(s(10)), (power(3), s(20)));
        assert_eq!(steps.from(s(25)), (None, s(30)));
        assert_eq!(steps.from(s(40)), (None, Time::FOREVER));
        // 7 * 5 + 3 * 10 + 0 * 10 + 5 * 2 = 75.
        assert_eq!(steps.energy(s(5), s(32)), ExactEnergy::from_picojoules(75_000_000));
        let price =
            |power: Power| EnergyPrice::from_millionths_per_mwh(power.as_microwatts()).unwrap();
        let integral = RateIntegral { millionth_micros: 75_000_000, covered: s(17) };
        assert_eq!(steps.map(price).integral(s(5), s(32)), integral);
        // From 5 to 50 there is nothing from 20 to 30, and from 40 on.
        let missing = Missing { total: s(20), first: (s(20), s(30)) };
        assert_eq!(steps.missing(s(5), s(50)), Some(missing));
        assert_eq!(steps.missing(s(5), s(20)), None);
        assert_eq!(Steps::<Power>::default().missing(s(0), s(0)), None);
        assert_eq!(steps.part(s(15), s(35)).bounds(), Some((s(15), s(35))));
        let part = steps.part(s(15), s(35)).energy(s(0), s(99));
        assert_eq!(part, ExactEnergy::from_picojoules(40_000_000));
        assert_eq!(steps.map(|value| value + value).at(s(12)), power(6));
        let least = steps.least(&uw([(5, 35, 4)]));
        let expected = [(0, 5, 7), (5, 10, 4), (10, 20, 3), (20, 30, 4), (30, 35, 4), (35, 40, 5)];
        let expected =
            expected.map(|(from, until, uw)| (s(from), s(until), Power::from_microwatts(uw)));
        assert_eq!(least.pieces().collect::<Vec<_>>(), expected);
    }
}
