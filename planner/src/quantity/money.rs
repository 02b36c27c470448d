//! Prices per energy and amounts of money, with their currency.

use std::fmt;
use std::ops::{Add, Sub};

use super::{Energy, MAX_RATE_MILLIONTHS, Rate, exact, proportion, ratio};

/// A currency's three-letter code (ISO 4217).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

/// Why a text is not a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a currency code of three capital letters such as EUR (ISO 4217)")]
pub struct CurrencyError;

/// A price per energy: whole millionths of the currency per MWh. May be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnergyPrice(i64);

/// An amount of money, exact: 1 / 3.6e21 of the currency. May be negative.
///
/// Amounts are compared only within one plan, which has one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money {
    exact: i128,
    currency: Currency,
}

/// uW x s in a MWh (3.6e15), times the millionths of the price.
const EXACT_PER_UNIT: i128 = 3_600_000_000_000_000_000_000;

impl Currency {
    /// The euro.
    pub const EUR: Self = Self(*b"EUR");

    /// Reads a three-letter code.
    ///
    /// # Errors
    /// Anything but three capital ASCII letters.
    pub fn parse(code: &str) -> Result<Self, CurrencyError> {
        match <[u8; 3]>::try_from(code.as_bytes()) {
            Ok(letters) if letters.iter().all(u8::is_ascii_uppercase) => Ok(Self(letters)),
            _ => Err(CurrencyError),
        }
    }

    /// The three letters.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("???")
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl EnergyPrice {
    /// Whole millionths of the currency per MWh; `None` beyond a million per MWh.
    pub fn from_millionths_per_mwh(millionths: i64) -> Option<Self> {
        (millionths.unsigned_abs() <= MAX_RATE_MILLIONTHS.unsigned_abs())
            .then_some(Self(millionths))
    }
}

impl Rate for EnergyPrice {
    fn as_millionths(self) -> i64 {
        self.0
    }
}

impl Money {
    /// An amount in 1 / 3.6e21 of the currency.
    pub const fn from_exact(exact: i128, currency: Currency) -> Self {
        Self { exact, currency }
    }

    /// An amount in millionths of the currency.
    pub fn from_millionths(millionths: i64, currency: Currency) -> Self {
        Self { exact: i128::from(millionths) * (EXACT_PER_UNIT / 1_000_000), currency }
    }

    /// The amount that is printed as so many units; `None` beyond what is exact.
    pub fn from_units(units: f64, currency: Currency) -> Option<Self> {
        Some(Self { exact: exact(units, EXACT_PER_UNIT)?, currency })
    }

    /// What this amount, which is for one energy, is for another.
    #[must_use]
    pub fn in_proportion(self, part: Energy, whole: Energy) -> Self {
        let exact = proportion(self.exact, part.as_microjoules(), whole.as_microjoules());
        Self { exact, ..self }
    }

    /// The part of this amount that falls to one who pays at most `own` of what all pay at most
    /// together, rounded towards zero, so that nobody pays more than they said. `None` where all pay
    /// nothing.
    pub fn share(self, own: Self, all: Self) -> Option<Self> {
        (all.exact > 0)
            .then(|| Self { exact: proportion(self.exact, own.exact, all.exact), ..self })
    }

    /// The currency of the amount.
    pub const fn currency(self) -> Currency {
        self.currency
    }

    /// The exact amount in 1 / 3.6e21 of the currency.
    pub const fn as_exact(self) -> i128 {
        self.exact
    }

    /// Units of the currency, for people and documents.
    pub fn as_units(self) -> f64 {
        ratio(self.exact, EXACT_PER_UNIT)
    }
}

impl Add for Money {
    type Output = Self;
    /// Currencies never mix, as in subtraction.
    fn add(self, other: Self) -> Self {
        debug_assert_eq!(self.currency, other.currency);
        Self { exact: self.exact + other.exact, currency: self.currency }
    }
}

impl Sub for Money {
    type Output = Self;
    /// Currencies never mix: a plan has one, and so has everything it compares.
    fn sub(self, other: Self) -> Self {
        debug_assert_eq!(self.currency, other.currency);
        Self { exact: self.exact - other.exact, currency: self.currency }
    }
}
