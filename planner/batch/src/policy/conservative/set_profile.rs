//! Which machines are free from now on, if everything lasts as long as it may.
//!
//! A step function whose values are sets of machines; neighbours differ, and the last set holds for
//! ever. Searching costs the ranges of the steps passed, changing it those of the steps changed and
//! the number of steps behind.

use planner::node_set::NodeSet;

use crate::policy::fit::Selection;
use crate::step_function::StepFunction;
use crate::time::Time;

/// Free machines over time.
#[derive(Debug)]
pub struct SetProfile {
    free: StepFunction<NodeSet>,
    /// Whether machines that were free before an instant already are taken before those that became free
    /// at it, where they suffice.
    rested_first: bool,
}

impl SetProfile {
    /// `machines` are free for ever.
    pub fn new(machines: u32, rested_first: bool) -> Self {
        let all = 0..machines;
        Self { free: StepFunction::of(NodeSet::from_ranges(vec![all])), rested_first }
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: Time) {
        self.free.forget(now);
    }

    /// The first instant from `now` on from which `nodes` machines that `selection` takes are free for
    /// `duration`, with these.
    pub fn earliest(
        &self,
        now: Time,
        nodes: u32,
        duration: Time,
        selection: &dyn Selection,
    ) -> Option<(Time, NodeSet)> {
        let steps = self.free.steps();
        let first = if self.rested_first { 0 } else { self.free.step_of(now) };
        (first..steps.len()).find_map(|index| {
            let (at, free) = &steps[index];
            if free.count() < nodes {
                return None;
            }
            let start = now.max(*at);
            let end = start + duration;
            let mut free = free.clone();
            for (_, more) in steps[index + 1..].iter().take_while(|(at, _)| *at < end) {
                free = free.intersection(more);
                if free.count() < nodes {
                    return None;
                }
            }
            Some((start, selection.select(&free, nodes)?))
        })
    }

    /// Takes `machines` from `start` to `end`, where they are free.
    pub fn take(&mut self, start: Time, end: Time, machines: &NodeSet) {
        self.free.change(start, end, |free| free.difference(machines));
    }

    /// Gives `machines` back from `start` to `end`.
    pub fn give(&mut self, start: Time, end: Time, machines: &NodeSet) {
        self.free.change(start, end, |free| free.union(machines));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;
    use crate::policy::fit::set;
    use crate::policy::options::Options;

    /// Of three machines 0 is taken until 10 s. From then on it is the lowest; 1 has been free for longer.
    /// Two machines are 0 and 1, or 1 and 2; three are all, rested or not.
    #[test]
    fn rested_machines_go_before_lower_ones_that_become_free() {
        let now = Time::from_seconds(10);
        let lowest = (set::FIT.build)(&Platform::of_machines(3), &mut Options::new(&[]));
        for (rested_first, nodes, expected) in
            [(false, 1, 0..1), (true, 1, 1..2), (false, 2, 0..2), (true, 2, 1..3), (true, 3, 0..3)]
        {
            let mut profile = SetProfile::new(3, rested_first);
            profile.take(Time::ZERO, now, &NodeSet::from_positions([0]));
            let found = profile.earliest(now, nodes, Time::from_seconds(5), lowest.as_ref());
            assert_eq!(found, Some((now, NodeSet::from_ranges(vec![expected]))));
        }
    }
}
