//! Another node for a booking whose node is out of service or taken.

use planner::time::Span;

use super::course::NodeHold;
use super::orders::millis;
use super::play::Play;

impl Play<'_> {
    /// Gives a booking a node, or another in its place where that one is taken or out of service.
    pub(super) fn assign(&mut self, now_ms: i64, node: u32, hold: NodeHold) {
        if self.nodes[node as usize].can_hold(hold.span) {
            self.hold(now_ms, node, hold);
        } else {
            self.replace(now_ms, hold);
        }
    }

    /// Takes from a node that is out of service what it is booked for meanwhile, and gives it to others.
    pub(super) fn hand_over(&mut self, now_ms: i64, node: u32, out: Span) {
        let course = &mut self.nodes[node as usize].course;
        let (lost, kept) = course.holds.iter().partition(|hold| hold.span.overlaps(out));
        let lost: Vec<NodeHold> = lost;
        course.holds = kept;
        self.changed.insert(node);
        for hold in lost {
            // What had begun without the node stays its own: nobody computed.
            if let Some(span) = Span::new(hold.span.start(), out.start()) {
                self.nodes[node as usize].course.hold(NodeHold { span, ..hold });
            }
            let from = hold.span.start().max(out.start());
            if let Some(span) = Span::new(from, hold.span.end()) {
                self.replace(now_ms, NodeHold { span, ..hold });
            }
        }
    }

    /// Of the nodes that a booking may have and that are free, the one that is up soonest after its start; of equals the one
    /// that draws least.
    fn replace(&mut self, now_ms: i64, hold: NodeHold) {
        let booking = &self.month.bookings[hold.booking];
        let start = millis(hold.span.start());
        let late = |node: u32| {
            let ready = self.nodes[node as usize].ready_at(now_ms, self.lead_ms(node));
            (ready - start).max(0)
        };
        let free = booking.admitted.positions();
        let free = free.filter(|node| self.nodes[*node as usize].can_hold(hold.span));
        let best = free.min_by_key(|node| (late(*node), booking.draws[*node as usize], *node));
        if let Some(node) = best {
            self.counts.replaced_nodes += 1;
            self.hold(now_ms, node, hold);
        } else {
            self.counts.lost_nodes += 1;
            self.counts.lost_s += hold.span.length().get().unsigned_abs();
        }
    }

    /// A booking holds a node, which is woken in time if it can be.
    fn hold(&mut self, now_ms: i64, node: u32, hold: NodeHold) {
        self.nodes[node as usize].course.hold(hold);
        self.changed.insert(node);
        let wanted = millis(hold.span.start()) - self.lead_ms(node);
        self.wake_by(now_ms, node, wanted);
    }
}
