//! Plans of power actions as JSON.

use serde::Serialize;

use crate::node::Nodes;
use crate::power_plan::{CriteriaAmounts, PlannedSleep, PlannedWaking, PowerPlan, RefusedGap};
use crate::time::{Span, Timestamp};

/// A plan: which node is switched off and woken when, where it is not and why, and what all of it saves.
#[derive(Debug, Serialize)]
pub struct PowerPlanDocument {
    actions: Vec<ActionDocument>,
    refused: Vec<RefusedDocument>,
    total: AmountsDocument,
}

#[derive(Debug, Serialize)]
struct ActionDocument {
    node: String,
    #[serde(flatten)]
    orders: Orders,
}

/// What is ordered in a gap. A node that was off at the start is not ordered off, and perhaps not woken.
#[derive(Debug, Serialize)]
struct Orders {
    off_at: Option<String>,
    wake_at: Option<String>,
    saves: AmountsDocument,
    /// By how many seconds the node is up too late.
    #[serde(skip_serializing_if = "Option::is_none")]
    late_s: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exceeds_cap: bool,
}

#[derive(Debug, Serialize)]
struct RefusedDocument {
    node: String,
    gap: GapDocument,
    because: String,
}

#[derive(Debug, Serialize)]
struct GapDocument {
    start: Timestamp,
    end: Timestamp,
}

/// Joules, units of the currency of the prices and grams; `null` where a price or an intensity is not known.
#[derive(Debug, Serialize)]
struct AmountsDocument {
    energy_j: Option<f64>,
    cost: Option<f64>,
    co2_g: Option<f64>,
}

impl PowerPlanDocument {
    /// A plan for these nodes: actions by node and time, refusals by time and node.
    pub fn new(plan: &PowerPlan, nodes: &Nodes) -> Self {
        let sleeps = plan.sleeps.iter().map(|it| (it.node, Some(it.gap), Orders::of_sleep(it)));
        let wakings = plan.wakings.iter().map(|it| (it.node, it.gap, Orders::of_waking(it)));
        let mut actions: Vec<_> = sleeps.chain(wakings).collect();
        // What has no gap comes before every gap of its node.
        actions.sort_by_key(|(node, gap, _)| (*node, *gap));
        let mut refused: Vec<&RefusedGap> = plan.refused.iter().collect();
        refused.sort_by_key(|refused| (refused.gap, refused.node));
        let name = |ordinal| nodes.name(ordinal).into_owned();
        let action = |(node, _, orders)| ActionDocument { node: name(node), orders };
        let refusal = |refused: &RefusedGap| RefusedDocument {
            node: name(refused.node),
            gap: GapDocument::of(refused.gap),
            because: refused.because.to_string(),
        };
        Self {
            actions: actions.into_iter().map(action).collect(),
            refused: refused.into_iter().map(refusal).collect(),
            total: AmountsDocument::of(&plan.total()),
        }
    }
}

impl Orders {
    fn of_sleep(sleep: &PlannedSleep) -> Self {
        Self {
            off_at: Some(instant(sleep.times.off_ms)),
            wake_at: Some(instant(sleep.times.wake_ms)),
            saves: AmountsDocument::of(&sleep.saves),
            late_s: None,
            exceeds_cap: false,
        }
    }

    fn of_waking(waking: &PlannedWaking) -> Self {
        Self {
            off_at: None,
            wake_at: waking.wake_ms.map(instant),
            saves: AmountsDocument::of(&waking.saves),
            late_s: (waking.late_ms > 0).then(|| waking.late_ms as f64 / 1000.0),
            exceeds_cap: waking.exceeds_cap,
        }
    }
}

impl GapDocument {
    const fn of(gap: Span) -> Self {
        Self { start: gap.start(), end: gap.end() }
    }
}

impl AmountsDocument {
    fn of(amounts: &CriteriaAmounts) -> Self {
        Self { energy_j: amounts.energy_j(), cost: amounts.cost(), co2_g: amounts.co2_g() }
    }
}

/// An RFC 3339 instant, to the millisecond where it is not a whole second.
fn instant(milliseconds: i64) -> String {
    let whole = Timestamp::from_unix_seconds(milliseconds.div_euclid(1000)).to_string();
    match milliseconds.rem_euclid(1000) {
        0 => whole,
        rest => format!("{}.{rest:03}Z", whole.trim_end_matches('Z')),
    }
}
