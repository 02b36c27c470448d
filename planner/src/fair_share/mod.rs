//! Fair shares: who used less than is theirs goes first.
//!
//! From Georgiou, Glesser, Rzadca and Trystram, *A Scheduler-Level Incentive Mechanism for Energy Efficiency in HPC*
//! (2015), III-B to III-D, whose fair share counts joules in place of the seconds of processors:
//!
//! 1. An account's normalised share is what it was given over what all were given, `S = s / sum(s)` (equation 1). In a
//!    tree of accounts it is that among its siblings times its parent's.
//! 2. What it used is summed by periods, each of which counts less than the one after it by the same factor,
//!    `R = R(0) + D R(1) + D^2 R(2) + ...` (equation 2). See [`UsagePeriods`].
//! 3. Its normalised usage is this over what there was to use, decayed likewise (equation 3). See
//!    [`UsagePeriods::available`].
//! 4. Its factor is `F = 2^(-U / S / d)`, with the damping `d` (equation 4): 1 without any usage, a half where it used
//!    its share, near 0 where it used much more. See [`fair_shares`].
//!
//! In a tree what an account's group used counts too, as in Slurm's multifactor priority: the effective usage of an account
//! is `U + (U' - U) S / S'`, where `U'` is the effective usage of its parent and `S'` that of all siblings together.

mod advice;
mod periods;
mod prospect;
mod rates;
mod standing;
mod tree;

pub use advice::{Advice, AdviceRules, advise, advise_on_offers};
pub use periods::UsagePeriods;
pub use prospect::{PlannedUsage, Prospect, Prospects};
pub use standing::{ByFactor, ShareFactor, StandingWeights, in_turn};
pub use tree::{Account, AccountError, FairShare, fair_shares};
