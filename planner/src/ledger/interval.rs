//! A part of an hour: who had the nodes, and what is known of their energy.

use super::claim::{Claim, ClaimedDraw, Consumed, PartyConsumption};
use super::facility::Overheads;
use super::parts::{Part, Parts};
use crate::node::{Node, Nodes};
use crate::node_set::NodeSet;
use crate::quantity::{Energy, Power};
use crate::time::{Seconds, Span};

/// What was measured over an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metered {
    /// The energy over the seconds that measurements cover; nothing is known of the others.
    pub energy: Energy,
    /// How many seconds measurements cover.
    pub covered: Seconds,
}

/// What was measured of a node over an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeEnergy {
    /// The node's ordinal.
    pub ordinal: u32,
    /// What was measured.
    pub metered: Metered,
}

/// What the meter of a rack measured over a whole interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RackEnergy {
    /// The nodes behind the meter, by ordinal.
    pub nodes: NodeSet,
    /// The energy.
    pub energy: Energy,
}

/// A part of an hour, at most a quarter-hour, in which the cluster's nodes are the same.
#[derive(Clone, Copy, Debug)]
pub struct Interval<'a> {
    /// From when to when.
    pub span: Span,
    /// The nodes of the cluster.
    pub nodes: &'a Nodes,
    /// Who had some, in any order; what lies outside the span or names no node is left out.
    pub claims: &'a [Claim],
    /// What was measured of nodes, by ordinal, each once.
    pub measured: &'a [NodeEnergy],
    /// What meters of racks measured; no node is behind two of them.
    pub racks: &'a [RackEnergy],
    /// What the site's meter measured, of everything; `None` where there is none, or it does not cover the
    /// interval.
    pub site: Option<Energy>,
    /// What is added for the facility where the site's meter does not tell.
    pub overheads: &'a Overheads,
}

/// What an interval amounts to.
pub(super) struct Consumption<'a> {
    /// Of each party.
    pub parties: Vec<PartyConsumption<'a>>,
    /// The nodes' energy.
    pub nodes: Energy,
    /// What racks measured that no node can be given; `None` without meters of racks.
    pub unallocated: Option<Energy>,
}

impl<'a> Interval<'a> {
    /// What everybody consumed. `O(nodes + claimed nodes log)`.
    pub(super) fn consumption(&self) -> Consumption<'a> {
        let mut parts = Parts::new(self.nodes, self.claims, self.span);
        let mut measured = self.measured.iter().peekable();
        let mut by_node =
            Vec::with_capacity(if self.racks.is_empty() { 0 } else { self.nodes.as_slice().len() });
        let mut total = 0;
        let mut of_node: Vec<Part> = Vec::new();
        for (ordinal, node) in (0..).zip(self.nodes.as_slice()) {
            while measured.next_if(|it| it.ordinal < ordinal).is_some() {}
            let metered = measured.next_if(|it| it.ordinal == ordinal).map(|it| it.metered);
            parts.of(ordinal, &mut of_node);
            let consumed = self.shared_out(node, &of_node, metered.unwrap_or_default());
            let mut energy = 0;
            for (part, consumed) in of_node.iter().zip(&consumed) {
                energy += consumed.measured_uj + consumed.estimated_uj;
                parts.book(ordinal, part, consumed);
            }
            total += energy;
            if !self.racks.is_empty() {
                by_node.push(energy);
            }
        }
        let unallocated = |rack: &RackEnergy| {
            let nodes: i128 =
                rack.nodes.positions().filter_map(|ordinal| by_node.get(ordinal as usize)).sum();
            rack.energy.as_microjoules() - nodes
        };
        let unallocated = (!self.racks.is_empty())
            .then(|| Energy::from_microjoules(self.racks.iter().map(unallocated).sum()));
        Consumption { parties: parts.finish(), nodes: Energy::from_microjoules(total), unallocated }
    }

    /// What each part of a node's interval consumed: rules 3 and 4.
    fn shared_out(&self, node: &Node, parts: &[Part], metered: Metered) -> Vec<Consumed> {
        let length = self.span.length().get();
        let missing = length - metered.covered.get().clamp(0, length);
        let measured_uj = if missing == length { 0 } else { metered.energy.as_microjoules() };
        let full = |part: &Part| power(node, part.draw(self.claims)) * part.span.length();
        if let [part] = parts {
            let estimate = full(part).as_microjoules();
            return vec![Consumed {
                node_seconds: length.into(),
                missing_seconds: missing.into(),
                measured_uj,
                estimated_uj: of_missing(estimate, missing, length),
            }];
        }
        let estimates: Vec<u128> = parts
            .iter()
            .map(|part| full(part).as_microjoules().unsigned_abs() / u128::from(part.among))
            .collect();
        let seconds: Vec<u128> = parts.iter().map(Part::weight).collect();
        let by_energy = if estimates.iter().all(|it| *it == 0) { &seconds } else { &estimates };
        let measured = super::apportion::split(measured_uj, by_energy);
        let missed = super::apportion::split(missing.into(), &seconds);
        let held = super::apportion::split(length.into(), &seconds);
        let consumed = |index: usize| Consumed {
            node_seconds: held[index],
            missing_seconds: missed[index],
            measured_uj: measured[index],
            estimated_uj: of_missing(estimates[index].cast_signed(), missing, length),
        };
        (0..parts.len()).map(consumed).collect()
    }
}

/// The part of an estimate that falls to the seconds without measurements.
fn of_missing(estimate: i128, missing: i64, length: i64) -> i128 {
    if missing == length { estimate } else { estimate * i128::from(missing) / i128::from(length) }
}

fn power(node: &Node, draw: ClaimedDraw) -> Power {
    match draw {
        ClaimedDraw::Busy(utilisation) => node.draw(utilisation),
        ClaimedDraw::Each(power) => power,
        ClaimedDraw::Idle => node.idle(),
        ClaimedDraw::Nothing => Power::ZERO,
    }
}
