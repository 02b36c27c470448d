//! Values of every machine: one for all where they are equal, otherwise one for each.

use planner::node_set::NodeSet;
use planner::quantity::Power;

/// A value of each machine.
#[derive(Clone, Debug)]
pub(super) enum ValueOfEach<T> {
    /// The value of every machine.
    Same(T),
    /// The values by position.
    Own(Vec<T>),
}

impl<T: Copy + PartialEq> ValueOfEach<T> {
    pub(super) fn of(values: impl Iterator<Item = T>) -> Self {
        let values: Vec<T> = values.collect();
        match values.first() {
            Some(first) if values.iter().all(|value| value == first) => Self::Same(*first),
            _ => Self::Own(values),
        }
    }
}

/// A power of each machine, to be added up over sets.
#[derive(Clone, Debug)]
pub(super) enum PowerOfEach {
    /// The power of every machine.
    Same(Power),
    /// The sum over the machines below each position, and over all.
    Before(Vec<Power>),
}

impl PowerOfEach {
    pub(super) fn of(powers: &[Power]) -> Self {
        match ValueOfEach::of(powers.iter().copied()) {
            ValueOfEach::Same(power) => Self::Same(power),
            ValueOfEach::Own(powers) => {
                let mut sum = Power::ZERO;
                let sums = powers.iter().map(|power| {
                    sum = sum + *power;
                    sum
                });
                Self::Before(std::iter::once(Power::ZERO).chain(sums).collect())
            }
        }
    }

    /// The power of the machine that draws most.
    pub(super) fn most(&self) -> Power {
        match self {
            Self::Same(power) => *power,
            Self::Before(sums) => {
                sums.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
            }
        }
    }

    /// The power of all machines, of which there are so many.
    pub(super) fn of_all(&self, machines: u32) -> Power {
        match self {
            Self::Same(power) => *power * machines,
            Self::Before(sums) => sums.last().copied().unwrap_or_default(),
        }
    }

    /// The power of these machines. One step a range.
    pub(super) fn over(&self, machines: &NodeSet) -> Power {
        match self {
            Self::Same(power) => *power * machines.count(),
            Self::Before(sums) => {
                let range = |range: &std::ops::Range<u32>| {
                    sums[range.end as usize] - sums[range.start as usize]
                };
                machines.ranges().iter().map(range).sum()
            }
        }
    }
}
