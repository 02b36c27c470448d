//! The traces of an application, a rank each.

use super::action::Action;

/// What the ranks of an application do: a time-independent trace, in which nothing tells how long it took.
#[derive(Debug, PartialEq)]
pub struct ApplicationTrace {
    /// Of each rank, with the line of each action, from 1.
    ranks: Vec<Vec<(u32, Action)>>,
    actions: usize,
    operations: Vec<f64>,
    sleeps_s: f64,
    communicates: bool,
    uses_parts: bool,
}

impl ApplicationTrace {
    /// Of ranks with their actions, each with its line.
    pub(super) fn of(ranks: Vec<Vec<(u32, Action)>>) -> Self {
        let all = || ranks.iter().flatten().map(|(_, action)| action);
        let sum = |of: fn(&Action) -> f64| {
            let of_rank =
                move |trace: &Vec<(u32, Action)>| trace.iter().map(|(_, action)| of(action)).sum();
            ranks.iter().map(of_rank).collect::<Vec<f64>>()
        };
        Self {
            actions: ranks.iter().map(Vec::len).sum(),
            operations: sum(Action::operations),
            sleeps_s: sum(Action::sleeps_s).into_iter().fold(0.0, f64::max),
            communicates: ranks.len() > 1 && all().any(Action::communicates),
            uses_parts: all()
                .any(|action| matches!(action, Action::Use { part, .. } if *part < 1.0)),
            ranks,
        }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        u32::try_from(self.ranks.len()).unwrap_or(u32::MAX)
    }

    /// The operations of each rank, on each of the cores that it computes on.
    pub fn operations(&self) -> &[f64] {
        &self.operations
    }

    /// The longest that a rank sleeps, seconds.
    pub const fn sleeps_s(&self) -> f64 {
        self.sleeps_s
    }

    /// Whether a rank sends anything to another.
    pub const fn communicates(&self) -> bool {
        self.communicates
    }

    /// Whether a rank computes on some of the cores of its machine only.
    pub const fn uses_parts(&self) -> bool {
        self.uses_parts
    }

    /// Actions of all ranks.
    pub const fn actions(&self) -> usize {
        self.actions
    }

    /// An action of a rank by its place.
    pub(super) fn action(&self, rank: u32, place: usize) -> Option<&Action> {
        self.ranks[rank as usize].get(place).map(|(_, action)| action)
    }

    /// The line of an action of a rank by its place, from 1.
    pub(super) fn line(&self, rank: u32, place: usize) -> u32 {
        self.ranks[rank as usize].get(place).map_or(0, |(line, _)| *line)
    }

    /// The first action in which each rank sends to each other.
    pub(super) fn first_among_all(&self) -> Option<(u32, u32)> {
        (0..).zip(&self.ranks).find_map(|(rank, trace)| {
            let found = trace.iter().find(|(_, action)| action.is_among_all());
            found.map(|(line, _)| (rank, *line))
        })
    }
}
