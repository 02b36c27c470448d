use std::collections::BTreeSet;
use std::sync::Arc;

use planner::agenda::{Agendas, RateAgenda};
use planner::book::BookedSpan;
use planner::cap_scope::CapScope;
use planner::decimal::{Fraction, format_millionths};
use planner::decision::Outcome;
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::{Currency, Rate};
use planner::search::plan_problem;

use super::*;
use crate::feed::Quality;
use crate::provider::contract::{self, Rule, Tariff};
use crate::provider::rte_tempo::Announced;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Different days of the week and hours, both changes of the clock and a leap day among them.
fn instants() -> impl Iterator<Item = Timestamp> {
    let days = ["2013-01-07", "2026-03-27", "2026-10-23", "2028-02-28", "2027-07-15"];
    let first = days.map(|day| at(&format!("{day}T00:10:00Z")));
    first.into_iter().flat_map(|start| (0..30).map(move |n| start + Seconds::new(n * 7 * 3600)))
}

fn range(values: impl Iterator<Item = i64>) -> (i64, i64) {
    values.fold((i64::MAX, i64::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

/// Midnight in Paris is 23:00 UTC in winter and 22:00 in summer: 2026-10-18 has summer time, and
/// the 37 days from 2026-10-25 lead into winter.
#[test]
fn covers_from_a_week_before_the_local_midnight_to_37_days_after_without_gaps() {
    for (now, start, end) in [
        ("2026-01-15T12:00:00Z", "2026-01-07T23:00:00Z", "2026-02-20T23:00:00Z"),
        ("2026-10-25T12:00:00Z", "2026-10-17T22:00:00Z", "2026-11-30T23:00:00Z"),
    ] {
        let data = demonstration(at(now)).unwrap();
        let span = Span::new(at(start), at(end)).unwrap();
        assert_eq!(ends(&data.price), span);
        assert_eq!(ends(&data.co2).end(), span.end());
        // All before the change of the clock, so that days have 24 hours.
        assert_eq!(span.start() - ends(&data.co2).start(), Seconds::new(29 * 86_400));
        assert_eq!(ends(&data.power_cap), span);
    }
    for instant in instants() {
        let data = demonstration(instant).unwrap();
        let span = ends(&data.price);
        assert!(span.contains(instant));
        assert!(data.price.covers(span) && data.co2.covers(span) && data.power_cap.covers(span));
    }
}

/// What a site would write into its settings says the same as the agenda.
#[test]
fn the_contract_with_its_colours_is_the_price() {
    for now in instants().step_by(7) {
        let data = demonstration(now).unwrap();
        let rules = data.contract.iter().map(|it| Rule {
            band: None,
            colour: Some(it.colour),
            days: None,
            months: Vec::new(),
            from: Some(it.from.clone()),
            to: Some(it.to.clone()),
            energy_per_mwh: format_millionths(it.price.as_millionths()),
            network_per_mwh: None,
        });
        let settings: contract::Settings = toml::from_str(
            "time_zone = \"Europe/Paris\"\ncurrency = \"EUR\"\nday_starts_at = \"06:00\"\nrules = []",
        )
        .unwrap();
        let tariff =
            Tariff::new(&contract::Settings { rules: rules.collect(), ..settings }).unwrap();
        let known = |colour| Announced { colour, quality: Quality::Measured };
        let colours = data.colours.iter().map(|(&day, &colour)| (day, known(colour))).collect();
        let prices = tariff.prices(ends(&data.price), &colours).unwrap().agenda;
        let prices = prices.map(|it| EnergyPrice::from_millionths_per_mwh(it.value).unwrap());
        assert_eq!(joined(prices.pieces().iter().copied()).unwrap(), data.price, "{now}");
    }
}

fn ends<V: Copy>(agenda: &Agenda<V>) -> Span {
    let (first, last) = (agenda.pieces().first().unwrap(), agenda.pieces().last().unwrap());
    Span::new(first.span.start(), last.span.end()).unwrap()
}

/// The ranges of the paper's evaluation, whatever the day: 76.32 to 511.92 EUR/MWh and 27 to
/// 112 g/kWh.
#[test]
fn prices_and_co2_have_the_ranges_of_the_paper() {
    for instant in instants() {
        let data = demonstration(instant).unwrap();
        let price = range(data.price.pieces().iter().map(|piece| piece.value.as_millionths()));
        let co2 = range(data.co2.pieces().iter().map(|piece| piece.value.as_millionths()));
        assert_eq!(price, (76_320_000, 511_920_000), "{instant}");
        assert_eq!(co2, (27_000_000, 112_000_000), "{instant}");
    }
}

#[test]
fn the_cap_lies_between_60_and_100_percent_and_is_lowest_in_the_evening() {
    let data = demonstration(at("2026-01-15T12:00:00Z")).unwrap();
    let max = data.nodes.max_power().as_watts();
    for piece in data.power_cap.pieces() {
        let share = piece.value.as_watts() / max;
        assert!((0.6..=1.0).contains(&share), "{share}");
    }
    let lowest = data.power_cap.pieces().iter().map(|piece| piece.value).min();
    assert_eq!(data.power_cap.at(at("2026-01-15T17:00:00Z")), lowest);
    assert_eq!(data.power_cap.at(at("2026-01-15T18:59:59Z")), lowest);
    assert_ne!(data.power_cap.at(at("2026-01-15T19:00:00Z")), lowest);
}

#[test]
fn there_are_44_nodes_whose_idle_and_maximum_power_rank_differently() {
    let nodes = demonstration(at("2026-01-15T12:00:00Z")).unwrap().nodes;
    assert_eq!((nodes.count(), nodes.name(43).as_ref()), (44, "aube-44"));
    let ranked = |power: fn(&planner::node::Node) -> Power| {
        let mut ordinals: Vec<usize> = (0..44).collect();
        ordinals.sort_by_key(|&ordinal| power(&nodes.as_slice()[ordinal]));
        ordinals
    };
    assert_ne!(ranked(planner::node::Node::idle)[..8], ranked(planner::node::Node::max)[..8]);
    for node in nodes.as_slice() {
        assert!((88.0..=118.0).contains(&node.idle().as_watts()));
        assert!((195.0..=260.0).contains(&node.max().as_watts()));
    }
}

/// 2026-03-29 and 2026-10-25 are Sundays, hence blue: 76.32 off-peak and 121.44 at peak. In winter
/// 06:00 and 22:00 in Paris are 05:00 and 21:00 UTC, in summer 04:00 and 20:00.
#[test]
fn off_peak_is_22_to_06_on_the_clock_when_it_changes() {
    for (now, peak_start, peak_end) in [
        ("2026-03-29T12:00:00Z", "2026-03-29T04:00:00Z", "2026-03-29T20:00:00Z"),
        ("2026-10-25T12:00:00Z", "2026-10-25T05:00:00Z", "2026-10-25T21:00:00Z"),
    ] {
        let price = demonstration(at(now)).unwrap().price;
        let price = |instant| price.at(instant).map(Rate::as_millionths);
        let before = Seconds::new(-1);
        assert_eq!(price(at(peak_start) + before), Some(76_320_000));
        assert_eq!(price(at(peak_start)), Some(121_440_000));
        assert_eq!(price(at(peak_end) + before), Some(121_440_000));
        assert_eq!(price(at(peak_end)), Some(76_320_000));
    }
}

/// 2026-01-14 is a Wednesday: white today, red tomorrow, then blue; a night belongs to the day
/// before it.
#[test]
fn the_next_days_have_all_three_colours() {
    let price = demonstration(at("2026-01-14T12:00:00Z")).unwrap().price;
    let price = |text| price.at(at(text)).unwrap().as_millionths() / 10_000;
    assert_eq!(price("2026-01-14T12:00:00Z"), 14_880);
    assert_eq!(price("2026-01-15T04:59:59Z"), 9_072);
    assert_eq!(price("2026-01-15T05:00:00Z"), 51_192);
    assert_eq!(price("2026-01-16T02:00:00Z"), 10_416);
    assert_eq!(price("2026-01-16T12:00:00Z"), 12_144);
}

/// A red day never falls on a weekend. 2026-01-17 is a Saturday, 2026-01-18 a Sunday.
#[test]
fn weekends_are_never_red_and_sundays_are_blue() {
    for offset in 0..7 {
        let now = at("2026-01-14T12:00:00Z") + Seconds::new(offset * 86_400);
        let price = demonstration(now).unwrap().price;
        let noon = |text| price.at(at(text)).unwrap().as_millionths() / 10_000;
        assert_ne!(noon("2026-01-17T11:00:00Z"), 51_192);
        assert_eq!(noon("2026-01-18T11:00:00Z"), 12_144);
    }
}

#[test]
fn bookings_are_still_to_come_and_those_under_way_keep_their_end() {
    for instant in instants() {
        for booking in demonstration(instant).unwrap().bookings {
            assert_eq!(booking.request.errors(instant), [], "{instant}");
            assert!(booking.request.earliest_start > instant);
        }
    }
    // The booking of 22:00 to 02:00 local time, 21:00 to 01:00 UTC.
    let booking = &demonstration(at("2026-01-14T22:01:00Z")).unwrap().bookings[0];
    assert_eq!(booking.request.earliest_start, at("2026-01-14T22:15:00Z"));
    assert_eq!(booking.request.duration, Seconds::new(2 * 3600 + 45 * 60));
}

#[test]
fn a_day_beyond_the_calendar_is_an_error() {
    assert!(demonstration(Timestamp::MAX).is_err());
    assert!(demonstration(Timestamp::MIN).is_ok());
}

/// The demonstration with every booking made, each where it asks to be.
fn booked(now: Timestamp) -> PlanningProblem {
    let data = demonstration(now).unwrap();
    let mut problem = PlanningProblem {
        now,
        search: SearchMode::Slots { slot: SLOT },
        currency: Currency::EUR,
        nodes: Arc::new(data.nodes),
        agendas: Agendas {
            price: RateAgenda::new(data.price),
            co2: RateAgenda::new(data.co2),
            power_cap: Some(data.power_cap),
        },
        cap_scope: CapScope::ReservedNodes,
        reservations: Vec::new(),
        outages: Vec::new(),
        idle_energy: None,
        request: data.bookings[0].request.clone(),
    };
    for (index, booking) in data.bookings.into_iter().enumerate() {
        problem.request = booking.request;
        let (order, decision) = plan_problem(&problem);
        let offer = decision.as_soon_as_possible.expect("a booking fits");
        problem.reservations.push(BookedSpan {
            id: format!("r{index}").into(),
            span: offer.span,
            nodes: order.ordinals(&offer.ranks),
        });
    }
    problem
}

#[test]
fn a_request_within_the_next_day_has_at_least_three_starts_to_choose_from() {
    for now in instants() {
        let mut problem = booked(now);
        for (hours, utilisation) in [(24, None), (36, None), (36, Fraction::new(0.8))] {
            let shape = Shape { nodes: 8, duration: Seconds::new(2 * 3600) };
            problem.request = Request {
                utilisation,
                ..Request::new(shape, now, now + Seconds::new(hours * 3600))
            };
            let (_, decision) = plan_problem(&problem);
            let Outcome::Choice(offers) = &decision.outcome else {
                panic!("{now}: {}", decision.word());
            };
            let starts: BTreeSet<Timestamp> =
                offers.iter().map(|offer| offer.span.start()).collect();
            assert!(starts.len() >= 3, "{now}, {hours} h, {utilisation:?}: {starts:?}");
        }
    }
}
