//! The search under budgets: of the starts that they allow it takes the best, in both modes.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::check::{BudgetsAsked, check_budgets};
use planner::decision::ReasonCode;
use planner::problem::SearchMode;
use planner::quota::{
    AcrossRules, BudgetHolding, BudgetSubject, BudgetUse, QuotaCalendar, QuotaJudge, QuotaKey,
    QuotaLimit, QuotaPeriod, QuotaRule, QuotaRules, Quotas, RuleBudgets,
};
use planner::request::{Request, Shape};
use planner::time::{Seconds, Span, Timestamp};
use proptest::prelude::*;

use crate::search::{END, NODES, least_cost, planned, problem};
use crate::{at, span, subject};

/// Budgets from one second to another, in millionths of a kWh and of the currency.
pub(crate) fn quotas((from, to): (i8, i8), energy: u32, cost: u32) -> Quotas {
    let clock = |second: i8| DateTime::constant(1970, 1, 1, 0, second / 60, second % 60, 0);
    let millionths = |it: u32| Some(QuotaLimit::parse(&format!("0.{it:06}")).unwrap());
    let rule = QuotaRule {
        key: QuotaKey::parse("*,*,*,/").unwrap(),
        nodes: None,
        reservations: None,
        node_hours: None,
        budgets: RuleBudgets {
            energy_kwh: millionths(energy),
            cost: millionths(cost),
            ..RuleBudgets::default()
        },
        per: Some(QuotaPeriod::Fixed { from: clock(from), to: clock(to) }),
        adjustment: None,
    };
    Quotas {
        sets: vec![QuotaRules { name: "default".into(), rules: vec![rule] }],
        calendar: QuotaCalendar { otherwise: Some(0), ..QuotaCalendar::default() },
        across: AcrossRules::EachPart,
        adjustments: Vec::new(),
    }
}

proptest! {
    /// Two nodes of 10 W for 30 s take 600 J, 166.7 millionths of a kWh; at 100 EUR/MWh 16.7 millionths of a euro.
    #[test]
    fn the_best_start_that_keeps_the_budgets_is_offered(
        prices in prop::collection::vec(-30_i64..90, 10),
        (from, to) in (0_i8..60, 60_i8..120),
        (energy, cost) in (100_u32..300, 0_u32..14),
        (used_j, used_from) in (0_i128..200, 0_i64..80),
        (wanted, duration) in (1_u32..3, 10_i64..50),
        booked in prop::collection::vec((0_i64..80, 1_i64..30), 0..2),
        slot in prop::option::of(Just(7_i64)),
    ) {
        let booked: Vec<Span> = booked.into_iter().map(|(from, length)| span(from, from + length)).collect();
        let of = BudgetSubject { subject: subject("", "", "ada"), above: Vec::new() };
        let taken = BudgetUse {
            span: span(used_from, used_from + 20),
            amounts: [used_j * 1_000_000, 0, 0],
            is_measured: true,
        };
        let held = [BudgetHolding { of: of.clone(), alternatives: vec![vec![taken]] }];
        let quotas = quotas((from, to), energy, cost);
        let (zone, horizon) = (TimeZone::UTC, span(0, END));
        let judge = QuotaJudge::new(&quotas, &zone, &of.subject, &[], &|_| NODES, horizon)
            .with_budgets(&quotas, &zone, (&of, &held), &|_| NODES, horizon);
        let search = slot.map_or(SearchMode::Exact, |slot| SearchMode::Slots { slot: Seconds::new(slot) });
        let shape = Shape { nodes: wanted, duration: Seconds::new(duration) };
        let last = 100;
        let request = Request::new(shape, at(0), at(last));
        let decision = planned(&problem(&prices, &booked, search, request), Some(&judge));
        let asked = BudgetsAsked { quotas: &quotas, zone: &zone, asker: &of, held: &held };
        prop_assert_eq!(check_budgets(&asked, &decision), Ok(()));

        let period = i64::from(from)..i64::from(to);
        let seconds_in = |from: i64, until: i64| {
            i128::try_from((from..until).filter(|it| period.contains(it)).count()).unwrap()
        };
        let used = used_j * 1_000_000 * seconds_in(used_from, used_from + 20) / 20;
        let alone = |start: i64| {
            let request = Request::new(shape, at(start), at(start));
            planned(&problem(&prices, &booked, SearchMode::Exact, request), None)
        };
        let keeps = |start: i64| {
            let offered = alone(start);
            let Some(offer) = offered.offers().first() else { return true };
            let inside = seconds_in(start, start + duration);
            let share = |amount: i128| amount * inside / i128::from(duration);
            inside == 0
                || (used + share(offer.values.energy.as_microjoules()) <= i128::from(energy) * 3_600_000
                    && share(offer.values.cost.as_exact()) <= i128::from(cost) * 3_600_000_000_000_000)
        };
        let looked_at = (0..=last).filter(|start| slot.is_none_or(|slot| start % slot == 0));
        let (kept, refused): (Vec<i64>, Vec<i64>) = looked_at.partition(|start| keeps(*start));
        for offer in &decision.pareto {
            prop_assert!(keeps(offer.span.start().as_unix_seconds()), "{:?} is offered", offer.span);
        }
        let soonest = kept.iter().find(|start| least_cost(&alone(**start)).is_some());
        let first = decision.as_soon_as_possible.as_ref().map(|it| it.span.start());
        prop_assert_eq!(first.map(Timestamp::as_unix_seconds), soonest.copied());
        let best = kept.iter().filter_map(|start| least_cost(&alone(*start))).min();
        prop_assert_eq!(least_cost(&decision), best);
        let is_told = decision.reasons.iter().any(|reason| reason.code == ReasonCode::Quota);
        if slot.is_some() {
            prop_assert_eq!(is_told, !refused.is_empty());
        }
    }
}

/// What no rule allows is found by the checker: the budget of the decision's own energy less one millionth.
#[test]
fn the_checker_finds_what_exceeds_a_budget() {
    let shape = Shape { nodes: 2, duration: Seconds::new(36) };
    let request = Request::new(shape, at(0), at(0));
    let decision = planned(&problem(&[50; 10], &[], SearchMode::Exact, request), None);
    let of = BudgetSubject { subject: subject("", "", "ada"), above: Vec::new() };
    let zone = TimeZone::UTC;
    // 20 W for 36 s are 720 J, 200 millionths of a kWh, and 10 millionths of a euro.
    for (energy, cost, keeps) in [(200, 10, true), (199, 10, false), (200, 9, false)] {
        let quotas = quotas((0, 100), energy, cost);
        let asked = BudgetsAsked { quotas: &quotas, zone: &zone, asker: &of, held: &[] };
        assert_eq!(check_budgets(&asked, &decision).is_ok(), keeps, "{energy} {cost}");
    }
}
