//! Jobs that communicate: what they do step by step, and which host of a network each machine is.
//!
//! Sources: the Batsim thesis, 4.4 (profiles) and 4.5 (energy); how `SimGrid` plays parallel tasks is in the crate
//! `network`.

mod machine_network;
mod network_time;
mod program;
mod task_profile;

pub use machine_network::{MachineNetwork, MachineNetworkError, StorageError};
pub(crate) use network_time::{ROUNDING_S, rounded_up};
pub use program::{Cursor, JobProgram, Step};
pub use task_profile::TaskProfile;
