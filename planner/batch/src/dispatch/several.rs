//! Jobs of several kinds of units: whether they fit, and where.
//!
//! To see whether units of several kinds can stand together on nodes is a packing problem; here a rule decides, whatever the fit is.
//! The kind of which least more would fit than is asked for is placed first, always on the nodes on which fewest units of the kinds
//! still to be placed would find room, then those with the lower number; then the next one. A job that this finds no places for
//! on the empty system is refused, and one that it finds none for now waits. Where it does, the fit places the kinds
//! in the order of the job; if one takes what another needs, the places of the rule are taken.

use super::fit::place;
use super::free::{FreeResources, UnitsOnNode};
use super::unit::UnitRequest;

/// Whether a job of `units` such units and those beside them fits into what is free.
pub(super) fn fits(free: &FreeResources, unit: &UnitRequest, units: u32) -> bool {
    free.shares_enough(unit, units)
        && places(&for_it_alone(free.clone(), unit), unit, units).is_some()
}

/// What is free for a job: of an exclusive one only nodes that are wholly free.
pub(super) fn for_it_alone(mut free: FreeResources, unit: &UnitRequest) -> FreeResources {
    if unit.exclusive {
        free.leave_whole_nodes();
    }
    free
}

/// The places that the rule finds in what is free for the job, kind by kind.
pub(super) fn places(
    free: &FreeResources,
    unit: &UnitRequest,
    units: u32,
) -> Option<Vec<UnitsOnNode>> {
    let kinds: Vec<(u32, &UnitRequest)> = unit.kinds(units).collect();
    let room = |kind: &UnitRequest| -> u64 {
        (0..free.nodes()).map(|node| u64::from(free.room_beside(kind, node))).sum()
    };
    let mut order = Vec::with_capacity(kinds.len());
    for (at, (units, kind)) in kinds.iter().enumerate() {
        order.push((room(kind).checked_sub(u64::from(*units))?, at));
    }
    order.sort_unstable();
    let mut free = free.clone();
    let mut found = vec![Vec::new(); kinds.len()];
    for (done, (_, at)) in order.iter().enumerate() {
        let (units, kind) = kinds[*at];
        let mut nodes: Vec<(u64, u32)> = (0..free.nodes())
            .filter(|node| free.room_beside(kind, *node) > 0)
            .map(|node| {
                let later = order[done + 1..].iter().map(|(_, other)| kinds[*other].1);
                (later.map(|other| u64::from(free.room_beside(other, node))).sum(), node)
            })
            .collect();
        nodes.sort_unstable();
        let nodes = nodes.into_iter().map(|(_, node)| node);
        let places = place(nodes, units, |node| free.room_beside(kind, node))?;
        free.take_kind(kind, &places);
        found[*at] = places;
    }
    Some(found.concat())
}

/// Places kinds in the order of the job, each on nodes in the order that `order` puts them in.
pub(super) fn places_in_order(
    mut free: FreeResources,
    unit: &UnitRequest,
    units: u32,
    mut order: impl FnMut(&FreeResources, &UnitRequest, u32) -> Vec<u32>,
) -> Option<Vec<UnitsOnNode>> {
    let mut all = Vec::new();
    for (units, kind) in unit.kinds(units) {
        let nodes = order(&free, kind, units).into_iter();
        let places = place(nodes, units, |node| free.room_beside(kind, node))?;
        free.take_kind(kind, &places);
        all.extend(places);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::system::System;
    use crate::dispatch::unit::OtherUnits;

    fn at(node: u32, units: u32) -> UnitsOnNode {
        UnitsOnNode { node, units }
    }

    /// 1 unit of 4 cores, and 1 of 4 cores with a GPU, which node 0 has. In the order of the job the first one takes node 0
    /// and the other finds no GPU. By the rule: of the first 2 fit, one more than is asked for, of the other 1, none more: it is placed
    /// first, on node 0.
    #[test]
    fn the_kind_with_least_room_is_placed_first() {
        let system = System::parse(
            "[[nodes]]\ncount = 1\ncores = 4\ngpu = 1\n[[nodes]]\ncount = 1\ncores = 4\n",
        )
        .unwrap();
        let free = FreeResources::all_of(&system);
        let mut unit = UnitRequest::of(&[4, 0], 2);
        unit.beside = Box::new([OtherUnits { units: 1, each: UnitRequest::of(&[4, 1], 2) }]);
        let lowest = |free: &FreeResources, _: &UnitRequest, _: u32| (0..free.nodes()).collect();
        assert_eq!(places_in_order(free.clone(), &unit, 1, lowest), None);
        assert_eq!(places(&free, &unit, 1), Some(vec![at(1, 1), at(0, 1)]));
        assert!(fits(&free, &unit, 1) && !fits(&free, &unit, 2));
        // Exclusively there is room as long as nobody else is there.
        unit.exclusive = true;
        assert!(fits(&free, &unit, 1));
        let mut used = free.clone();
        used.take(&UnitRequest::of(&[0, 1], 2), &[at(0, 1)]).unwrap();
        assert!(!fits(&used, &unit, 1));
    }
}
