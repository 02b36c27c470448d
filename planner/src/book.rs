//! The book: who holds which nodes when, over the ranks of one [`NodeOrder`].

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::free_nodes::FreeNodes;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// Nodes that are taken during a span.
///
/// Entries of one `id` are alternatives of which one will be used (held offers): their nodes are
/// all taken, but at each instant only the one with the most power counts against the cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookedSpan {
    /// The reservation's id.
    pub id: Arc<str>,
    /// The time for which the nodes are taken.
    pub span: Span,
    /// The nodes, by ordinal.
    pub nodes: NodeSet,
}

/// Nodes that cannot be taken during a span, though nobody reserved them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The time for which the nodes are out of service; an outage without an end lasts to the end of time.
    pub span: Span,
    /// The nodes, by ordinal.
    pub nodes: NodeSet,
}

/// Nodes taken during a span, by rank. Entries of one `id` are alternatives: see [`BookedSpan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    /// The reservation's id.
    pub id: Arc<str>,
    /// The time for which the nodes are taken.
    pub span: Span,
    /// The nodes, as ranks of the book's order.
    pub ranks: NodeSet,
    /// What the nodes count against the cap.
    counted: Power,
    /// Stands for the id in comparisons.
    key: u64,
}

/// All bookings, by start, and the nodes that are out of service. Cheap to clone: bookings are
/// shared.
#[derive(Clone, Debug)]
pub struct Book {
    order: Arc<NodeOrder>,
    bookings: Vec<Arc<Booking>>,
    /// The latest end of each booking and all before it, which grows.
    latest_end: Vec<Timestamp>,
    outages: Vec<RankedOutage>,
    double_booked: bool,
}

/// An [`Outage`] by rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedOutage {
    /// The time for which the nodes are out of service.
    pub span: Span,
    /// The nodes, as ranks of the book's order.
    pub ranks: NodeSet,
}

impl Booking {
    /// A booking of these ranks of `order`.
    pub fn new(id: Arc<str>, span: Span, ranks: NodeSet, order: &NodeOrder) -> Self {
        let counted = order.counted(&ranks);
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        Self { id, span, ranks, counted, key: hasher.finish() }
    }

    /// What the nodes count against the cap.
    pub const fn counted(&self) -> Power {
        self.counted
    }

    /// A number that alternatives of one reservation share, and hardly any two others.
    pub(crate) const fn key(&self) -> u64 {
        self.key
    }
}

impl Book {
    /// An empty book over the ranks of `order`.
    pub fn new(order: Arc<NodeOrder>) -> Self {
        let (bookings, latest_end, outages) = (Vec::new(), Vec::new(), Vec::new());
        Self { order, bookings, latest_end, outages, double_booked: false }
    }

    /// The book of a planning problem, over the ranks of `order`, whatever it holds.
    /// `O(k log k)` for `k` ranges, where no two entries share a node at an instant.
    pub fn of(reservations: &[BookedSpan], outages: &[Outage], order: Arc<NodeOrder>) -> Self {
        let entry =
            |entry: &BookedSpan| (Arc::clone(&entry.id), entry.span, order.ranks(&entry.nodes));
        let entries: Vec<_> = reservations.iter().map(entry).collect();
        let outage =
            |outage: &Outage| RankedOutage { span: outage.span, ranks: order.ranks(&outage.nodes) };
        let outages = outages.iter().map(outage).collect();
        let mut book = Self::new(order).with(entries).with_outages(outages);
        book.double_booked = book.shares_a_node() && book.is_double();
        book
    }

    /// The book with `entries` too, in any order, of which no two of different ids share a node at
    /// an instant: the database refuses such, and no plan makes them.
    #[must_use]
    pub fn with(mut self, entries: impl IntoIterator<Item = (Arc<str>, Span, NodeSet)>) -> Self {
        let order = Arc::clone(&self.order);
        self.bookings.extend(
            entries
                .into_iter()
                .map(|(id, span, ranks)| Arc::new(Booking::new(id, span, ranks, &order))),
        );
        self.bookings.sort_by_key(|booking| booking.span);
        self.index_from(0);
        self
    }

    /// The book with these outages instead of its own.
    #[must_use]
    pub fn with_outages(self, mut outages: Vec<RankedOutage>) -> Self {
        outages.sort_by_key(|outage| outage.span);
        Self { outages, ..self }
    }

    /// The order whose ranks the book counts in.
    pub const fn order(&self) -> &Arc<NodeOrder> {
        &self.order
    }

    /// Whether two bookings of different ids share a node at an instant.
    pub const fn is_double_booked(&self) -> bool {
        self.double_booked
    }

    /// Adds a booking of nodes that are free. `O(log bookings)` and the shift.
    pub fn insert(&mut self, id: Arc<str>, span: Span, ranks: NodeSet) {
        let booking = Arc::new(Booking::new(id, span, ranks, &self.order));
        let at = self.bookings.partition_point(|other| other.span <= span);
        self.bookings.insert(at, booking);
        self.index_from(at);
    }

    /// Keeps the bookings that `keep` says.
    pub fn retain(&mut self, keep: impl Fn(&Booking) -> bool) {
        self.bookings.retain(|booking| keep(booking));
        self.index_from(0);
    }

    fn index_from(&mut self, first: usize) {
        self.latest_end.truncate(first);
        let mut latest = self.latest_end.last().copied().unwrap_or(Timestamp::MIN);
        for booking in &self.bookings[first..] {
            latest = latest.max(booking.span.end());
            self.latest_end.push(latest);
        }
    }

    /// The bookings, by start.
    pub fn bookings(&self) -> &[Arc<Booking>] {
        &self.bookings
    }

    /// The bookings that share an instant with `span`, by start. `O(log bookings)` to find the first.
    pub fn overlapping(&self, span: Span) -> impl Iterator<Item = &Booking> + '_ {
        let from = self.latest_end.partition_point(|&end| end <= span.start());
        let until = self.bookings.partition_point(|booking| booking.span.start() < span.end());
        let candidates = self.bookings.get(from..until).unwrap_or_default();
        candidates.iter().map(AsRef::as_ref).filter(move |booking| booking.span.overlaps(span))
    }

    /// The outages, by start.
    pub fn outages(&self) -> &[RankedOutage] {
        &self.outages
    }

    /// Whether a node is ever taken by two bookings at once, be they of one id or not.
    fn shares_a_node(&self) -> bool {
        let ranges =
            self.bookings.iter().flat_map(|booking| booking.ranks.ranges().iter().cloned());
        let (mut free, cells) = FreeNodes::new(&self.order, ranges);
        let mut first = 0;
        // Ends come before starts: spans that touch do not overlap.
        let mut events = Vec::with_capacity(2 * self.bookings.len());
        for booking in &self.bookings {
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
    fn is_double(&self) -> bool {
        self.bookings.iter().enumerate().any(|(index, booking)| {
            let later = self.bookings[index + 1..].iter();
            later
                .take_while(|other| other.span.start() < booking.span.end())
                .any(|other| other.id != booking.id && other.ranks.intersects(&booking.ranks))
        })
    }
}
