//! The traces of an application, a rank each.

use super::action::Action;

/// What the ranks of an application do: a time-independent trace, in which nothing tells how long it took.
#[derive(Debug, PartialEq)]
pub struct ApplicationTrace {
    /// Of each rank, with the line of each action, from 1.
    pub(super) ranks: Vec<Vec<(u32, Action)>>,
}

impl ApplicationTrace {
    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        u32::try_from(self.ranks.len()).unwrap_or(u32::MAX)
    }

    /// The operations of each rank, on each of the cores that it computes on.
    pub fn operations(&self) -> impl Iterator<Item = f64> {
        let of = |action: &Action| match action {
            Action::Compute(operations)
            | Action::Use { operations, .. }
            | Action::Reduce { operations, .. }
            | Action::AllReduce { operations, .. }
            | Action::ReduceScatter { operations, .. } => *operations,
            _ => 0.0,
        };
        self.ranks.iter().map(move |trace| trace.iter().map(|(_, action)| of(action)).sum())
    }

    /// Actions of all ranks.
    pub fn actions(&self) -> usize {
        self.ranks.iter().map(Vec::len).sum()
    }

    /// An action of a rank by its place.
    pub(super) fn action(&self, rank: u32, place: usize) -> Option<&Action> {
        self.ranks[rank as usize].get(place).map(|(_, action)| action)
    }
}
