//! The internal cluster simulator: what would a month have cost under another policy?
//!
//! Pure, like the planner it plays with: no IO, no clock, no global randomness. Every random
//! number comes from a generator seeded by the caller, so that the same seed gives the same
//! results on every machine, and the seed is part of the results.
//!
//! * [`policy`]: how a request's start and nodes are picked. Every policy is the production
//!   planner under another order of nodes and another choice among its answers.
//! * [`sesames`]: the experiment of the SESAMES paper, section VI: a month of requests played
//!   against agendas, once under each policy.

pub mod policy;
pub mod sesames;
