//! What the paper leaves open, and what comes true otherwise than planned.

use super::*;

/// Starts are the same whatever a reading adds to the bill, and every plan is right under each.
#[test]
fn every_reading_of_alpha_passes_the_checker() {
    let policies = [Policy::AsapFirst, Policy::AsapLeast, cost_co2_energy()];
    for alpha_per in [AlphaPer::Node, AlphaPer::Run, AlphaPer::Request] {
        for alpha_known in [true, false] {
            let parameters = Parameters { alpha_per, alpha_known, requests: 30, ..small() };
            let runs = judged(&cell(&parameters, &Inputs::default(), &policies));
            let reserved = reservations(&runs[0], cost_co2_energy());
            for reserved in reserved.into_iter().flatten() {
                let differ = (reserved.billed.energy_j - reserved.planned.energy_j).abs() > 1e-3;
                assert_eq!(differ, !alpha_known, "{alpha_per:?} {reserved:?}");
            }
        }
    }
}

/// Two nodes of 10 and 20 W maximum, idle at 4 and 10 W, unknown: planned at the means, 7 and 15 W.
/// Nobody can tell that their own `alpha`, 0.5 each, makes them draw 5 and 10 W... but the planner
/// can, since a node's own `alpha` is known to it. So with `alpha` of their own nothing is missed.
#[test]
fn a_nodes_own_alpha_is_known_to_the_planner() {
    let (parameters, inputs) = hand_made(vec![request(1, 2, 6)]);
    let parameters = Parameters { alpha_known: false, ..parameters };
    let runs = judged(&cell(&parameters, &inputs, &[Policy::AsapLeast]));
    let reserved = reservations(&runs[0], Policy::AsapLeast)[0].unwrap();
    assert_eq!(reserved.billed, reserved.planned);
}

/// The forecast of the day says that 00:00 to 04:00 is the cheaper part, at 50 EUR/MWh; it comes out
/// at 200. One node of 10 W for 2 h is 20 Wh: planned at 0.001 EUR, billed at 0.004 EUR, a miss of
/// 3; the clairvoyant plan waits for 100 EUR/MWh and pays 0.002 EUR, a regret of 1.
#[test]
fn plans_by_forecasts_are_billed_at_what_comes_true() {
    let (parameters, inputs) = hand_made(vec![request(1, 2, 6)]);
    let piece = |span, per_mwh: i64| {
        let value = EnergyPrice::from_millionths_per_mwh(per_mwh * 1_000_000).unwrap();
        Piece { span, value }
    };
    let agenda = Agenda::new(vec![piece(hours(0, 4), 50), piece(hours(4, 48), 100)]).unwrap();
    let forecasts = vec![Forecast { issued_at: at(0), agenda }];
    let inputs = Inputs { price_forecasts: forecasts, ..inputs };
    let cell = cell(&parameters, &inputs, &[cost_co2_energy()]);
    let runs = judged(&cell);
    let reserved = reservations(&runs[0], cost_co2_energy())[0].unwrap();
    assert_eq!(reserved.start, at(0));
    let summary = Summary::of(&cell, &runs);
    let of = summary.policy(cost_co2_energy()).unwrap();
    for (measure, value) in [
        (Measure::Cost, 0.004),
        (Measure::ForecastMissCost, 3.0),
        (Measure::ForecastMissEnergy, 0.0),
        (Measure::RegretCost, 1.0),
        (Measure::RegretEnergy, 0.0),
    ] {
        assert!((mean(of, measure) - value).abs() < 1e-9, "{}", measure.key());
    }
}

/// B may start first, so it comes first, and takes both nodes for the whole window of A.
#[test]
fn requests_may_arrive_when_they_could_first_start() {
    let later = Request { earliest_start: at(HOUR), latest_start: at(HOUR), ..request(1, 2, 0) };
    let (parameters, inputs) = hand_made(vec![later, request(2, 3, 0)]);
    let placed = |arrival| {
        let parameters = Parameters { arrival, ..parameters.clone() };
        let runs = judged(&cell(&parameters, &inputs, &[Policy::AsapLeast]));
        let outcomes = runs[0].requests.iter().zip(&runs[0].policies[0].outcomes);
        let placed = outcomes.filter(|(_, outcome)| outcome.scheduled().is_some());
        placed.map(|(asked, _)| asked.number).collect::<Vec<_>>()
    };
    assert_eq!(placed(Arrival::BeforeMonth), [1]);
    assert_eq!(placed(Arrival::AtEarliestStart), [2]);
}

/// No schedule does better by a request than the least it could take.
#[test]
fn nothing_is_billed_below_the_least() {
    let policies: Vec<Policy> = Policy::all().collect();
    let run = &judged(&cell(&small(), &Inputs::default(), &policies))[0];
    for played in &run.policies {
        for (asked, reserved) in played.scheduled(&run.requests) {
            let (least, billed) = (asked.least.unwrap(), reserved.billed);
            assert!(least.energy_j <= billed.energy_j, "{}", played.policy);
            assert!(least.cost <= billed.cost && least.co2_g <= billed.co2_g, "{}", played.policy);
        }
    }
}

/// What is written down and read again is the same to the last digit.
#[test]
fn a_played_run_survives_being_written_down() {
    let runs = judged(&cell(&small(), &Inputs::default(), &Policy::SESAMES));
    let text = serde_json::to_string(&runs).unwrap();
    assert_eq!(serde_json::from_str::<Vec<PlayedRun>>(&text).unwrap(), runs);
}

/// Prices end at 48:00, and a request for two hours may start until 46:00, or until 47:00.
#[test]
fn given_agendas_must_cover_what_requests_could_use() {
    let tried = |latest_h, allow_uncovered| {
        let (parameters, inputs) = hand_made(vec![request(1, 2, latest_h), request(1, 1, 0)]);
        let parameters = Parameters { allow_uncovered, ..parameters };
        Cell::new(parameters, inputs, vec![Policy::AsapLeast])
    };
    assert!(tried(46, false).unwrap().uncovered().is_empty());
    let Err(SesamesError::Uncovered(uncovered)) = tried(47, false) else {
        panic!("what is not covered is played")
    };
    let of = |given| uncovered.iter().find(|it| it.agenda == given).copied();
    let price = of(Given::Price).unwrap();
    assert_eq!((price.uncovered, price.requests), (1, 2));
    assert_eq!((price.covers, price.needed), (Some(hours(0, 48)), hours(0, 49)));
    assert!(of(Given::Co2).is_some() && of(Given::PowerCap).is_none());
    let cell = tried(47, true).unwrap();
    assert_eq!(cell.uncovered(), uncovered);
    let summary = Summary::of(&cell, &judged(&cell));
    let month = summary.policy(Policy::AsapLeast).unwrap().month;
    assert_eq!((month.covered_share, month.served), (Some(0.5), 2.0));
}
