//! Energy, cost and CO2 to the millisecond, and the order in which a site ranks them.

use std::cmp::Ordering;
use std::ops::{Add, Sub};

use crate::criterion::Criterion;
use crate::quantity::{CarbonMass, Currency, Energy, Money};

/// An energy, a cost and a mass of CO2 in thousandths of the exact units of [`crate::quantity`], since switching takes
/// milliseconds. The cost or the mass is `None` where a price or an intensity that it needs is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriteriaAmounts([Option<i128>; 3]);

/// Thousandths in an exact unit.
const THOUSAND: i128 = 1000;

impl CriteriaAmounts {
    /// Nothing of any.
    pub const ZERO: Self = Self([Some(0); 3]);

    /// Amounts in thousandths of exact units, in the order of [`Criterion::ALL`].
    pub const fn from_thousandths(thousandths: [Option<i128>; 3]) -> Self {
        Self(thousandths)
    }

    /// Whole amounts.
    pub fn new(energy: Energy, cost: Money, co2: CarbonMass) -> Self {
        let exact = [energy.as_microjoules(), cost.as_exact(), co2.as_exact()];
        Self(exact.map(|amount| Some(amount * THOUSAND)))
    }

    /// Thousandths of the exact unit of a criterion.
    pub const fn thousandths(&self, criterion: Criterion) -> Option<i128> {
        self.0[criterion as usize]
    }

    /// Joules, for people and documents, to the microjoule.
    pub fn energy_j(&self) -> Option<f64> {
        self.rounded(Criterion::Energy).map(|exact| Energy::from_microjoules(exact).as_joules())
    }

    /// Units of the currency of the prices, for people and documents.
    pub fn cost(&self) -> Option<f64> {
        // The currency changes nothing of the number.
        let units = |exact| Money::from_exact(exact, Currency::EUR).as_units();
        self.rounded(Criterion::Cost).map(units)
    }

    /// Grams of CO2, for people and documents.
    pub fn co2_g(&self) -> Option<f64> {
        self.rounded(Criterion::Co2).map(|exact| CarbonMass::from_exact(exact).as_grams())
    }

    /// These amounts times a probability in millionths, rounded towards zero.
    #[must_use]
    pub fn times_millionths(self, millionths: i64) -> Self {
        let times = |amount: i128| {
            amount / 1_000_000 * i128::from(millionths)
                + amount % 1_000_000 * i128::from(millionths) / 1_000_000
        };
        Self(self.0.map(|amount| amount.map(times)))
    }

    /// To the nearest whole unit, halves upwards.
    fn rounded(&self, criterion: Criterion) -> Option<i128> {
        self.0[criterion as usize].map(|it| (it + THOUSAND / 2).div_euclid(THOUSAND))
    }

    fn with(self, other: Self, both: impl Fn(i128, i128) -> i128) -> Self {
        let mut sums = self.0;
        for (sum, other) in sums.iter_mut().zip(other.0) {
            *sum = sum.zip(other).map(|(one, other)| both(one, other));
        }
        Self(sums)
    }
}

impl Add for CriteriaAmounts {
    type Output = Self;
    /// What is not known of one is not known of the sum.
    fn add(self, other: Self) -> Self {
        self.with(other, i128::saturating_add)
    }
}

impl Sub for CriteriaAmounts {
    type Output = Self;
    /// What is not known of one is not known of the difference.
    fn sub(self, other: Self) -> Self {
        self.with(other, i128::saturating_sub)
    }
}

/// The criteria by which a site judges whether to switch, most important first; each at most once, and at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RankBy([Option<Criterion>; 3]);

/// Why criteria are no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have at least one of energy, cost and co2, and each at most once")]
pub struct RankByError;

impl RankBy {
    /// An order of criteria.
    ///
    /// # Errors
    /// None at all, or one that appears twice.
    pub fn new(criteria: &[Criterion]) -> Result<Self, RankByError> {
        let repeated = |(place, it): (usize, &Criterion)| criteria[..place].contains(it);
        if criteria.is_empty() || criteria.iter().enumerate().any(repeated) {
            return Err(RankByError);
        }
        let mut order = [None; 3];
        for (place, criterion) in order.iter_mut().zip(criteria) {
            *place = Some(*criterion);
        }
        Ok(Self(order))
    }

    /// The criteria, most important first.
    pub fn criteria(self) -> impl Iterator<Item = Criterion> {
        self.0.into_iter().flatten()
    }

    /// The most important criterion.
    pub fn first(self) -> Criterion {
        self.0[0].unwrap_or(Criterion::Energy)
    }

    /// What is compared, of amounts that are all known: nothing stands for criteria that are not in the order.
    pub(super) fn key(self, amounts: &CriteriaAmounts) -> Key {
        self.0.map(|it| it.and_then(|criterion| amounts.thousandths(criterion)).unwrap_or(0))
    }
}

impl Default for RankBy {
    /// Energy, then cost, then CO2.
    fn default() -> Self {
        Self(Criterion::ALL.map(Some))
    }
}

/// Amounts in the order in which they are compared.
pub(super) type Key = [i128; 3];

/// What something saves a second, of the criteria in their order. Only an order rests on it, which any would do.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerSecond([f64; 3]);

impl PerSecond {
    /// What is saved in so many milliseconds, or in one where there is none.
    pub fn of(saved: Key, length_ms: i64) -> Self {
        let length = length_ms.max(1) as f64;
        Self(saved.map(|part| part as f64 / length))
    }

    /// The order of what is saved, by the first criterion in which it differs.
    pub fn compare(&self, other: &Self) -> Ordering {
        let parts = self.0.iter().zip(&other.0).map(|(own, its)| own.total_cmp(its));
        parts.into_iter().find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// The sum of two keys.
pub(super) fn sum(one: Key, other: Key) -> Key {
    std::array::from_fn(|place| one[place].saturating_add(other[place]))
}

/// What is left of a key when another one is taken off.
pub(super) fn difference(one: Key, other: Key) -> Key {
    std::array::from_fn(|place| one[place].saturating_sub(other[place]))
}
