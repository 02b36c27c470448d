//! The nodes in memory, with the orders in which requests take them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use planner::book::Booking;
use planner::cap_scope::CapScope;
use planner::decimal::Fraction;
use planner::filter::NodeFilter;
use planner::json::notice::ranges_of;
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::order::{NodeOrder, Preference};
use planner::power_plan::PowerRules;
use planner::quantity::Power;
use planner::request::Request;
use planner::reservation::NamedNodes;
use planner::selection::Selection;
use planner::slower_selection::SlowerSelection;
use planner::slower_states::Speed;
use planner::time::{Seconds, Span, Timestamp};

use crate::config::power::PowerSettings;

/// A set of nodes as documents show it.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
pub struct ShownNodes {
    /// Names, up to 64 nodes; absent beyond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<String>>,
    /// Inclusive pairs of ordinals in input order.
    pub node_ranges: Vec<[u32; 2]>,
}

/// What selections may take together, beside the one in use: two of a million nodes.
const SELECTION_BYTES: usize = 64 << 20;

/// What a selection takes for each node of the cluster: its order and the translation.
const SELECTION_BYTES_PER_NODE: usize = 32;

/// A cluster with what plans need of it. The epoch it is of stands in [`super::SiteState`].
pub struct Cluster {
    /// In input order.
    pub nodes: Arc<Nodes>,
    /// At full utilisation: the ranks of this order are what allocations are stored as.
    pub reference: Arc<NodeOrder>,
    /// What the cap limits.
    pub cap_scope: CapScope,
    /// What counts against the cap whatever is reserved.
    pub base_power: Power,
    selections: Mutex<Vec<KeptSelection>>,
    /// Maximum and idle power of all ranks before each rank; made when first asked for.
    powers_before: OnceLock<Vec<(Power, Power)>>,
    power_rules: OnceLock<Option<SitePowerRules>>,
}

/// What the site's settings say of the power of nodes.
pub struct SitePowerRules {
    /// The rules.
    pub rules: PowerRules,
    /// The nodes with their slower states.
    pub nodes: Arc<Nodes>,
}

/// A selection by utilisation and labels, made by the first plan that needs it while others wait.
struct KeptSelection {
    utilisation: Fraction,
    labels: NodeFilter,
    selection: Arc<OnceLock<Selection>>,
}

impl Cluster {
    /// A cluster with its reference order. A pass over the nodes.
    pub fn new(nodes: Arc<Nodes>, cap_scope: CapScope) -> Self {
        let order =
            NodeOrder::of(&nodes, Preference::LeastDraw, Fraction::ONE, cap_scope, |_| true);
        Self::with_order(nodes, order, cap_scope)
    }

    /// A cluster whose reference order is known already.
    pub fn with_order(nodes: Arc<Nodes>, order: NodeOrder, cap_scope: CapScope) -> Self {
        let base_power = cap_scope.base_power(&nodes);
        let (reference, selections) = (Arc::new(order), Mutex::default());
        let (powers_before, power_rules) = (OnceLock::new(), OnceLock::new());
        Self { nodes, reference, cap_scope, base_power, selections, powers_before, power_rules }
    }

    /// The sums of maximum and idle power of these ranks of the reference order. The first call
    /// passes over the nodes.
    pub fn powers(&self, ranks: &NodeSet) -> (Power, Power) {
        let before = self.powers_before.get_or_init(|| {
            let nodes = self.nodes.as_slice();
            let mut sums = Vec::with_capacity(nodes.len() + 1);
            let mut sum = (Power::ZERO, Power::ZERO);
            sums.push(sum);
            for rank in 0..self.reference.count() {
                let node = &nodes[self.reference.ordinal(rank) as usize];
                sum = (sum.0 + node.max(), sum.1 + node.idle());
                sums.push(sum);
            }
            sums
        });
        ranks.ranges().iter().fold((Power::ZERO, Power::ZERO), |(most, idle), range| {
            let (start, end) = (before[range.start as usize], before[range.end as usize]);
            (most + end.0 - start.0, idle + end.1 - start.1)
        })
    }

    /// A booking of ranks of the reference order; in a slower state its nodes draw `slowed_peak` at the most.
    pub fn booking(
        &self,
        id: Arc<str>,
        span: Span,
        ranks: NodeSet,
        slowed_peak: Option<Power>,
    ) -> Booking {
        let booking = Booking::new(id, span, ranks, &self.reference);
        let Some(peak) = slowed_peak else { return booking };
        let idle = match self.cap_scope {
            CapScope::ReservedNodes => Power::ZERO,
            CapScope::AllNodes => self.powers(&booking.ranks).1,
        };
        booking.slowed(peak - idle)
    }

    /// What the site's settings say of the power of these nodes, read once; `None` where they do not go with them, of which the
    /// turns of power management tell.
    pub fn power_rules(&self, settings: &PowerSettings) -> Option<&SitePowerRules> {
        let read = || {
            let rules = settings.rules(Some(&self.nodes)).ok()?;
            let states = rules.slower_states.clone();
            let nodes = if states.states().is_empty() {
                Arc::clone(&self.nodes)
            } else {
                Arc::new(Nodes::clone(&self.nodes).with_slower_states(states))
            };
            Some(SitePowerRules { rules, nodes })
        };
        self.power_rules.get_or_init(read).as_ref()
    }

    /// The nodes that a request may take in slower states, where the settings have some and something limits power.
    pub fn slower_selections(
        &self,
        settings: Option<&PowerSettings>,
        request: &Request,
        now: Timestamp,
    ) -> Vec<SlowerSelection> {
        let settings = settings.filter(|it| it.limits_power());
        let Some(settings) = settings.filter(|_| request.slowest_speed < Speed::FULL) else {
            return Vec::new();
        };
        let Some(SitePowerRules { rules, nodes }) = self.power_rules(settings) else {
            return Vec::new();
        };
        let longest = request.shapes().map(|it| request.slowest_speed.stretched(it.duration)).max();
        let last = request.latest_start.max(now) + longest.unwrap_or(Seconds::ONE);
        let Some(reach) = Span::new(now, last) else { return Vec::new() };
        let allowed = SlowerSelection::allowed(nodes, request, self.cap_scope, &self.reference);
        allowed.into_iter().map(|it| it.permitted(&rules.rights, reach)).collect()
    }

    /// Ranks of the reference order with the names by which they are told.
    pub fn named(&self, ranks: &NodeSet) -> NamedNodes {
        NamedNodes::new(ranks, &self.reference, &self.nodes)
    }

    /// Ranks of the reference order as documents show them.
    pub fn show(&self, ranks: &NodeSet) -> ShownNodes {
        let nodes = self.named(ranks);
        ShownNodes { node_ranges: ranges_of(&nodes.ordinals), nodes: nodes.names }
    }

    /// The nodes that a request may take. Making a selection that is not kept costs a pass over
    /// the nodes, so this is not for async threads.
    pub fn selection(&self, request: &Request) -> Selection {
        let filter = &request.filter;
        let utilisation = request.utilisation_or_full();
        let excluded = self.reference.ranks(&filter.excluded(&self.nodes));
        if utilisation == Fraction::ONE && filter.has_no_labels() {
            return Selection::all(Arc::clone(&self.reference)).without(excluded);
        }
        let labels = filter.labels_alone();
        let kept = self.kept(utilisation, labels);
        let selection = kept.get_or_init(|| {
            let admits = filter.admits(&self.nodes);
            Selection::new(&self.nodes, &self.reference, self.cap_scope, utilisation, admits)
        });
        selection.without(excluded)
    }

    /// The place of a selection, the latest used last. Those used longest ago make room.
    fn kept(&self, utilisation: Fraction, labels: NodeFilter) -> Arc<OnceLock<Selection>> {
        let mut kept = self.selections.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |it: &KeptSelection| it.utilisation == utilisation && it.labels == labels;
        let found = kept.iter().position(same).map(|index| kept.remove(index));
        let found = found.unwrap_or_else(|| {
            let bytes = SELECTION_BYTES_PER_NODE * self.nodes.as_slice().len();
            let room = (SELECTION_BYTES / bytes.max(1)).clamp(1, 1024);
            let surplus = (kept.len() + 1).saturating_sub(room);
            kept.drain(..surplus);
            KeptSelection { utilisation, labels, selection: Arc::default() }
        });
        let selection = Arc::clone(&found.selection);
        kept.push(found);
        selection
    }
}
