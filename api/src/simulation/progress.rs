//! How far runs are, and why they end early.

use std::sync::atomic::{AtomicBool, AtomicU64};

use simulator::sesames::SesamesError;

/// How far the work is, as all threads see it.
#[derive(Default)]
pub struct Progress {
    /// Plans made.
    pub plans: AtomicU64,
    /// Plans that the independent checker passed.
    pub judged: AtomicU64,
    /// Whether to stop.
    pub stopped: AtomicBool,
}

/// Why playing ended early.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// A run could not be played.
    #[error(transparent)]
    Run(#[from] SesamesError),
    /// The checker found a plan wrong: a bug.
    #[error("a plan is wrong, please report it: {0}")]
    Wrong(String),
    /// What is done with runs failed.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}
