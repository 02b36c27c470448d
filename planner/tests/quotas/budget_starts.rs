//! The next start that keeps the budgets is the one that is found by trying every second.

use jiff::tz::TimeZone;
use planner::quota::{
    BudgetHolding, BudgetStart, BudgetSubject, BudgetUse, QuotaJudge, StartAmounts,
};
use planner::time::{Seconds, Span, Timestamp};
use proptest::prelude::*;

use crate::budget_search::quotas;
use crate::{at, span, subject};

/// Everything happens before this second.
const END: i64 = 300;

/// A rate changes every so many seconds.
const STEP: i64 = 10;

/// Of a millionth of the currency.
const MILLIONTH: i128 = 3_600_000_000_000_000;

/// What is taken by a start: energy evenly, and cost by a rate of each second as far as there is one.
fn taken(
    start: Timestamp,
    duration: i64,
    (energy_uj, rates): (i128, &[i128]),
) -> [Option<i128>; 3] {
    let start = start.as_unix_seconds();
    let rate = |second: i64| rates.get(usize::try_from(second / STEP).ok()?).copied();
    let cost = (start..start + duration).map(|second| Some(rate(second)? * MILLIONTH / 30));
    [Some(energy_uj), cost.sum(), Some(0)]
}

proptest! {
    #[test]
    fn the_next_start_is_the_one_that_every_second_tells(
        rates in prop::collection::vec(-2_i128..9, 5..30),
        (from, to) in (0_i8..60, 60_i8..120),
        (energy, cost) in (50_u32..300, 0_u32..40),
        (used_j, used_from) in (0_i128..400, 0_i64..80),
        (energy_j, duration) in (100_i128..900, 5_i64..60),
        first in 0_i64..60,
        slot in prop::option::of(Just(7_i64)),
    ) {
        let of = BudgetSubject { subject: subject("", "", "ada"), above: Vec::new() };
        let amounts = [used_j * 1_000_000, used_j * MILLIONTH / 20, 0];
        let used = BudgetUse { span: span(used_from, used_from + 20), amounts, is_measured: true };
        let held = [BudgetHolding { of: of.clone(), alternatives: vec![vec![used]] }];
        let (quotas, zone, horizon) = (quotas((from, to), energy, cost), TimeZone::UTC, span(0, END));
        let judge = QuotaJudge::new(&quotas, &zone, &of.subject, &[], &|_| 9, horizon)
            .with_budgets(&quotas, &zone, (&of, &held), &|_| 9, horizon);
        let of_start = |start: Timestamp| taken(start, duration, (energy_j * 1_000_000, &rates));
        let changes: Vec<Timestamp> =
            (0..=i64::try_from(rates.len()).unwrap()).map(|place| at(place * STEP)).collect();
        let (window, slot) = ((at(first), at(200)), slot.map(Seconds::new));
        let length = Seconds::new(duration);
        let found = judge.next_start_in_budgets(
            (1, length), window, slot, &StartAmounts { of: &of_start, changes: &changes },
        );

        // Energy and cost are limited from one second to another; elsewhere all is free.
        let is_bound = |start: i64| start < i64::from(to) && start + duration > i64::from(from);
        let keeps = |start: i64| {
            let known = of_start(at(start));
            let whole = known.map(Option::unwrap_or_default);
            let span = Span::starting(at(start), length).unwrap();
            judge.judge_amounts(&whole, span).is_ok().then_some(!is_bound(start) || known[1].is_some())
        };
        let is_looked_at = |start: &i64| slot.is_none_or(|slot| start % slot.get() == 0);
        let next = (first..=200).filter(is_looked_at).find(|start| keeps(*start) == Some(true));
        let expected = match next {
            Some(start) => BudgetStart::At(at(start)),
            None if (first..=200).any(|start| keeps(start) == Some(false)) => BudgetStart::NotKnown,
            None => BudgetStart::None,
        };
        prop_assert_eq!(found, expected);
    }
}
