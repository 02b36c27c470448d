//! A way to estimate what a job draws, as a part.

use super::Memory;
use crate::policy::{About, Options};

/// Makes what remembers past jobs, by the options.
pub(super) type MakeMemory = fn(&mut Options<'_>) -> Box<dyn Memory>;

/// A way to estimate what a job draws.
#[derive(Debug)]
pub struct PowerEstimatePart {
    /// The name, the rule and the options.
    pub about: About,
    /// Makes what remembers past jobs, where the rule goes by them.
    pub(super) memory: Option<MakeMemory>,
}
