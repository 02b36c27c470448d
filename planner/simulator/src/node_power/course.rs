//! What a node did over the month, and who held it.

use planner::time::Span;

/// What a node does, apart from who holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeActivity {
    /// It is on: it computes where somebody holds it, and idles elsewhere.
    Up,
    /// It is being switched off.
    SwitchingOff,
    /// It is off.
    Off,
    /// It is being switched on.
    SwitchingOn,
    /// It did not come back and is being repaired; it draws as if it were idle, so that nothing is saved by it.
    OutOfService,
}

/// A booking's hold on a node; not longer than the booking where the node takes the place of another, or is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeHold {
    /// The time of the hold.
    pub span: Span,
    /// The booking, by position.
    pub booking: usize,
}

/// A node's month: what it did, without gaps, and its holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCourse {
    /// What it did, with the millisecond since the Unix epoch at which each begins; the last lasts to the end of the month.
    pub steps: Vec<(i64, NodeActivity)>,
    /// Who held it, in time order.
    pub holds: Vec<NodeHold>,
}

/// What nodes did over a month, and what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayedPower {
    /// By ordinal.
    pub nodes: Vec<NodeCourse>,
    /// What happened.
    pub counts: ManagerCounts,
}

/// How often things happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManagerCounts {
    /// Nodes that were switched off, each time.
    pub sleeps: u64,
    /// Nodes that did not come back.
    pub boot_failures: u64,
    /// Nodes that took the place of another in a booking.
    pub replaced_nodes: u64,
    /// Nodes that a booking lost without another in their place.
    pub lost_nodes: u64,
    /// The node-seconds of bookings that were lost with them.
    pub lost_s: u64,
}

impl NodeCourse {
    /// Begins something at a millisecond; what would have begun at it never was.
    pub(super) fn begin(&mut self, at_ms: i64, activity: NodeActivity) {
        if self.steps.last().is_some_and(|last| last.0 == at_ms) {
            self.steps.pop();
        }
        if self.steps.last().is_none_or(|last| last.1 != activity) {
            self.steps.push((at_ms, activity));
        }
    }

    /// What the node did until a millisecond: from, until and what.
    pub fn spans(&self, until_ms: i64) -> impl Iterator<Item = (i64, i64, NodeActivity)> + '_ {
        let ends = self.steps.iter().skip(1).map(|step| step.0).chain([until_ms]);
        let spans = self.steps.iter().zip(ends);
        spans.map(move |(step, end)| (step.0, end.min(until_ms), step.1)).filter(|it| it.0 < it.1)
    }

    /// Whether nobody holds the node at any instant of a span.
    pub(super) fn is_free(&self, span: Span) -> bool {
        !self.holds.iter().any(|hold| hold.span.overlaps(span))
    }

    /// Adds a hold, in time order.
    pub(super) fn hold(&mut self, hold: NodeHold) {
        let place = self.holds.partition_point(|it| it.span < hold.span);
        self.holds.insert(place, hold);
    }
}
