//! The book: who holds which nodes when, over the ranks of one [`NodeOrder`].

use std::sync::Arc;

use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::problem::BookedSpan;
use crate::search::free_nodes::FreeNodes;
use crate::time::Span;

/// Nodes taken during a span, by rank. Entries of one `id` are alternatives: see [`BookedSpan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    /// Which reservation.
    pub id: Arc<str>,
    /// When.
    pub span: Span,
    /// Which nodes, as ranks.
    pub ranks: NodeSet,
}

/// All bookings, by start.
#[derive(Clone, Debug, Default)]
pub struct Book {
    bookings: Vec<Booking>,
    double_booked: bool,
}

impl Book {
    /// A book of `bookings`, in any order, of which no two of different ids share a node at an
    /// instant: the database refuses such, and no plan makes them.
    pub fn new(mut bookings: Vec<Booking>) -> Self {
        bookings.sort_by_key(|booking| booking.span);
        Self { bookings, double_booked: false }
    }

    /// The book of a planning problem, over the ranks of `order`, whatever it holds.
    /// `O(k log k)` for `k` ranges, where no two entries share a node at an instant.
    pub fn of(reservations: &[BookedSpan], order: &NodeOrder) -> Self {
        let ranked = |entry: &BookedSpan| Booking {
            id: Arc::clone(&entry.id),
            span: entry.span,
            ranks: order.ranks(&entry.nodes),
        };
        let mut book = Self::new(reservations.iter().map(ranked).collect());
        book.double_booked = shares_a_node(&book.bookings, order) && is_double(&book.bookings);
        book
    }

    /// Whether two bookings of different ids share a node at an instant.
    pub const fn is_double_booked(&self) -> bool {
        self.double_booked
    }

    /// Adds a booking of nodes that are free. `O(log bookings)` and the shift.
    pub fn insert(&mut self, booking: Booking) {
        let at = self.bookings.partition_point(|other| other.span <= booking.span);
        self.bookings.insert(at, booking);
    }

    /// The bookings, by start.
    pub fn bookings(&self) -> &[Booking] {
        &self.bookings
    }

    /// The bookings that share an instant with `span`, by start.
    pub fn overlapping(&self, span: Span) -> impl Iterator<Item = &Booking> + '_ {
        let until = self.bookings.partition_point(|booking| booking.span.start() < span.end());
        self.bookings[..until].iter().filter(move |booking| booking.span.overlaps(span))
    }
}

/// Whether a node is ever taken by two bookings at once, be they of one id or not.
fn shares_a_node(bookings: &[Booking], order: &NodeOrder) -> bool {
    let ranges = bookings.iter().flat_map(|booking| booking.ranks.ranges());
    let (mut free, cells) = FreeNodes::new(order, ranges);
    let mut first = 0;
    // Ends come before starts: spans that touch do not overlap.
    let mut events = Vec::with_capacity(2 * bookings.len());
    for booking in bookings {
        let next = first + booking.ranks.ranges().len();
        events.push((booking.span.start(), true, first..next));
        events.push((booking.span.end(), false, first..next));
        first = next;
    }
    events.sort_unstable_by_key(|(instant, starts, _)| (*instant, *starts));
    for (_, starts, booked) in events {
        for cells in &cells[booked] {
            if !starts {
                free.give_back(cells);
                continue;
            }
            let before = free.count();
            free.take(cells);
            if before - free.count() != free.totals(cells).nodes {
                return true;
            }
        }
    }
    false
}

/// Whether two bookings of different ids share a node at an instant, pair by pair.
fn is_double(bookings: &[Booking]) -> bool {
    bookings.iter().enumerate().any(|(index, booking)| {
        let later = bookings[index + 1..].iter();
        later
            .take_while(|other| other.span.start() < booking.span.end())
            .any(|other| other.id != booking.id && other.ranks.intersects(&booking.ranks))
    })
}
