//! The search under quotas: of the starts that they allow it takes the best, in both modes.

use std::sync::Arc;

use jiff::tz::TimeZone;
use planner::agenda::{Agenda, Agendas, Piece, RateAgenda};
use planner::book::BookedSpan;
use planner::cap_scope::CapScope;
use planner::decision::{Decision, ReasonCode};
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Money, Power};
use planner::quota::{
    AcrossRules, QuotaCalendar, QuotaHolding, QuotaJudge, QuotaKey, QuotaLimit, QuotaRule,
    QuotaRules, Quotas, RecurringQuota, RuleBudgets,
};
use planner::request::{Request, Shape};
use planner::search::{PlanningView, plan};
use planner::time::{Seconds, Span, Timestamp};
use proptest::prelude::*;

use crate::{at, span, subject};

pub(crate) const NODES: u32 = 4;
pub(crate) const END: i64 = 200;

/// Prices of 20 seconds each.
fn agendas(prices: &[i64]) -> Agendas {
    let pieces = (0..).step_by(20).zip(prices);
    let price = |(from, price): (i64, &i64)| Piece {
        span: span(from, from + 20),
        value: EnergyPrice::from_millionths_per_mwh(price * 1_000_000).unwrap(),
    };
    let co2 = CarbonIntensity::from_millionths_g_per_kwh(50_000_000).unwrap();
    Agendas {
        price: RateAgenda::new(Agenda::new(pieces.map(price).collect()).unwrap()),
        co2: RateAgenda::new(Agenda::new(vec![Piece { span: span(0, END), value: co2 }]).unwrap()),
        power_cap: None,
    }
}

pub(crate) fn problem(
    prices: &[i64],
    booked: &[Span],
    search: SearchMode,
    request: Request,
) -> PlanningProblem {
    let power = Power::from_microwatts(10_000_000);
    let node = Node::new(power, power, None).unwrap();
    // Each on a node of its own, so that none is booked twice.
    let booked = (0..).zip(booked).map(|(node, span)| BookedSpan {
        id: format!("{node}").into(),
        span: *span,
        nodes: NodeSet::from_positions([node]),
    });
    PlanningProblem {
        now: at(0),
        search,
        currency: Currency::EUR,
        nodes: Arc::new(Nodes::numbered(vec![node; NODES as usize]).unwrap()),
        agendas: agendas(prices),
        reservations: booked.collect(),
        cap_scope: CapScope::ReservedNodes,
        outages: Vec::new(),
        idle_energy: None,
        request,
    }
}

pub(crate) fn planned(problem: &PlanningProblem, quota: Option<&QuotaJudge>) -> Decision {
    let selection = problem.selection();
    let book = problem.book(&selection);
    let view = PlanningView { quota, ..PlanningView::of(problem, &selection, &book) };
    plan(&view, &problem.request, &|| false).unwrap()
}

pub(crate) fn least_cost(decision: &Decision) -> Option<Money> {
    decision.offers().iter().map(|offer| offer.values.cost).min()
}

/// Up to two nodes of the user at a time until `change`, then one, and so many seconds of nodes.
fn quotas(change: i32, nodes: &str, node_hours: &str) -> Quotas {
    let set = |name: &str, nodes: &str| QuotaRules {
        name: name.into(),
        rules: vec![QuotaRule {
            key: QuotaKey::parse("*,*,*,/").unwrap(),
            nodes: Some(QuotaLimit::parse(nodes).unwrap()),
            reservations: None,
            node_hours: Some(QuotaLimit::parse(node_hours).unwrap()),
            budgets: RuleBudgets::default(),
            per: None,
            adjustment: None,
        }],
    };
    Quotas {
        sets: vec![set("first", nodes), set("second", "1")],
        calendar: QuotaCalendar {
            recurring: vec![RecurringQuota::daily(0, change, 0)],
            otherwise: Some(1),
            ..QuotaCalendar::default()
        },
        across: AcrossRules::EachPart,
        adjustments: Vec::new(),
    }
}

proptest! {
    #[test]
    fn the_best_start_is_the_best_that_quotas_allow(
        prices in prop::collection::vec(1_i64..100, 10),
        booked in prop::collection::vec((0_i64..90, 1_i64..60), 0..4),
        change in 1_i32..120,
        nodes in prop::sample::select(vec!["1", "2", "3"]),
        node_hours in prop::sample::select(vec!["-1", "0.01", "0.02"]),
        (wanted, duration) in (1_u32..3, 1_i64..40),
        slot in prop::option::of(1_i64..10),
    ) {
        let booked: Vec<Span> =
            booked.into_iter().map(|(from, length)| span(from, from + length)).collect();
        let held = |span: &Span| QuotaHolding {
            subject: subject("", "", "ada"),
            alternatives: vec![(*span, 1)],
        };
        let held: Vec<QuotaHolding> = booked.iter().map(held).collect();
        let quotas = quotas(change, nodes, node_hours);
        let ada = subject("", "", "ada");
        let judge =
            QuotaJudge::new(&quotas, &TimeZone::UTC, &ada, &held, &|_| NODES, span(0, END));
        let search = slot.map_or(SearchMode::Exact, |slot| SearchMode::Slots { slot: Seconds::new(slot) });
        let shape = Shape { nodes: wanted, duration: Seconds::new(duration) };
        let last = 100;
        let request = Request::new(shape, at(0), at(last));
        let decision = planned(&problem(&prices, &booked, search, request), Some(&judge));

        let allows = |start: i64| judge.judge(wanted, span(start, start + duration)).is_ok();
        let starts = decision.pareto.iter().map(|offer| offer.span.start());
        for start in starts.map(Timestamp::as_unix_seconds) {
            prop_assert!(allows(start), "{} is offered", start);
        }
        let alone = |start: i64| {
            let request = Request::new(shape, at(start), at(start));
            planned(&problem(&prices, &booked, SearchMode::Exact, request), None)
        };
        let looked_at = (0..=last).filter(|start| slot.is_none_or(|slot| start % slot == 0));
        let (allowed, refused): (Vec<i64>, Vec<i64>) = looked_at.partition(|start| allows(*start));
        let best = allowed.iter().filter_map(|start| least_cost(&alone(*start))).min();
        prop_assert_eq!(least_cost(&decision), best);
        // The quota is told as the reason exactly where it alone is in the way.
        let is_told = decision.reasons.iter().any(|reason| reason.code == ReasonCode::Quota);
        let is_alone = refused.iter().any(|start| least_cost(&alone(*start)).is_some());
        prop_assert!(is_alone || !is_told);
        if slot.is_some() {
            prop_assert_eq!(is_told, is_alone);
        }
    }
}
