//! Exact products of simulated time, beside [`planner::quantity`].

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

use planner::quantity::{Energy, Power};

use crate::time::Time;

/// Picojoules in a microjoule.
const PICOJOULES: i128 = 1_000_000;

/// Energy to the picojoule: what whole microwatts come to over whole microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactEnergy(i128);

impl ExactEnergy {
    /// No energy.
    pub const ZERO: Self = Self(0);

    /// Energy of whole picojoules.
    pub const fn from_picojoules(picojoules: i128) -> Self {
        Self(picojoules)
    }

    /// The energy in picojoules.
    pub const fn as_picojoules(self) -> i128 {
        self.0
    }

    /// The whole microjoules of it.
    pub const fn whole(self) -> Energy {
        Energy::from_microjoules(self.0 / PICOJOULES)
    }

    /// The power that comes to it over a length of time, rounded towards nothing; at most the largest
    /// power that can be said.
    pub fn over(self, time: Time) -> Power {
        let power = self.0 / i128::from(time.as_micros().max(1));
        Power::from_microwatts(i64::try_from(power).unwrap_or(i64::MAX))
    }

    /// Which part of `all` it is; all of it where `all` is nothing.
    pub fn share_of(self, all: Self) -> f64 {
        if all == Self::ZERO { 1.0 } else { self.0 as f64 / all.0 as f64 }
    }
}

impl From<Energy> for ExactEnergy {
    fn from(energy: Energy) -> Self {
        Self(energy.as_microjoules() * PICOJOULES)
    }
}

impl Mul<Time> for Power {
    type Output = ExactEnergy;
    fn mul(self, time: Time) -> ExactEnergy {
        ExactEnergy(i128::from(self.as_microwatts()) * i128::from(time.as_micros()))
    }
}

impl Add for ExactEnergy {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for ExactEnergy {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl AddAssign for ExactEnergy {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for ExactEnergy {
    fn sum<I: Iterator<Item = Self>>(energies: I) -> Self {
        energies.fold(Self::ZERO, Add::add)
    }
}

/// Watts as a number, for tables and pictures.
pub fn watts(power: Power) -> f64 {
    power.as_microwatts() as f64 / 1e6
}

/// Time summed over jobs or machines: more than one of them may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TotalTime(i128);

impl TotalTime {
    /// The sum in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Which part of `all` it is; nothing where `all` is nothing.
    pub fn share_of(self, all: Self) -> f64 {
        if all.0 == 0 { 0.0 } else { self.0 as f64 / all.0 as f64 }
    }
}

impl From<Time> for TotalTime {
    fn from(time: Time) -> Self {
        Self(time.as_micros().into())
    }
}

impl Mul<u32> for Time {
    type Output = TotalTime;
    fn mul(self, count: u32) -> TotalTime {
        TotalTime(i128::from(self.as_micros()) * i128::from(count))
    }
}

impl Sub for TotalTime {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl AddAssign for TotalTime {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 uW for 3 us are 9 pJ, no whole microjoule; 2 W for a quarter of a second half a joule.
    #[test]
    fn power_over_time_is_exact() {
        let little = Power::from_microwatts(3) * Time::from_micros(3);
        assert_eq!((little.as_picojoules(), little.whole()), (9, Energy::default()));
        let half = Power::from_microwatts(2_000_000) * Time::from_micros(250_000);
        assert_eq!(half.whole(), Energy::from_microjoules(500_000));
        assert_eq!(ExactEnergy::from(half.whole()), half);
        assert_eq!(half.over(Time::from_seconds(3)), Power::from_microwatts(166_666));
        assert!((half.share_of(half + half) - 0.5).abs() < 1e-15);
        assert!((ExactEnergy::ZERO.share_of(ExactEnergy::ZERO) - 1.0).abs() < 1e-15);
        assert!(((Time::from_seconds(2) * 3).as_seconds() - 6.0).abs() < 1e-15);
    }
}
