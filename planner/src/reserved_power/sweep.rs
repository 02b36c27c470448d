//! What is reserved from instant to instant, as bookings come and go.

use std::collections::HashMap;

use crate::book::Booking;
use crate::node_set::NodeSet;
use crate::order::NodeOrder;
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

/// Bookings that come and go.
pub(super) struct Sweep<'a> {
    bookings: Vec<Entry<'a>>,
    /// By start, the next to come last.
    coming: Vec<usize>,
    /// By end, the next to go last.
    going: Vec<usize>,
    /// The alternatives of a reservation that are there, in the order of the bookings.
    there: HashMap<&'a str, Vec<usize>>,
    covered: Covered,
    /// What nodes in slower states count less than at full speed.
    spared: Power,
}

struct Entry<'a> {
    booking: &'a Booking,
    power: Power,
    /// What it counts less than at full speed.
    spares: Power,
}

/// How often parts of the order are covered, and what all that are covered count.
struct Covered {
    /// The ranks at which parts begin.
    cuts: Vec<u32>,
    /// What each part counts.
    powers: Vec<Power>,
    times: Vec<u32>,
    total: Power,
}

impl<'a> Sweep<'a> {
    /// The bookings that touch a span.
    pub(super) fn new(bookings: &[&'a Booking], order: &NodeOrder, span: Span) -> Self {
        let touching = bookings.iter().filter(|booking| booking.span.overlaps(span));
        let entry = |&booking: &&'a Booking| {
            let full = order.counted(&booking.ranks);
            let power = booking.counted_slowed().unwrap_or(full);
            Entry { booking, power, spares: full - power }
        };
        let bookings: Vec<Entry> = touching.map(entry).collect();
        let mut coming: Vec<usize> = (0..bookings.len()).collect();
        let mut going = coming.clone();
        coming.sort_by_key(|&index| std::cmp::Reverse(bookings[index].booking.span.start()));
        going.sort_by_key(|&index| std::cmp::Reverse(bookings[index].booking.span.end()));
        let covered = Covered::new(bookings.iter().map(|entry| &entry.booking.ranks), order);
        let there = HashMap::new();
        Self { bookings, coming, going, there, covered, spared: Power::ZERO }
    }

    /// What is reserved at an instant, which must not be before the last that was asked for.
    pub(super) fn at(&mut self, instant: Timestamp) -> Power {
        while let Some(&index) = self.coming.last()
            && self.bookings[index].booking.span.start() <= instant
        {
            self.coming.pop();
            self.change(index, true);
        }
        while let Some(&index) = self.going.last()
            && self.bookings[index].booking.span.end() <= instant
        {
            self.going.pop();
            self.change(index, false);
        }
        self.covered.total - self.spared
    }

    /// A booking comes or goes. Of a reservation's alternatives the largest counts, of like ones the
    /// first.
    fn change(&mut self, index: usize, comes: bool) {
        let id = &*self.bookings[index].booking.id;
        let there = self.there.entry(id).or_default();
        let largest = |there: &[usize]| {
            let larger = |&one: &usize, &other: &usize| {
                let by_power = self.bookings[one].power.cmp(&self.bookings[other].power);
                by_power.then(other.cmp(&one))
            };
            there.iter().copied().max_by(larger)
        };
        let before = largest(there);
        match there.binary_search(&index) {
            Err(place) if comes => there.insert(place, index),
            Ok(place) if !comes => _ = there.remove(place),
            _ => {}
        }
        let after = largest(there);
        if there.is_empty() {
            self.there.remove(id);
        }
        if before == after {
            return;
        }
        if let Some(before) = before {
            self.covered.remove(&self.bookings[before].booking.ranks);
            self.spared = self.spared - self.bookings[before].spares;
        }
        if let Some(after) = after {
            self.covered.add(&self.bookings[after].booking.ranks);
            self.spared = self.spared + self.bookings[after].spares;
        }
    }
}

impl Covered {
    /// Nothing is covered yet. Parts are cut where sets begin or end.
    fn new<'s>(sets: impl Iterator<Item = &'s NodeSet>, order: &NodeOrder) -> Self {
        let mut cuts: Vec<u32> =
            sets.flat_map(|set| set.ranges().iter().flat_map(|it| [it.start, it.end])).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let part = |pair: &[u32]| {
            let part = pair[0]..pair[1];
            order.counted(&NodeSet::from_ranges(vec![part]))
        };
        let powers: Vec<Power> = cuts.windows(2).map(part).collect();
        Self { times: vec![0; powers.len()], cuts, powers, total: Power::ZERO }
    }

    fn parts(&self, start: u32, end: u32) -> std::ops::Range<usize> {
        let place = |rank: u32| self.cuts.partition_point(|&cut| cut < rank);
        place(start)..place(end)
    }

    fn add(&mut self, ranks: &NodeSet) {
        for range in ranks.ranges() {
            for part in self.parts(range.start, range.end) {
                self.times[part] += 1;
                if self.times[part] == 1 {
                    self.total = self.total + self.powers[part];
                }
            }
        }
    }

    fn remove(&mut self, ranks: &NodeSet) {
        for range in ranks.ranges() {
            for part in self.parts(range.start, range.end) {
                self.times[part] -= 1;
                if self.times[part] == 0 {
                    self.total = self.total - self.powers[part];
                }
            }
        }
    }
}
