//! The resource manager beside the service: what runs jobs on the nodes, such as Slurm. What it says of
//! nodes, reservations and jobs as plain values, and the rules by which both sides are kept equal.
//!
//! A *managed reservation* is a reservation in the resource manager that stands for one of ours. Nodes are
//! addressed by their names here: the resource manager knows no ordinals.

mod error;
mod give_back;
mod inventory;
mod job;
mod known_node;
mod node;
mod recurrence;
mod reservation;
mod step;
mod wake;
mod withheld;
#[cfg(test)]
mod worked_example;

pub use error::ManagerError;
pub use give_back::JobsSummary;
pub use inventory::{NodesCompared, compare_nodes, labels_of};
pub use job::{JobKey, JobPhase, ManagedJob, Queued};
pub use known_node::{GONE_KEPT_FOR, KnownNode, NodeNews, NodesRemembered, remember};
pub use node::{ManagedNode, NodePower, Unavailable, UnavailableCause};
pub use reservation::{
    CLOCKS_AGREE, Difference, ManagedReservation, ManagedState, WantedReservation, differences,
    listed, reservation_id, reservation_name,
};
pub use step::{BothSides, OnDrift, Step, StepRules, WithJobs, next_step, told};
pub use wake::{WakeNeed, WakeOutcome, WakeTimes, withheld_until};
pub use withheld::{ManagerView, OurPart, WithheldKind, WithheldNodes, withheld};
