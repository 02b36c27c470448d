//! How much a quota allows.

use std::fmt;

use crate::decimal::{format_millionths, parse_millionths};
use crate::quantity::{CarbonMass, Currency, Energy, MILLION, Money};

/// No limit is higher: a billion, in the unit of its measure.
const HIGHEST_MILLIONTHS: i64 = 1_000_000_000 * MILLION;

/// Of the exact unit of energy.
const MICROJOULES_PER_KWH: i128 = 3_600_000_000_000;

/// Of the exact units of money in a unit of the currency, and of CO2 in a kilogram.
const EXACT_PER_UNIT: i128 = 3_600_000_000_000_000_000_000;

const LIMIT_RULE: &str =
    "must be -1 (unlimited), a number from 0 to 1000000000, or one such as \"ALL\" or \"0.5*ALL\"";

/// The most of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaLimit {
    /// Any amount.
    Unlimited,
    /// So much.
    AtMost(QuotaAmount),
}

/// An amount, perhaps in units of all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaAmount {
    millionths: i64,
    /// Whether it is multiplied by the number of nodes.
    of_all: bool,
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuotaMeasure {
    /// Nodes at an instant.
    Nodes,
    /// Reservations at an instant.
    Reservations,
    /// Nodes times hours.
    NodeHours,
    /// A budget of energy.
    EnergyKwh,
    /// A budget of cost, in the site's currency.
    Cost,
    /// A budget of CO2.
    Co2Kg,
}

impl QuotaMeasure {
    /// All of them, in the order in which they are tested.
    pub const ALL: [Self; 6] = [
        Self::Nodes,
        Self::Reservations,
        Self::NodeHours,
        Self::EnergyKwh,
        Self::Cost,
        Self::Co2Kg,
    ];

    /// Those that count nodes.
    pub const OF_NODES: [Self; 3] = [Self::Nodes, Self::Reservations, Self::NodeHours];

    /// Those of budgets, in the order of [`Criterion::ALL`](crate::criterion::Criterion::ALL).
    pub const OF_BUDGETS: [Self; 3] = [Self::EnergyKwh, Self::Cost, Self::Co2Kg];

    /// Whether it is what a budget is of.
    pub const fn is_of_budgets(self) -> bool {
        matches!(self, Self::EnergyKwh | Self::Cost | Self::Co2Kg)
    }

    /// An amount as documents have it: node-hours in hours, budgets in kWh, units of the currency and kg.
    pub fn in_units(self, amount: i128) -> f64 {
        match self {
            Self::Nodes | Self::Reservations => amount as f64,
            Self::NodeHours => amount as f64 / 3600.0,
            Self::EnergyKwh => Energy::from_microjoules(amount).as_kilowatt_hours(),
            Self::Cost => Money::from_exact(amount, Currency::EUR).as_units(),
            Self::Co2Kg => CarbonMass::from_exact(amount).as_grams() / 1000.0,
        }
    }

    /// What is left of a limit: of budgets below nothing where more was measured than planned.
    pub fn left(self, limit: i128, used: i128) -> i128 {
        let left = limit - used;
        if self.is_of_budgets() { left } else { left.max(0) }
    }

    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Reservations => "reservations",
            Self::NodeHours => "node_hours",
            Self::EnergyKwh => "energy_kwh",
            Self::Cost => "cost",
            Self::Co2Kg => "co2_kg",
        }
    }
}

impl QuotaLimit {
    /// Reads a number, or a text such as `2*ALL`.
    ///
    /// # Errors
    /// What it must be, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let (factor, of_all) = match text.strip_suffix("ALL") {
            Some("") => ("1", true),
            Some(factor) => (factor.strip_suffix('*').ok_or(LIMIT_RULE)?.trim(), true),
            None => (text, false),
        };
        let millionths = parse_millionths(factor).map_err(|_| LIMIT_RULE)?;
        match millionths {
            _ if !of_all && millionths == -MILLION => Ok(Self::Unlimited),
            0..=HIGHEST_MILLIONTHS => Ok(Self::AtMost(QuotaAmount { millionths, of_all })),
            _ => Err(LIMIT_RULE),
        }
    }

    /// Whether it is in units of all nodes.
    pub const fn is_of_all(self) -> bool {
        matches!(self, Self::AtMost(QuotaAmount { of_all: true, .. }))
    }

    /// The most of a measure where there are `all` nodes; `None` where it is unlimited. Nodes and reservations are whole:
    /// what is left over is dropped. Node-hours are in node-seconds, energy in microjoules, cost and CO2 in the exact
    /// units of [`Money`] and [`CarbonMass`].
    pub fn of(self, measure: QuotaMeasure, all: u32) -> Option<i128> {
        let Self::AtMost(QuotaAmount { millionths, of_all }) = self else { return None };
        let millionths = i128::from(millionths) * if of_all { i128::from(all) } else { 1 };
        let per_unit = match measure {
            QuotaMeasure::Nodes | QuotaMeasure::Reservations => 1,
            QuotaMeasure::NodeHours => 3600,
            QuotaMeasure::EnergyKwh => MICROJOULES_PER_KWH,
            QuotaMeasure::Cost | QuotaMeasure::Co2Kg => EXACT_PER_UNIT,
        };
        Some(millionths.saturating_mul(per_unit) / i128::from(MILLION))
    }
}

impl fmt::Display for QuotaLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("-1"),
            Self::AtMost(QuotaAmount { millionths, of_all: false }) => {
                f.write_str(&format_millionths(*millionths))
            }
            Self::AtMost(QuotaAmount { millionths, of_all: true }) => {
                write!(f, "{}*ALL", format_millionths(*millionths))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, measure: QuotaMeasure, all: u32) -> Option<i128> {
        QuotaLimit::parse(text).unwrap().of(measure, all)
    }

    /// The values of OAR's own example: of 100 nodes `ALL` is 100, half of them for an hour are 50 node-hours or 180,000
    /// node-seconds, and twice as many as there are 200 node-hours or 720,000 node-seconds.
    #[test]
    fn expressions_count_in_all_nodes() {
        use QuotaMeasure::{NodeHours, Nodes, Reservations};
        assert_eq!(of("100", Nodes, 100), Some(100));
        assert_eq!(of("ALL", Reservations, 100), Some(100));
        assert_eq!(of("0.5*ALL", NodeHours, 100), Some(180_000));
        assert_eq!(of("34.5", Nodes, 100), Some(34));
        assert_eq!(of("2*ALL", NodeHours, 100), Some(720_000));
        assert_eq!(of("-1", NodeHours, 100), None);
        assert_eq!(of("0", Nodes, 100), Some(0));
    }

    /// 1.5 kWh are 1.5 x 3.6e12 uJ; 2 EUR are 2 x 3.6e21 and 0.25 kg are 250 x 3.6e18 of the exact units. Of budgets that
    /// are overdrawn less than nothing is left.
    #[test]
    fn budgets_are_exact() {
        use QuotaMeasure::{Co2Kg, Cost, EnergyKwh, Nodes};
        let limits = [("1.5", EnergyKwh), ("2", Cost), ("0.25", Co2Kg)];
        let exact = limits.map(|(text, measure)| of(text, measure, 0).unwrap());
        assert_eq!(exact, [5_400_000_000_000, 2 * EXACT_PER_UNIT, EXACT_PER_UNIT / 4]);
        for ((text, measure), exact) in limits.into_iter().zip(exact) {
            assert_eq!(measure.in_units(exact).to_string(), text);
        }
        assert_eq!((Cost.left(3, 5), Nodes.left(3, 5)), (-2, 0));
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for text in ["-2", "ALL*2", "2ALL", "*ALL", "", "half", "-1*ALL", "1e10"] {
            assert_eq!(QuotaLimit::parse(text), Err(LIMIT_RULE), "{text}");
        }
    }
}
