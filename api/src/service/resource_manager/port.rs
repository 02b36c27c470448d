//! What the service needs of a resource manager, whichever it is.

use std::pin::Pin;

use planner::resource_manager::{
    ManagedJob, ManagedNode, ManagedReservation, ManagerError, WantedReservation,
};
use planner::time::{Span, Timestamp};

/// The answer to a question, once it is there.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, ManagerError>> + Send + 'a>>;

/// What runs jobs on the nodes. Methods may be called at the same time; who is dropped before it has
/// answered may have done what it was asked for or not.
pub trait ResourceManager: Send + Sync {
    /// What it is and what can be done with it, found out anew. Whether the service's user may change it
    /// is found out by asking for a change, and only where `drives`.
    fn about(&self, drives: bool) -> Answer<'_, ManagerAbout>;

    /// Its nodes; `None` where nothing changed since the instant `known` of an earlier list.
    fn nodes(&self, known: Option<Timestamp>) -> Answer<'_, Option<ManagerList<ManagedNode>>>;

    /// Its reservations, ours and others; `None` where nothing changed since `known`.
    fn reservations(
        &self,
        known: Option<Timestamp>,
    ) -> Answer<'_, Option<ManagerList<ManagedReservation>>>;

    /// The jobs that wait or run, and those that ended lately; `None` where nothing changed since `known`.
    fn jobs(&self, known: Option<Timestamp>) -> Answer<'_, Option<ManagerList<ManagedJob>>>;

    /// What its accounting knows of a job that has ended, of all jobs that had this id.
    fn ended_jobs<'a>(&'a self, id: &'a str) -> Answer<'a, Vec<ManagedJob>>;

    /// What its accounting knows of the jobs that ran in a reservation and have ended, though the reservation may
    /// be gone.
    fn ended_jobs_in<'a>(
        &'a self,
        reservation: &'a WantedReservation,
    ) -> Answer<'a, Vec<ManagedJob>>;

    /// What its accounting knows of the jobs that had nodes in a span and have ended, whoever's they are.
    fn ended_jobs_during(&self, span: Span) -> Answer<'_, Vec<ManagedJob>>;

    /// One reservation as it is now; `None` where there is none of this name.
    fn reservation<'a>(&'a self, name: &'a str) -> Answer<'a, Option<ManagedReservation>>;

    /// Makes a reservation, or changes the one that it `replaces` into it.
    fn put_reservation<'a>(
        &'a self,
        wanted: &'a WantedReservation,
        replaces: Option<&'a ManagedReservation>,
    ) -> Answer<'a, ()>;

    /// Whether a reservation was refused for what is on its nodes, so that others may be given.
    fn refuses_nodes(&self, error: &ManagerError) -> bool;

    /// Removes a reservation.
    fn remove_reservation<'a>(&'a self, name: &'a str) -> Answer<'a, ()>;

    /// Ends a job, or lets it not begin.
    fn cancel_job<'a>(&'a self, id: &'a str) -> Answer<'a, ()>;
}

/// What switches nodes.
pub trait PowerDriver: Send + Sync {
    /// Orders that nodes be switched on; those that are on stay so.
    fn power_up<'a>(&'a self, nodes: &'a [String]) -> Answer<'a, ()>;

    /// Orders that nodes be switched off; jobs that run there end first.
    fn power_down<'a>(&'a self, nodes: &'a [String]) -> Answer<'a, ()>;
}

/// What a resource manager is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagerAbout {
    /// Its release.
    pub version: String,
    /// The cluster's name, where it tells.
    pub cluster: Option<String>,
    /// By which way it is read, in words.
    pub reads_by: String,
    /// By which way it is changed, in words; an error says why it cannot be.
    pub writes_by: Result<String, String>,
    /// Its clock when it answered, where it told.
    pub clock: Option<Timestamp>,
    /// Whether the service's user may change it, where that was asked and can be found out.
    pub may_write: Option<bool>,
}

/// A list as it was at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagerList<T> {
    /// By the resource manager's clock: what changed before is in the list.
    pub at: Timestamp,
    /// What is in it.
    pub items: Vec<T>,
}
