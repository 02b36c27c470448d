//! How many units of each kind that somebody waits with would fit now: kept up to date node by node, so that a waiting job that
//! does not fit costs a comparison.
//!
//! What fits on a node is seen for all kinds at once: for a resource of which so much is free a row says how many units of each
//! kind that allows, and of the rows of a node's resources the least counts.

mod rows;

use super::free::{FreeResources, UnitsOnNode};
use super::unit::{UnitId, UnitRequests};
use crate::policy::bits::{Bits, positions_of};
use rows::Rows;

/// Kinds that are kept although nobody waits with them: so many, and one for so many nodes.
const KINDS: usize = 16;
const NODES_A_KIND: u32 = 32;

/// Rooms of kinds of units.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    by_unit: Vec<Room>,
    /// By column: how many units of its kind fit on all nodes.
    units: Vec<u64>,
    /// By 64 nodes and column: bits of nodes that have room.
    roomy: Vec<Vec<u64>>,
    rows: Rows,
    /// What fits on the node that is looked at, by column.
    fits: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Room {
    /// Jobs that wait with such units.
    waiting: u32,
    /// Its column, where it is kept: at least where somebody waits with such.
    column: Option<u32>,
}

impl Rooms {
    /// How many units fit, where that is kept: at least where somebody waits with such.
    pub fn get(&self, unit: UnitId) -> Option<u64> {
        self.column(unit).map(|column| self.units[column])
    }

    /// The nodes that have room, where that is kept, and those that are in `more`: in the order of their numbers.
    pub fn nodes<'a>(
        &'a self,
        unit: UnitId,
        more: &'a Bits,
    ) -> Option<impl Iterator<Item = u32> + 'a> {
        let column = self.column(unit)?;
        let words = self.roomy.iter().zip(more.words());
        Some(positions_of(words.map(move |(words, more)| words[column] | more)))
    }

    /// All kinds that are kept, with how many units of each fit.
    pub fn all(&self) -> impl Iterator<Item = (UnitId, u64)> + '_ {
        let units = self.rows.columns().zip(&self.units);
        units.filter_map(|(unit, all)| unit.map(|unit| (unit, *all)))
    }

    fn column(&self, unit: UnitId) -> Option<usize> {
        self.by_unit.get(unit.index())?.column.map(|column| column as usize)
    }

    /// A job waits with such units.
    pub fn wait(&mut self, unit: UnitId, units: &UnitRequests, free: &FreeResources) {
        if self.by_unit.len() < units.len() {
            self.by_unit.resize(units.len(), Room::default());
        }
        let room = &mut self.by_unit[unit.index()];
        room.waiting += 1;
        if room.column.is_none() {
            let request = units.get(unit);
            let column = self.rows.add(unit, units, free);
            let most = self.units.len().max(column + 1);
            self.units.resize(most, 0);
            self.units[column] = 0;
            self.roomy.resize(free.nodes().div_ceil(64) as usize, Vec::new());
            for words in &mut self.roomy {
                words.resize(most, 0);
                words[column] = 0;
            }
            let mut fits = free.rooms(request);
            for words in &mut self.roomy {
                for (node, fits) in fits.by_ref().take(64).enumerate() {
                    self.units[column] += u64::from(fits);
                    words[column] |= u64::from(fits > 0) << node;
                }
            }
            room.column = u32::try_from(column).ok();
        }
    }

    /// A job that waited with such units starts, on one of so many nodes.
    pub fn leave(&mut self, unit: UnitId, nodes: u32) {
        let Some(room) = self.by_unit.get_mut(unit.index()) else { return };
        room.waiting = room.waiting.saturating_sub(1);
        if room.waiting == 0 && self.rows.kept() > KINDS.max((nodes / NODES_A_KIND) as usize) {
            self.rows.remove(unit);
            room.column = None;
        }
    }

    /// What is free on these nodes, each of which stands there once, is about to change; [`Rooms::changed`] says when it has.
    pub fn changing(&mut self, units: &UnitRequests, free: &FreeResources, places: &[UnitsOnNode]) {
        for place in places {
            self.rows.fits(units, free, place.node, &mut self.fits);
            for (all, fits) in self.units.iter_mut().zip(&self.fits) {
                *all = all.wrapping_sub(u64::from(*fits));
            }
        }
    }

    /// What is free on these nodes has changed.
    pub fn changed(&mut self, units: &UnitRequests, free: &FreeResources, places: &[UnitsOnNode]) {
        for place in places {
            self.rows.fits(units, free, place.node, &mut self.fits);
            for (all, fits) in self.units.iter_mut().zip(&self.fits) {
                *all = all.wrapping_add(u64::from(*fits));
            }
            let Some(words) = self.roomy.get_mut(place.node as usize / 64) else { continue };
            let bit = 1 << (place.node % 64);
            for (word, fits) in words.iter_mut().zip(&self.fits) {
                *word = (*word & !bit) | if *fits > 0 { bit } else { 0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::system::System;
    use crate::dispatch::unit::UnitRequest;

    /// Three nodes of 8: of units of 3 two fit on each, 6 in all. With 4 taken of node 1 there are 2 + 1 + 2.
    #[test]
    fn rooms_follow_what_is_free() {
        let mut free = FreeResources::all_of(&System::of_one_resource("cores", 3, 8));
        let mut units = UnitRequests::default();
        let (three, four) =
            (units.id(&UnitRequest::of(&[3], 1)), units.id(&UnitRequest::of(&[4], 1)));
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
        assert_eq!(rooms.nodes(three, &Bits::none(3)).map(Iterator::collect), Some(vec![0, 1, 2]));
        rooms.changing(&units, &free, &places);
        free.give(units.get(four), &places);
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.get(three), Some(6));
    }

    /// Of 200 kinds of units nobody waits with any more the last 16 are kept. Three nodes of 8 hold 24 units of 1, also when it is
    /// one of the columns that were given up that is used for it.
    #[test]
    fn kinds_that_nobody_waits_with_are_given_up() {
        let mut free = FreeResources::all_of(&System::of_one_resource("cores", 3, 8));
        let (mut units, mut rooms) = (UnitRequests::default(), Rooms::default());
        let ids: Vec<UnitId> =
            (1..=200).map(|amount| units.id(&UnitRequest::of(&[amount], 1))).collect();
        for id in &ids {
            rooms.wait(*id, &units, &free);
        }
        for id in &ids {
            rooms.leave(*id, 3);
        }
        assert_eq!((rooms.get(ids[183]), rooms.get(ids[184])), (None, Some(0)));
        rooms.wait(ids[0], &units, &free);
        assert_eq!(rooms.get(ids[0]), Some(24));
        let places = [UnitsOnNode { node: 1, units: 2 }];
        rooms.changing(&units, &free, &places);
        free.take(units.get(ids[1]), &places).unwrap();
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.get(ids[0]), Some(20));
        // Of units of 5 none is left on node 1.
        rooms.wait(ids[4], &units, &free);
        assert_eq!(rooms.nodes(ids[4], &Bits::none(3)).map(Iterator::collect), Some(vec![0, 2]));
        let mut more = Bits::none(3);
        more.insert(1);
        assert_eq!(rooms.nodes(ids[4], &more).map(Iterator::collect), Some(vec![0, 1, 2]));
        rooms.changing(&units, &free, &places);
        free.give(units.get(ids[1]), &places);
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.nodes(ids[4], &Bits::none(3)).map(Iterator::collect), Some(vec![0, 1, 2]));
    }

    /// Of a node with more than rows are kept for: 100,000 cores hold 33,333 units of 3, and 33,330 where 10 are taken.
    #[test]
    fn large_nodes_have_no_rows() {
        let mut free = FreeResources::all_of(&System::of_one_resource("cores", 1, 100_000));
        let (mut units, mut rooms) = (UnitRequests::default(), Rooms::default());
        let (three, ten) =
            (units.id(&UnitRequest::of(&[3], 1)), units.id(&UnitRequest::of(&[10], 1)));
        rooms.wait(three, &units, &free);
        let places = [UnitsOnNode { node: 0, units: 1 }];
        rooms.changing(&units, &free, &places);
        free.take(units.get(ten), &places).unwrap();
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.get(three), Some(33_330));
    }
}
