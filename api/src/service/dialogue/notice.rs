//! What owners are told when reservations lose power or nodes: notices, with their words.

use planner::decision::Shortage;
use planner::dialogue::YieldOrder;
use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::reservation::{
    Degradation, LostNodes, Notice, NoticeKind, Rejection, Reservation, Withdrawal,
};
use planner::time::Timestamp;
use storage::Outage;

use super::repair::Lost;
use crate::service::booking::{node_names, told_outage, why_lost};
use crate::service::shared::Cluster;

/// Why a reservation is degraded.
pub(super) struct Causes<'a> {
    /// Nodes that it lost.
    pub lost: Option<&'a Lost>,
    /// The site's order of giving way, where it lost its power.
    pub power: Option<YieldOrder>,
}

impl Causes<'_> {
    pub(super) const fn is_none(&self) -> bool {
        self.lost.is_none() && self.power.is_none()
    }

    fn degradation(&self, cluster: &Cluster) -> Degradation {
        Degradation {
            lost: self.lost.map(|lost| lost_nodes(lost, cluster)).unwrap_or_default(),
            missing_nodes: self.lost.map(missing),
            lost_power: self.power,
            replacement: None,
            replaced: Vec::new(),
        }
    }

    /// Whether the owner was told of these causes, and of nothing else.
    pub(super) fn are_told(&self, reservation: &Reservation, cluster: &Cluster) -> bool {
        let told = reservation.notice.as_ref().and_then(Notice::degradation);
        reservation.degraded
            && told.is_some_and(|told| told.has_causes_of(&self.degradation(cluster)))
    }

    /// The notice of a degraded reservation.
    pub(super) fn notice(
        &self,
        cluster: &Cluster,
        replacement: Option<ReservationId>,
        begun: bool,
        now: Timestamp,
    ) -> Notice {
        let (mut details, mut waits) = (Vec::new(), Vec::new());
        if let Some(lost) = self.lost {
            details.push(lost_words(lost, cluster));
            if !begun && replacement.is_none() {
                details.push("no other start in its window is possible".to_owned());
            }
            waits.push(if begun {
                "the other nodes are kept, and others are taken as soon as they are free"
            } else {
                "other nodes are taken as soon as they are free"
            });
        }
        if self.power.is_some() {
            details.push("the supplier lowered the power cap below what is reserved".to_owned());
            waits.push("the supplier is asked for the power that is missing");
        }
        let waits = waits.join("; ");
        let way_out = match replacement {
            Some(_) => format!(
                "choose an offer of the replacement: it takes this one's place; or wait, {waits}"
            ),
            None => format!("{waits}; or cancel"),
        };
        let degradation = Degradation { replacement, ..self.degradation(cluster) };
        let kind = NoticeKind::Degraded(degradation);
        Notice { kind, at: now, detail: details.join("; "), way_out }
    }
}

fn missing(lost: &Lost) -> u32 {
    lost.taken.iter().fold(NodeSet::new(), |all, (_, _, ranks)| all.union(ranks)).count()
}

/// Each outage with the nodes that it takes from a reservation, and since when it does.
fn lost_nodes(lost: &Lost, cluster: &Cluster) -> Vec<LostNodes> {
    let told = |(outage, since, ranks): &(Outage, Timestamp, NodeSet)| LostNodes {
        outage: told_outage(outage),
        from: *since,
        nodes: cluster.named(ranks),
    };
    lost.taken.iter().map(told).collect()
}

/// "2 of its 8 nodes (n1, n2) are out of service from ... to ... (new fans); no others ...", or "... are
/// occupied: job 7 of alice runs there until ...; no others ...".
fn lost_words(lost: &Lost, cluster: &Cluster) -> String {
    let all = lost.taken.iter().fold(NodeSet::new(), |all, (_, _, ranks)| all.union(ranks));
    let first = lost.taken.iter().min_by_key(|(_, since, _)| *since);
    let mut words = format!(
        "{} of its {} nodes ({}) {} {}",
        all.count(),
        lost.node_count,
        node_names(&all, cluster),
        if all.count() == 1 { "is" } else { "are" },
        first.map(|(outage, ..)| why_lost(outage)).unwrap_or_default(),
    );
    words.push_str(match lost.shortage {
        Shortage::Power(_) => "; the power cap leaves no room for others",
        _ => "; no others that would do are free all the time",
    });
    words
}

/// The notice of a reservation that lost offers to outages of which none was chosen yet.
pub(super) fn offers_lost(
    lost: &[&Lost],
    cluster: &Cluster,
    way_out: &str,
    now: Timestamp,
) -> Notice {
    let nodes = lost.iter().flat_map(|lost| lost_nodes(lost, cluster)).collect();
    let words = lost.first().map(|lost| lost_words(lost, cluster)).unwrap_or_default();
    let offers = lost.iter().map(|lost| lost.offer).collect();
    Notice {
        kind: NoticeKind::OffersWithdrawn(offers, Withdrawal::NodesLost(nodes)),
        at: now,
        detail: format!("offers lost nodes: {words}"),
        way_out: way_out.to_owned(),
    }
}

/// The notice of a reservation whose offers a lowered cap leaves without power.
pub(super) fn offers_without_power(offers: Vec<OfferId>, now: Timestamp) -> Notice {
    Notice {
        kind: NoticeKind::OffersWithdrawn(offers, Withdrawal::CapLowered),
        at: now,
        detail: "the supplier lowered the power cap below what these offers need".to_owned(),
        way_out: "choose another offer, or make a new request".to_owned(),
    }
}

/// The notice of a request that was rejected for want of power.
pub(super) fn rejected(rejection: Rejection, detail: String, now: Timestamp) -> Notice {
    Notice {
        kind: NoticeKind::Rejected(rejection),
        at: now,
        detail,
        way_out: "ask for fewer nodes or another time, or with a higher fee limit".to_owned(),
    }
}
