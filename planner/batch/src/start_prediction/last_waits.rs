//! How long users waited of late.

use super::last_values::LastValues;
use super::quantile;

/// How many waits are remembered of a user, and of all users.
const REMEMBERED: usize = 20;

/// The last waits, seconds.
#[derive(Clone, Debug)]
pub(super) struct LastWaits(LastValues);

impl Default for LastWaits {
    fn default() -> Self {
        Self(LastValues::new(REMEMBERED, REMEMBERED))
    }
}

impl LastWaits {
    /// A job of `user` waited.
    pub fn learn(&mut self, user: &str, wait_s: f64) {
        self.0.learn(user, wait_s);
    }

    /// Quantiles of the last waits of `user`; of all users' where this one has not waited yet.
    pub fn at<const N: usize>(&self, user: &str, levels: [f64; N]) -> [f64; N] {
        let last = self.0.of_user(user).unwrap_or(self.0.of_all());
        let mut sorted: Vec<f64> = last.iter().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        levels.map(|level| quantile(&sorted, level).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_not_waited_waits_like_all() {
        let mut last = LastWaits::default();
        let near = |quantiles: [f64; 3], expected: [f64; 3]| {
            quantiles.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9)
        };
        let levels = [0.0, 0.5, 1.0];
        assert!(near(last.at("ada", levels), [0.0; 3]));
        for (user, wait_s) in [("ada", 10.0), ("ada", 20.0), ("bob", 60.0)] {
            last.learn(user, wait_s);
        }
        assert!(near(last.at("ada", levels), [10.0, 15.0, 20.0]));
        assert!(near(last.at("eve", levels), [10.0, 20.0, 60.0]));
    }
}
