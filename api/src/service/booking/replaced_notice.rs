//! What owners are told where other nodes took the place of some: notices, with their words.

use std::fmt::Write as _;

use planner::node_set::NodeSet;
use planner::reservation::{
    Degradation, Notice, NoticeKind, ReplacedNodes, Reservation, ToldOutage,
};
use planner::time::Timestamp;
use storage::{Outage, OutageKind};

use super::other_nodes::Mended;
use crate::service::shared::{Cluster, SiteState};

/// Names of so many nodes are told in words.
const MOST_NAMES: usize = 8;

/// An outage as its notice tells it.
pub(in crate::service) fn told_outage(outage: &Outage) -> ToldOutage {
    let Outage { id, reason, start, end, .. } = outage;
    ToldOutage { id: *id, reason: reason.clone(), start: *start, end: *end }
}

/// What is the matter with nodes that were lost.
pub(in crate::service) fn why_lost(outage: &Outage) -> String {
    // The reason tells until when.
    if outage.kind == OutageKind::Occupied {
        return format!("occupied: {}", outage.reason);
    }
    let mut words = format!("out of service from {}", outage.start);
    match outage.end {
        Some(end) => _ = write!(words, " to {end}"),
        None => words.push_str(" on, until an end that is not known"),
    }
    if !outage.reason.is_empty() {
        let _ = write!(words, " ({})", outage.reason);
    }
    words
}

/// Names of nodes in words, of many the first ones.
pub(in crate::service) fn node_names(ranks: &NodeSet, cluster: &Cluster) -> String {
    let name = |rank| cluster.nodes.name(cluster.reference.ordinal(rank)).into_owned();
    let mut names: Vec<String> = ranks.positions().take(MOST_NAMES).map(name).collect();
    if ranks.count() as usize > MOST_NAMES {
        names.push("...".to_owned());
    }
    names.join(", ")
}

/// The notice of a reservation that got other nodes. What lacks power beside that is told of it still.
pub(in crate::service) fn nodes_replaced(
    reservation: &Reservation,
    mended: &[Mended],
    state: &SiteState,
    now: Timestamp,
) -> Notice {
    let cluster = &state.cluster;
    let told = |it: &Mended| ReplacedNodes {
        offer: it.nodes.offer,
        from: it.nodes.from,
        lost: cluster.named(&it.lost),
        by: cluster.named(&it.by),
        outages: it.outages.iter().map(told_outage).collect(),
    };
    let replaced: Vec<ReplacedNodes> = mended.iter().map(told).collect();
    if let Some((notice, degradation)) = told_of_lost_power(reservation) {
        let degradation = Degradation { lost: Vec::new(), replaced, ..degradation.clone() };
        return Notice { kind: NoticeKind::Degraded(degradation), ..notice.clone() };
    }
    let words = |it: &Mended| {
        let why = it.outages.first().map_or_else(|| "as was asked for".to_owned(), why_lost);
        let (by, lost) = (node_names(&it.by, cluster), node_names(&it.lost, cluster));
        let noun = if it.by.count() == 1 { "node" } else { "nodes" };
        format!("{noun} {by} took the place of {lost}, {why}")
    };
    let what = if reservation.chosen.is_some() { "" } else { "in an offer, " };
    let detail: Vec<String> = mended.iter().map(words).collect();
    Notice {
        kind: NoticeKind::NodesReplaced(replaced),
        at: now,
        detail: format!("{what}{}", detail.join("; ")),
        way_out: "nothing is to be done: start, length and the other nodes are as they were; \
                  energy, cost and CO2 are now those of these nodes"
            .to_owned(),
    }
}

/// The notice of a reservation that lacks power, and what it lacks.
fn told_of_lost_power(reservation: &Reservation) -> Option<(&Notice, &Degradation)> {
    let notice = reservation.notice.as_ref().filter(|_| reservation.lacks_power())?;
    Some((notice, notice.degradation()?))
}
