//! What follows from how an account stands: who goes before whom, and how much one may.

use crate::time::Seconds;

/// What [`fair_shares`](super::fair_shares) says of an account, in millionths: 1,000,000 without any usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShareFactor(u32);

impl ShareFactor {
    /// Of who used nothing.
    pub const BEST: Self = Self(1_000_000);

    /// Of who used their share.
    pub const HALF: Self = Self(500_000);

    /// The nearest to a number; the best for what is none.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to a million"
    )]
    pub fn nearest(factor: f64) -> Self {
        let millionths = (factor * 1e6).round();
        if millionths.is_nan() { Self::BEST } else { Self(millionths.clamp(0.0, 1e6) as u32) }
    }

    /// Of so many millionths; `None` for more than a million.
    pub const fn from_millionths(millionths: u32) -> Option<Self> {
        if millionths <= Self::BEST.0 { Some(Self(millionths)) } else { None }
    }

    /// In millionths.
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// From 0 to 1.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

/// What counts where reservations compete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingWeights {
    /// How much the highest priority counts, 1000.
    pub priority: u16,
    /// How much the best factor counts.
    pub factor: u16,
}

impl StandingWeights {
    /// What sorts those who compete: the higher goes first.
    ///
    /// `priority weight * priority / 1000 + factor weight * factor`, in millionths.
    pub fn standing(self, priority: i64, factor: ShareFactor) -> i64 {
        let priority = i64::from(self.priority) * 1000 * priority;
        priority + i64::from(self.factor) * i64::from(factor.0)
    }
}

/// Puts those who wait for the same into the order in which they are served: the highest standing first, and of equals as they
/// are, which is as they came.
pub fn in_turn<T>(waiting: &mut [T], standing: impl Fn(&T) -> i64) {
    waiting.sort_by_key(|it| std::cmp::Reverse(standing(it)));
}

/// What depends on the factor, between that of who stands worst and that of who stands best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByFactor {
    /// At a factor of 0.
    pub worst: Seconds,
    /// At a factor of 1; not less than the worst.
    pub best: Seconds,
}

impl ByFactor {
    /// At a factor, rounded down to whole seconds.
    pub fn at(self, factor: ShareFactor) -> Seconds {
        let range = i128::from(self.best.get()) - i128::from(self.worst.get());
        let more = range * i128::from(factor.0) / i128::from(ShareFactor::BEST.0);
        self.worst + Seconds::new(i64::try_from(more).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_whole_millionths() {
        assert_eq!(ShareFactor::nearest(0.968_123_4).millionths(), 968_123);
        assert_eq!(ShareFactor::nearest(f64::NAN), ShareFactor::BEST);
        assert_eq!(ShareFactor::nearest(-1.0).millionths(), 0);
        assert_eq!(ShareFactor::from_millionths(1_000_001), None);
    }

    /// With a weight of 2 for priorities and 1 for factors: a priority of 100 counts 2 x 100,000 = 200,000, and a factor
    /// of a half 500,000, together 700,000, less than a factor of 1 with no priority, and more than one of 0.6.
    #[test]
    fn priority_and_factor_count_by_their_weights() {
        let weights = StandingWeights { priority: 2, factor: 1 };
        let standing = |priority, factor| weights.standing(priority, ShareFactor::nearest(factor));
        assert_eq!(standing(100, 0.5), 700_000);
        assert!(standing(0, 1.0) > standing(100, 0.5) && standing(100, 0.5) > standing(0, 0.6));
    }

    /// From 100 s to 1000 s: at a third 100 + 900 x 0.333333 = 399.9997 s.
    #[test]
    fn what_one_may_grows_with_the_factor() {
        let hold = ByFactor { worst: Seconds::new(100), best: Seconds::new(1000) };
        let at = |factor| hold.at(ShareFactor::nearest(factor)).get();
        assert_eq!((at(0.0), at(1.0 / 3.0), at(1.0)), (100, 399, 1000));
    }
}
