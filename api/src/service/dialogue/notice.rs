//! What owners are told when reservations lose power or nodes: notices, as JSON and in words.

use std::fmt::Write as _;

use planner::decision::Shortage;
use planner::node_set::NodeSet;
use planner::time::Timestamp;
use serde_json::{Map, Value, json};
use storage::{Outage, ReservationId, StoredReservation};

use super::repair::{Lost, Mended};
use crate::service::shared::{Cluster, SiteState};

/// Why a reservation is degraded for want of power.
pub(super) const CAP_LOWERED: &str = "cap_lowered";

/// Why it is for want of nodes.
const OUTAGE: &str = "outage";

/// Names of so many nodes are told in words.
const MOST_NAMES: usize = 8;

/// Why a reservation is degraded.
pub(super) struct Causes<'a> {
    /// Nodes that it lost.
    pub lost: Option<&'a Lost>,
    /// The site's order of giving way, where it lost its power.
    pub power: Option<&'static str>,
}

impl Causes<'_> {
    pub(super) const fn is_none(&self) -> bool {
        self.lost.is_none() && self.power.is_none()
    }

    fn words(&self) -> Vec<&'static str> {
        let lost = self.lost.map(|_| OUTAGE);
        lost.into_iter().chain(self.power.map(|_| CAP_LOWERED)).collect()
    }

    /// Whether the owner was told of these causes, and of nothing else.
    pub(super) fn are_told(&self, stored: &StoredReservation, cluster: &Cluster) -> bool {
        let told = told(stored);
        let before = match &told["causes"] {
            // As earlier releases told it.
            Value::Null => vec![told["code"].as_str().unwrap_or_default()],
            causes => causes.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
        };
        let outages = self.lost.map(|lost| outages(lost, cluster)).unwrap_or_default();
        stored.degraded && before == self.words() && told["outages"] == outages
    }

    /// The notice of a degraded reservation.
    pub(super) fn notice(
        &self,
        cluster: &Cluster,
        replacement: Option<ReservationId>,
        begun: bool,
        now: Timestamp,
    ) -> Value {
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
        let words = self.words();
        let mut notice = json!({
            "code": words.first(),
            "causes": words,
            "at": now,
            "detail": details.join("; "),
            "replacement_id": replacement.map(|id| id.to_string()),
            "way_out": way_out,
        });
        if let Some(order) = self.power {
            notice["yield_order"] = order.into();
        }
        if let Some(lost) = self.lost {
            notice["outages"] = outages(lost, cluster);
            notice["missing_nodes"] = missing(lost).into();
        }
        notice
    }
}

fn told(stored: &StoredReservation) -> Value {
    stored.notice.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
}

/// Whether a degraded reservation lacks power too, as its owner was told.
pub(super) fn lacks_power(stored: &StoredReservation) -> bool {
    let told = told(stored);
    let cause = |it: &Value| it == CAP_LOWERED;
    let listed = told["causes"].as_array().is_some_and(|causes| causes.iter().any(cause));
    stored.degraded && (listed || cause(&told["code"]))
}

fn missing(lost: &Lost) -> u32 {
    lost.taken.iter().fold(NodeSet::new(), |all, (_, _, ranks)| all.union(ranks)).count()
}

/// Each outage with the nodes that it takes from a reservation, and since when it does.
fn outages(lost: &Lost, cluster: &Cluster) -> Value {
    let told = |(outage, since, ranks): &(Outage, Timestamp, NodeSet)| {
        let mut it = outage_document(outage);
        it.insert("from".into(), json!(since));
        nodes_into(&mut it, ranks, cluster);
        Value::Object(it)
    };
    lost.taken.iter().map(told).collect()
}

fn outage_document(outage: &Outage) -> Map<String, Value> {
    let mut it = Map::new();
    it.insert("outage_id".into(), outage.id.to_string().into());
    it.insert("reason".into(), outage.reason.clone().into());
    it.insert("start".into(), json!(outage.start));
    it.insert("end".into(), json!(outage.end));
    it
}

fn nodes_into(it: &mut Map<String, Value>, ranks: &NodeSet, cluster: &Cluster) {
    let shown = cluster.show(ranks);
    it.insert("node_count".into(), ranks.count().into());
    it.extend(shown.nodes.map(|nodes| ("nodes".to_owned(), json!(nodes))));
    it.insert("node_ranges".into(), json!(shown.node_ranges));
}

/// "2 of its 8 nodes (n1, n2) are out of service from ... to ... (new fans); no others ...".
fn lost_words(lost: &Lost, cluster: &Cluster) -> String {
    let all = lost.taken.iter().fold(NodeSet::new(), |all, (_, _, ranks)| all.union(ranks));
    let mut words = format!(
        "{} of its {} nodes ({}) {} out of service",
        all.count(),
        lost.node_count,
        names(&all, cluster),
        if all.count() == 1 { "is" } else { "are" },
    );
    let first = lost.taken.iter().min_by_key(|(_, since, _)| *since);
    if let Some((outage, ..)) = first {
        words.push_str(&span_words(outage));
    }
    words.push_str(match lost.shortage {
        Shortage::Power(_) => "; the power cap leaves no room for others",
        _ => "; no others that would do are free all the time",
    });
    words
}

fn span_words(outage: &Outage) -> String {
    let mut words = format!(" from {}", outage.start);
    match outage.end {
        Some(end) => _ = write!(words, " to {end}"),
        None => words.push_str(" on, until an end that is not known"),
    }
    if !outage.reason.is_empty() {
        let _ = write!(words, " ({})", outage.reason);
    }
    words
}

fn names(ranks: &NodeSet, cluster: &Cluster) -> String {
    let name = |rank| cluster.nodes.name(cluster.reference.ordinal(rank)).into_owned();
    let mut names: Vec<String> = ranks.positions().take(MOST_NAMES).map(name).collect();
    if ranks.count() as usize > MOST_NAMES {
        names.push("...".to_owned());
    }
    names.join(", ")
}

/// The notice of a reservation that got other nodes. What lacks power beside that is told of it still.
pub(super) fn nodes_replaced(
    stored: &StoredReservation,
    mended: &[Mended],
    state: &SiteState,
    now: Timestamp,
) -> Value {
    let cluster = &state.cluster;
    let told = |it: &Mended| {
        let nodes = |ranks: &NodeSet| {
            let mut nodes = Map::new();
            nodes_into(&mut nodes, ranks, cluster);
            nodes
        };
        let outages: Vec<_> = it.outages.iter().map(outage_document).collect();
        json!({
            "offer_id": it.nodes.offer.to_string(),
            "from": it.nodes.from,
            "lost": nodes(&it.lost),
            "by": nodes(&it.by),
            "outages": outages,
        })
    };
    let replaced: Vec<Value> = mended.iter().map(told).collect();
    if lacks_power(stored) {
        let mut notice = self::told(stored);
        notice["causes"] = json!([CAP_LOWERED]);
        notice["code"] = CAP_LOWERED.into();
        notice["replaced"] = replaced.into();
        notice["outages"] = Value::Null;
        return notice;
    }
    let words = |it: &Mended| {
        let why = it.outages.first().map(span_words).unwrap_or_default();
        let (by, lost) = (names(&it.by, cluster), names(&it.lost, cluster));
        let noun = if it.by.count() == 1 { "node" } else { "nodes" };
        format!("{noun} {by} took the place of {lost}, out of service{why}")
    };
    let what = if stored.chosen.is_some() { "" } else { "in an offer, " };
    let way_out = "nothing is to be done: start, length and the other nodes are as they were; energy, \
                   cost and CO2 are now those of these nodes";
    let detail: Vec<String> = mended.iter().map(words).collect();
    json!({
        "code": "nodes_replaced",
        "at": now,
        "detail": format!("{what}{}", detail.join("; ")),
        "replaced": replaced,
        "way_out": way_out,
    })
}

/// The notice of a reservation that lost offers of which none was chosen yet.
pub(super) fn offers_withdrawn(
    lost: &[&Lost],
    cluster: &Cluster,
    way_out: &str,
    now: Timestamp,
) -> Value {
    let ids: Vec<String> = lost.iter().map(|lost| lost.offer.to_string()).collect();
    let outages: Vec<Value> = lost
        .iter()
        .flat_map(|lost| outages(lost, cluster).as_array().cloned().unwrap_or_default())
        .collect();
    let words = lost.first().map(|lost| lost_words(lost, cluster)).unwrap_or_default();
    json!({
        "code": "offers_withdrawn",
        "causes": [OUTAGE],
        "at": now,
        "detail": format!("offers lost nodes: {words}"),
        "offer_ids": ids,
        "outages": outages,
        "way_out": way_out,
    })
}
