//! What EASY backfilling promises the first waiting job: an instant, and places from then on.
//!
//! The instant is the first at which the job fits if every running job lasts as long as is estimated; the places are those
//! that the fit chooses then. A job that would still run at that instant may take on the promised nodes only what is left
//! beside the promise; per node (the thesis's 5.2.2) it may take nothing of them.

use super::free::{FreeResources, UnitsOnNode};
use super::order::Waiting;
use super::running::Running;
use super::unit::{UnitRequest, UnitRequests};
use crate::time::Time;

/// A promise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Promise {
    /// When the job starts at the latest.
    pub at: Time,
    /// By node: one more than its place in `left` if it is promised, else 0.
    slots: Vec<u32>,
    /// What is left at that instant beside the promise, by promised node and resource.
    left: Vec<u32>,
    kinds: usize,
    /// What is left of what all nodes share.
    shared: Vec<u32>,
}

impl Promise {
    /// A promise of `places`, of which `free` says what is free at its instant; `whole`: nobody else may use these nodes.
    pub fn of(
        at: Time,
        unit: &UnitRequest,
        places: &[UnitsOnNode],
        free: &FreeResources,
        whole: bool,
    ) -> Self {
        let kinds = free.capacity(0).len();
        let mut promise = Self {
            at,
            slots: vec![0; free.nodes() as usize],
            left: Vec::with_capacity(places.len() * kinds),
            kinds,
            shared: free.shared().to_vec(),
        };
        for place in places {
            let slot = promise.left.len() / kinds + 1;
            promise.slots[place.node as usize] = u32::try_from(slot).unwrap_or(u32::MAX);
            if whole {
                promise.left.resize(slot * kinds, 0);
            } else {
                promise.left.extend_from_slice(free.on(place.node));
            }
        }
        if whole {
            promise.take_shared(unit, places);
        } else {
            promise.take(unit, places);
        }
        promise
    }

    /// How many units a job that runs beyond the instant may have on a node, as far as the promise goes.
    pub fn room(&self, unit: &UnitRequest, node: u32) -> u32 {
        match self.slots[node as usize] {
            0 => u32::MAX,
            slot => unit.fits(self.left_on(slot)),
        }
    }

    /// Whether so many units leave enough of what all nodes share.
    pub fn shares(&self, unit: &UnitRequest, units: u32) -> bool {
        unit.shared.iter().all(|&(place, amount)| {
            u64::from(self.shared[place]) >= u64::from(amount) * u64::from(units)
        })
    }

    /// A job that runs beyond the instant has these places.
    pub fn take(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) {
        for place in places {
            let slot = self.slots[place.node as usize];
            if slot > 0 {
                let from = (slot as usize - 1) * self.kinds;
                for &(resource, amount) in &unit.of_node {
                    let left = &mut self.left[from + resource];
                    *left = left.saturating_sub(amount * place.units);
                }
            }
        }
        self.take_shared(unit, places);
    }

    fn take_shared(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) {
        let units: u32 = places.iter().map(|it| it.units).sum();
        for &(place, amount) in &unit.shared {
            self.shared[place] = self.shared[place].saturating_sub(amount.saturating_mul(units));
        }
    }

    fn left_on(&self, slot: u32) -> &[u32] {
        let from = (slot as usize - 1) * self.kinds;
        &self.left[from..from + self.kinds]
    }
}

/// The first instant at which a job fits if all that run last as long as is estimated; `room` is how many units of it fit now, and
/// `free` is then what is free.
pub(super) fn first_fit(
    running: &Running,
    units: &UnitRequests,
    job: &Waiting,
    mut room: u64,
    free: &mut FreeResources,
) -> Time {
    let (unit, asked) = (units.get(job.unit), u64::from(job.units));
    let room_on = |free: &FreeResources, places: &[UnitsOnNode]| -> u64 {
        places.iter().map(|it| u64::from(unit.fits(free.on(it.node)))).sum()
    };
    let mut ends = running.by_end().peekable();
    while let Some(ended) = ends.next() {
        let before = room_on(free, &ended.places);
        free.give(units.get(ended.unit), &ended.places);
        room = room - before + room_on(free, &ended.places);
        // What ends at one instant is free at once.
        let last = ends.peek().is_none_or(|next| next.end() > ended.end());
        if last && room >= asked && u64::from(free.shared_fits(unit)) >= asked {
            return ended.end();
        }
    }
    Time::FOREVER
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::system::System;

    /// Two nodes of 4: 3 units of 1 are promised on node 0, one is left there, and node 1 is nobody's. A job that takes the one
    /// leaves none. As whole nodes nothing is left of node 0 at once.
    #[test]
    fn what_is_left_beside_the_promise_is_for_others() {
        let free = FreeResources::all_of(&System::of_one_resource("cores", 2, 4));
        let unit = UnitRequest::of(&[1], 1);
        let places = [UnitsOnNode { node: 0, units: 3 }];
        let mut promise = Promise::of(Time::from_seconds(9), &unit, &places, &free, false);
        assert_eq!((promise.room(&unit, 0), promise.room(&unit, 1)), (1, u32::MAX));
        promise
            .take(&unit, &[UnitsOnNode { node: 0, units: 1 }, UnitsOnNode { node: 1, units: 4 }]);
        assert_eq!(promise.room(&unit, 0), 0);
        let whole = Promise::of(Time::from_seconds(9), &unit, &places, &free, true);
        assert_eq!((whole.room(&unit, 0), whole.room(&unit, 1)), (0, u32::MAX));
    }
}
