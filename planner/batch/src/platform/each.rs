//! What every machine has: one value for all that are equal, otherwise one for each.

use planner::node_set::NodeSet;
use planner::quantity::Power;

/// A value of each machine.
#[derive(Clone, Debug)]
pub(super) enum Each<T> {
    /// The same of all.
    Same(T),
    /// By position.
    Own(Vec<T>),
}

impl<T: Copy + PartialEq> Each<T> {
    pub(super) fn of(values: impl Iterator<Item = T>) -> Self {
        let values: Vec<T> = values.collect();
        match values.first() {
            Some(first) if values.iter().all(|value| value == first) => Self::Same(*first),
            _ => Self::Own(values),
        }
    }
}

/// Powers to be added up over sets, uW.
#[derive(Clone, Debug)]
pub(super) enum Sum {
    /// The same of all.
    Same(i64),
    /// The sum over the machines below each position, and over all.
    Before(Vec<i64>),
}

impl Sum {
    pub(super) fn of(powers: &[Power]) -> Self {
        match Each::of(powers.iter().map(|power| power.as_microwatts())) {
            Each::Same(power) => Self::Same(power),
            Each::Own(powers) => {
                let mut sum = 0;
                let sums = powers.iter().map(|power| {
                    sum += power;
                    sum
                });
                Self::Before(std::iter::once(0).chain(sums).collect())
            }
        }
    }

    /// Of the machine that draws most.
    pub(super) fn most(&self) -> i64 {
        match self {
            Self::Same(power) => *power,
            Self::Before(sums) => {
                sums.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
            }
        }
    }

    /// Of all of so many machines.
    pub(super) fn of_all(&self, machines: u32) -> i64 {
        match self {
            Self::Same(power) => power * i64::from(machines),
            Self::Before(sums) => sums.last().copied().unwrap_or(0),
        }
    }

    /// Of these. One step a range.
    pub(super) fn over(&self, machines: &NodeSet) -> i64 {
        match self {
            Self::Same(power) => power * i64::from(machines.count()),
            Self::Before(sums) => {
                let range = |range: &std::ops::Range<u32>| {
                    sums[range.end as usize] - sums[range.start as usize]
                };
                machines.ranges().iter().map(range).sum()
            }
        }
    }
}
