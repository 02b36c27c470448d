//! The model's error: what was predicted less what was measured, as a share of what was measured.

use crate::quantity::MILLION;

/// Errors of several predictions, added up. An error is told in millionths, rounded towards zero, and as ten times
/// what was measured where it is more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorSums {
    count: u32,
    sum: i128,
    of_absolutes: i128,
}

/// The model's error over some predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelError {
    /// How many predictions.
    pub count: u32,
    /// The mean, in millionths: above zero where more was predicted than measured; `None` for none.
    pub mean: Option<i64>,
    /// The mean of the errors without their signs, in millionths (MAPE).
    pub mean_absolute: Option<i64>,
}

/// Errors beyond this count as this: what was measured may be next to nothing.
const LARGEST: i128 = 10 * MILLION as i128;

impl ErrorSums {
    /// Adds a prediction; one of which nothing was measured is left out, since it has no such share.
    pub fn add(&mut self, predicted: i128, measured: i128) {
        if measured <= 0 {
            return;
        }
        let difference = (predicted - measured).saturating_mul(MILLION.into());
        let error = (difference / measured).clamp(-LARGEST, LARGEST);
        self.count = self.count.saturating_add(1);
        self.sum += error;
        self.of_absolutes += error.abs();
    }

    /// What they amount to.
    pub fn error(&self) -> ModelError {
        ModelError {
            count: self.count,
            mean: self.shared(self.sum),
            mean_absolute: self.shared(self.of_absolutes),
        }
    }

    fn shared(&self, sum: i128) -> Option<i64> {
        sum.checked_div(self.count.into()).and_then(|it| i64::try_from(it).ok())
    }
}
