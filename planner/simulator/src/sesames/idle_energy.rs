//! What offers of a month count of idle energy, where its parameters say so.

use std::sync::Arc;

use planner::idle_energy::{Fit, IdleEnergy};
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::order::Preference;
use planner::power_plan::{CriteriaAmounts, PowerRules};
use planner::search::IdleView;
use planner::slower_states::SlowerStates;
use serde::{Deserialize, Serialize};

use super::managed::rules;
use super::{Month, Parameters, SesamesError};
use crate::node_power::ManagerRules;
use crate::policy::Policy;

/// Whether offers count idle energy, and which nodes they take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountIdleEnergy {
    /// They do not.
    #[default]
    No,
    /// They do, and take the nodes that draw least.
    LeastDraw,
    /// They do, and take nodes so that long gaps stay.
    LongGaps,
}

impl CountIdleEnergy {
    const fn fit(self) -> Option<Fit> {
        match self {
            Self::No => None,
            Self::LeastDraw => Some(Fit::LeastDraw),
            Self::LongGaps => Some(Fit::LongGaps),
        }
    }

    /// Whether the option is off: it is not recorded then.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde asks")]
    pub(super) fn is_no(&self) -> bool {
        *self == Self::No
    }
}

/// What a month's offers count of idle energy, and of which nodes.
#[derive(Debug)]
pub(super) struct CountedIdle {
    energy: IdleEnergy,
    nodes: Arc<Nodes>,
}

impl CountedIdle {
    /// What the manager of the month may do to nodes up to the month's end; `None` where nobody switches them, where the
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
        let energy = IdleEnergy { until: parameters.month().end(), fit, rules };
        Ok(Some(Self { energy, nodes }))
    }

    /// As a plan sees it.
    pub const fn view(&self) -> IdleView<'_> {
        IdleView { energy: &self.energy, nodes: &self.nodes }
    }
}
