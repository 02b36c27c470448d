//! Ways in for the fuzzer: what slurmrestd answers, read as if it had been asked. Whether it could be read is told.

use planner::resource_manager::{ManagedJob, ManagedNode, ManagedReservation};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::accounting::AccountedJob;
use crate::document::Document;
use crate::jobs::JobDocument;
use crate::nodes::{NodeDocument, NodeEnergy};
use crate::reservations::ReservationDocument;
use crate::rest::document_of;
use crate::versions::spoken_of;

/// A list of nodes, with what its energy plugin measured of them.
pub fn nodes(body: &[u8]) -> bool {
    let energy: Vec<NodeEnergy> = items::<NodeDocument>(body).map(NodeEnergy::from).collect();
    let nodes: Vec<ManagedNode> = items::<NodeDocument>(body).map(ManagedNode::from).collect();
    energy.len() == nodes.len() && !nodes.is_empty()
}

/// A list of reservations.
pub fn reservations(body: &[u8]) -> bool {
    read(items::<ReservationDocument>(body).map(ManagedReservation::try_from))
}

/// A list of jobs of slurmctld.
pub fn jobs(body: &[u8]) -> bool {
    read(items::<JobDocument>(body).map(ManagedJob::try_from))
}

/// A list of jobs of slurmdbd.
pub fn ended_jobs(body: &[u8]) -> bool {
    read(items::<AccountedJob>(body).map(AccountedJob::managed))
}

/// Statistics of the controller, and its clock.
pub fn diagnosis(body: &[u8]) -> bool {
    let document: Option<Document<IgnoredAny>> = document_of(200, body).ok();
    document.and_then(|it| it.statistics?.req_time.instant()).is_some()
}

/// What slurmrestd says that it offers.
pub fn description(body: &[u8]) -> bool {
    spoken_of(body).is_ok_and(|(slurm, _)| slurm.is_some())
}

/// An answer that is no success.
pub fn refusal(body: &[u8]) -> bool {
    [400, 401, 404, 500].iter().all(|status| {
        let document: Result<Document<IgnoredAny>, _> = document_of(*status, body);
        document.is_err_and(|error| !error.to_string().is_empty())
    })
}

/// The items of an answer; none where it is no document.
fn items<T: DeserializeOwned>(body: &[u8]) -> impl Iterator<Item = T> {
    let document: Option<Document<T>> = document_of(200, body).ok();
    document.into_iter().flat_map(|it| it.items)
}

/// Whether there are items, and all of them can be read.
fn read<T, E>(items: impl Iterator<Item = Result<T, E>>) -> bool {
    let read: Result<Vec<T>, E> = items.collect();
    read.is_ok_and(|items| !items.is_empty())
}
