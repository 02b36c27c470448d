//! Worked examples, and a month against a naive reckoning.

mod month;
mod worked;

use super::{Claim, ClaimedDraw, Holder, Interval, Overheads, Party, Tariff};
use crate::agenda::{Agenda, Piece, RateAgenda};
use crate::decimal::Fraction;
use crate::identity::ReservationId;
use crate::node::{Node, Nodes};
use crate::node_set::NodeSet;
use crate::quantity::{CarbonIntensity, Currency, Energy, EnergyPrice, Power};
use crate::time::{Span, Timestamp};
use uuid::Uuid;

const JOULE: i128 = 1_000_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_seconds(second)
}

fn span(start: i64, end: i64) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

fn joules(joules: i128) -> Energy {
    Energy::from_microjoules(joules * JOULE)
}

/// Nodes of 100 W idle and 500 W at most.
fn nodes(count: u32) -> Nodes {
    let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
    Nodes::numbered(vec![Node::new(watts(100), watts(500), None).unwrap(); count as usize]).unwrap()
}

/// Agendas of `(from, to, value)`: currency a MWh and grams a kWh.
fn tariff(prices: &[(i64, i64, i64)], by_location: &[(i64, i64, i64)]) -> Tariff {
    let price = |&(start, end, value): &(i64, i64, i64)| Piece {
        span: span(start, end),
        value: EnergyPrice::from_millionths_per_mwh(value * 1_000_000).unwrap(),
    };
    Tariff {
        price: RateAgenda::new(Agenda::new(prices.iter().map(price).collect()).unwrap()),
        currency: Currency::EUR,
        by_location: intensities(by_location),
        by_market: None,
        other: None,
    }
}

/// An agenda of `(from, to, grams a kWh)`.
fn intensities(pieces: &[(i64, i64, i64)]) -> RateAgenda<CarbonIntensity> {
    let piece = |&(start, end, value): &(i64, i64, i64)| Piece {
        span: span(start, end),
        value: CarbonIntensity::from_millionths_g_per_kwh(value * 1_000_000).unwrap(),
    };
    RateAgenda::new(Agenda::new(pieces.iter().map(piece).collect()).unwrap())
}

fn reservation(number: u128, user: &str) -> Party {
    Party {
        reservation: Some(ReservationId::new(Uuid::from_u128(number))),
        user: user.to_owned(),
        owner: user.to_owned(),
        ..Party::of(Holder::Reservation)
    }
}

fn job(id: &str, user: &str) -> Party {
    Party { job: id.to_owned(), user: user.to_owned(), ..Party::of(Holder::Job) }
}

fn claim(party: Party, (start, end): (i64, i64), nodes: std::ops::Range<u32>) -> Claim {
    Claim {
        party,
        span: span(start, end),
        nodes: NodeSet::from_ranges(std::iter::once(nodes).collect()),
        draw: ClaimedDraw::Busy(Fraction::ONE),
    }
}

static NO_OVERHEADS: Overheads = Overheads::of_millionths(Vec::new());

fn interval<'a>(start: i64, nodes: &'a Nodes, claims: &'a [Claim]) -> Interval<'a> {
    Interval {
        span: span(start, start + 900),
        nodes,
        claims,
        measured: &[],
        racks: &[],
        site: None,
        overheads: &NO_OVERHEADS,
    }
}
