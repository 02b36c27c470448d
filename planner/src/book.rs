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
    /// Whether they are in a slower state, in which they count less than at full speed.
    slowed: bool,
    /// Stands for the id in comparisons.
    key: u64,
}

/// All bookings, by start, and the nodes that are out of service. Cheap to clone: bookings and outages
/// are shared.
#[derive(Clone, Debug)]
pub struct Book {
    order: Arc<NodeOrder>,
    bookings: Vec<Arc<Booking>>,
    latest_ends: LatestEnds,
    outages: Arc<RankedOutages>,
    double_booked: bool,
}

/// Nodes that are out of service, by start.
#[derive(Clone, Debug, Default)]
pub struct RankedOutages {
    list: Vec<RankedOutage>,
    latest_ends: LatestEnds,
}

/// Of entries by start, the latest end of each and all before it, which grows: where those begin that
/// have yet to end at an instant.
#[derive(Clone, Debug, Default)]
struct LatestEnds(Vec<Timestamp>);

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
        Self { id, span, ranks, counted, slowed: false, key: hasher.finish() }
    }

    /// The booking where its nodes are in a slower state, in which they count so much.
    #[must_use]
    pub fn slowed(self, counted: Power) -> Self {
        Self { counted, slowed: true, ..self }
    }

    /// What the nodes count in their slower state; `None` at full speed.
    pub fn counted_slowed(&self) -> Option<Power> {
        self.slowed.then_some(self.counted)
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
        Self {
            order,
            bookings: Vec::new(),
            latest_ends: LatestEnds::default(),
            outages: Arc::default(),
            double_booked: false,
        }
    }

    /// The book of a planning problem, over the ranks of `order`, whatever it holds.
    /// `O(k log k)` for `k` ranges, where no two entries share a node at an instant.
    pub fn of(reservations: &[BookedSpan], outages: &[Outage], order: Arc<NodeOrder>) -> Self {
        let booking = |entry: &BookedSpan| {
            Booking::new(Arc::clone(&entry.id), entry.span, order.ranks(&entry.nodes), &order)
        };
        let bookings: Vec<Booking> = reservations.iter().map(booking).collect();
        let outage =
            |outage: &Outage| RankedOutage { span: outage.span, ranks: order.ranks(&outage.nodes) };
        let outages = RankedOutages::new(outages.iter().map(outage).collect());
        let mut book = Self::new(order).with(bookings).with_outages(Arc::new(outages));
        book.double_booked = book.shares_a_node() && book.is_double();
        book
    }

    /// The book with these bookings of its order too, in any order of time, of which no two of different ids share a node
    /// at an instant: the database refuses such, and no plan makes them.
    #[must_use]
    pub fn with(mut self, bookings: impl IntoIterator<Item = Booking>) -> Self {
        self.bookings.extend(bookings.into_iter().map(Arc::new));
        self.bookings.sort_by_key(|booking| booking.span);
        self.index_from(0);
        self
    }

    /// The book with these outages instead of its own.
    #[must_use]
    pub fn with_outages(self, outages: Arc<RankedOutages>) -> Self {
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
        self.insert_booking(Booking::new(id, span, ranks, &self.order));
    }

    /// Adds a booking of the book's order, of nodes that are free. `O(log bookings)` and the shift.
    pub fn insert_booking(&mut self, booking: Booking) {
        let at = self.bookings.partition_point(|other| other.span <= booking.span);
        self.bookings.insert(at, Arc::new(booking));
        self.index_from(at);
    }

    /// Keeps the bookings that `keep` says.
    pub fn retain(&mut self, keep: impl Fn(&Booking) -> bool) {
        self.bookings.retain(|booking| keep(booking));
        self.index_from(0);
    }

    fn index_from(&mut self, first: usize) {
        let ends = self.bookings[first..].iter().map(|booking| booking.span.end());
        self.latest_ends.replace_from(first, ends);
    }

    /// The bookings, by start.
    pub fn bookings(&self) -> &[Arc<Booking>] {
        &self.bookings
    }

    /// The bookings that share an instant with `span`, by start. `O(log bookings)` to find the first.
    pub fn overlapping(&self, span: Span) -> impl Iterator<Item = &Booking> + '_ {
        let from = self.latest_ends.first_after(span.start());
        let until = self.bookings.partition_point(|booking| booking.span.start() < span.end());
        let candidates = self.bookings.get(from..until).unwrap_or_default();
        candidates.iter().map(AsRef::as_ref).filter(move |booking| booking.span.overlaps(span))
    }

    /// The outages.
    pub const fn outages(&self) -> &Arc<RankedOutages> {
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

impl RankedOutages {
    /// These outages, given in any order.
    pub fn new(mut list: Vec<RankedOutage>) -> Self {
        list.sort_by_key(|outage| outage.span);
        let mut latest_ends = LatestEnds::default();
        latest_ends.replace_from(0, list.iter().map(|outage| outage.span.end()));
        Self { list, latest_ends }
    }

    /// All of them, by start.
    pub fn all(&self) -> &[RankedOutage] {
        &self.list
    }

    /// Those that share an instant with `span`, by start. `O(log outages)` to find the first.
    pub fn overlapping(&self, span: Span) -> impl Iterator<Item = &RankedOutage> + '_ {
        let from = self.latest_ends.first_after(span.start());
        let until = self.list.partition_point(|outage| outage.span.start() < span.end());
        let candidates = self.list.get(from..until).unwrap_or_default();
        candidates.iter().filter(move |outage| outage.span.overlaps(span))
    }
}

impl LatestEnds {
    /// Replaces what is known from a position on by the ends of the entries there.
    fn replace_from(&mut self, first: usize, ends: impl Iterator<Item = Timestamp>) {
        self.0.truncate(first);
        let mut latest = self.0.last().copied().unwrap_or(Timestamp::MIN);
        self.0.extend(ends.map(|end| {
            latest = latest.max(end);
            latest
        }));
    }

    /// The position before which all entries have ended at an instant.
    fn first_after(&self, instant: Timestamp) -> usize {
        self.0.partition_point(|&end| end <= instant)
    }
}
