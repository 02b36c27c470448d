//! Hand-made problems: hours after midnight, watts, EUR/MWh and g/kWh.

use std::sync::Arc;

use planner::agenda::{Agenda, Agendas, Piece, RateAgenda};
use planner::book::BookedSpan;
use planner::cap_scope::CapScope;
use planner::check::check;
use planner::decision::{Decision, Offer};
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::order::NodeOrder;
use planner::problem::{PlanningProblem, SearchMode};
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Integral, Money, Power};
use planner::ranking::Ranking;
use planner::request::{Request, Shape};
use planner::search::plan_problem;
use planner::time::{Seconds, Span, Timestamp};

/// An hour in seconds.
pub const HOUR: i64 = 3_600;

/// 2026-01-01T00:00:00Z.
const MIDNIGHT: i64 = 1_767_225_600;

/// Seconds after midnight.
pub fn second(second: i64) -> Timestamp {
    Timestamp::from_unix_seconds(MIDNIGHT + second)
}

/// Hours after midnight.
pub fn hour(hour: i64) -> Timestamp {
    second(hour * HOUR)
}

pub fn hours(from: i64, until: i64) -> Span {
    Span::new(hour(from), hour(until)).unwrap()
}

/// One node for an hour, starting on the hour from midnight to the last one given; flat agendas
/// over a day, no cap, nothing booked. Each node draws what it draws at most.
pub fn request_for_an_hour(watts: &[i64], last_hour: i64) -> PlanningProblem {
    let node = |watts: &i64| {
        let power = Power::from_microwatts(watts * 1_000_000);
        Node::new(power, power, None).unwrap()
    };
    PlanningProblem {
        now: hour(0),
        search: SearchMode::Slots { slot: Seconds::new(HOUR) },
        currency: Currency::EUR,
        nodes: Arc::new(Nodes::numbered(watts.iter().map(node).collect()).unwrap()),
        agendas: Agendas {
            price: prices(&[(0, 24, 100.0)]),
            co2: intensities(&[(0, 24, 50.0)]),
            power_cap: None,
        },
        reservations: Vec::new(),
        cap_scope: CapScope::ReservedNodes,
        outages: Vec::new(),
        idle_energy: None,
        request: Request::new(
            Shape { nodes: 1, duration: Seconds::new(HOUR) },
            hour(0),
            hour(last_hour),
        ),
    }
}

/// Six hours of which each wins one ranking; the arithmetic is in `worked`.
pub fn six_trade_offs() -> PlanningProblem {
    let mut problem = request_for_an_hour(&[40, 20, 10], 5);
    problem.agendas.price = hourly(&[30.0, 50.0, 10.0, 5.0, 40.0, 10.0], prices);
    problem.agendas.co2 = hourly(&[50.0, 30.0, 40.0, 10.0, 5.0, 2.5], intensities);
    problem.reservations =
        vec![booked("a", 2, 6, &[2]), booked("b", 3, 4, &[1]), booked("c", 5, 6, &[1])];
    problem
}

/// Three hours of which the first two are as good as each other within 5 % of the cost; the
/// arithmetic is in `conditions`.
pub fn two_as_good() -> PlanningProblem {
    let mut problem = request_for_an_hour(&[10], 2);
    problem.agendas.price = prices(&[(0, 1, 101.0), (1, 2, 100.0), (2, 24, 106.0)]);
    problem
}

fn hourly<A>(values: &[f64], agenda: fn(&[(i64, i64, f64)]) -> A) -> A {
    let pieces: Vec<_> = (0..).zip(values).map(|(hour, &value)| (hour, hour + 1, value)).collect();
    agenda(&pieces)
}

/// (from hour, until hour, EUR/MWh).
pub fn prices(pieces: &[(i64, i64, f64)]) -> RateAgenda<EnergyPrice> {
    let price = |value| EnergyPrice::from_millionths_per_mwh(millionths(value)).unwrap();
    RateAgenda::new(agenda(pieces, price))
}

/// (from hour, until hour, g/kWh).
pub fn intensities(pieces: &[(i64, i64, f64)]) -> RateAgenda<CarbonIntensity> {
    let intensity = |value| CarbonIntensity::from_millionths_g_per_kwh(millionths(value)).unwrap();
    RateAgenda::new(agenda(pieces, intensity))
}

/// (from hour, until hour, W).
pub fn caps(pieces: &[(i64, i64, f64)]) -> Agenda<Power> {
    agenda(pieces, |value| Power::from_microwatts(millionths(value)))
}

fn agenda<V: Copy>(pieces: &[(i64, i64, f64)], value: impl Fn(f64) -> V) -> Agenda<V> {
    let piece =
        |&(from, until, it): &(i64, i64, f64)| Piece { span: hours(from, until), value: value(it) };
    Agenda::new(pieces.iter().map(piece).collect()).unwrap()
}

#[expect(clippy::cast_possible_truncation, reason = "written by hand, small")]
fn millionths(value: f64) -> i64 {
    (value * 1e6).round() as i64
}

/// A reservation of these nodes from hour to hour.
pub fn booked(id: &str, from: i64, until: i64, nodes: &[u32]) -> BookedSpan {
    let nodes = NodeSet::from_positions(nodes.iter().copied());
    BookedSpan { id: id.into(), span: hours(from, until), nodes }
}

/// Plans, and has the plan judged.
pub fn planned(problem: &PlanningProblem) -> (Arc<NodeOrder>, Decision) {
    let (order, decision) = plan_problem(problem);
    assert_eq!(check(problem, &order, &decision), Ok(()));
    (order, decision)
}

/// The hour at which the offer of a ranking starts.
pub fn hour_of(decision: &Decision, ranking: &str) -> i64 {
    let ranking: Ranking = ranking.parse().unwrap();
    start_of(decision.offer_for(ranking).unwrap()) / HOUR
}

/// Seconds after midnight.
pub fn start_of(offer: &Offer) -> i64 {
    (offer.span.start() - hour(0)).get()
}

/// Money in 1 / 3.6e21 EUR.
pub fn euros_exact(exact: i128) -> Money {
    let price = Integral::from_millionth_seconds(exact);
    Power::from_microwatts(1).times_price(price, Currency::EUR)
}
