//! Explanations of decisions, with the arithmetic.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

use planner::json::problem::problem;
use planner::problem::PlanningProblem;
use planner::ranking::Ranking;
use planner::search::{Explanation, PlanningView, StartValues, explain};

/// One node of 100 W for an hour, hourly prices 50, 30, 40, 20 EUR/MWh, flat CO2, starts from 00:00
/// to 02:00; so an hour costs 0.005, 0.003, 0.004 and, an hour later than allowed, 0.002 EUR.
const FOUR_HOURS: &str = r#"{
    "now": "2026-01-01T00:00:00Z",
    "search": {"mode": "slots", "slot_s": 3600},
    "currency": "EUR",
    "nodes": [{"name": "n1", "idle_power_w": 50, "max_power_w": 100, "alpha": 1}],
    "agendas": {
        "price": [
            {"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T01:00:00Z", "price_per_mwh": 50},
            {"start": "2026-01-01T01:00:00Z", "end": "2026-01-01T02:00:00Z", "price_per_mwh": 30},
            {"start": "2026-01-01T02:00:00Z", "end": "2026-01-01T03:00:00Z", "price_per_mwh": 40},
            {"start": "2026-01-01T03:00:00Z", "end": "2026-01-01T04:00:00Z", "price_per_mwh": 20}
        ],
        "co2": [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T04:00:00Z",
                 "intensity_g_per_kwh": 50}]
    },
    "request": {"nodes": 1, "duration_s": 3600, "earliest_start": "2026-01-01T00:00:00Z",
                "latest_start": "2026-01-01T02:00:00Z"}
}"#;

fn read(text: &str) -> PlanningProblem {
    problem(text, |_| Err(Vec::new()), &|_| None).unwrap()
}

fn explained(problem: &PlanningProblem) -> Explanation {
    let selection = problem.selection();
    let book = problem.book(&selection);
    let slower = problem.slower_selections(&selection);
    let view = PlanningView::of(problem, &selection, &book).with_slower(&slower);
    explain(&view, &problem.request, &|| false).unwrap()
}

#[test]
fn tells_the_next_best_start_and_what_an_hour_more_would_save() {
    let problem = read(FOUR_HOURS);
    let explanation = explained(&problem);
    let by_cost = &explanation.rankings[3];
    assert_eq!(by_cost.ranking, Ranking::ALL[3]);
    let cost = |start: Option<StartValues>| start.unwrap().values.cost.as_exact();
    // A thousandth of a euro in the exact unit: the least cost is three of them.
    let thousandth = cost(by_cost.best) / 3;
    assert_eq!(cost(by_cost.next_best), 4 * thousandth);
    assert_eq!(cost(by_cost.one_more_hour), 2 * thousandth);
    assert_eq!(by_cost.saves_against_next_best().unwrap().cost.as_exact(), thousandth);
    assert_eq!(by_cost.one_more_hour_saves().unwrap().cost.as_exact(), thousandth);
    assert!((by_cost.best.unwrap().values.cost.as_units() - 0.003).abs() < 1e-12);
    // Energy and CO2 are equal everywhere, then cost decides: the same starts.
    assert_eq!(explanation.rankings[0].best, by_cost.best);
}

/// Until 02:00 no node is free; an hour more makes the start at 03:00 possible.
#[test]
fn tells_that_an_hour_more_makes_it_possible() {
    let booked = r#""reservations": [{"id": "r1", "start": "2026-01-01T00:00:00Z",
        "end": "2026-01-01T03:00:00Z", "nodes": ["n1"]}], "request""#;
    let problem = read(&FOUR_HOURS.replace("\"request\"", booked));
    let explanation = explained(&problem);
    for ranking in &explanation.rankings {
        assert_eq!((ranking.best, ranking.next_best), (None, None));
        let later = ranking.one_more_hour.unwrap();
        assert_eq!(later.span.start().to_string(), "2026-01-01T03:00:00Z");
        assert_eq!(ranking.one_more_hour_saves(), None);
    }
}

/// The only start has no next best; a tolerance of cost lets the earliest of two win.
#[test]
fn follows_the_tolerances_of_the_request() {
    let wide = FOUR_HOURS.replace(
        "\"nodes\": 1, \"duration_s\"",
        "\"tolerance\": {\"cost\": 0.7}, \"nodes\": 1, \"duration_s\"",
    );
    let explanation = explained(&read(&wide));
    let by_cost = &explanation.rankings[3];
    // 0.003 + 70 % = 0.0051 EUR: all three starts are within, and the first wins.
    assert_eq!(by_cost.best.unwrap().span.start().to_string(), "2026-01-01T00:00:00Z");
    // Without it 0.003 and 0.004 remain: the next one again.
    assert_eq!(by_cost.next_best.unwrap().span.start().to_string(), "2026-01-01T01:00:00Z");
    // An hour more lowers the least to 0.002, and 0.0034 EUR is the most within: 01:00 wins.
    assert_eq!(by_cost.one_more_hour.unwrap().span.start().to_string(), "2026-01-01T01:00:00Z");
    let single = FOUR_HOURS.replace(
        "\"latest_start\": \"2026-01-01T02:00:00Z\"",
        "\"latest_start\": \"2026-01-01T00:00:00Z\"",
    );
    let explanation = explained(&read(&single));
    assert!(explanation.rankings.iter().all(|it| it.next_best.is_none() && it.best.is_some()));
}

/// At a speed of 0.8 the hour takes 4,500 s at 60 W, 75 Wh instead of 100.
#[test]
fn tells_how_fast_the_best_start_is() {
    let state = r#""alpha": 1, "slower_states": [{"name": "p1", "speed": 0.8, "max_power_w": 60}]"#;
    let slower = FOUR_HOURS.replace("\"alpha\": 1", state);
    let allowed = slower.replace("\"nodes\": 1,", "\"slowest_speed\": 0.8, \"nodes\": 1,");
    let speed = |text: &str| {
        let best = explained(&read(text)).rankings[0].best.unwrap();
        (best.speed.as_millionths(), best.span.length().get())
    };
    assert_eq!((speed(&slower), speed(&allowed)), ((1_000_000, 3_600), (800_000, 4_500)));
}
