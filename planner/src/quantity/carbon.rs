//! CO2 intensity of electricity and the mass emitted.

use std::ops::{Add, Sub};

use super::{Energy, MAX_RATE_MILLIONTHS, Rate, exact, proportion, ratio};

/// CO2 per energy: whole millionths of a gram per kWh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CarbonIntensity(i64);

/// A mass of CO2, exact: 1 / 3.6e18 g.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CarbonMass(i128);

/// uW x s in a kWh (3.6e12), times the millionths of the intensity.
const EXACT_PER_GRAM: i128 = 3_600_000_000_000_000_000;

impl CarbonIntensity {
    /// Whole millionths of a gram per kWh; `None` beyond a million grams per kWh.
    pub fn from_millionths_g_per_kwh(millionths: i64) -> Option<Self> {
        (millionths.unsigned_abs() <= MAX_RATE_MILLIONTHS.unsigned_abs())
            .then_some(Self(millionths))
    }
}

impl Rate for CarbonIntensity {
    fn as_millionths(self) -> i64 {
        self.0
    }
}

impl CarbonMass {
    /// A mass in 1 / 3.6e18 g.
    pub const fn from_exact(exact: i128) -> Self {
        Self(exact)
    }

    /// The mass that is printed as so many grams; `None` beyond what is exact.
    pub fn from_grams(grams: f64) -> Option<Self> {
        exact(grams, EXACT_PER_GRAM).map(Self)
    }

    /// What this mass, which is for one energy, is for another.
    #[must_use]
    pub fn in_proportion(self, part: Energy, whole: Energy) -> Self {
        Self(proportion(self.0, part.as_microjoules(), whole.as_microjoules()))
    }

    /// The exact mass in 1 / 3.6e18 g.
    pub const fn as_exact(self) -> i128 {
        self.0
    }

    /// Grams, for people and documents.
    pub fn as_grams(self) -> f64 {
        ratio(self.0, EXACT_PER_GRAM)
    }
}

impl Add for CarbonMass {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for CarbonMass {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}
