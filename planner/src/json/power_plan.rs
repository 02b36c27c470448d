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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json::power_problem::power_problem;
    use crate::power_plan::plan_power;

    /// A node of 100 W idle and 10 W off, off at the start and booked at 00:10, switches on in 60 s at 100 W: 90 W x 540 s. From 00:20
    /// on it sleeps to the end, switched off at no loss: 90 W x 2,340 s. A node with nothing booked stays off for the hour.
    #[test]
    fn a_node_that_was_off_has_no_order_to_switch_off() {
        let switching = r#"{"off_power_w": 10, "switching_off_s": 0, "switching_off_power_w": 100,
                            "switching_on_s": 60, "switching_on_power_w": 100}"#;
        let node = |name: &str| {
            format!(
                r#"{{"name": "{name}", "idle_power_w": 100, "max_power_w": 200, "state": "off",
                     "switching": {switching}}}"#
            )
        };
        let text = format!(
            r#"{{"now": "2026-01-01T00:00:00Z", "until": "2026-01-01T01:00:00Z",
                 "nodes": [{}, {}], "rank_by": ["energy"], "agendas": {{"price": [], "co2": []}},
                 "rights": [{{"nodes": ["n1"], "level": "automatic", "actions": ["off"]}}],
                 "reservations": [{{"id": "r1", "start": "2026-01-01T00:10:00Z",
                                    "end": "2026-01-01T00:20:00Z", "nodes": ["n1"]}}]}}"#,
            node("n1"),
            node("n2")
        );
        let problem = power_problem(&text, |_| Err(Vec::new()), &|_| None).unwrap();
        let plan = plan_power(&problem, &|| false).unwrap();
        let document = serde_json::to_value(PowerPlanDocument::new(&plan, &problem.nodes)).unwrap();
        let saves = |energy_j: f64| json!({"energy_j": energy_j, "cost": Value::Null, "co2_g": Value::Null});
        let at = |minute: u32| format!("2026-01-01T00:{minute:02}:00Z");
        let expected = json!([
            {"node": "n1", "off_at": null, "wake_at": at(9), "saves": saves(48_600.0)},
            {"node": "n1", "off_at": at(20), "wake_at": at(59), "saves": saves(210_600.0)},
            {"node": "n2", "off_at": null, "wake_at": null, "saves": saves(324_000.0)},
        ]);
        assert_eq!(document["actions"], expected);
    }
}
