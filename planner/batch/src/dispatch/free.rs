//! What is free on nodes and of what they share.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::system::System;
use super::unit::{Divisor, UnitRequest};
use crate::policy::bits::Bits;

/// Units of a job on a node.
///
/// A list of these has units of several kinds one kind after the other, in the order of [`UnitRequest::kinds`].
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
    /// By node that an exclusive job has: what is neither free nor used by its units.
    kept: BTreeMap<u32, Box<[u32]>>,
    /// What each node has, by node and resource.
    capacity: Arc<[u32]>,
    /// The properties of each node.
    properties: Arc<[u64]>,
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
        Self {
            kinds,
            capacity: of_nodes.as_slice().into(),
            of_nodes,
            shared: system.shared.iter().map(|it| it.amount).collect(),
            totals: system.totals()[..kinds].to_vec(),
            kept: BTreeMap::new(),
            properties: system.type_of_nodes().map(|it| system.types[it].properties).collect(),
        }
    }

    /// Becomes as another of the same system, from which it differs on these nodes alone.
    pub(super) fn copy_nodes_from(&mut self, other: &Self, nodes: &Bits) {
        for node in nodes.positions() {
            let span = self.span(node);
            self.of_nodes[span.clone()].copy_from_slice(&other.of_nodes[span]);
        }
        self.shared.copy_from_slice(&other.shared);
        self.totals.copy_from_slice(&other.totals);
        self.kept.clone_from(&other.kept);
    }

    /// So much is free on a node.
    pub(super) fn set_on(&mut self, node: u32, amounts: &[u32]) {
        let from = node as usize * self.kinds;
        let on = &mut self.of_nodes[from..from + self.kinds];
        for ((free, amount), total) in on.iter_mut().zip(amounts).zip(&mut self.totals) {
            *total = *total - u64::from(*free) + u64::from(*amount);
            *free = *amount;
        }
    }

    /// So much is free of what all nodes share.
    pub(super) fn set_shared(&mut self, amounts: &[u32]) {
        self.shared.copy_from_slice(amounts);
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        u32::try_from(self.properties.len()).unwrap_or(u32::MAX)
    }

    /// What is free on a node, by resource.
    pub fn on(&self, node: u32) -> &[u32] {
        &self.of_nodes[self.span(node)]
    }

    /// What a node has, by resource.
    pub fn capacity(&self, node: u32) -> &[u32] {
        &self.capacity[self.span(node)]
    }

    /// What units use of a node, by resource: of a node that an exclusive job has that is not all that is not free.
    pub fn used_on(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let kept = self.kept.get(&node);
        let amounts = self.capacity(node).iter().zip(self.on(node)).enumerate();
        amounts.map(move |(place, (all, free))| all - free - kept.map_or(0, |it| it[place]))
    }

    /// What is free of what all nodes share.
    pub fn shared(&self) -> &[u32] {
        &self.shared
    }

    /// What is free on all nodes together, by resource.
    pub fn totals(&self) -> &[u64] {
        &self.totals
    }

    /// How many of these units find room on a node: those beside them are not looked at.
    #[inline]
    pub fn room(&self, unit: &UnitRequest, node: u32) -> u32 {
        if unit.exclusive && self.on(node) != self.capacity(node) {
            return 0;
        }
        self.room_beside(unit, node)
    }

    /// How many of these units find room on each node, in the order of their numbers.
    pub(super) fn rooms(&self, unit: &UnitRequest) -> impl Iterator<Item = u32> {
        let nodes =
            self.of_nodes.chunks_exact(self.kinds).zip(self.capacity.chunks_exact(self.kinds));
        let divisor = |&(place, amount): &(usize, u32)| (place, Divisor::by(amount));
        let asked: Vec<(usize, Divisor)> = unit.of_node.iter().map(divisor).collect();
        nodes.zip(&*self.properties).map(move |((free, all), properties)| {
            let may = unit.properties & !properties == 0 && (!unit.exclusive || free == all);
            let fits = asked.iter().map(|(place, by)| by.quotient(free[*place]));
            if may { fits.fold(u32::MAX, u32::min) } else { 0 }
        })
    }

    /// Whether a node has the properties that a unit wants.
    pub(super) fn has_properties(&self, unit: &UnitRequest, node: u32) -> bool {
        unit.properties & !self.properties[node as usize] == 0
    }

    /// How many of these units find room on a node that their job may have already, exclusively.
    pub(super) fn room_beside(&self, unit: &UnitRequest, node: u32) -> u32 {
        if !self.has_properties(unit, node) {
            return 0;
        }
        unit.fits(self.on(node))
    }

    /// How many units what is shared has enough for.
    pub fn shared_fits(&self, unit: &UnitRequest) -> u32 {
        unit.fits_shared(&self.shared)
    }

    /// Whether what is shared has enough for a job of `units` such units and those beside them.
    pub fn shares_enough(&self, unit: &UnitRequest, units: u32) -> bool {
        if unit.beside.is_empty() {
            return self.shared_fits(unit) >= units;
        }
        let enough =
            |(place, free): (usize, &u32)| unit.asked_of_shared(units, place) <= u64::from(*free);
        self.shared.iter().enumerate().all(enough)
    }

    /// Whether a job of `units` such units and those beside them could fit as far as sums over all nodes say.
    pub fn may_fit(&self, unit: &UnitRequest, units: u32) -> bool {
        let enough = |(place, free): (usize, &u64)| unit.asked_of_nodes(units, place) <= *free;
        self.totals.iter().enumerate().all(enough) && self.shares_enough(unit, units)
    }

    /// Whether so many units find room on nodes: those beside them are not looked at.
    pub fn holds(&self, unit: &UnitRequest, units: u32) -> bool {
        let mut left = units;
        self.rooms(unit).any(|room| {
            left = left.saturating_sub(room);
            left == 0
        })
    }

    /// Takes units from nodes, and for an exclusive job all else of these nodes.
    ///
    /// # Errors
    /// There is not enough there, or a node lacks a property, or an exclusive job would not be alone; then nothing is taken.
    pub fn take(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) -> Result<(), Overuse> {
        let units = units_of(unit, places).ok_or(Overuse(None))?;
        if !self.shares_enough(unit, units) {
            return Err(Overuse(None));
        }
        let nodes = each_once(unit, places);
        if unit.exclusive
            && let Some(place) = nodes.iter().find(|it| self.on(it.node) != self.capacity(it.node))
        {
            return Err(Overuse(Some(place.node)));
        }
        for (done, (kind, place)) in one_by_one(unit, places).enumerate() {
            if self.room_beside(kind, place.node) < place.units {
                let taken = one_by_one(unit, places).take(done);
                taken.for_each(|(kind, place)| self.give_to_node(kind, place));
                return Err(Overuse(Some(place.node)));
            }
            self.take_from_node(kind, place);
        }
        if unit.exclusive {
            nodes.iter().for_each(|place| self.keep(place.node));
        }
        for (place, free) in self.shared.iter_mut().enumerate() {
            let asked = unit.asked_of_shared(units, place);
            *free = free.saturating_sub(u32::try_from(asked).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    /// Gives units back that were taken.
    pub fn give(&mut self, unit: &UnitRequest, places: &[UnitsOnNode]) {
        one_by_one(unit, places).for_each(|(kind, place)| self.give_to_node(kind, place));
        if unit.exclusive {
            each_once(unit, places).iter().for_each(|place| self.release(place.node));
        }
        let units = units_of(unit, places).unwrap_or(0);
        for (place, free) in self.shared.iter_mut().enumerate() {
            let asked = unit.asked_of_shared(units, place);
            *free = free.saturating_add(u32::try_from(asked).unwrap_or(u32::MAX));
        }
    }

    /// What is left of a node belongs to its exclusive job.
    fn keep(&mut self, node: u32) {
        let span = self.span(node);
        let left: Box<[u32]> = self.of_nodes[span.clone()].into();
        self.totals.iter_mut().zip(&left).for_each(|(total, left)| *total -= u64::from(*left));
        self.of_nodes[span].fill(0);
        self.kept.insert(node, left);
    }

    /// What was left of a node is free again.
    fn release(&mut self, node: u32) {
        let Some(left) = self.kept.remove(&node) else { return };
        let span = self.span(node);
        self.totals.iter_mut().zip(&left).for_each(|(total, left)| *total += u64::from(*left));
        self.of_nodes[span].iter_mut().zip(&left).for_each(|(free, left)| *free += left);
    }

    /// Only nodes that are wholly free have something left; for a job that wants nodes for itself.
    pub(super) fn leave_whole_nodes(&mut self) {
        for node in 0..self.nodes() {
            let span = self.span(node);
            if self.of_nodes[span.clone()] != self.capacity[span.clone()] {
                self.of_nodes[span].fill(0);
            }
        }
    }

    /// At most this is free on a node; sums are as before.
    pub(super) fn limit(&mut self, node: u32, most: &[u32]) {
        let span = self.span(node);
        self.of_nodes[span]
            .iter_mut()
            .zip(most)
            .for_each(|(free, most)| *free = (*free).min(*most));
    }

    /// Takes units of one kind from what nodes have, which have enough; sums are as before.
    pub(super) fn take_kind(&mut self, kind: &UnitRequest, places: &[UnitsOnNode]) {
        for place in places {
            let from = self.span(place.node).start;
            for &(resource, amount) in &kind.of_node {
                let free = &mut self.of_nodes[from + resource];
                *free = free.saturating_sub(amount * place.units);
            }
        }
    }

    fn take_from_node(&mut self, unit: &UnitRequest, place: UnitsOnNode) {
        let from = self.span(place.node).start;
        for &(resource, amount) in &unit.of_node {
            self.of_nodes[from + resource] -= amount * place.units;
            self.totals[resource] -= u64::from(amount) * u64::from(place.units);
        }
    }

    fn give_to_node(&mut self, unit: &UnitRequest, place: UnitsOnNode) {
        let from = self.span(place.node).start;
        for &(resource, amount) in &unit.of_node {
            self.of_nodes[from + resource] += amount * place.units;
            self.totals[resource] += u64::from(amount) * u64::from(place.units);
        }
    }

    fn span(&self, node: u32) -> std::ops::Range<usize> {
        let from = node as usize * self.kinds;
        from..from + self.kinds
    }
}

/// How many units of the first kind are on these places; none where not even those beside them are.
pub(super) fn units_of(unit: &UnitRequest, places: &[UnitsOnNode]) -> Option<u32> {
    let all: u32 = places.iter().map(|it| it.units).sum();
    all.checked_sub(unit.all_units(0))
}

/// Places by kind of unit: kinds stand one after the other.
pub fn by_kind<'a>(
    unit: &'a UnitRequest,
    places: &'a [UnitsOnNode],
) -> impl Iterator<Item = (&'a UnitRequest, &'a [UnitsOnNode])> {
    let mut rest = places;
    unit.kinds(units_of(unit, places).unwrap_or(0)).map(move |(units, kind)| {
        let mut left = units;
        let ends = |place: &UnitsOnNode| {
            left = left.saturating_sub(place.units);
            left == 0
        };
        let count =
            if units == 0 { 0 } else { rest.iter().position(ends).map_or(rest.len(), |at| at + 1) };
        let (of_kind, others) = rest.split_at(count);
        rest = others;
        (kind, of_kind)
    })
}

/// Places one by one with the kinds of their units.
fn one_by_one<'a>(
    unit: &'a UnitRequest,
    places: &'a [UnitsOnNode],
) -> impl Iterator<Item = (&'a UnitRequest, UnitsOnNode)> {
    by_kind(unit, places).flat_map(|(kind, places)| places.iter().map(move |it| (kind, *it)))
}

/// Each node of the places once: units of several kinds can share one.
pub fn each_once<'a>(unit: &UnitRequest, places: &'a [UnitsOnNode]) -> Cow<'a, [UnitsOnNode]> {
    if unit.beside.is_empty() {
        return places.into();
    }
    let mut nodes = places.to_vec();
    nodes.sort_unstable_by_key(|it| it.node);
    nodes.dedup_by(|next, kept| {
        let same = next.node == kept.node;
        kept.units += if same { next.units } else { 0 };
        same
    });
    nodes.into()
}

#[cfg(test)]
mod tests;
