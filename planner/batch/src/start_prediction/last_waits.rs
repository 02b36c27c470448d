//! How long users waited of late.

use std::collections::{BTreeMap, VecDeque};

use super::quantile;

/// How many waits are remembered of a user, and of all users.
const REMEMBERED: usize = 20;

/// The last waits, seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct LastWaits {
    of_users: BTreeMap<Box<str>, VecDeque<f64>>,
    of_all: VecDeque<f64>,
}

impl LastWaits {
    /// A job of `user` waited.
    pub fn learn(&mut self, user: &str, wait_s: f64) {
        if !self.of_users.contains_key(user) {
            self.of_users.insert(user.into(), VecDeque::new());
        }
        for last in self.of_users.get_mut(user).into_iter().chain([&mut self.of_all]) {
            if last.len() == REMEMBERED {
                last.pop_front();
            }
            last.push_back(wait_s);
        }
    }

    /// Quantiles of the last waits of `user`; of all users' where this one has not waited yet.
    pub fn at<const N: usize>(&self, user: &str, levels: [f64; N]) -> [f64; N] {
        let last = self.of_users.get(user).unwrap_or(&self.of_all);
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
