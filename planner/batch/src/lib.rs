//! Batch queues: real workloads under batch schedulers.
//!
//! Pure, like the planner: no IO of its own, no clock, no threads, no global randomness.
//!
//! * [`simulation`]: a workload, a platform, who decides and options put together and played.
//! * [`workload`]: jobs, from traces and documents.
//! * [`platform`]: machines: how fast, and what they draw; [`energy`]: what they consume.
//! * [`communication`]: what jobs do on a network, which the crate `network` reckons.
//! * [`kernel`]: events over integer time; what is true of jobs and machines.
//! * [`scheduler`]: what a scheduler is told and answers; the kernel and the policies know it, not each other.
//! * [`dispatch`]: systems of several resources, beside all of this: nodes, jobs of units, orders, fits and estimates.
//! * [`policy`]: which waiting job starts when, and where; composed of parts.
//! * [`message_log`]: the messages of another simulator, to be replayed.
//! * [`supplier_tables`]: prices, CO2 intensities and caps; [`reservation`]: machines that are not for jobs.
//! * [`quantity`]: exact products of simulated time; [`quantiles`]: of values that are not kept.
//! * [`sites`]: several clusters, and clients that choose among them.
//! * [`start_prediction`]: when a job would start, from the state of a queue.
//! * [`summary`]: what became of the jobs, over all of them, in bounded memory.
//! * [`output`]: what became of each of them; [`report`]: in pictures.
//!
//! Sources: the Batsim thesis (M. Poquet, *Simulation approach for resource management*), chapters 2
//! and 4 to 7; Simbatch (Y. Caniou, J.-S. Gay); A. Mu'alem and D. Feitelson 2001 for backfilling.

pub mod communication;
pub mod dispatch;
pub mod energy;
pub mod job;
pub mod kernel;
mod machine_ranges;
pub mod message_log;
pub mod output;
pub mod platform;
pub mod policy;
pub mod quantiles;
pub mod quantity;
pub mod report;
pub mod reservation;
pub mod scheduler;
pub mod simulation;
pub mod sites;
pub mod start_prediction;
mod step_function;
pub mod steps;
pub mod summary;
pub mod supplier_tables;
pub mod time;
pub mod workload;
