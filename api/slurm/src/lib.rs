//! Slurm as a resource manager: what it says of nodes, reservations and jobs is read by slurmrestd, and
//! what is wanted of it is done by slurmrestd or by `scontrol`, whichever its version can.
//!
//! ```text
//! settings    where Slurm is, and who asks
//! token       what the asker shows: a text, a file's, or one made of a key
//! rest        requests to slurmrestd, and what its answers mean
//! document    the JSON of slurmrestd in the spellings of all its versions
//! versions    which of its versions is spoken
//! scontrol    the command, for what slurmrestd cannot do
//! nodes, reservations, jobs, accounting
//!             documents in, values of `planner::resource_manager` out
//! client      the methods; writing has those that change something
//! ```

mod accounting;
mod client;
mod document;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod jobs;
mod nodes;
mod reservations;
mod rest;
mod scontrol;
mod settings;
mod token;
mod versions;
mod writing;

pub use client::{About, Listing, Slurm, Way};
pub use nodes::NodeEnergy;
pub use settings::{RestAddress, SlurmSettings};
pub use token::{Token, TokenSource};
pub use writing::{PowerDown, refuses_nodes};
