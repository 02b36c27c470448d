//! Physical quantities as types: private representation, unit in the constructor's name.
//!
//! What decides is exact: power is whole microwatts, rates are whole millionths of their unit,
//! time is whole seconds, and their products are `i128`. `f64` appears only on the way out.
//!
//! | type | represents | exact unit |
//! |---|---|---|
//! | [`Power`] | watts | uW |
//! | [`Energy`] | joules | uJ |
//! | [`EnergyPrice`] | currency per MWh | 1e-6 of it |
//! | [`CarbonIntensity`] | g per kWh | 1e-6 of it |
//! | [`Money`] | currency | uW x 1e-6 currency/MWh x s = 1 / 3.6e21 currency |
//! | [`CarbonMass`] | grams of CO2 | uW x 1e-6 g/kWh x s = 1 / 3.6e18 g |
//!
//! The limits below keep every product inside `i128`: 1e17 uW x 1e12 x 1e8 s = 1e37 < 1.7e38.

mod carbon;
mod money;
mod power;

pub use carbon::{CarbonIntensity, CarbonMass};
pub use money::{Currency, CurrencyError, EnergyPrice, Money};
pub use power::{Energy, Power};

/// Millionths in one unit: the finest step any quantity has.
pub const MILLION: i64 = 1_000_000;

/// The limit of a power, and of the sum over all nodes: 1e11 W, a thousand large power stations.
pub const MAX_POWER_MICROWATTS: i64 = 100_000_000_000 * MILLION;

/// The limit of a price or an intensity, either sign: a million units.
pub const MAX_RATE_MILLIONTHS: i64 = MILLION * MILLION;

/// A value per unit of energy that holds over a span, so that it can be integrated.
pub trait Rate: Copy + PartialEq {
    /// The exact value in millionths of the unit.
    fn as_millionths(self) -> i64;
}

/// The integral over time of a [`Rate`], in millionths of its unit times seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Integral<R> {
    millionth_seconds: i128,
    rate: std::marker::PhantomData<R>,
}

impl<R: Rate> Integral<R> {
    /// From millionths of the rate's unit times seconds.
    pub const fn from_millionth_seconds(millionth_seconds: i128) -> Self {
        Self { millionth_seconds, rate: std::marker::PhantomData }
    }

    /// Millionths of the rate's unit times seconds.
    pub const fn as_millionth_seconds(self) -> i128 {
        self.millionth_seconds
    }
}

/// `exact / unit` to 15 decimals, as the nearest double: it prints as the decimal it is.
fn ratio(exact: i128, unit: i128) -> f64 {
    const DECIMALS: i128 = 1_000_000_000_000_000;
    let (whole, rest) = (exact.div_euclid(unit), exact.rem_euclid(unit));
    let scaled = whole * DECIMALS + (rest * DECIMALS + unit / 2) / unit;
    // Dividing two doubles would round twice; reading decimal text rounds once.
    format!("{scaled}e-15").parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Seconds;

    /// 17.5 W for 12 h: 17.5 x 43,200 = 756,000 J = 0.21 kWh (paper, section VI-B, one node).
    /// At 180 EUR/MWh that is 0.00021 x 180 = 0.0378 EUR; at 100 g/kWh, 21 g.
    #[test]
    fn one_node_of_the_paper_for_half_a_day() {
        let power = Power::from_watts(17.5).unwrap();
        let length = Seconds::new(43_200);
        assert!(((power * length).as_joules() - 756_000.0).abs() < 1e-9);
        let price = Integral::<EnergyPrice>::from_millionth_seconds(180 * 1_000_000 * 43_200);
        let cost = power.times_price(price, Currency::EUR);
        assert!((cost.as_units() - 0.0378).abs() < 1e-15);
        let intensity =
            Integral::<CarbonIntensity>::from_millionth_seconds(100 * 1_000_000 * 43_200);
        assert!((power.times_intensity(intensity).as_grams() - 21.0).abs() < 1e-12);
    }
}
