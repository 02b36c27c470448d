//! What is taken entering and leaving the span of one start after another (constraint C2).
//!
//! Starts are asked in time order; an entry enters when the span's end passes its start, and leaves
//! when the span's start reaches its end, once each.

use super::exclusion::Exclusion;
use super::free::Free;
use super::taken::Taken;
use crate::node_set::NodeSet;
use crate::order::Totals;
use crate::selection::Selection;
use crate::time::{Span, Timestamp};

/// The book near the window, as seen by starts in time order.
pub(super) struct Sweep<'a> {
    taken: &'a [Taken<'a>],
    free: Free<'a>,
    /// Entries by end.
    by_end: Vec<(Timestamp, usize)>,
    entered: usize,
    left: usize,
    wanted: u32,
    /// The answer for the entries now inside.
    answer: Option<Result<Totals, Exclusion>>,
    /// How often that changed.
    state: u32,
}

impl<'a> Sweep<'a> {
    /// `taken` is by start.
    pub(super) fn new(taken: &'a [Taken<'a>], selection: &'a Selection, wanted: u32) -> Self {
        let mut by_end: Vec<(Timestamp, usize)> =
            taken.iter().enumerate().map(|(index, entry)| (entry.span.end(), index)).collect();
        by_end.sort_unstable();
        let free = Free::new(taken, selection);
        Self { taken, free, by_end, entered: 0, left: 0, wanted, answer: None, state: 0 }
    }

    /// What the nodes that a start would take amount to; starts in time order.
    pub(super) fn take(&mut self, span: Span) -> Result<Totals, Exclusion> {
        self.advance(span);
        let (free, wanted) = (&self.free, self.wanted);
        *self.answer.get_or_insert_with(|| match free.count() {
            count if count < wanted => Err(Exclusion::Nodes { missing: wanted - count }),
            _ => Ok(free.first(wanted)),
        })
    }

    /// A number that two starts share only if they take the same nodes.
    pub(super) const fn state(&self) -> u32 {
        self.state
    }

    /// The nodes that a start takes, whichever was asked about last; it must have enough.
    pub(super) fn ranks(&self, span: Span) -> NodeSet {
        let inside = |&(_, entry): &(usize, &Taken<'_>)| entry.span.overlaps(span);
        let inside = self.taken.iter().enumerate().filter(inside).map(|(index, _)| index);
        self.free.first_outside(inside, self.wanted)
    }

    fn advance(&mut self, span: Span) {
        let before = (self.entered, self.left);
        while self.taken.get(self.entered).is_some_and(|entry| entry.span.start() < span.end()) {
            self.free.take(self.entered);
            self.entered += 1;
        }
        // What has ended has started before, so it has entered above.
        while self.by_end.get(self.left).is_some_and(|(end, _)| *end <= span.start()) {
            self.free.give_back(self.by_end[self.left].1);
            self.left += 1;
        }
        if before != (self.entered, self.left) {
            self.answer = None;
            self.state += 1;
        }
    }
}
