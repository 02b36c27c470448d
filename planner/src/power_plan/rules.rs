//! What a site says of power actions, whatever is booked.

use super::{
    CriteriaAmounts, KeepWarm, Permits, QueueLoad, RankBy, Right, RightAction, RightLevel,
    Switching,
};
use crate::node_set::NodeSet;
use crate::slower_states::SlowerStates;
use crate::time::{Seconds, Span, Timestamp};

/// What a site says of power actions.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerRules {
    /// How each node is switched, by ordinal; `None` where it never is.
    pub switching: Vec<Option<Switching>>,
    /// In which states nodes compute more slowly, and the power limits that hold them there.
    pub slower_states: SlowerStates,
    /// What may be done to nodes; nothing where no right is in force.
    pub rights: Vec<Right>,
    /// Who decides on the power of which nodes, beside operators, who decide on all.
    pub deciders: Vec<(NodeSet, Vec<String>)>,
    /// The nodes on which jobs arrive that nobody announced.
    pub unannounced: NodeSet,
    /// The queues beside for whose work nodes stay on.
    pub loads: Vec<QueueLoad>,
    /// How many nodes stay up though nobody has them.
    pub keep_warm: Vec<KeepWarm>,
    /// How often a node may be switched off on a day of UTC.
    pub most_switches_per_day: Option<u32>,
    /// The criteria by which a sleep is judged.
    pub rank_by: RankBy,
    /// What wear costs, of a node that is switched off and on once.
    pub wear: CriteriaAmounts,
    /// How probable it is that a node does not come back, in millionths, and what that costs.
    pub failure: (i64, CriteriaAmounts),
}

impl PowerRules {
    /// Whether somebody who is no operator decides on the power of a node.
    pub fn may_decide(&self, person: &str, node: u32) -> bool {
        let named = |people: &[String]| people.iter().any(|it| it == person);
        self.deciders.iter().any(|(nodes, people)| nodes.contains(node) && named(people))
    }

    /// How switching a node off at an instant comes to be done.
    pub fn level_off(&self, node: u32, at: Timestamp) -> RightLevel {
        let rights = self.rights.iter().filter(|right| right.nodes.contains(node));
        let instant = Span::starting(at, Seconds::ONE);
        instant.map_or(RightLevel::Nothing, |instant| {
            Permits::of(rights, RightAction::Off, instant).level(at)
        })
    }
}
