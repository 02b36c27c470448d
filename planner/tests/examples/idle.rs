//! Offers that count idle energy, by the node of the Batsim thesis, table 6.1: 95 W idle, 9.75 W off, 6.1 s at 101 W to switch
//! off, 151.52 s at 125.17 W to switch on. A sleep takes 6.1 x (101 - 9.75) + 151.52 x (125.17 - 9.75) = 18,045.0634 J more than
//! being off throughout; each second off saves 85.25 J. So a gap of g seconds saves 85.25 g - 18,045.0634 J where that is above 0.

use std::sync::Arc;

use planner::check::{Place, Violation, check};
use planner::criterion::{Criterion, Values};
use planner::decision::{Decision, Offer};
use planner::idle_energy::{Fit, IdleEnergy};
use planner::json::power_rules::power_rules;
use planner::json::problem::problem;
use planner::order::NodeOrder;
use planner::quantity::Energy;
use planner::ranking::Ranking;
use planner::search::plan_problem;
use planner::time::Seconds;

/// Nodes that nobody has in the hour from midnight on, where a booking does not end that, and a request for one of them for
/// 600 s, from `first` to `last` seconds after midnight.
fn planned(
    nodes: u32,
    booked: &str,
    fit: &str,
    (first, last): (u32, u32),
) -> (Arc<NodeOrder>, Decision) {
    let at = |second: u32| format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60);
    let day = r#""start": "2026-01-01T00:00:00Z", "end": "2026-01-02T00:00:00Z""#;
    let text = format!(
        r#"{{"now": "{}", "search": {{"mode": "exact"}}, "currency": "EUR",
            "nodes": {{"classes": [{{"count": {nodes}, "idle_power_w": 95, "max_power_w": 190}}]}},
            "agendas": {{"price": [{{{day}, "price_per_mwh": 50}}], "co2": [{{{day}, "intensity_g_per_kwh": 100}}]}},
            "reservations": [{booked}],
            "idle_energy": {{"until": "2026-01-01T01:00:00Z", "fit": "{fit}",
                "switching": [{{"node_ranges": [[0, {}]], "off_power_w": 9.75, "switching_off_s": 6.1,
                               "switching_off_power_w": 101, "switching_on_s": 151.52, "switching_on_power_w": 125.17}}],
                "rights": [{{"node_ranges": [[0, {}]], "level": "automatic", "actions": ["off"]}}]}},
            "request": {{"nodes": 1, "duration_s": 600, "utilisation": 1.0, "earliest_start": "{}", "latest_start": "{}"}}}}"#,
        at(0),
        nodes - 1,
        nodes - 1,
        at(first),
        at(last),
    );
    let problem = problem(&text, |_| Err(Vec::new()), &|_| None).unwrap();
    let (order, decision) = plan_problem(&problem);
    assert_eq!(check(&problem, &order, &decision), Ok(()));
    (order, decision)
}

fn idle_uj(offer: &Offer) -> i128 {
    Criterion::Energy.exact(offer.idle_change.as_deref().unwrap())
}

/// In the gap of an hour, which would save 85.25 x 3,600 - 18,045.0634 = 288,854.9366 J:
/// - from 0 to 600: 3,000 s are left, 51,150 J less are saved and 95 x 600 = 57,000 J not idled: -5,850 J, which is what it
///   would have drawn asleep;
/// - from 100 to 700: nobody sleeps for 100 s; 85.25 x 700 = 59,675 J less are saved: 2,675 J;
/// - from 1,500 to 2,100: 1,500 s on either side save 109,829.9366 J each, 69,195.0634 J less: 12,195.0634 J, one cycle more.
#[test]
fn a_booking_in_the_middle_of_a_gap_causes_idle_energy() {
    for (start, microjoules) in [(0, -5_850_000_000), (100, 2_675_000_000), (1_500, 12_195_063_400)]
    {
        let (_, decision) = planned(1, "", "least_draw", (start, start));
        assert_eq!(idle_uj(&decision.offers()[0]), microjoules);
        // Its own energy is 190 W for 600 s all the same.
        assert_eq!(Criterion::Energy.exact(&decision.offers()[0].values), 114_000_000_000);
    }
}

/// Prices are flat, so that without idle energy the first start would win every ranking. From 100 s on it is the last one
/// here, which leaves the hour's first 3,000 s in one piece.
#[test]
fn rankings_and_savings_count_idle_energy() {
    let (_, decision) = planned(1, "", "least_draw", (100, 3_000));
    let offer = decision.offer_for(Ranking::ALL[0]).unwrap();
    assert_eq!((offer.delay.get(), idle_uj(offer)), (2_900, -5_850_000_000));
    // 2,675 J + 5,850 J less than starting as soon as possible.
    assert_eq!(offer.saves.energy.as_microjoules(), 8_525_000_000);
}

/// Node 1 is booked from 700 s on. A booking of it from 0 on leaves 100 s, in which nobody sleeps: 85.25 x 700 - 18,045.0634
/// = 41,629.9366 J less are saved, 57,000 J not idled: -15,370.0634 J, where node 0 has -5,850 J.
#[test]
fn long_gaps_are_left_to_sleep_in() {
    let booked = r#"{"id": "r", "start": "2026-01-01T00:11:40Z", "end": "2026-01-01T01:00:00Z", "node_ranges": [[1, 1]]}"#;
    for (fit, node, microjoules) in
        [("least_draw", 0, -5_850_000_000), ("long_gaps", 1, -15_370_063_400)]
    {
        let (order, decision) = planned(2, booked, fit, (0, 0));
        let offer = &decision.offers()[0];
        assert_eq!(order.ordinals(&offer.ranks).positions().collect::<Vec<_>>(), [node]);
        assert_eq!(idle_uj(offer), microjoules);
    }
}

/// The judge sees an offer that forgets idle energy, and one that states a microjoule too much of it.
#[test]
fn what_is_stated_wrongly_is_caught() {
    let mut problem = super::build::request_for_an_hour(&[10], 0);
    let (order, right) = plan_problem(&problem);
    let with = |change: &dyn Fn(&mut Offer), decision: &Decision| {
        let mut wrong = decision.clone();
        change(&mut wrong.pareto[0]);
        wrong
    };
    let zero = Values { energy: Energy::default(), ..right.pareto[0].values };
    let states = with(&|offer| offer.idle_change = Some(Box::new(zero)), &right);
    let place = Place::Pareto(0);
    let caught = check(&problem, &order, &states).unwrap_err();
    assert!(caught.contains(&Violation::IdleChangeContradicted { place }));
    let rules = power_rules("{}", Some(&problem.nodes), &|_| None).unwrap();
    let until = problem.now + Seconds::new(3600);
    problem.idle_energy = Some(IdleEnergy { until, fit: Fit::LeastDraw, rules });
    let (order, right) = plan_problem(&problem);
    let more = |offer: &mut Offer| {
        let idle = offer.idle_change.as_mut().unwrap();
        idle.energy = idle.energy + Energy::from_microjoules(1);
    };
    let caught = check(&problem, &order, &with(&more, &right)).unwrap_err();
    // The 10 W node idles at 10 W: 36,000 J are avoided.
    let (derived, quantity) = (-36_000_000_000, "idle energy");
    let wrong = Violation::WrongValue { place, quantity, stated: derived + 1, derived };
    assert!(caught.contains(&wrong), "{caught:?}");
}
