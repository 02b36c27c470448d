//! The book: who holds which nodes when, over the ranks of one [`NodeOrder`].

use std::sync::Arc;

use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::problem::BookedSpan;
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
}

impl Book {
    /// A book of `bookings`, in any order.
    pub fn new(mut bookings: Vec<Booking>) -> Self {
        bookings.sort_by_key(|booking| booking.span);
        Self { bookings }
    }

    /// The book of a planning problem, over the ranks of `order`.
    pub fn of(reservations: &[BookedSpan], order: &NodeOrder) -> Self {
        let ranked = |entry: &BookedSpan| Booking {
            id: Arc::clone(&entry.id),
            span: entry.span,
            ranks: order.ranks(&entry.nodes),
        };
        Self::new(reservations.iter().map(ranked).collect())
    }

    /// Adds a booking. `O(log bookings)` and the shift.
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
