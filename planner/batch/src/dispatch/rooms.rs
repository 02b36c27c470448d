//! How many units of each kind that somebody waits with would fit now: kept up to date node by node, so that a waiting job that
//! does not fit costs a comparison.
//!
//! What fits on a node is seen for many kinds at once: for a resource of which so much is free a row says how many units of each
//! kind that allows, and of the rows of a node's resources the least counts. Kinds that nobody waits with any more are kept for a
//! while: once somebody does again, they are counted anew on the nodes that changed in between.

mod changes;
mod rows;

use super::free::{FreeResources, UnitsOnNode};
use super::unit::{UnitId, UnitRequest, UnitRequests};
use crate::policy::bits::{Bits, positions_of};
use changes::Changes;
use rows::{FEWEST_COLUMNS, Rows};

/// Kinds that are kept although nobody waits with them.
const KINDS: usize = 128;

/// A kind alone takes as much time as so many at once.
const MANY_AT_ONCE: usize = 4;

/// And no more than these times all nodes: 256 MB.
const MOST_IDLE_COUNTS: u32 = 1 << 26;

/// Rooms of kinds of units.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    by_unit: Vec<Room>,
    /// By column: how many units of its kind fit on all nodes.
    units: Vec<u64>,
    /// By node and column: how many units of its kind fit on the node.
    of_nodes: Vec<u32>,
    /// How far apart nodes are there.
    stride: usize,
    /// By 64 nodes and column: bits of nodes that have room.
    roomy: Vec<Vec<u64>>,
    rows: Rows,
    /// The columns of kinds that somebody waits with, which alone are up to date.
    waiting: Vec<usize>,
    changes: Changes,
    /// What fits on the node that is looked at, by column.
    fits: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Room {
    /// Jobs that wait with such units.
    waiting: u32,
    /// Its column, where it is kept: at least where somebody waits with such.
    column: Option<u32>,
    /// How many changes its column takes account of, where nobody waits with such.
    seen: u64,
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

    /// All kinds that somebody waits with, with how many units of each fit.
    pub fn all(&self) -> impl Iterator<Item = (UnitId, u64)> + '_ {
        let columns = self.waiting.iter();
        columns.filter_map(|it| self.rows.kind(*it).map(|unit| (unit, self.units[*it])))
    }

    /// The column of a kind, where it is up to date.
    fn column(&self, unit: UnitId) -> Option<usize> {
        let room = self.by_unit.get(unit.index())?;
        let column = room.column.filter(|_| room.waiting > 0 || room.seen == self.changes.count());
        column.map(|column| column as usize)
    }

    /// A job waits with such units.
    pub fn wait(&mut self, unit: UnitId, units: &UnitRequests, free: &FreeResources) {
        if self.by_unit.len() < units.len() {
            self.by_unit.resize(units.len(), Room::default());
        }
        self.look(unit, units, free);
        let room = &mut self.by_unit[unit.index()];
        room.waiting += 1;
        if room.waiting > 1 {
            return;
        }
        let column = room.column.map_or_else(|| self.rows.add(unit, units, free), |it| it as usize);
        self.waiting.push(column);
        if room.column.is_none() {
            room.column = u32::try_from(column).ok();
            self.count(column, units.get(unit), free);
        }
    }

    /// How many units of a kind fit is up to date from now on until something changes, where it is kept.
    pub fn look(&mut self, unit: UnitId, units: &UnitRequests, free: &FreeResources) {
        let Some(room) = self.by_unit.get(unit.index()).copied() else { return };
        let Some(column) = room.column.filter(|_| room.waiting == 0) else { return };
        let (column, request) = (column as usize, units.get(unit));
        match self.changes.since(room.seen) {
            Some(nodes) => {
                for place in nodes {
                    let node = self.changes.node(place);
                    self.set(column, node, free.room(request, node));
                }
            }
            None => self.count(column, request, free),
        }
        self.by_unit[unit.index()].seen = self.changes.count();
    }

    /// So many units of a kind fit on a node.
    fn set(&mut self, column: usize, node: u32, fits: u32) {
        let kept = &mut self.of_nodes[node as usize * self.stride + column];
        let all = self.units[column].wrapping_sub(u64::from(*kept));
        self.units[column] = all.wrapping_add(u64::from(fits));
        *kept = fits;
        let (word, bit) = (&mut self.roomy[node as usize / 64][column], 1 << (node % 64));
        *word = (*word & !bit) | if fits > 0 { bit } else { 0 };
    }

    /// How many units of a kind fit on each node, and on all.
    fn count(&mut self, column: usize, request: &UnitRequest, free: &FreeResources) {
        if column >= self.stride {
            self.widen(free.nodes());
        }
        self.units[column] = 0;
        let mut kept = self.of_nodes.chunks_exact_mut(self.stride).zip(free.rooms(request));
        for words in &mut self.roomy {
            words[column] = 0;
            for (node, (kept, fits)) in kept.by_ref().take(64).enumerate() {
                kept[column] = fits;
                self.units[column] += u64::from(fits);
                words[column] |= u64::from(fits > 0) << node;
            }
        }
    }

    /// Makes room for twice as many columns.
    fn widen(&mut self, nodes: u32) {
        let stride = (2 * self.stride).max(FEWEST_COLUMNS);
        let mut of_nodes = vec![0; nodes as usize * stride];
        if self.stride > 0 {
            let former = self.of_nodes.chunks_exact(self.stride);
            for (kept, former) in of_nodes.chunks_exact_mut(stride).zip(former) {
                kept[..self.stride].copy_from_slice(former);
            }
        }
        (self.of_nodes, self.stride) = (of_nodes, stride);
        self.units.resize(stride, 0);
        self.roomy.resize(nodes.div_ceil(64) as usize, Vec::new());
        self.roomy.iter_mut().for_each(|words| words.resize(stride, 0));
    }

    /// A job that waited with such units starts, on one of so many nodes.
    pub fn leave(&mut self, unit: UnitId, nodes: u32) {
        let Some(room) = self.by_unit.get_mut(unit.index()).filter(|it| it.waiting > 0) else {
            return;
        };
        room.waiting -= 1;
        if room.waiting > 0 {
            return;
        }
        room.seen = self.changes.count();
        self.waiting.retain(|it| room.column.is_none_or(|column| column as usize != *it));
        let idle = KINDS.min((MOST_IDLE_COUNTS / nodes.max(1)) as usize);
        if self.rows.kept() > idle {
            self.rows.remove(unit);
            room.column = None;
        }
    }

    /// What is free on these nodes has changed.
    pub fn changed(&mut self, units: &UnitRequests, free: &FreeResources, places: &[UnitsOnNode]) {
        self.changes.add(free.nodes(), places);
        if self.waiting.is_empty() {
            return;
        }
        if self.waiting.len() * MANY_AT_ONCE >= self.rows.kept() {
            return self.changed_for_all(units, free, places);
        }
        let mut fits = std::mem::take(&mut self.fits);
        for place in places {
            self.rows.fits_of(&self.waiting, units, free, place.node, &mut fits);
            for (at, fits) in fits.iter().enumerate() {
                self.set(self.waiting[at], place.node, *fits);
            }
        }
        self.fits = fits;
    }

    /// What is free on these nodes has changed: seen for all kinds that are kept at once, where somebody waits with many of them.
    fn changed_for_all(
        &mut self,
        units: &UnitRequests,
        free: &FreeResources,
        places: &[UnitsOnNode],
    ) {
        for place in places {
            self.rows.fits(units, free, place.node, &mut self.fits);
            let from = place.node as usize * self.stride;
            let Some(kept) = self.of_nodes.get_mut(from..from + self.fits.len()) else { continue };
            for ((all, kept), fits) in self.units.iter_mut().zip(&mut *kept).zip(&self.fits) {
                *all = all.wrapping_sub(u64::from(*kept)).wrapping_add(u64::from(*fits));
                *kept = *fits;
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
    use proptest::prelude::*;

    use super::*;
    use crate::dispatch::system::System;

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
        free.take(units.get(four), &places).unwrap();
        rooms.changed(&units, &free, &places);
        rooms.leave(three, 3);
        assert_eq!(rooms.get(three), Some(5));
        assert_eq!(rooms.nodes(three, &Bits::none(3)).map(Iterator::collect), Some(vec![0, 1, 2]));
        free.give(units.get(four), &places);
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.get(three), Some(6));
    }

    /// Of 200 kinds of units nobody waits with any more the last 128 are kept. Three nodes of 8 hold 24 units of 1, also when it is
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
        assert_eq!((rooms.get(ids[71]), rooms.get(ids[72])), (None, Some(0)));
        rooms.wait(ids[0], &units, &free);
        assert_eq!(rooms.get(ids[0]), Some(24));
        let places = [UnitsOnNode { node: 1, units: 2 }];
        free.take(units.get(ids[1]), &places).unwrap();
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.get(ids[0]), Some(20));
        // Of units of 5 none is left on node 1.
        rooms.wait(ids[4], &units, &free);
        assert_eq!(rooms.nodes(ids[4], &Bits::none(3)).map(Iterator::collect), Some(vec![0, 2]));
        let mut more = Bits::none(3);
        more.insert(1);
        assert_eq!(rooms.nodes(ids[4], &more).map(Iterator::collect), Some(vec![0, 1, 2]));
        free.give(units.get(ids[1]), &places);
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.nodes(ids[4], &Bits::none(3)).map(Iterator::collect), Some(vec![0, 1, 2]));
    }

    proptest! {
        /// On seven nodes of 12, jobs of twelve kinds come to wait and start to run, and jobs end: each kind that somebody waits with,
        /// and each that is looked at, is as counted on all nodes.
        #[test]
        fn rooms_are_as_counted(steps in prop::collection::vec((0_u32..12, 0_u32..7, 0..4), 1..200)) {
            let mut free = FreeResources::all_of(&System::of_one_resource("cores", 7, 12));
            let (mut units, mut rooms) = (UnitRequests::default(), Rooms::default());
            let ids: Vec<UnitId> = (1..=12).map(|it| units.id(&UnitRequest::of(&[it], 1))).collect();
            let (mut waiting, mut running) = (Vec::new(), Vec::new());
            for (kind, node, step) in steps {
                let id = ids[kind as usize];
                let places = [UnitsOnNode { node, units: 1 }];
                if step == 0 {
                    rooms.wait(id, &units, &free);
                    waiting.push(id);
                } else if step == 1 && free.take(units.get(id), &places).is_ok() {
                    rooms.changed(&units, &free, &places);
                    running.push((id, places));
                } else if step == 2 && let Some((id, places)) = running.pop() {
                    free.give(units.get(id), &places);
                    rooms.changed(&units, &free, &places);
                } else if let Some(id) = waiting.pop() {
                    rooms.leave(id, free.nodes());
                }
                rooms.look(id, &units, &free);
                for id in waiting.iter().chain(Some(&id).filter(|it| rooms.get(**it).is_some())) {
                    let counted: Vec<u32> = free.rooms(units.get(*id)).collect();
                    let roomy = (0..).zip(&counted).filter(|it| *it.1 > 0).map(|it| it.0);
                    prop_assert_eq!(rooms.get(*id), Some(counted.iter().map(|it| u64::from(*it)).sum()));
                    let nodes = rooms.nodes(*id, &Bits::none(7)).map(Iterator::collect::<Vec<u32>>);
                    prop_assert_eq!(nodes, Some(roomy.collect()));
                }
            }
        }
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
        free.take(units.get(ten), &places).unwrap();
        rooms.changed(&units, &free, &places);
        assert_eq!(rooms.get(three), Some(33_330));
    }
}
