//! What offers of a month count of idle energy, where its parameters say so.

use std::sync::Arc;

use planner::idle_energy::IdleEnergy;
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::order::Preference;
use planner::power_plan::{CriteriaAmounts, LONGEST_HORIZON, PowerRules};
use planner::search::IdleView;
use planner::slower_states::SlowerStates;

use super::managed::rules;
use super::{Month, Parameters, SesamesError};
use crate::node_power::ManagerRules;
use crate::policy::Policy;

/// What a month's offers count of idle energy, and of which nodes.
#[derive(Debug)]
pub(super) struct CountedIdle {
    energy: IdleEnergy,
    nodes: Arc<Nodes>,
}

impl CountedIdle {
    /// What the manager of the month may do to nodes for as long as a request may last; `None` where nobody switches them, where the
    /// option is off, and under policies that take the nodes that are listed first.
    pub fn of(
        parameters: &Parameters,
        month: &Month,
        policy: Policy,
    ) -> Result<Option<Self>, SesamesError> {
        let manager = &parameters.manager;
        let fit = manager
            .count_idle_energy
            .fit()
            .filter(|_| !manager.is_off() && policy.preference() == Preference::LeastDraw);
        let Some(fit) = fit else { return Ok(None) };
        let nodes = month.platform.as_nodes()?;
        let ManagerRules { rights, most_switches_per_day, rank_by, wear, .. } =
            rules(manager, &nodes);
        let switching = nodes.as_slice().iter().map(|node| Some(manager.switching(node)));
        let rules = PowerRules {
            switching: switching.collect(),
            slower_states: SlowerStates::default(),
            rights,
            deciders: Vec::new(),
            unannounced: NodeSet::new(),
            loads: Vec::new(),
            keep_warm: Vec::new(),
            most_switches_per_day,
            rank_by,
            wear,
            failure: (0, CriteriaAmounts::ZERO),
        };
        // Sleeps beyond the month count too: otherwise what begins after it would seem to end idling alone.
        let last = parameters.start + LONGEST_HORIZON;
        let energy = IdleEnergy { until: parameters.horizon().end().min(last), fit, rules };
        Ok(Some(Self { energy, nodes }))
    }

    /// As a plan sees it.
    pub const fn view(&self) -> IdleView<'_> {
        IdleView { energy: &self.energy, nodes: &self.nodes }
    }
}
