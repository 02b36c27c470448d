//! What nodes draw and count at the speed at which a reservation runs.

use planner::cap_scope::CapScope;
use planner::decimal::Fraction;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::slower_states::Slowing;

use super::Cluster;
use crate::config::power::PowerSettings;

/// What nodes draw at the speed at which a reservation runs.
pub struct SpeedPowers<'a> {
    cluster: &'a Cluster,
    /// The nodes with their slower states, and which of these it is; `None` at full speed.
    slowed: Option<(&'a Nodes, usize)>,
}

impl<'a> SpeedPowers<'a> {
    /// `None` where the settings do not know the slower state any more.
    pub fn of(
        cluster: &'a Cluster,
        settings: Option<&PowerSettings>,
        slowing: Option<&Slowing>,
    ) -> Option<Self> {
        let Some(slowing) = slowing else { return Some(Self { cluster, slowed: None }) };
        let nodes = &*cluster.power_rules(settings?)?.nodes;
        let states = nodes.slower_states().states();
        let state = states.iter().position(|it| it.name == slowing.state.name)?;
        Some(Self { cluster, slowed: Some((nodes, state)) })
    }

    /// The nodes of these ranks of the book's order.
    fn nodes(&self, ranks: &NodeSet) -> impl Iterator<Item = Node> {
        ranks.positions().filter_map(|rank| {
            let ordinal = self.cluster.reference.ordinal(rank);
            match self.slowed {
                None => self.cluster.nodes.as_slice().get(ordinal as usize).copied(),
                Some((nodes, state)) => nodes.in_state(state, ordinal),
            }
        })
    }

    /// The mean power that nodes draw.
    pub fn draw(&self, ranks: &NodeSet, utilisation: Fraction) -> Power {
        self.nodes(ranks).map(|node| node.draw(utilisation)).sum()
    }

    /// The sum of the nodes' maximum power.
    pub fn peak(&self, ranks: &NodeSet) -> Power {
        match self.slowed {
            None => self.cluster.reference.max_power(ranks),
            Some(_) => self.nodes(ranks).map(|node| node.max()).sum(),
        }
    }

    /// What the nodes count against the cap.
    pub fn counted(&self, ranks: &NodeSet) -> Power {
        match (self.slowed, self.cluster.cap_scope) {
            (None, _) => self.cluster.reference.counted(ranks),
            (Some(_), CapScope::ReservedNodes) => self.peak(ranks),
            (Some(_), CapScope::AllNodes) => self.peak(ranks) - self.cluster.powers(ranks).1,
        }
    }
}
