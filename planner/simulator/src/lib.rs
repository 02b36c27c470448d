//! The internal cluster simulator: what would a month have cost under another policy?
//!
//! Pure, like the planner it plays with: no IO, no clock, no threads, no global randomness. Every
//! random number comes from a generator seeded by the caller, so that the same seed gives the same
//! results on every machine, and the seed is part of the results.
//!
//! * [`policy`]: how a request's start and nodes are picked. Every policy is the production
//!   planner under another order of nodes and another choice among its answers.
//! * [`sesames`]: the month of the SESAMES paper, section VI: requests played against agendas under
//!   each policy, run by run.
//! * [`node_power`]: nodes that are switched off and on over a month by the manager of their power, and by an oracle.
//! * [`sharing`]: users with fair shares who compete over a month, and what each gains or loses by drawing less or more.
//! * [`experiment`]: settings and sweeps of settings as data.
//! * [`traces`]: requests derived from workload traces.
//! * [`tables`]: results as tidy CSV, into any writer.
//! * [`report`]: results as one HTML page with figures.

pub mod experiment;
pub mod node_power;
pub mod policy;
pub mod report;
pub mod sesames;
pub mod sharing;
pub mod tables;
pub mod traces;
