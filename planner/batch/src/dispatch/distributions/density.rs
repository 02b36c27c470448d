//! How often nodes in use were used how well: figures 6.5 and 6.6 of the thesis.

use serde::{Deserialize, Serialize};

/// Parts of either axis from 0 to 1.
pub const PARTS: u8 = 20;

/// How long both shares were in each part, in a square of [`Density::PARTS`] by as many.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Density {
    /// The part of the share of nodes in use, the part of what was used of them, and for how long, s. Cells without time are left out.
    pub cells: Vec<(u8, u8, f64)>,
}

impl Density {
    /// Parts of either axis.
    pub const PARTS: u8 = PARTS;
}

/// Times that become a [`Density`].
#[derive(Debug)]
pub(super) struct DensityTimes([u64; PARTS as usize * PARTS as usize]);

impl Default for DensityTimes {
    fn default() -> Self {
        Self([0; PARTS as usize * PARTS as usize])
    }
}

impl DensityTimes {
    /// Two shares from 0 to 1 that lasted so long.
    pub fn add(&mut self, (x, y): (f64, f64), micros: u64) {
        self.0[part(y) * usize::from(PARTS) + part(x)] += micros;
    }

    pub fn density(&self) -> Density {
        let cells = (0..PARTS).flat_map(|y| (0..PARTS).map(move |x| (x, y)));
        let timed = cells.zip(&self.0).filter(|(_, micros)| **micros > 0);
        Density { cells: timed.map(|((x, y), micros)| (x, y, *micros as f64 / 1e6)).collect() }
    }
}

/// 0.05 is in the second part; 1 is in the last.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares from 0 to 1 of a few parts"
)]
fn part(share: f64) -> usize {
    ((share * f64::from(PARTS) + 1e-9) as usize).min(usize::from(PARTS) - 1)
}
