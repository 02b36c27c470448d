//! What EASY backfilling promises the first waiting job: an instant, and places from then on.
//!
//! The instant is the first at which the job fits if every running job lasts as long as is estimated; the places are those
//! that the fit chooses then. A job that would still run at that instant may take on the promised nodes only what is left
//! beside the promise; per node (the thesis's 5.2.2) it may take nothing of them.

use super::free::{FreeResources, UnitsOnNode, by_kind, each_once};
use super::order::Waiting;
use super::running::Running;
use super::several;
use super::unit::{UnitRequest, UnitRequests};
use crate::policy::bits::Bits;
use crate::time::Time;

/// A promise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Promise {
    /// When the job starts at the latest.
    pub at: Time,
    /// The nodes that are promised.
    nodes: Vec<u32>,
    /// By node: one more than its place in `left` if it is promised, else 0.
    slots: Vec<u32>,
    /// What is left at that instant beside the promise, by promised node and resource.
    left: Vec<u32>,
    kinds: usize,
    /// What is left of what all nodes share.
    shared: Vec<u32>,
}

impl Promise {
    /// Becomes a promise of `places`, of which `free` says what is free at its instant; `whole`: nobody else may use these nodes.
    pub fn renewed(
        mut self,
        at: Time,
        unit: &UnitRequest,
        places: &[UnitsOnNode],
        free: &FreeResources,
        whole: bool,
    ) -> Self {
        let kinds = free.capacity(0).len();
        (self.at, self.kinds) = (at, kinds);
        self.slots.resize(free.nodes() as usize, 0);
        for node in self.nodes.drain(..) {
            self.slots[node as usize] = 0;
        }
        self.left.clear();
        self.shared.clear();
        self.shared.extend_from_slice(free.shared());
        for place in &*each_once(unit, places) {
            let slot = self.left.len() / kinds + 1;
            self.nodes.push(place.node);
            self.slots[place.node as usize] = u32::try_from(slot).unwrap_or(u32::MAX);
            if whole {
                self.left.resize(slot * kinds, 0);
            } else {
                self.left.extend_from_slice(free.on(place.node));
            }
        }
        if whole {
            self.take_shared(unit, places);
        } else {
            self.take(unit, places);
        }
        self
    }

    /// Whether at least `enough` of the `fitting` units that fit into `free` are left to a job that runs beyond the instant.
    pub fn leaves(
        &self,
        unit: &UnitRequest,
        free: &FreeResources,
        fitting: u64,
        enough: u64,
    ) -> bool {
        let Some(mut spare) = fitting.checked_sub(enough) else { return false };
        self.nodes.iter().all(|node| {
            let room = free.room(unit, *node);
            let kept = u64::from(room - room.min(self.room(unit, *node)));
            spare.checked_sub(kept).inspect(|left| spare = *left).is_some()
        })
    }

    /// How many units a job that runs beyond the instant may have on a node, as far as the promise goes.
    pub fn room(&self, unit: &UnitRequest, node: u32) -> u32 {
        match self.slots[node as usize] {
            0 => u32::MAX,
            _ if unit.exclusive => 0,
            slot => unit.fits(self.left_on(slot)),
        }
    }

    /// Whether so many units, and those beside them, leave enough of what all nodes share.
    pub fn shares(&self, unit: &UnitRequest, units: u32) -> bool {
        let enough =
            |(place, left): (usize, &u32)| unit.asked_of_shared(units, place) <= u64::from(*left);
        self.shared.iter().enumerate().all(enough)
    }

    /// Leaves in `free` no more of the promised nodes than is left beside the promise.
    pub fn limit(&self, free: &mut FreeResources) {
        for node in &self.nodes {
            free.limit(*node, self.left_on(self.slots[*node as usize]));
        }
    }

    /// A job that runs beyond the instant has these places.
    pub fn take(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) {
        for (kind, places) in by_kind(unit, places) {
            for place in places {
                let slot = self.slots[place.node as usize];
                if slot > 0 {
                    let from = (slot as usize - 1) * self.kinds;
                    if unit.exclusive {
                        self.left[from..from + self.kinds].fill(0);
                    }
                    for &(resource, amount) in &kind.of_node {
                        let left = &mut self.left[from + resource];
                        *left = left.saturating_sub(amount * place.units);
                    }
                }
            }
        }
        self.take_shared(unit, places);
    }

    fn take_shared(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) {
        for (kind, places) in by_kind(unit, places) {
            let units: u32 = places.iter().map(|it| it.units).sum();
            for &(place, amount) in &kind.shared {
                let taken = amount.saturating_mul(units);
                self.shared[place] = self.shared[place].saturating_sub(taken);
            }
        }
    }

    fn left_on(&self, slot: u32) -> &[u32] {
        let from = (slot as usize - 1) * self.kinds;
        &self.left[from..from + self.kinds]
    }
}

/// The first instant at which a job fits if all that run last as long as is estimated; `room` is how many units of it fit now. `free`
/// is then what is free, and `freed` has the nodes where that is more than now.
pub(super) fn first_fit(
    running: &Running,
    units: &UnitRequests,
    job: &Waiting,
    mut room: u64,
    free: &mut FreeResources,
    freed: &mut Bits,
) -> Time {
    let (unit, asked) = (units.get(job.unit), u64::from(job.units));
    let room_on = |free: &FreeResources, places: &[UnitsOnNode]| -> u64 {
        places.iter().map(|it| u64::from(free.room(unit, it.node))).sum()
    };
    let mut ends = running.by_end().peekable();
    while let Some(ended) = ends.next() {
        let that = units.get(ended.unit);
        let nodes = each_once(that, &ended.places);
        nodes.iter().for_each(|it| freed.insert(it.node));
        let before = room_on(free, &nodes);
        free.give(that, &ended.places);
        room = room - before + room_on(free, &nodes);
        // What ends at one instant is free at once.
        let last = ends.peek().is_none_or(|next| next.end() > ended.end());
        if last && room >= asked && free.shares_enough(unit, job.units) {
            let several = !unit.beside.is_empty();
            if !several || several::fits(free, unit, job.units) {
                return ended.end();
            }
        }
    }
    Time::FOREVER
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::system::System;

    /// Two nodes of 4: 3 units of 1 are promised on node 0, one is left there, and node 1 is nobody's. A job that takes the one
    /// leaves none. Of the 8 units that fit in all, 5 are left at first, not 6. As whole nodes nothing is left of node 0 at once.
    #[test]
    fn what_is_left_beside_the_promise_is_for_others() {
        let free = FreeResources::all_of(&System::of_one_resource("cores", 2, 4));
        let unit = UnitRequest::of(&[1], 1);
        let places = [UnitsOnNode { node: 0, units: 3 }];
        let at = Time::from_seconds(9);
        let mut promise = Promise::default().renewed(at, &unit, &places, &free, false);
        assert_eq!((promise.room(&unit, 0), promise.room(&unit, 1)), (1, u32::MAX));
        assert_eq!([5, 6, 9].map(|it| promise.leaves(&unit, &free, 8, it)), [true, false, false]);
        promise
            .take(&unit, &[UnitsOnNode { node: 0, units: 1 }, UnitsOnNode { node: 1, units: 4 }]);
        assert_eq!(promise.room(&unit, 0), 0);
        let whole = promise.renewed(at, &unit, &places, &free, true);
        assert_eq!((whole.room(&unit, 0), whole.room(&unit, 1)), (0, u32::MAX));
    }
}
