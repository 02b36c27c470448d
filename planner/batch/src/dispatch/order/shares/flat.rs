//! Usage over shares where accounts make no tree: kept so that an end changes one account's value, and not everybody's.
//!
//! All usage decays alike. So what an account used at `at` is kept times `2^((at - epoch) / half-life)`: between ends these values
//! stay, and stand to each other as the usages now do. The epoch moves on before they grow large.

use super::{Counted, Usage};
use crate::time::Time;

/// After so many half-lives the epoch moves.
const HALF_LIVES: f64 = 32.0;

/// The values of accounts, by position: seconds and joules over the share.
#[derive(Debug)]
pub(super) struct FlatUsage {
    half_life: Option<Time>,
    epoch: Time,
    values: Vec<[f64; 2]>,
}

impl FlatUsage {
    /// Nobody used anything.
    pub fn new(half_life: Option<Time>) -> Self {
        Self { half_life, epoch: Time::ZERO, values: Vec::new() }
    }

    /// The usage of an account changed; `share` says what accounts are given.
    pub fn changed(&mut self, at: usize, usage: &[[Usage; 2]], share: impl Fn(usize) -> f64) {
        self.values.resize(usage.len(), [0.0; 2]);
        let now = usage[at][0].at;
        if self.half_lives(now) > HALF_LIVES {
            self.epoch = now;
            for (place, usage) in usage.iter().enumerate() {
                self.values[place] = self.of(usage, share(place));
            }
        }
        self.values[at] = self.of(&usage[at], share(at));
    }

    /// What sorts accounts, by position, the least goes first: of both the sum, each over the largest now. Accounts that used
    /// nothing yet may be missing.
    pub fn measures<'a>(&'a self, counted: &'a [Counted]) -> impl Iterator<Item = f64> + 'a {
        let scale = counted.iter().map(|it| {
            let values = self.values.iter().map(|values| values[*it as usize]);
            let largest = values.filter(|it| it.is_finite()).fold(0.0, f64::max);
            if counted.len() > 1 && largest > 0.0 { largest } else { 1.0 }
        });
        let scale: Vec<f64> = scale.collect();
        self.values.iter().map(move |values| {
            counted.iter().zip(&scale).map(|(it, scale)| values[*it as usize] / scale).sum()
        })
    }

    fn half_lives(&self, at: Time) -> f64 {
        let since = at.as_seconds() - self.epoch.as_seconds();
        self.half_life.map_or(0.0, |half_life| since / half_life.as_seconds())
    }

    fn of(&self, usage: &[Usage; 2], share: f64) -> [f64; 2] {
        usage.map(
            |Usage { amount, at }| {
                if amount <= 0.0 { 0.0 } else { amount * self.half_lives(at).exp2() / share }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a half-life of 10 s, 100 at 0 s and 60 at 10 s: 100 and 60 x 2 = 120, as 50 and 60 at 10 s. At 400 s, 40 half-lives on,
    /// the epoch is 400 s: 100 x 2^-40 and 60 x 2^-39 are left, and 7 over a share of a half is 14.
    #[test]
    fn values_stand_to_each_other_as_usages_do() {
        let seconds = Time::from_seconds;
        let mut flat = FlatUsage::new(Some(seconds(10)));
        let mut usage = vec![[Usage::default(); 2]; 3];
        let mut used = |flat: &mut FlatUsage, at: usize, amount: f64, now: i64| {
            usage[at] = [Usage { amount, at: seconds(now) }; 2];
            flat.changed(at, &usage, |at| if at == 2 { 0.5 } else { 1.0 });
            flat.measures(&[Counted::Seconds]).collect::<Vec<f64>>()
        };
        used(&mut flat, 0, 100.0, 0);
        assert_eq!(used(&mut flat, 1, 60.0, 10), [100.0, 120.0, 0.0]);
        let values = used(&mut flat, 2, 7.0, 400);
        assert_eq!(values, [100.0 * (-40_f64).exp2(), 60.0 * (-39_f64).exp2(), 14.0]);
        // Each over the largest, twice.
        let both: Vec<f64> = flat.measures(&[Counted::Seconds, Counted::Joules]).collect();
        assert!((both[2] - 2.0).abs() < 1e-12);
    }
}
