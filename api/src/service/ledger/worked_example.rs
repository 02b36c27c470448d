//! Nodes, reservations and jobs for the worked examples of this module's tests.

use planner::decimal::Fraction;
use planner::identity::ReservationId;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::order::{NodeOrder, Preference};
use planner::quantity::Power;
use planner::resource_manager::{JobPhase, ManagedJob};
use planner::time::{Span, Timestamp};
use storage::{EpochId, HeldNodes, LedgerSources};
use uuid::Uuid;

use crate::service::shared::EpochNodes;

/// The instant so many seconds after the epoch.
pub(super) const fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(seconds)
}

pub(super) fn span(start: i64, end: i64) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

/// The nodes n0, n1 and so on, of 100 W idle and 200 W at most.
pub(super) fn nodes(count: usize) -> EpochNodes {
    let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
    let node = Node::new(watts(100), watts(200), None).unwrap();
    let nodes = Nodes::numbered(vec![node; count]).unwrap();
    let order = NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE);
    EpochNodes { nodes: nodes.into(), order: order.into() }
}

/// A time in which there was nothing.
pub(super) const fn no_sources() -> LedgerSources {
    LedgerSources {
        epochs: Vec::new(),
        held: Vec::new(),
        jobs: Vec::new(),
        switched: Vec::new(),
        powers: Vec::new(),
        price: Vec::new(),
        co2: Vec::new(),
    }
}

/// Nodes of the first epoch that a reservation of ada had, which the resource manager did not have.
pub(super) fn held(request: &str, span: Span, first: u32, end: u32) -> HeldNodes {
    HeldNodes {
        reservation: ReservationId::new(Uuid::nil()),
        owner: "ada".to_owned(),
        request: request.to_owned(),
        managed: false,
        epoch: EpochId::from(1),
        span,
        ranks: NodeSet::from_positions(first..end),
        slowed_draw: None,
    }
}

/// A job of a user that ran on these nodes and has ended, in no reservation.
pub(super) fn job(id: &str, user: &str, span: Span, nodes: &[&str]) -> ManagedJob {
    ManagedJob {
        id: id.to_owned(),
        raw_id: id.parse().ok(),
        submitted: at(0),
        user: user.to_owned(),
        account: "physics".to_owned(),
        partition: "batch".to_owned(),
        name: "job".to_owned(),
        state: "COMPLETED".to_owned(),
        phase: JobPhase::Ended,
        start: Some(span.start()),
        end: Some(span.end()),
        limit: None,
        queued: None,
        nodes: nodes.iter().map(|&name| name.to_owned()).collect(),
        reservation: None,
        energy: None,
    }
}
