//! Samples and quarter-hours as bytes: blocks of one series, some hours of samples or a day of quarter-hours.
//!
//! Numbers are written 7 bits a byte, the lowest first; signed ones alternate: 0, -1, 1, -2, ... What all values of a
//! block have in common is written once: a power of ten that divides them all.

mod numbers;
mod quarters;
mod samples;
#[cfg(test)]
mod tests;

pub use quarters::{DAY_MS, DayQuarters};
pub use samples::{SAMPLES_MS, pack_samples, unpack_samples};

/// Why bytes are not a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the block cannot be read: {0}")]
pub struct PackedError(&'static str);

impl PackedError {
    /// What is wrong, in words.
    pub const fn problem(self) -> &'static str {
        self.0
    }
}
