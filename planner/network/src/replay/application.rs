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

    /// The longest that a rank sleeps, seconds.
    pub fn sleeps_s(&self) -> f64 {
        let of = |action: &Action| if let Action::Sleep(seconds) = action { *seconds } else { 0.0 };
        let sleeps =
            self.ranks.iter().map(|trace| trace.iter().map(|(_, action)| of(action)).sum());
        sleeps.fold(0.0, f64::max)
    }

    /// Whether a rank sends anything to another.
    pub fn communicates(&self) -> bool {
        let alone = |action: &Action| {
            let single =
                matches!(action, Action::Nothing | Action::Compute(_) | Action::Use { .. });
            single
                || matches!(action, Action::Sleep(_) | Action::WaitAll)
                || matches!(action, Action::Wait { .. } | Action::Test { .. })
        };
        self.ranks.len() > 1 && self.ranks.iter().flatten().any(|(_, action)| !alone(action))
    }

    /// Whether a rank computes on some of the cores of its machine only.
    pub fn uses_parts(&self) -> bool {
        let part = |action: &Action| matches!(action, Action::Use { part, .. } if *part < 1.0);
        self.ranks.iter().flatten().any(|(_, action)| part(action))
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
