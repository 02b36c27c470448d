//! The paper's algorithm as it is written down: every node is looked at for every start.

use planner::request::Request;
use planner::time::{Seconds, Span, Timestamp};

use super::scenario::Scenario;

/// The least cost of all feasible starts on quarter-hours, in the exact unit.
pub fn best_by_cost(scenario: &Scenario, request: &Request) -> Option<i128> {
    const SLOT: Seconds = Seconds::new(900);
    let first = request.earliest_start.ceil_to(SLOT);
    let starts = std::iter::successors(Some(first), |&start| Some(start + SLOT));
    let starts = starts.take_while(|&start| start <= request.latest_start);
    starts.filter_map(|start| cost(scenario, request, start)).min()
}

fn cost(scenario: &Scenario, request: &Request, start: Timestamp) -> Option<i128> {
    let span = Span::starting(start, request.duration)?;
    let order = scenario.order();
    let mut free = vec![true; order.count() as usize];
    for booking in scenario.book().bookings() {
        if booking.span.overlaps(span) {
            for rank in booking.ranks.positions() {
                free[rank as usize] = false;
            }
        }
    }
    // Power of single nodes, as if nothing were known of their order.
    let node = |rank: u32| order.before(rank + 1) - order.before(rank);
    let mut nodes: Vec<(i64, u32)> = (0_u32..)
        .zip(&free)
        .filter(|(_, free)| **free)
        .map(|(rank, _)| (node(rank).draw.as_microwatts(), order.ordinal(rank)))
        .collect();
    if nodes.len() < request.nodes as usize {
        return None;
    }
    nodes.sort_unstable_by_key(|&(draw, ordinal)| (draw, ordinal));
    nodes.truncate(request.nodes as usize);
    let peak: i128 =
        nodes.iter().filter_map(|(_, it)| order.rank(*it)).map(|it| counted(scenario, it)).sum();
    let agendas = scenario.agendas();
    let cap = agendas.power_cap.as_ref()?;
    for piece in cap.overlapping(span) {
        let part = piece.span.intersection(span)?;
        let booked = scenario.book().bookings().iter().filter(|it| it.span.overlaps(part));
        let mut instants = vec![part.start()];
        instants.extend(booked.clone().map(|it| it.span.start()).filter(|it| part.contains(*it)));
        for instant in instants {
            let active = booked.clone().filter(|it| it.span.contains(instant));
            let reserved: i128 = active.map(|it| i128::from(it.counted().as_microwatts())).sum();
            if reserved + peak > i128::from(piece.value.as_microwatts()) {
                return None;
            }
        }
    }
    let draw: i128 = nodes.iter().map(|(draw, _)| i128::from(*draw)).sum();
    let price = agendas.price.agenda();
    let parts = price.overlapping(span).iter().filter_map(|piece| {
        let seconds = piece.span.intersection(span)?.length().get();
        Some(i128::from(planner::quantity::Rate::as_millionths(piece.value)) * i128::from(seconds))
    });
    Some(draw * parts.sum::<i128>())
}

fn counted(scenario: &Scenario, rank: u32) -> i128 {
    let order = scenario.order();
    i128::from((order.before(rank + 1) - order.before(rank)).counted.as_microwatts())
}
