//! Nodes, reservations and jobs for the worked examples of this module's tests.

use std::collections::BTreeSet;

use super::{JobPhase, ManagedJob, ManagedNode, ManagedReservation, NodePower, WantedReservation};
use crate::time::{Span, Timestamp};

/// The instant so many seconds after the epoch.
pub(super) const fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(seconds)
}

/// A node in the partition `batch` that is on.
pub(super) fn node(name: &str) -> ManagedNode {
    ManagedNode {
        name: name.into(),
        address: format!("{name}.example.org").into(),
        partitions: vec!["batch".into()],
        features: Vec::new(),
        cpus: 16,
        memory_mib: 64_000,
        generic_resources: "".into(),
        unavailable: None,
        power: NodePower::On,
        booted: None,
    }
}

/// Names as they stand in reservations.
pub(super) fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A reservation of these nodes for alice.
pub(super) fn reservation(name: &str, nodes: &[&str], start: i64, end: i64) -> ManagedReservation {
    ManagedReservation {
        name: name.to_owned(),
        nodes: names(nodes),
        span: Span::new(at(start), at(end)).unwrap(),
        users: names(&["alice"]),
        accounts: BTreeSet::new(),
        flags: BTreeSet::new(),
    }
}

/// A reservation of these nodes for alice as it ought to be.
pub(super) fn wanted(name: &str, nodes: &[&str], start: i64, end: i64) -> WantedReservation {
    let ManagedReservation { name, nodes, span, users, accounts, .. } =
        reservation(name, nodes, start, end);
    WantedReservation { name, nodes, span, users, accounts }
}

/// A job of alice that runs on these nodes without a time limit, in no reservation.
pub(super) fn job(id: &str, nodes: &[&str]) -> ManagedJob {
    ManagedJob {
        id: id.to_owned(),
        raw_id: id.parse().ok(),
        submitted: at(0),
        user: "alice".to_owned(),
        account: "physics".to_owned(),
        partition: "batch".to_owned(),
        name: "job".to_owned(),
        state: "RUNNING".to_owned(),
        phase: JobPhase::Running,
        start: Some(at(0)),
        end: None,
        limit: None,
        queued: None,
        nodes: nodes.iter().map(|&name| name.to_owned()).collect(),
        reservation: None,
        energy: None,
    }
}
