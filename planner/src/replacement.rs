//! Nodes that outages take from a reservation, and the nodes that take their place.
//!
//! Whatever an outage does not touch stays as it is. Of the others, those are taken that a plan would
//! take: the least-drawing free ones that the request admits. All lost nodes of an instant are
//! replaced or none is, because a part of them helps nobody who asked for so many.

use crate::book::RankedOutage;
use crate::decision::Shortage;
use crate::node_set::NodeSet;
use crate::quantity::Power;
use crate::reserved_power::power_profile;
use crate::search::PlanningView;
use crate::time::{Span, Timestamp};

/// Nodes held during a span, as ranks of the book's order.
pub type Holding = (Span, NodeSet);

/// What one outage takes from one holding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The outage, by its position among those given.
    pub outage: usize,
    /// The time for which the nodes are both held and out of service.
    pub span: Span,
    /// The nodes, as ranks of the book's order.
    pub ranks: NodeSet,
}

/// What outages take from holdings that follow one another, by holding, then by outage. Spans that
/// touch do not overlap: an outage that ends as a holding starts takes nothing from it.
/// `O(holdings x outages)`, and the ranges of those that meet.
pub fn losses(held: &[Holding], outages: &[RankedOutage]) -> Vec<Loss> {
    let loss = |(span, ranks): &Holding, outage: usize| {
        let out = &outages[outage];
        let span = span.intersection(out.span)?;
        let ranks = ranks.intersection(&out.ranks);
        (!ranks.is_empty()).then_some(Loss { outage, span, ranks })
    };
    held.iter().flat_map(|held| (0..outages.len()).filter_map(move |it| loss(held, it))).collect()
}

/// From when on which nodes are to be replaced; `None` where nothing is lost.
///
/// Before it has begun, a reservation gets other nodes from its start for everything it will lose, so
/// that it keeps its nodes while it runs. Once it has begun, nodes are replaced when they fail: those
/// that it loses first, from that instant on.
pub fn due(held: &[Holding], losses: &[Loss], begun: bool) -> Option<(Timestamp, NodeSet)> {
    let first = losses.iter().map(|loss| loss.span.start()).min()?;
    let all = || losses.iter();
    let union = |lost: NodeSet, loss: &Loss| lost.union(&loss.ranks);
    if begun {
        let then = all().filter(|loss| loss.span.start() == first);
        return Some((first, then.fold(NodeSet::new(), union)));
    }
    let start = held.iter().map(|(span, _)| span.start()).min()?;
    Some((start, all().fold(NodeSet::new(), union)))
}

/// The nodes to be taken during `span` by the reservation `id` instead of `lost`, as ranks of the
/// book's order: the least-drawing of the view's selection that are neither held by others nor out
/// of service at any instant of it, nor among `held`, which are all that the reservation itself holds.
/// `counted` says what nodes of the book's ranks count against the cap in the reservation's state.
/// `O(nodes of the selection)` at the worst.
///
/// # Errors
/// What is missing: nodes, or power under the cap for what the others count more than `lost`. Where
/// the cap has no value it forbids nothing, since the reservation was promised already.
pub fn replacement(
    view: &PlanningView<'_>,
    id: &str,
    span: Span,
    held: &NodeSet,
    lost: &NodeSet,
    counted: &dyn Fn(&NodeSet) -> Power,
) -> Result<NodeSet, Shortage> {
    let others = view.book.overlapping(span).filter(|booking| *booking.id != *id);
    let outages = view.book.outages().overlapping(span);
    let mut ranges = view.selection.excluded().ranges().to_vec();
    ranges.extend_from_slice(held.ranges());
    ranges.extend(others.flat_map(|booking| booking.ranks.ranges().iter().cloned()));
    ranges.extend(outages.flat_map(|outage| outage.ranks.ranges().iter().cloned()));
    let taken = NodeSet::from_ranges(ranges);
    let wanted = lost.count();
    let selected = (0..view.selection.order().count()).map(|rank| view.selection.book_rank(rank));
    let free = selected.filter(|rank| !taken.contains(*rank)).take(wanted as usize);
    let others = NodeSet::from_positions(free);
    match wanted - others.count() {
        0 => {}
        missing => return Err(Shortage::Nodes(missing)),
    }
    let more = counted(&others) - counted(lost);
    match room(view, span) {
        Some(room) if more > Power::ZERO && more > room => {
            Err(Shortage::Power(more - room.max(Power::ZERO)))
        }
        _ => Ok(others),
    }
}

/// The least that the cap leaves during a span beside all that is reserved; `None` where no cap is
/// known.
fn room(view: &PlanningView<'_>, span: Span) -> Option<Power> {
    let cap = view.agendas.power_cap.as_ref()?;
    let bookings: Vec<_> = view.book.overlapping(span).collect();
    let profile = power_profile(&[], &bookings, view.book.order(), cap, span);
    profile.iter().filter_map(|step| Some(step.cap? - view.base_power - step.reserved)).min()
}

/// Those of `by` that come for what a holding of `ranks` has of `lost`: as many as it loses.
pub fn stand_ins(ranks: &NodeSet, lost: &NodeSet, by: &NodeSet) -> NodeSet {
    let missing = ranks.intersection(lost).count();
    NodeSet::from_positions(by.positions().take(missing as usize))
}

/// What is held once `by` take the place of `lost` from an instant on, in time order. A holding that
/// has none of `lost` stays as it is.
pub fn replaced(held: &[Holding], from: Timestamp, lost: &NodeSet, by: &NodeSet) -> Vec<Holding> {
    let mut after = Vec::with_capacity(held.len() + 1);
    for (span, ranks) in held {
        after.extend(Span::new(span.start(), span.end().min(from)).map(|it| (it, ranks.clone())));
        let changed = || ranks.difference(lost).union(&stand_ins(ranks, lost, by));
        after.extend(Span::new(span.start().max(from), span.end()).map(|it| (it, changed())));
    }
    after
}
