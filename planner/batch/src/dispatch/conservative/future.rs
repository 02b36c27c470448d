//! What is free from now on everywhere, if jobs that run last as long as is estimated and jobs that wait start as promised.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::timeline::Timeline;
use crate::dispatch::fit::place;
use crate::dispatch::free::{FreeResources, UnitsOnNode, by_kind, each_once, units_of};
use crate::dispatch::unit::UnitRequest;
use crate::time::Time;

/// Amounts by resource.
type Amounts = Vec<(usize, u32)>;

/// What is free over time on each node and of what they share.
#[derive(Clone, Debug)]
pub(in crate::dispatch) struct Future {
    nodes: Vec<Timeline>,
    shared: Timeline,
    /// Of nodes: all that they have, and their properties.
    all: FreeResources,
    /// Kept to be used again.
    amounts: Vec<(usize, u32)>,
    least: Vec<u32>,
}

/// Places of a job from an instant to another.
#[derive(Clone, Copy, Debug)]
pub(in crate::dispatch) struct Held<'a> {
    pub unit: &'a UnitRequest,
    pub places: &'a [UnitsOnNode],
    pub from: Time,
    pub to: Time,
}

impl Future {
    /// What is free now is so for ever.
    pub fn new(free: &FreeResources) -> Self {
        let nodes = (0..free.nodes()).map(|node| Timeline::new(free.on(node))).collect();
        let shared = Timeline::new(free.shared());
        Self { nodes, shared, all: free.clone(), amounts: Vec::new(), least: Vec::new() }
    }

    /// A node's, by number.
    pub fn on(&self, node: u32) -> &Timeline {
        &self.nodes[node as usize]
    }

    /// Whether a node has the properties that a unit wants.
    pub fn has_properties(&self, unit: &UnitRequest, node: u32) -> bool {
        self.all.has_properties(unit, node)
    }

    /// Takes places, where they are free.
    pub fn take(&mut self, now: Time, held: Held<'_>) {
        self.change(now, held, Timeline::take);
    }

    /// Gives places back.
    pub fn give(&mut self, now: Time, held: Held<'_>) {
        self.change(now, held, Timeline::give);
    }

    fn change(
        &mut self,
        now: Time,
        held: Held<'_>,
        change: impl Fn(&mut Timeline, Time, Time, Time, &[(usize, u32)]),
    ) {
        let Held { unit, places, from, to } = held;
        if Self::packs(unit) {
            for (node, amounts) in self.amounts_on(unit, places) {
                change(&mut self.nodes[node as usize], now, from, to, &amounts);
            }
            let amounts = self.amounts_shared(unit, places);
            if !amounts.is_empty() {
                change(&mut self.shared, now, from, to, &amounts);
            }
            return;
        }
        let times = |amounts: &mut Vec<(usize, u32)>, of: &[(usize, u32)], units: u32| {
            amounts.clear();
            amounts.extend(of.iter().map(|&(resource, amount)| (resource, amount * units)));
        };
        for place in places {
            times(&mut self.amounts, &unit.of_node, place.units);
            change(&mut self.nodes[place.node as usize], now, from, to, &self.amounts);
        }
        if !unit.shared.is_empty() {
            times(&mut self.amounts, &unit.shared, places.iter().map(|it| it.units).sum());
            change(&mut self.shared, now, from, to, &self.amounts);
        }
    }

    /// Whether places are free.
    pub fn has(&self, held: Held<'_>) -> bool {
        let Held { unit, places, from, to } = held;
        if Self::packs(unit) {
            let has = |line: &Timeline, amounts: &[(usize, u32)]| {
                let enough = |free: &[u32]| amounts.iter().all(|&(at, amount)| free[at] >= amount);
                line.room(from, to, |free| u32::from(enough(free))).0 > 0
            };
            let mut on_nodes = self.amounts_on(unit, places).into_iter();
            return on_nodes.all(|(node, amounts)| has(self.on(node), &amounts))
                && has(&self.shared, &self.amounts_shared(unit, places));
        }
        let units = places.iter().map(|it| it.units).sum();
        let on_node = |place: &UnitsOnNode| {
            self.on(place.node).room(from, to, |free| unit.fits(free)).0 >= place.units
        };
        self.shares(unit, units, from, to).0 && places.iter().all(on_node)
    }

    /// Whether more than numbers of equal units decides where a job fits: it has several kinds of them, or its nodes for itself.
    pub fn packs(unit: &UnitRequest) -> bool {
        unit.exclusive || !unit.beside.is_empty()
    }

    /// What places have of each node, by resource.
    fn amounts_on(&self, unit: &UnitRequest, places: &[UnitsOnNode]) -> Vec<(u32, Amounts)> {
        if unit.exclusive {
            let all = |node| self.all.capacity(node).iter().copied().enumerate().collect();
            return each_once(unit, places).iter().map(|it| (it.node, all(it.node))).collect();
        }
        let mut sums: BTreeMap<(u32, usize), u32> = BTreeMap::new();
        for (kind, places) in by_kind(unit, places) {
            for place in places {
                for &(resource, amount) in &kind.of_node {
                    *sums.entry((place.node, resource)).or_default() += amount * place.units;
                }
            }
        }
        let mut nodes: Vec<(u32, Amounts)> = Vec::new();
        for ((node, resource), sum) in sums {
            match nodes.last_mut().filter(|it| it.0 == node) {
                Some((_, amounts)) => amounts.push((resource, sum)),
                None => nodes.push((node, vec![(resource, sum)])),
            }
        }
        nodes
    }

    /// What places have of what all nodes share.
    fn amounts_shared(&self, unit: &UnitRequest, places: &[UnitsOnNode]) -> Amounts {
        let units = units_of(unit, places).unwrap_or(0);
        let asked = (0..self.all.shared().len()).map(|at| (at, unit.asked_of_shared(units, at)));
        let some = asked.filter(|it| it.1 > 0);
        some.map(|(at, amount)| (at, u32::try_from(amount).unwrap_or(u32::MAX))).collect()
    }

    /// An instant, and those behind it and before a limit at which more of something is free than just before.
    pub fn instants(&self, from: Time, limit: Time) -> Vec<Time> {
        let lines = self.nodes.iter().chain([&self.shared]);
        let rises = lines.flat_map(|line| line.rises(from, limit));
        let mut instants: Vec<Time> = rises.chain([from]).filter(|at| *at < limit).collect();
        instants.sort_unstable();
        instants.dedup();
        instants
    }

    /// Whether what is shared has enough for so many units; if not, when the window would have to begin at the earliest.
    fn shares(&self, unit: &UnitRequest, units: u32, from: Time, to: Time) -> (bool, Option<Time>) {
        let (room, next) = self.shared.room(from, to, |free| unit.fits_shared(free));
        (room >= units, next)
    }

    /// The lowest places that are free all the time from an instant to another, of units that do not [pack](Future::packs).
    pub fn lowest_places(
        &self,
        unit: &UnitRequest,
        units: u32,
        from: Time,
        to: Time,
    ) -> Option<Vec<UnitsOnNode>> {
        if !self.shares(unit, units, from, to).0 {
            return None;
        }
        let room = |node| self.on(node).room(from, to, |free| unit.fits(free)).0;
        let nodes = (0..).take(self.nodes.len()).filter(|node| self.has_properties(unit, *node));
        place(nodes, units, room)
    }

    /// Makes `free` what is free all the time from an instant to another.
    pub fn copy_to(&mut self, from: Time, to: Time, free: &mut FreeResources) {
        for (node, line) in (0..).zip(&self.nodes) {
            line.least(from, to, &mut self.least);
            free.set_on(node, &self.least);
        }
        self.shared.least(from, to, &mut self.least);
        free.set_shared(&self.least);
    }
}

/// Looks for instants from which so many units are free for long enough. What it knows of a node is how many were free at an
/// instant: no more are until the window has passed what is in the way.
#[derive(Clone, Debug, Default)]
pub(in crate::dispatch) struct Search {
    rooms: Vec<Room>,
    /// How many units there are on all nodes at most.
    total: u64,
    /// When there may be more on a node.
    next: BinaryHeap<Reverse<(Time, u32)>>,
    at: Time,
    limit: Time,
    length: Time,
    units: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Room {
    units: u32,
    /// When the window began for which that is so.
    seen: Time,
    next: Option<Time>,
}

impl Search {
    /// Begins a search: from an instant on, and before a limit.
    pub fn begin(
        &mut self,
        future: &Future,
        unit: &UnitRequest,
        units: u32,
        length: Time,
        from: Time,
        limit: Time,
    ) {
        self.rooms.clear();
        self.rooms.resize(future.nodes.len(), Room::default());
        self.next.clear();
        (self.total, self.at, self.limit) = (0, from, limit);
        (self.length, self.units) = (length, units);
        for node in (0..).take(future.nodes.len()) {
            self.look(future, unit, node);
        }
    }

    /// The first instant, of which it may be found later that it is none: then [`Search::skip`] and search on.
    pub fn first(&mut self, future: &Future, unit: &UnitRequest) -> Option<Time> {
        loop {
            if self.at >= self.limit {
                return None;
            }
            if self.all_fit(future, unit) {
                let end = self.at + self.length;
                let (shares, next) = future.shares(unit, self.units, self.at, end);
                if shares {
                    return Some(self.at);
                }
                self.go_to(future, unit, next?);
            } else {
                self.skip(future, unit)?;
            }
        }
    }

    /// Goes to the next instant at which more may be free.
    pub fn skip(&mut self, future: &Future, unit: &UnitRequest) -> Option<()> {
        let Reverse((next, _)) = *self.next.peek()?;
        self.go_to(future, unit, next);
        Some(())
    }

    /// Goes to an instant before which nobody may start.
    pub fn go_to(&mut self, future: &Future, unit: &UnitRequest, at: Time) {
        self.at = at;
        while let Some(&Reverse((next, node))) = self.next.peek().filter(|it| it.0.0 <= at) {
            self.next.pop();
            if self.rooms[node as usize].next == Some(next) {
                self.look(future, unit, node);
            }
        }
    }

    /// Whether all units fit, on nodes that are looked at anew.
    fn all_fit(&mut self, future: &Future, unit: &UnitRequest) -> bool {
        let units = u64::from(self.units);
        for node in (0..).take(self.rooms.len()) {
            if self.total < units {
                return false;
            }
            if self.rooms[node as usize].seen < self.at && self.rooms[node as usize].units > 0 {
                self.look(future, unit, node);
            }
        }
        self.total >= units
    }

    fn look(&mut self, future: &Future, unit: &UnitRequest, node: u32) {
        let (line, end) = (future.on(node), self.at + self.length);
        let (fits, next) = if future.has_properties(unit, node) {
            line.room(self.at, end, |free| unit.fits(free))
        } else {
            (0, None)
        };
        let units = fits.min(self.units);
        // Where all units fit on one node no more are wanted.
        let next = next.filter(|_| units < self.units);
        let room = &mut self.rooms[node as usize];
        self.total = self.total - u64::from(room.units) + u64::from(units);
        if let Some(next) = next.filter(|_| room.next != next) {
            self.next.push(Reverse((next, node)));
        }
        *room = Room { units, seen: self.at, next };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dispatch::system::System;
    use crate::dispatch::unit::UnitRequest;

    const NODES: u32 = 3;

    fn unit_of(amount: u32) -> UnitRequest {
        UnitRequest::of(&[amount], 1)
    }

    proptest! {
        /// The search finds the first second from which units are free on nodes, as a look at every second does.
        #[test]
        fn searches_find_the_first_instant(
            taken in prop::collection::vec((0..NODES, 1_u32..=4, 0_i64..20, 1_i64..10), 0..25),
            amount in 1_u32..=3, units in 1_u32..=6, length in 1_i64..8, from in 0_i64..10,
        ) {
            let free = FreeResources::all_of(&System::of_one_resource("cores", NODES, 4));
            let mut future = Future::new(&free);
            let mut plain = vec![[4_u32; NODES as usize]; 60];
            for (node, amount, from, length) in taken {
                let seconds = usize::try_from(from).unwrap()..usize::try_from(from + length).unwrap();
                let on = node as usize;
                if plain[seconds.clone()].iter().all(|free| free[on] >= amount) {
                    plain[seconds].iter_mut().for_each(|free| free[on] -= amount);
                    let (from, to) = (Time::from_seconds(from), Time::from_seconds(from + length));
                    let places = [UnitsOnNode { node, units: 1 }];
                    future.take(Time::ZERO, Held { unit: &unit_of(amount), places: &places, from, to });
                }
            }
            let room = |from: i64, node: usize| {
                let seconds = usize::try_from(from).unwrap()..usize::try_from(from + length).unwrap();
                plain[seconds].iter().map(|free| free[node] / amount).min().unwrap()
            };
            let fits = |from: &i64| (0..NODES as usize).map(|node| room(*from, node)).sum::<u32>() >= units;
            let expected = (from..45).find(fits).map(Time::from_seconds);
            let unit = unit_of(amount);
            let mut search = Search::default();
            let (length, from) = (Time::from_seconds(length), Time::from_seconds(from));
            search.begin(&future, &unit, units, length, from, Time::LAST);
            prop_assert_eq!(search.first(&future, &unit), expected);
        }
    }
}
