//! Numbers in Slurm's JSON, in the spellings of all its versions.

use serde::Deserialize;

/// From here on a number is one of Slurm's marks for unknown or infinite.
const MARKS: f64 = 9e18;

/// A number as older versions write it, and as newer ones do.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum SlurmNumber {
    Plain(f64),
    Set { set: bool, infinite: bool, number: f64 },
}

impl SlurmNumber {
    /// The number where there is one.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Plain(number) => Some(number),
            Self::Set { set, infinite, number } => (set && !infinite).then_some(number),
        }
        .filter(|it| *it < MARKS)
    }

    /// The number where there is a whole one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by then")]
    pub fn whole(self) -> Option<u32> {
        let number = self.value()?;
        let is_whole = (0.0..4_294_967_294.0).contains(&number) && number.fract() == 0.0;
        is_whole.then_some(number as u32)
    }
}
