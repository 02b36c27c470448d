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
    /// Where `take` is.
    taking: Position,
    /// Where `ranks` is.
    finding: Option<(Span, Position)>,
    wanted: u32,
    /// The answer for the entries now inside.
    answer: Option<Result<Totals, Exclusion>>,
    /// How often that changed.
    state: u32,
}

/// How many entries have entered, and of these have left.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Position {
    entered: usize,
    left: usize,
}

impl Position {
    /// Goes on to a span that neither begins nor ends earlier.
    fn advance(
        &mut self,
        span: Span,
        taken: &[Taken<'_>],
        by_end: &[(Timestamp, usize)],
        mut change: impl FnMut(usize, Change),
    ) {
        while taken.get(self.entered).is_some_and(|entry| entry.span.start() < span.end()) {
            change(self.entered, Change::Enters);
            self.entered += 1;
        }
        // What has ended has started before, so it has entered above.
        while by_end.get(self.left).is_some_and(|(end, _)| *end <= span.start()) {
            change(by_end[self.left].1, Change::Leaves);
            self.left += 1;
        }
    }
}

/// What becomes of an entry.
#[derive(Clone, Copy)]
enum Change {
    Enters,
    Leaves,
}

impl<'a> Sweep<'a> {
    /// `taken` is by start.
    pub(super) fn new(taken: &'a [Taken<'a>], selection: &'a Selection, wanted: u32) -> Self {
        let mut by_end: Vec<(Timestamp, usize)> =
            taken.iter().enumerate().map(|(index, entry)| (entry.span.end(), index)).collect();
        by_end.sort_unstable();
        let free = Free::new(taken, selection);
        let taking = Position::default();
        Self { taken, free, by_end, taking, finding: None, wanted, answer: None, state: 0 }
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

    /// The nodes that a start takes, whichever was asked about by `take`; it must have enough. Starts in
    /// time order cost what changes between them, and finding the nodes; another one costs all entries.
    pub(super) fn ranks(&mut self, span: Span) -> NodeSet {
        let wanted = self.wanted;
        self.first_free(span, wanted)
    }

    /// All nodes that a start may take; as costly as [`ranks`](Self::ranks).
    pub(super) fn free_ranks(&mut self, span: Span) -> NodeSet {
        self.first_free(span, u32::MAX)
    }

    /// So many nodes that are free throughout a span, or all where there are fewer.
    fn first_free(&mut self, span: Span, count: u32) -> NodeSet {
        let reached = self.finding.filter(|(reached, _)| reached.start() <= span.start());
        if reached.is_none() {
            self.free.clear();
        }
        let mut position = reached.map(|(_, position)| position).unwrap_or_default();
        let free = &mut self.free;
        position.advance(span, self.taken, &self.by_end, |entry, change| match change {
            Change::Enters => free.enter(entry),
            Change::Leaves => free.leave(entry),
        });
        self.finding = Some((span, position));
        self.free.first_outside(count)
    }

    fn advance(&mut self, span: Span) {
        let before = self.taking;
        let free = &mut self.free;
        self.taking.advance(span, self.taken, &self.by_end, |entry, change| match change {
            Change::Enters => free.take(entry),
            Change::Leaves => free.give_back(entry),
        });
        if before != self.taking {
            self.answer = None;
            self.state += 1;
        }
    }
}
