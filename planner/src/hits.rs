//! Which bookings lose nodes to outages: counted for all at once, since jobs of others can be thousands of
//! outages among thousands of bookings.

use crate::book::{Book, Booking};
use crate::node_set::NodeSet;
use crate::time::{Seconds, Timestamp};

/// The bookings that lose nodes to the book's outages at `from` or later, by start.
///
/// An outage meets a booking that it begins before the end of, unless it has ended when the booking
/// begins: of each booking's nodes the first kind is counted, less the second.
/// `O(k log k)` for `k` ranges of outages and bookings.
pub fn hit_by_outages(book: &Book, from: Timestamp) -> Vec<&Booking> {
    let outages = book.outages().all();
    if outages.is_empty() {
        return Vec::new();
    }
    let bookings = book.bookings().iter().map(AsRef::as_ref);
    let bookings: Vec<&Booking> = bookings.filter(|it: &&Booking| it.span.end() > from).collect();
    let begun = counts(
        outages.iter().map(|it| (it.span.start(), &it.ranks)).collect(),
        bookings.iter().map(|it| (it.span.end(), &it.ranks)),
    );
    // What ends as the booking begins has ended: it ends before the next second.
    let ended = counts(
        outages.iter().map(|it| (it.span.end(), &it.ranks)).collect(),
        bookings.iter().map(|it| (it.span.start().max(from) + Seconds::ONE, &it.ranks)),
    );
    let pairs = bookings.into_iter().zip(begun.into_iter().zip(ended));
    pairs.filter(|(_, (begun, ended))| begun > ended).map(|(booking, _)| booking).collect()
}

/// For each of `asked` how many nodes it shares with the sets that come before its instant, in all.
fn counts<'a>(
    mut coming: Vec<(Timestamp, &NodeSet)>,
    asked: impl Iterator<Item = (Timestamp, &'a NodeSet)>,
) -> Vec<i64> {
    let mut asked: Vec<(usize, (Timestamp, &NodeSet))> = asked.enumerate().collect();
    asked.sort_by_key(|(_, (instant, _))| *instant);
    coming.sort_by_key(|(instant, _)| *instant);
    let mut shared = vec![0; asked.len()];
    let mut covers = Covers::new(coming.iter().map(|(_, ranks)| *ranks));
    let mut coming = coming.into_iter().peekable();
    for (number, (instant, ranks)) in asked {
        while let Some((_, ranks)) = coming.next_if(|(comes, _)| *comes < instant) {
            covers.add(ranks);
        }
        shared[number] = covers.of(ranks);
    }
    shared
}

/// How often ranks are covered by sets that come one after another: a Fenwick tree over the edges of all
/// their ranges.
///
/// Below a rank there are as many covers as for each edge below it the ranks between, which count one
/// more from where a range begins and one less from where it ends.
struct Covers {
    edges: Vec<u32>,
    /// Of the edges that a place of the tree sums: the changes, and the changes times their ranks.
    sums: Vec<(i64, i64)>,
}

impl Covers {
    fn new<'a>(sets: impl Iterator<Item = &'a NodeSet>) -> Self {
        let ranges = sets.flat_map(NodeSet::ranges);
        let mut edges: Vec<u32> = ranges.flat_map(|range| [range.start, range.end]).collect();
        edges.sort_unstable();
        edges.dedup();
        let sums = vec![(0, 0); edges.len()];
        Self { edges, sums }
    }

    fn add(&mut self, ranks: &NodeSet) {
        for range in ranks.ranges() {
            self.change(range.start, 1);
            self.change(range.end, -1);
        }
    }

    fn change(&mut self, rank: u32, by: i64) {
        let mut place = self.edges.partition_point(|&edge| edge < rank) + 1;
        while let Some((changes, weighted)) = self.sums.get_mut(place - 1) {
            *changes += by;
            *weighted += by * i64::from(rank);
            place += place & place.wrapping_neg();
        }
    }

    /// The covers of all ranks of a set.
    fn of(&self, ranks: &NodeSet) -> i64 {
        ranks.ranges().iter().map(|range| self.below(range.end) - self.below(range.start)).sum()
    }

    /// The covers of all ranks below one.
    fn below(&self, rank: u32) -> i64 {
        let mut place = self.edges.partition_point(|&edge| edge < rank);
        let (mut changes, mut weighted) = (0, 0);
        while place > 0 {
            let (more, more_weighted) = self.sums[place - 1];
            (changes, weighted) = (changes + more, weighted + more_weighted);
            place &= place - 1;
        }
        changes * i64::from(rank) - weighted
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::book::{RankedOutage, RankedOutages};
    use crate::decimal::Fraction;
    use crate::node::{Node, Nodes};
    use crate::order::{NodeOrder, Preference};
    use crate::quantity::Power;
    use crate::time::Span;

    /// Start and length, and first node and number, all small.
    type Entry = ((i64, i64), (u32, u32));

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        prop::collection::vec(((0_i64..30, 1_i64..10), (0_u32..20, 1_u32..6)), 0..12)
    }

    fn placed(&((start, length), (first, count)): &Entry) -> (Span, NodeSet) {
        let at = Timestamp::from_unix_seconds;
        let span = Span::new(at(start), at(start + length)).unwrap();
        // Two ranges, so that sets have holes.
        let ranges = [first..first + count, first + count + 2..first + count + 3];
        (span, NodeSet::from_ranges(ranges.to_vec()))
    }

    fn book(bookings: &[Entry], outages: &[Entry]) -> Book {
        let node = Node::new(Power::ZERO, Power::from_microwatts(1), None).unwrap();
        let nodes = Nodes::numbered(vec![node; 40]).unwrap();
        let order = Arc::new(NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE));
        let bookings = bookings.iter().enumerate().map(|(number, entry)| {
            let (span, ranks) = placed(entry);
            Booking::new(number.to_string().into(), span, ranks, &order)
        });
        let outage = |entry: &Entry| {
            let (span, ranks) = placed(entry);
            RankedOutage { span, ranks }
        };
        let outages = RankedOutages::new(outages.iter().map(outage).collect());
        Book::new(Arc::clone(&order)).with(bookings).with_outages(Arc::new(outages))
    }

    proptest! {
        #[test]
        fn counting_finds_what_comparing_each_with_each_finds(
            bookings in entries(),
            outages in entries(),
            from in 0_i64..40,
        ) {
            let (book, from) = (book(&bookings, &outages), Timestamp::from_unix_seconds(from));
            let rest = Span::new(from, Timestamp::MAX).unwrap();
            let meets = |booking: &&Booking| {
                let rest = booking.span.intersection(rest);
                book.outages().all().iter().any(|outage| {
                    rest.is_some_and(|rest| rest.overlaps(outage.span))
                        && outage.ranks.intersects(&booking.ranks)
                })
            };
            let all = book.bookings().iter().map(AsRef::as_ref);
            let expected: Vec<&Booking> = all.filter(meets).collect();
            prop_assert_eq!(hit_by_outages(&book, from), expected);
        }
    }
}
