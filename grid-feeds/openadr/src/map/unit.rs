//! Suppliers' units, exactly.
//!
//! Units are written in any case: `KW` in the standard, `kW` in the wild. Where none is given it is
//! the one of the standard: kW, kWh, g/kWh, and the site's currency.

use planner::quantity::{Currency, Power};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::Value;

use super::descriptor::Meaning;

/// A price of power over a span: what a reservation costs for each kW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fee {
    /// Millionths of the currency for each kW, for the whole span.
    pub per_kw_millionths: i64,
    /// Of the fee.
    pub currency: Currency,
}

impl Fee {
    /// What a power costs, in millionths of the currency; `None` beyond 64 bits.
    pub fn total_millionths(self, power: Power) -> Option<i64> {
        let exact = i128::from(self.per_kw_millionths) * i128::from(power.as_microwatts());
        i64::try_from(exact / 1_000_000_000).ok()
    }
}

/// A number as it was written: the shortest decimal that stands for the same float.
pub(super) fn number(value: &Value) -> Option<Decimal> {
    let Value::Number(number) = value else { return None };
    match number.as_i64() {
        Some(whole) => Some(Decimal::from(whole)),
        None => number.as_f64()?.to_string().parse().ok(),
    }
}

/// A power in microwatts, or why it is none.
pub(super) fn power(value: Decimal, meaning: &Meaning) -> Result<i64, String> {
    let watts = match meaning.unit.as_deref() {
        None => 1000,
        Some("mW") => return Err("the unit mW may be milliwatts; write MW, KW or W".to_owned()),
        Some(unit) if unit.eq_ignore_ascii_case("KW") => 1000,
        Some(unit) if unit.eq_ignore_ascii_case("W") => 1,
        Some(unit) if unit.eq_ignore_ascii_case("MW") => 1_000_000,
        Some(unit) => return Err(format!("{unit} is no unit of power; there are KW, W and MW")),
    };
    scaled(value, Decimal::from(watts))
}

/// Millionths of the site's currency per MWh.
pub(super) fn price(value: Decimal, meaning: &Meaning, site: Currency) -> Result<i64, String> {
    same_currency(meaning, site)?;
    let per_mwh = match meaning.unit.as_deref() {
        None => 1000,
        Some(unit) if unit.eq_ignore_ascii_case("KWH") => 1000,
        Some(unit) if unit.eq_ignore_ascii_case("MWH") => 1,
        Some(unit) => return Err(format!("{unit} is no unit of energy; there are KWH and MWH")),
    };
    scaled(value, Decimal::from(per_mwh))
}

/// Millionths of a gram per kWh.
pub(super) fn intensity(value: Decimal, meaning: &Meaning) -> Result<i64, String> {
    match meaning.unit.as_deref() {
        None => {}
        Some(unit) if unit.eq_ignore_ascii_case("GHG") || unit.eq_ignore_ascii_case("G/KWH") => {}
        Some(unit) => return Err(format!("{unit} is no CO2 intensity; that is GHG, in g/kWh")),
    }
    scaled(value, Decimal::ONE)
}

/// A fee for each kW. Its unit is that of the power, or the currency as in the user guide.
pub(super) fn fee(value: Decimal, meaning: &Meaning, site: Currency) -> Result<Fee, String> {
    same_currency(meaning, site)?;
    let per_kw = match meaning.unit.as_deref() {
        None => Decimal::ONE,
        Some(unit) if unit.eq_ignore_ascii_case("KW") || unit == site.code() => Decimal::ONE,
        Some("MW") => Decimal::new(1, 3),
        Some(unit) => return Err(format!("{unit} is neither KW nor MW nor {site}")),
    };
    Ok(Fee { per_kw_millionths: scaled(value, per_kw)?, currency: site })
}

fn same_currency(meaning: &Meaning, site: Currency) -> Result<(), String> {
    match meaning.currency.as_deref() {
        Some(code) if code != site.code() => Err(format!("is in {code}, the site in {site}")),
        _ => Ok(()),
    }
}

/// `value * factor` in whole millionths, rounded half to even.
fn scaled(value: Decimal, factor: Decimal) -> Result<i64, String> {
    let product = value.checked_mul(factor).and_then(|it| it.checked_mul(1_000_000.into()));
    let whole = product
        .map(|it| it.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven))
        .and_then(|it| i64::try_from(it).ok());
    whole.ok_or_else(|| format!("{value} is out of range"))
}
