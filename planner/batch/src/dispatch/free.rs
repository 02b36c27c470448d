//! What is free on nodes and of what they share.

use super::system::System;
use super::unit::UnitRequest;

/// Units of a job on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitsOnNode {
    /// The node, counted from 0.
    pub node: u32,
    /// How many units.
    pub units: u32,
}

/// What is free: never below nothing and never more than there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeResources {
    kinds: usize,
    /// By node and resource.
    of_nodes: Vec<u32>,
    /// Of what all nodes share.
    shared: Vec<u32>,
    /// Of nodes by resource.
    totals: Vec<u64>,
    /// What each node has, by node and resource.
    capacity: Vec<u32>,
}

/// More was taken than was free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more is taken of {} than is free there", .0.map_or("what nodes share".to_owned(), |node| format!("node {node}")))]
pub struct Overuse(pub Option<u32>);

impl FreeResources {
    /// Everything is free.
    pub fn all_of(system: &System) -> Self {
        let of_type = |it: usize| system.types[it].amounts.iter().copied();
        let of_nodes: Vec<u32> = system.type_of_nodes().flat_map(of_type).collect();
        let kinds = system.resources.len();
        let shared = system.shared.iter().map(|it| it.amount).collect();
        let totals = system.totals()[..kinds].to_vec();
        Self { kinds, capacity: of_nodes.clone(), of_nodes, shared, totals }
    }

    /// Becomes as another of the same system.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.of_nodes.clone_from(&other.of_nodes);
        self.shared.clone_from(&other.shared);
        self.totals.clone_from(&other.totals);
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        u32::try_from(self.of_nodes.len() / self.kinds.max(1)).unwrap_or(u32::MAX)
    }

    /// What is free on a node, by resource.
    pub fn on(&self, node: u32) -> &[u32] {
        let from = node as usize * self.kinds;
        &self.of_nodes[from..from + self.kinds]
    }

    /// What a node has, by resource.
    pub fn capacity(&self, node: u32) -> &[u32] {
        let from = node as usize * self.kinds;
        &self.capacity[from..from + self.kinds]
    }

    /// What is free of what all nodes share.
    pub fn shared(&self) -> &[u32] {
        &self.shared
    }

    /// What is free on all nodes together, by resource.
    pub fn totals(&self) -> &[u64] {
        &self.totals
    }

    /// How many units what is shared has enough for.
    pub fn shared_fits(&self, unit: &UnitRequest) -> u32 {
        unit.shared
            .iter()
            .map(|&(place, amount)| self.shared[place] / amount)
            .min()
            .unwrap_or(u32::MAX)
    }

    /// Whether so many units could fit as far as sums over all nodes say.
    pub fn may_fit(&self, unit: &UnitRequest, units: u32) -> bool {
        let units = u64::from(units);
        let enough =
            |&(place, amount): &(usize, u32)| self.totals[place] >= units * u64::from(amount);
        unit.of_node.iter().all(enough) && u64::from(self.shared_fits(unit)) >= units
    }

    /// Whether so many units find room on nodes.
    pub fn holds(&self, unit: &UnitRequest, units: u32) -> bool {
        let mut left = units;
        for node in 0..self.nodes() {
            left = left.saturating_sub(unit.fits(self.on(node)));
            if left == 0 {
                break;
            }
        }
        left == 0
    }

    /// Takes units from nodes.
    ///
    /// # Errors
    /// There is not enough there; then nothing is taken.
    pub fn take(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) -> Result<(), Overuse> {
        let units: u64 = places.iter().map(|it| u64::from(it.units)).sum();
        if u64::from(self.shared_fits(unit)) < units {
            return Err(Overuse(None));
        }
        for (at, place) in places.iter().enumerate() {
            if unit.fits(self.on(place.node)) < place.units {
                for taken in &places[..at] {
                    self.give_to_node(unit, *taken);
                }
                return Err(Overuse(Some(place.node)));
            }
            let from = place.node as usize * self.kinds;
            for &(resource, amount) in &unit.of_node {
                self.of_nodes[from + resource] -= amount * place.units;
                self.totals[resource] -= u64::from(amount) * u64::from(place.units);
            }
        }
        for &(resource, amount) in &unit.shared {
            let taken = u64::from(amount) * units;
            self.shared[resource] -= u32::try_from(taken).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// Gives units back that were taken.
    pub fn give(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) {
        let mut units = 0;
        for place in places {
            self.give_to_node(unit, *place);
            units += place.units;
        }
        for &(resource, amount) in &unit.shared {
            self.shared[resource] += amount * units;
        }
    }

    fn give_to_node(&mut self, unit: &UnitRequest, place: UnitsOnNode) {
        let from = place.node as usize * self.kinds;
        for &(resource, amount) in &unit.of_node {
            self.of_nodes[from + resource] += amount * place.units;
            self.totals[resource] += u64::from(amount) * u64::from(place.units);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::system::SharedResource;

    fn at(node: u32, units: u32) -> UnitsOnNode {
        UnitsOnNode { node, units }
    }

    /// Two nodes of 4: three units of 1 on the first and one on the second leave 1 and 3. Two more on the first are one too
    /// many, and nothing of them is taken, not even from the second, which comes before it.
    #[test]
    fn no_more_is_taken_than_is_free() {
        let mut system = System::of_one_resource("cores", 2, 4);
        system.shared = vec![SharedResource { name: "licence".into(), amount: 5 }];
        let mut free = FreeResources::all_of(&system);
        let (one, licensed) = (UnitRequest::of(&[1, 0], 1), UnitRequest::of(&[1, 2], 1));
        free.take(&one, &[at(0, 3), at(1, 1)]).unwrap();
        assert_eq!((free.on(0), free.on(1), free.totals()), (&[1][..], &[3][..], &[4][..]));
        let before = free.clone();
        assert_eq!(free.take(&one, &[at(1, 1), at(0, 2)]), Err(Overuse(Some(0))));
        assert_eq!(free.take(&licensed, &[at(1, 3)]), Err(Overuse(None)));
        assert_eq!(free, before);
        free.take(&licensed, &[at(1, 2)]).unwrap();
        assert_eq!(free.shared(), [1]);
        assert!(!free.may_fit(&licensed, 1) && free.may_fit(&one, 2) && !free.may_fit(&one, 3));
        free.give(&licensed, &[at(1, 2)]);
        free.give(&one, &[at(0, 3), at(1, 1)]);
        assert_eq!(free, FreeResources::all_of(&system));
    }
}
