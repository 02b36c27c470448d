//! Power in whole microwatts and energy in whole microjoules.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};

use super::{MAX_POWER_MICROWATTS, MILLION, exact, ratio};
use crate::time::Seconds;

/// Power, exact to the microwatt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Power(i64);

/// Energy, exact to the microjoule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Energy(i128);

impl Power {
    /// No power.
    pub const ZERO: Self = Self(0);
    /// The largest power that can be said: more than anything draws.
    pub const UNLIMITED: Self = Self(i64::MAX);

    /// A power of whole microwatts.
    pub const fn from_microwatts(microwatts: i64) -> Self {
        Self(microwatts)
    }

    /// A power of watts, rounded to the microwatt; `None` for NaN, infinities and beyond 1e11 W.
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
    pub fn from_watts(watts: f64) -> Option<Self> {
        let microwatts = (watts * MILLION as f64).round_ties_even();
        (microwatts.abs() <= MAX_POWER_MICROWATTS as f64).then_some(Self(microwatts as i64))
    }

    /// The power in whole microwatts.
    pub const fn as_microwatts(self) -> i64 {
        self.0
    }

    /// Watts, for people and documents.
    pub fn as_watts(self) -> f64 {
        ratio(self.0.into(), MILLION.into())
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} W", self.as_watts())
    }
}

impl Add for Power {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Power {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Power {
    fn sum<I: Iterator<Item = Self>>(powers: I) -> Self {
        Self(powers.map(|power| power.0).sum())
    }
}

/// The power of so many of equal power. Within an `i64` while all of them stay below
/// [`MAX_POWER_MICROWATTS`].
impl Mul<u32> for Power {
    type Output = Self;
    fn mul(self, count: u32) -> Self {
        Self(self.0 * i64::from(count))
    }
}

impl Mul<Seconds> for Power {
    type Output = Energy;
    fn mul(self, length: Seconds) -> Energy {
        Energy(i128::from(self.0) * i128::from(length.get()))
    }
}

impl Energy {
    /// An energy of whole microjoules.
    pub const fn from_microjoules(microjoules: i128) -> Self {
        Self(microjoules)
    }

    /// The energy in whole microjoules.
    pub const fn as_microjoules(self) -> i128 {
        self.0
    }

    /// The energy that is printed as so many joules; `None` beyond what is exact.
    pub fn from_joules(joules: f64) -> Option<Self> {
        exact(joules, MILLION.into()).map(Self)
    }

    /// Joules, for people and documents.
    pub fn as_joules(self) -> f64 {
        ratio(self.0, MILLION.into())
    }

    /// Kilowatt-hours, for people.
    pub fn as_kilowatt_hours(self) -> f64 {
        ratio(self.0, 3_600_000_000_000)
    }
}

impl Sub for Energy {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Add for Energy {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}
