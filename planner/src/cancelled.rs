//! The answer of whoever asked to be told whether to go on, and was told not to.

/// The plan was abandoned because its caller asked for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("planning was cancelled")]
pub struct Cancelled;
