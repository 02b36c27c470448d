//! How a reservation stands in the resource manager, as JSON.

use planner::node_list;
use planner::quantity::Energy;
use planner::reservation::Reservation;
use planner::resource_manager::ManagedJob;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::booking::ManagedOf;

/// How a reservation stands in Slurm.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmReservation)]
pub struct ManagedDocument {
    /// Its name there.
    #[schema(example = "wattbook-019350e6-7c1e-7d5a-9d0e-0c0f3b6f2a11")]
    pub reservation: String,
    /// `waiting`, `in_force`, `failed`, `lost` or `removed`.
    #[schema(example = "in_force")]
    pub state: &'static str,
    /// Why it stands so; null where there is nothing to say.
    pub because: Option<String>,
    /// The jobs that ran, run or wait in it, by submission: the newest hundred, and in lists the newest ten. All
    /// of them are in `GET /api/v1/reservations/{id}/jobs`.
    pub jobs: Vec<ManagedJobDocument>,
    /// How many there are.
    #[schema(example = 3)]
    pub jobs_count: u64,
    /// What is reserved, and what its jobs have used of it so far.
    pub node_seconds: NodeSecondsDocument,
}

/// A job in a reservation.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmJob)]
pub struct ManagedJobDocument {
    /// Its id.
    #[schema(example = "1234")]
    pub id: String,
    /// Whose it is.
    pub user: String,
    /// The account that is charged; empty where there are none.
    pub account: String,
    /// Its state in Slurm's words.
    #[schema(example = "RUNNING")]
    pub state: String,
    /// When it began, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub start: Option<Timestamp>,
    /// When it ended, or will end at the latest, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub end: Option<Timestamp>,
    /// Its nodes as Slurm writes them.
    #[schema(example = "n[1-4]")]
    pub nodes: String,
    /// What it consumed, joules; null where that was not measured.
    pub energy_j: Option<f64>,
}

/// Node-seconds: a node for a second each.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmNodeSeconds)]
pub struct NodeSecondsDocument {
    /// The nodes of the chosen offer for its whole span.
    pub reserved: u64,
    /// The nodes of the jobs, from their starts to their ends or until now.
    pub used: u64,
}

impl ManagedDocument {
    /// What is known of a reservation.
    pub fn new(reservation: &Reservation, of: &ManagedOf) -> Self {
        let nodes = reservation.chosen_offer().map_or(0, |offer| offer.terms.nodes.count());
        let length = reservation.chosen.map_or(0, |(_, span)| span.length().get());
        let reserved = u64::from(nodes) * length.unsigned_abs();
        Self {
            reservation: of.managed.name.clone(),
            state: of.managed.state.word(),
            because: of.managed.because.clone(),
            jobs: of.jobs.iter().map(ManagedJobDocument::from).collect(),
            jobs_count: of.summary.jobs,
            node_seconds: NodeSecondsDocument { reserved, used: of.summary.used_node_seconds },
        }
    }
}

impl From<&ManagedJob> for ManagedJobDocument {
    fn from(job: &ManagedJob) -> Self {
        Self {
            id: job.id.clone(),
            user: job.user.clone(),
            account: job.account.clone(),
            state: job.state.clone(),
            start: job.start,
            end: job.end,
            nodes: node_list::format(job.nodes.iter().map(String::as_str)),
            energy_j: job.energy.map(Energy::as_joules),
        }
    }
}
