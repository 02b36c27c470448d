//! How many units of each kind that somebody waits with would fit now: kept up to date node by node, so that a waiting job that
//! does not fit costs a comparison.

use super::free::{FreeResources, UnitsOnNode};
use super::unit::{UnitId, UnitRequests};

/// Kinds that are kept although nobody waits with them: one for so many nodes. To look at a node of a kind anew costs as much as
/// to keep it up to date there.
const NODES_A_KIND: u32 = 16;

/// Rooms of kinds of units.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    by_unit: Vec<Room>,
    /// Units that are kept: those that somebody waits with, and some others.
    kept: Vec<UnitId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Room {
    /// Jobs that wait with such units.
    waiting: u32,
    /// Whether the rest is true.
    kept: bool,
    /// How many units fit on all nodes.
    units: u64,
    /// No node below it has room.
    lowest: u32,
}

impl Rooms {
    /// How many units fit, where that is kept: at least where somebody waits with such.
    pub fn get(&self, unit: UnitId) -> Option<u64> {
        self.by_unit.get(unit.index()).filter(|room| room.kept).map(|room| room.units)
    }

    /// A node below which none has room.
    pub fn lowest(&self, unit: UnitId) -> u32 {
        self.by_unit.get(unit.index()).filter(|room| room.kept).map_or(0, |room| room.lowest)
    }

    /// It was seen that no node below this one has room.
    pub fn saw_lowest(&mut self, unit: UnitId, node: u32) {
        if let Some(room) = self.by_unit.get_mut(unit.index()) {
            room.lowest = node;
        }
    }

    /// A job waits with such units.
    pub fn wait(&mut self, unit: UnitId, units: &UnitRequests, free: &FreeResources) {
        if self.by_unit.len() < units.len() {
            self.by_unit.resize(units.len(), Room::default());
        }
        let room = &mut self.by_unit[unit.index()];
        room.waiting += 1;
        if !room.kept {
            let request = units.get(unit);
            room.units = (0..free.nodes()).map(|node| u64::from(request.fits(free.on(node)))).sum();
            (room.kept, room.lowest) = (true, 0);
            self.kept.push(unit);
        }
    }

    /// A job that waited with such units starts, on one of so many nodes.
    pub fn leave(&mut self, unit: UnitId, nodes: u32) {
        let Some(room) = self.by_unit.get_mut(unit.index()) else { return };
        room.waiting = room.waiting.saturating_sub(1);
        if room.waiting == 0 && self.kept.len() > (nodes / NODES_A_KIND) as usize {
            room.kept = false;
            self.kept.retain(|kept| *kept != unit);
        }
    }

    /// What is free on these nodes is about to change; [`Rooms::changed`] says when it has.
    pub fn changing(&mut self, units: &UnitRequests, free: &FreeResources, places: &[UnitsOnNode]) {
        for unit in &self.kept {
            let request = units.get(*unit);
            let fits: u64 = places.iter().map(|it| u64::from(request.fits(free.on(it.node)))).sum();
            self.by_unit[unit.index()].units -= fits;
        }
    }

    /// What is free on these nodes has changed.
    pub fn changed(&mut self, units: &UnitRequests, free: &FreeResources, places: &[UnitsOnNode]) {
        for unit in &self.kept {
            let (request, room) = (units.get(*unit), &mut self.by_unit[unit.index()]);
            for place in places {
                let fits = request.fits(free.on(place.node));
                room.units += u64::from(fits);
                if fits > 0 {
                    room.lowest = room.lowest.min(place.node);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::system::System;
    use crate::dispatch::unit::UnitRequest;

    /// Three nodes of 8: of units of 3 two fit on each, 6 in all. With 4 taken of node 1 there are 2 + 1 +
    /// 2; when nobody waits it is not kept.
    #[test]
    fn rooms_follow_what_is_free() {
        let mut free = FreeResources::all_of(&System::of_one_resource("cores", 3, 8));
        let mut units = UnitRequests::default();
        let (three, four) =
            (units.id(UnitRequest::of(&[3], 1)), units.id(UnitRequest::of(&[4], 1)));
        let mut rooms = Rooms::default();
        rooms.wait(three, &units, &free);
        rooms.wait(three, &units, &free);
        assert_eq!((rooms.get(three), rooms.get(four)), (Some(6), None));
        let places = [UnitsOnNode { node: 1, units: 1 }];
        rooms.changing(&units, &free, &places);
        free.take(units.get(four), &places).unwrap();
        rooms.changed(&units, &free, &places);
        rooms.leave(three, 3);
        assert_eq!(rooms.get(three), Some(5));
        rooms.saw_lowest(three, 2);
        rooms.changing(&units, &free, &places);
        free.give(units.get(four), &places);
        rooms.changed(&units, &free, &places);
        assert_eq!((rooms.get(three), rooms.lowest(three)), (Some(6), 1));
        rooms.leave(three, 3);
        assert_eq!(rooms.get(three), None);
    }
}
