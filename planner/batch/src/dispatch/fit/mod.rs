//! Fits of units: the order in which a job tries nodes (A. Netti's thesis, section 5.3). Each node takes as many units as fit into
//! it, until all are placed.
//!
//! Whether a job of equal units fits at all does not depend on the order, and whether one of several kinds fits is seen by a rule of
//! its own ([`super::several`]). So a fit is asked only for jobs that do.

mod balanced;
mod best_fit;
mod first_fit;
mod hybrid;
mod least_power;
mod long_gaps;
mod priority_weighted;
mod weighted;

#[cfg(test)]
mod worked;

use std::fmt::Debug;

use super::free::{FreeResources, UnitsOnNode};
use super::system::System;
use super::unit::{UnitId, UnitRequest, UnitRequests};
use crate::policy::{About, Options, PartKind};
use crate::time::Time;

/// A fit of units.
#[derive(Debug)]
pub struct UnitFitPart {
    /// The name, the rule and the options.
    pub about: About,
    /// Makes the order of nodes from the system and the options.
    pub(super) build: fn(&System, &mut Options<'_>) -> Box<dyn NodeOrder>,
}

impl PartKind for UnitFitPart {
    const KIND: &'static str = "fit of --system";
    const ALL: &'static [&'static Self] = &[
        &first_fit::FIT,
        &best_fit::FIT,
        &balanced::FIT,
        &weighted::FIT,
        &hybrid::FIT,
        &priority_weighted::FIT,
        &least_power::FIT,
        &long_gaps::FIT,
    ];

    fn about(&self) -> &About {
        &self.about
    }
}

/// What a job asks nodes for.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceRequest<'a> {
    /// What each unit asks for.
    pub unit: &'a UnitRequest,
    /// How many units there are.
    pub units: u32,
    /// When the job ends, as far as is estimated.
    pub ends: Time,
}

/// A job that waits, as far as fits care.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingUnits {
    pub unit: UnitId,
    pub units: u32,
    pub estimate: Time,
}

/// What fits look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct FitView<'a> {
    pub system: &'a System,
    /// The type of each node.
    pub types: &'a [usize],
    pub free: &'a FreeResources,
    pub units: &'a UnitRequests,
    /// The waiting jobs from the one to be placed on: as many as [`NodeOrder::window`] says.
    pub waiting: &'a [WaitingUnits],
    /// When each node is wholly free as far as is estimated; empty unless [`NodeOrder::wants_ends`].
    pub busy_until: &'a [Time],
}

/// The order in which nodes are tried.
pub(super) trait NodeOrder: Debug {
    /// Puts the nodes that are worth a try in order; `nodes` is empty before.
    fn order(&mut self, view: &FitView<'_>, request: &PlaceRequest<'_>, nodes: &mut Vec<u32>);

    /// Whether nodes are tried in the order of their numbers; then they are not asked for.
    fn is_plain(&self) -> bool {
        false
    }

    /// How many waiting jobs it looks at.
    fn window(&self) -> usize {
        0
    }

    /// Whether it looks at when nodes are wholly free.
    fn wants_ends(&self) -> bool {
        false
    }

    /// Whether it learns from [`NodeOrder::tried`]: then it is told of every waiting job at every decision that the order of
    /// the queue allows, but for those of which it would learn nothing.
    fn learns(&self) -> bool {
        false
    }

    /// A job was tried, and started or not.
    fn tried(&mut self, _unit: &UnitRequest, _started: bool) {}

    /// Of what it learns about, what a unit asks for, as bits.
    fn critical_of(&self, _unit: &UnitRequest) -> u64 {
        0
    }

    /// What it would learn about from one more job that does not start, as the same bits.
    fn open_to_failures(&self) -> u64 {
        0
    }
}

/// Few jobs have more places.
const USUAL_PLACES: u32 = 16;

/// Places units on nodes in this order, as many as fit on each; `room` says how many fit on a node. None where not all
/// find a place.
pub(super) fn place(
    nodes: impl Iterator<Item = u32>,
    units: u32,
    room: impl Fn(u32) -> u32,
) -> Option<Vec<UnitsOnNode>> {
    let mut places = Vec::with_capacity(units.min(USUAL_PLACES) as usize);
    let mut left = units;
    for node in nodes {
        let units = room(node).min(left);
        if units > 0 {
            places.push(UnitsOnNode { node, units });
            left -= units;
            if left == 0 {
                return Some(places);
            }
        }
    }
    None
}

/// Sorts nodes by a rank, the least first; of equal ones the lower number first.
fn sort_by_rank(nodes: &mut Vec<u32>, ranks: &mut Vec<(f64, u32)>) {
    ranks.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    nodes.extend(ranks.drain(..).map(|(_, node)| node));
}

/// The nodes on which at least a unit fits, with how many fit there.
fn fitting<'a>(
    view: &'a FitView<'_>,
    request: &'a PlaceRequest<'_>,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let fits = |node| (node, view.free.room(request.unit, node).min(request.units));
    (0..view.free.nodes()).map(fits).filter(|(_, fits)| *fits > 0)
}
