//! What the system draws, from instant to instant: nodes by what is used of them, then losses, then the facility.

use planner::quantity::{Energy, Power};

use super::free::FreeResources;
use super::system::System;
use crate::quantity::ExactEnergy;
use crate::time::Time;

/// Adds up what is drawn. Nodes are told when their use changes.
#[derive(Debug)]
pub(super) struct PowerMeter<'a> {
    system: &'a System,
    types: &'a [usize],
    /// What each node needs itself.
    of_nodes: Vec<Power>,
    /// The group of each node.
    group_of: Vec<u32>,
    /// The type of each group, and what its nodes draw from it.
    groups: Vec<(usize, Power)>,
    nodes_draw: Power,
    groups_draw: Power,
    since: Time,
    nodes: ExactEnergy,
    facility: ExactEnergy,
    most: Power,
}

/// What was consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemEnergy {
    /// By the nodes themselves.
    pub nodes: Energy,
    /// By nodes, losses, switches and the facility.
    pub facility: Energy,
    /// The most that the facility drew.
    pub most: Power,
}

impl<'a> PowerMeter<'a> {
    /// A meter where it is known what all nodes draw.
    pub fn new(system: &'a System, types: &'a [usize], free: &FreeResources) -> Option<Self> {
        if !system.has_draws() {
            return None;
        }
        let (mut group_of, mut groups) = (Vec::with_capacity(types.len()), Vec::new());
        for (place, node_type) in system.types.iter().enumerate() {
            // Without groups each node is one: there is nothing that they share.
            let size =
                if node_type.losses.has_groups() { node_type.losses.group.max(1) } else { 1 };
            for node in 0..node_type.count {
                if node % size == 0 {
                    groups.push((place, Power::default()));
                }
                group_of.push(u32::try_from(groups.len() - 1).unwrap_or(u32::MAX));
            }
        }
        let mut meter = Self {
            system,
            types,
            of_nodes: vec![Power::default(); types.len()],
            group_of,
            groups,
            nodes_draw: Power::default(),
            groups_draw: Power::default(),
            since: Time::ZERO,
            nodes: ExactEnergy::ZERO,
            facility: ExactEnergy::ZERO,
            most: Power::default(),
        };
        for (place, power) in meter.groups.clone() {
            meter.groups_draw = meter.groups_draw + system.types[place].losses.of_group(power);
        }
        for (node, node_type) in (0..).zip(types) {
            // What a converter draws for nothing is a part of what it draws.
            let losses = system.types[*node_type].losses;
            meter.add(node, losses.of_node(Power::default()));
        }
        (0..free.nodes()).for_each(|node| meter.changed(node, free));
        Some(meter)
    }

    /// Time passes until `now`.
    pub fn pass(&mut self, now: Time) {
        let (length, drawn) = (now - self.since, self.drawn());
        if length > Time::ZERO {
            self.nodes += self.nodes_draw * length;
            self.facility += drawn * length;
            self.most = self.most.max(drawn);
            self.since = now;
        }
    }

    /// What is used of a node has changed.
    pub fn changed(&mut self, node: u32, free: &FreeResources) {
        let place = self.types[node as usize];
        let node_type = &self.system.types[place];
        let Some(draw) = &node_type.draw else { return };
        let capacity = free.capacity(node);
        let power = draw.at(capacity, free.used_on(node));
        let before = std::mem::replace(&mut self.of_nodes[node as usize], power);
        self.nodes_draw = self.nodes_draw + power - before;
        let losses = node_type.losses;
        self.add(node, losses.of_node(power) - losses.of_node(before));
    }

    /// A node draws so much more from its group.
    fn add(&mut self, node: u32, more: Power) {
        let group = &mut self.groups[self.group_of[node as usize] as usize];
        let losses = self.system.types[group.0].losses;
        let before = losses.of_group(group.1);
        group.1 = group.1 + more;
        self.groups_draw = self.groups_draw + losses.of_group(group.1) - before;
    }

    /// What the facility draws now.
    pub fn drawn(&self) -> Power {
        self.system.facility.draws(self.groups_draw)
    }

    /// What was consumed until `now`.
    pub fn finish(mut self, now: Time) -> SystemEnergy {
        self.pass(now);
        let (nodes, facility) = (self.nodes.whole(), self.facility.whole());
        SystemEnergy { nodes, facility, most: self.most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::free::UnitsOnNode;
    use crate::dispatch::unit::UnitRequest;

    /// Three nodes in groups of two. A node draws 100 W, and 10 W more for each core in use; a converter of 0.5 doubles it; a group's
    /// rectifier needs 40 W and its switch, which hangs after it, 5 W; the PUE is 2, pumps draw 7 W. Idle: groups of 400 + 40 + 5 and
    /// 200 + 40 + 5 = 690 W, 1,387 W in all. With 3 cores on node 2: 60 W more, 120 W with the PUE. Ten seconds of each are
    /// 13,870 + 15,070 J; of the nodes alone 3,000 + 3,300 J.
    #[test]
    fn losses_go_from_nodes_to_the_facility() {
        let text = "[[nodes]]\ncount = 3\ncores = 4\n[nodes.power]\nconstant_w = 100\ncores = { full_w = 10 }\n\
                    [nodes.losses]\ngroup = 2\nconverter = { efficiency = 0.5 }\nrectifiers = { loss_w = 40 }\n\
                    switches = { count = 1, power_w = 5, rectified = false }\n\
                    [facility]\nconstant_w = 7\npue = [[0, 2]]\n";
        let system = System::parse(text).unwrap();
        let types: Vec<usize> = system.type_of_nodes().collect();
        let mut free = FreeResources::all_of(&system);
        let mut meter = PowerMeter::new(&system, &types, &free).unwrap();
        assert_eq!(meter.drawn(), Power::from_watts(1387.0).unwrap());
        meter.pass(Time::from_seconds(10));
        free.take(&UnitRequest::of(&[1], 1), &[UnitsOnNode { node: 2, units: 3 }]).unwrap();
        meter.changed(2, &free);
        assert_eq!(meter.drawn(), Power::from_watts(1507.0).unwrap());
        let energy = meter.finish(Time::from_seconds(20));
        assert_eq!(energy.nodes, Energy::from_microjoules(6_300_000_000));
        assert_eq!(energy.facility, Energy::from_microjoules(28_940_000_000));
        assert_eq!(energy.most, Power::from_watts(1507.0).unwrap());
        assert!(PowerMeter::new(&System::of_one_resource("cores", 1, 1), &[0], &free).is_none());
    }
}
