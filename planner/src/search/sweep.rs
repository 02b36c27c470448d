//! Bookings entering and leaving the span of one start after another (constraint C2).
//!
//! Starts are asked in time order; a booking enters when the span's end passes its start, and leaves
//! when the span's start reaches its end, once each.

use std::ops::Range;

use super::exclusion::Exclusion;
use super::free_nodes::{Cells, FreeNodes};
use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Totals};
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// The book near the window, as seen by starts in time order.
pub(super) struct Sweep<'a> {
    bookings: &'a [&'a Booking],
    free: FreeNodes<'a>,
    /// Cells of all bookings' ranges, in the order of the bookings.
    cells: Vec<Cells>,
    /// Which of `cells` each booking has.
    cells_of: Vec<Range<usize>>,
    /// Bookings by end.
    by_end: Vec<(Timestamp, usize)>,
    entered: usize,
    left: usize,
    wanted: u32,
    /// The answer for the bookings now inside.
    answer: Option<Result<Totals, Exclusion>>,
}

impl<'a> Sweep<'a> {
    /// `bookings` are by start.
    pub(super) fn new(bookings: &'a [&'a Booking], order: &'a NodeOrder, wanted: u32) -> Self {
        let ranges = bookings.iter().flat_map(|booking| booking.ranks.ranges());
        let (free, cells) = FreeNodes::new(order, ranges);
        let mut cells_of = Vec::with_capacity(bookings.len());
        let mut by_end = Vec::with_capacity(bookings.len());
        let mut first = 0;
        for (index, booking) in bookings.iter().enumerate() {
            let next = first + booking.ranks.ranges().len();
            cells_of.push(first..next);
            by_end.push((booking.span.end(), index));
            first = next;
        }
        by_end.sort_unstable();
        let (entered, left) = (0, 0);
        Self { bookings, free, cells, cells_of, by_end, entered, left, wanted, answer: None }
    }

    /// The maximum power of each booking.
    pub(super) fn powers(&self) -> Vec<Power> {
        let power = |cells: &Range<usize>| {
            self.cells[cells.clone()].iter().map(|cells| self.free.totals(cells).max_power).sum()
        };
        self.cells_of.iter().map(power).collect()
    }

    /// What the nodes that a start would take amount to; starts in time order.
    pub(super) fn take(&mut self, span: Span) -> Result<Totals, Exclusion> {
        self.advance(span);
        let (free, wanted) = (&self.free, self.wanted);
        *self.answer.get_or_insert_with(|| match free.count() {
            count if count < wanted => Err(Exclusion::Nodes { free: count }),
            _ => Ok(free.first(wanted)),
        })
    }

    /// The nodes that the start asked about last takes; it must have had enough.
    pub(super) fn ranks(&self) -> NodeSet {
        self.free.first_ranks(self.wanted)
    }

    fn advance(&mut self, span: Span) {
        while self.entered < self.bookings.len()
            && self.bookings[self.entered].span.start() < span.end()
        {
            for cells in &self.cells[self.cells_of[self.entered].clone()] {
                self.free.take(cells);
            }
            self.entered += 1;
            self.answer = None;
        }
        // What has ended has started before, so it has entered above.
        while self.left < self.by_end.len() && self.by_end[self.left].0 <= span.start() {
            for cells in &self.cells[self.cells_of[self.by_end[self.left].1].clone()] {
                self.free.give_back(cells);
            }
            self.left += 1;
            self.answer = None;
        }
    }
}
