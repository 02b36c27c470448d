//! Plans of power actions as JSON.

use serde::Serialize;

use crate::node::Nodes;
use crate::power_plan::{CriteriaAmounts, PlannedSleep, PowerPlan, RefusedGap};
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
    off_at: String,
    wake_at: String,
    saves: AmountsDocument,
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
    /// A plan for these nodes, by time and node.
    pub fn new(plan: &PowerPlan, nodes: &Nodes) -> Self {
        let mut sleeps: Vec<&PlannedSleep> = plan.sleeps.iter().collect();
        sleeps.sort_by_key(|sleep| (sleep.times.off_ms, sleep.node));
        let mut refused: Vec<&RefusedGap> = plan.refused.iter().collect();
        refused.sort_by_key(|refused| (refused.gap, refused.node));
        let name = |ordinal| nodes.name(ordinal).into_owned();
        let action = |sleep: &PlannedSleep| ActionDocument {
            node: name(sleep.node),
            off_at: instant(sleep.times.off_ms),
            wake_at: instant(sleep.times.wake_ms),
            saves: AmountsDocument::of(&sleep.saves),
        };
        let refusal = |refused: &RefusedGap| RefusedDocument {
            node: name(refused.node),
            gap: GapDocument::of(refused.gap),
            because: refused.because.to_string(),
        };
        Self {
            actions: sleeps.into_iter().map(action).collect(),
            refused: refused.into_iter().map(refusal).collect(),
            total: AmountsDocument::of(&plan.total()),
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
