//! The resource manager beside the service: what runs jobs on the nodes, such as Slurm. What it says of
//! nodes, reservations and jobs as plain values, and the rules by which both sides are kept equal.
//!
//! A *managed reservation* is a reservation in the resource manager that stands for one of ours. Nodes are
//! addressed by their names here: the resource manager knows no ordinals.

mod error;
mod job;
mod node;
mod reservation;

pub use error::ManagerError;
pub use job::{JobPhase, ManagedJob};
pub use node::{ManagedNode, NodePower, Unavailable, UnavailableCause};
pub use reservation::{
    Difference, ManagedReservation, ManagedState, WantedReservation, differences, reservation_id,
    reservation_name,
};
