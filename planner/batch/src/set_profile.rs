//! Which machines are free from now on, if everything lasts as long as it may.
//!
//! A step function whose values are sets of machines; neighbours differ, and the last set holds for
//! ever. Searching costs the ranges of the steps passed, changing it those of the steps changed and
//! the number of steps behind.

use std::ops::Range;

use planner::node_set::NodeSet;

use crate::platform::Groups;
use crate::time::Time;

/// Which of the machines that are free for long enough a job takes (the thesis, 5.5.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The lowest.
    Lowest,
    /// The lowest that are neighbours, or else the lowest.
    NeighboursIfPossible,
    /// The lowest that are neighbours; the job waits for such.
    Neighbours,
    /// The lowest of the first group that has enough, or else the lowest.
    LocalIfPossible(Groups),
    /// The lowest of the first group that has enough; the job waits for such.
    Local(Groups),
}

impl Selection {
    /// The most machines that it may ever find.
    pub fn widest(&self) -> u32 {
        match self {
            Self::Local(groups) => groups.widest(),
            _ => u32::MAX,
        }
    }

    fn of(&self, free: &NodeSet, nodes: u32) -> Option<NodeSet> {
        let neighbours = || {
            let wide = |range: &&Range<u32>| range.end - range.start >= nodes;
            let range = free.ranges().iter().find(wide)?;
            NodeSet::from_ranges(vec![range.clone()]).lowest(nodes)
        };
        match self {
            Self::Lowest => free.lowest(nodes),
            Self::NeighboursIfPossible => neighbours().or_else(|| free.lowest(nodes)),
            Self::Neighbours => neighbours(),
            Self::LocalIfPossible(groups) => {
                groups.lowest(free, nodes).or_else(|| free.lowest(nodes))
            }
            Self::Local(groups) => groups.lowest(free, nodes),
        }
    }
}

/// Free machines over time.
#[derive(Debug)]
pub struct SetProfile {
    steps: Vec<(Time, NodeSet)>,
}

impl SetProfile {
    /// `machines` are free for ever.
    pub fn new(machines: u32) -> Self {
        let all = 0..machines;
        Self { steps: vec![(Time::from_micros(i64::MIN / 4), NodeSet::from_ranges(vec![all]))] }
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: Time) {
        let over = self.steps.partition_point(|(at, _)| *at <= now).saturating_sub(1);
        self.steps.drain(..over);
    }

    /// The first instant from `now` on from which `nodes` machines that `selection` takes are free for
    /// `duration`, with these.
    pub fn earliest(
        &self,
        now: Time,
        nodes: u32,
        duration: Time,
        selection: &Selection,
    ) -> Option<(Time, NodeSet)> {
        (0..self.steps.len()).find_map(|index| {
            let (at, free) = &self.steps[index];
            if free.count() < nodes {
                return None;
            }
            let start = now.max(*at);
            let end = start + duration;
            let mut free = free.clone();
            for (_, more) in self.steps[index + 1..].iter().take_while(|(at, _)| *at < end) {
                free = free.intersection(more);
                if free.count() < nodes {
                    return None;
                }
            }
            Some((start, selection.of(&free, nodes)?))
        })
    }

    /// The lowest `nodes` machines that are free from `now` on for `duration`.
    pub fn at_once(&self, now: Time, nodes: u32, duration: Time) -> Option<NodeSet> {
        let end = now + duration;
        let first = self.steps.partition_point(|(at, _)| *at <= now).max(1) - 1;
        let mut free = self.steps.get(first)?.1.clone();
        for (_, more) in self.steps[first + 1..].iter().take_while(|(at, _)| *at < end) {
            if free.count() < nodes {
                return None;
            }
            free = free.intersection(more);
        }
        free.lowest(nodes)
    }

    /// Takes `machines` from `start` to `end`, where they are free.
    pub fn take(&mut self, start: Time, end: Time, machines: &NodeSet) {
        self.change(start, end, |free| free.difference(machines));
    }

    /// Gives `machines` back from `start` to `end`.
    pub fn give(&mut self, start: Time, end: Time, machines: &NodeSet) {
        self.change(start, end, |free| free.union(machines));
    }

    fn change(&mut self, start: Time, end: Time, change: impl Fn(&NodeSet) -> NodeSet) {
        if start >= end {
            return;
        }
        let first = self.step_at(start);
        let last = self.step_at(end);
        for (_, free) in &mut self.steps[first..last] {
            *free = change(free);
        }
        self.join(last);
        self.join(first);
    }

    /// The step that begins at `instant`, made where there is none.
    fn step_at(&mut self, instant: Time) -> usize {
        let step = self.steps.partition_point(|(at, _)| *at < instant);
        if self.steps.get(step).is_none_or(|(at, _)| *at != instant) {
            let before = self.steps[step.max(1) - 1].1.clone();
            self.steps.insert(step, (instant, before));
        }
        step
    }

    /// Joins a step to the one before it where they do not differ.
    fn join(&mut self, step: usize) {
        if step > 0 && self.steps[step].1 == self.steps[step - 1].1 {
            self.steps.remove(step);
        }
    }
}
