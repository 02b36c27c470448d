//! Rows of the ledger, and by what they are priced.

use super::party::Party;
use crate::agenda::RateAgenda;
use crate::quantity::{CarbonIntensity, Currency, EnergyPrice};

/// Quarter-hours in an hour.
pub const QUARTERS: usize = 4;

/// What energy costs and emits over the hours that are stated.
#[derive(Clone, Debug)]
pub struct Tariff {
    /// The price.
    pub price: RateAgenda<EnergyPrice>,
    /// Of every price.
    pub currency: Currency,
    /// The grid's CO2 intensity: counting by location (GHG Protocol, Scope 2).
    pub by_location: RateAgenda<CarbonIntensity>,
    /// The intensity of what the site bought: certificates, contracts or the supplier's mix; `None` where the
    /// site has said nothing of it.
    pub by_market: Option<CarbonIntensity>,
    /// The grid's CO2 intensity by the accounting that the site does not plan by, marginal or average; `None` where nothing is
    /// known of it.
    pub other: Option<RateAgenda<CarbonIntensity>>,
}

/// Whole amounts of a party over an hour, or the difference that a correction makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// The most nodes that the party had at once in a quarter-hour.
    pub nodes: i64,
    /// Seconds of one node: two nodes for an hour are 7200.
    pub node_s: i64,
    /// Of these the seconds that no measurement covers; of a facility seconds.
    pub missing_s: i64,
    /// Joules that were measured.
    pub measured_j: i64,
    /// Joules that were estimated.
    pub estimated_j: i64,
    /// Joules, measured and estimated, of each quarter-hour of the hour.
    pub quarters_j: [i64; QUARTERS],
    /// Millionths of the currency; `None` where no price is known for any of the energy.
    pub cost_millionths: Option<i64>,
    /// Joules for which no price is known: they are not in the cost.
    pub unpriced_j: i64,
    /// Milligrams of CO2 by the grid's intensity; `None` where it is known for none of the energy.
    pub co2_location_mg: Option<i64>,
    /// Joules for which no intensity is known: they are not in the CO2 by location.
    pub unrated_j: i64,
    /// Milligrams of CO2 by what the site bought; `None` where nothing is said of that.
    pub co2_market_mg: Option<i64>,
    /// Milligrams of CO2 by the accounting that the site does not plan by; `None` where it is known for none of the energy.
    pub other_co2_mg: Option<i64>,
    /// Joules for which that is known: no others are in it.
    pub other_rated_j: i64,
}

/// What a party had and consumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Whose it is.
    pub party: Party,
    /// How much.
    pub amounts: Amounts,
}

impl Amounts {
    /// Joules, measured and estimated.
    pub const fn energy_j(&self) -> i64 {
        self.measured_j + self.estimated_j
    }

    /// Joules for which no CO2 is known by the accounting that the site does not plan by; less than nothing where energy was
    /// corrected since that was known.
    pub const fn other_unrated_j(&self) -> i64 {
        self.energy_j() - self.other_rated_j
    }

    /// These amounts without CO2 by the accounting that the site does not plan by.
    #[must_use]
    pub const fn without_other_co2(self) -> Self {
        Self { other_co2_mg: None, other_rated_j: 0, ..self }
    }

    /// Whether there is nothing in any column.
    pub fn is_nothing(&self) -> bool {
        let nothing = |amount: Option<i64>| amount.is_none_or(|it| it == 0);
        let known = Self {
            cost_millionths: None,
            co2_location_mg: None,
            co2_market_mg: None,
            other_co2_mg: None,
            ..*self
        };
        known == Self::default()
            && nothing(self.cost_millionths)
            && nothing(self.co2_location_mg)
            && nothing(self.co2_market_mg)
            && nothing(self.other_co2_mg)
    }

    /// Both together. What is not known of one is nothing beside what is known of the other.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            node_s: self.node_s + other.node_s,
            missing_s: self.missing_s + other.missing_s,
            measured_j: self.measured_j + other.measured_j,
            estimated_j: self.estimated_j + other.estimated_j,
            quarters_j: std::array::from_fn(|it| self.quarters_j[it] + other.quarters_j[it]),
            cost_millionths: known_sum(self.cost_millionths, other.cost_millionths),
            unpriced_j: self.unpriced_j + other.unpriced_j,
            co2_location_mg: known_sum(self.co2_location_mg, other.co2_location_mg),
            unrated_j: self.unrated_j + other.unrated_j,
            co2_market_mg: known_sum(self.co2_market_mg, other.co2_market_mg),
            other_co2_mg: known_sum(self.other_co2_mg, other.other_co2_mg),
            other_rated_j: self.other_rated_j + other.other_rated_j,
        }
    }

    /// These amounts with the opposite sign.
    #[must_use]
    pub fn negated(self) -> Self {
        let minus = |amount: Option<i64>| amount.map(|it| -it);
        Self {
            nodes: -self.nodes,
            node_s: -self.node_s,
            missing_s: -self.missing_s,
            measured_j: -self.measured_j,
            estimated_j: -self.estimated_j,
            quarters_j: self.quarters_j.map(|it| -it),
            cost_millionths: minus(self.cost_millionths),
            unpriced_j: -self.unpriced_j,
            co2_location_mg: minus(self.co2_location_mg),
            unrated_j: -self.unrated_j,
            co2_market_mg: minus(self.co2_market_mg),
            other_co2_mg: minus(self.other_co2_mg),
            other_rated_j: -self.other_rated_j,
        }
    }
}

/// Rows without CO2 by the accounting that the site does not plan by.
pub fn without_other_co2(rows: Vec<LedgerRow>) -> Vec<LedgerRow> {
    let without = |row: LedgerRow| LedgerRow { amounts: row.amounts.without_other_co2(), ..row };
    rows.into_iter().map(without).collect()
}

/// Both together. What is not known of one is nothing beside what is known of the other.
pub fn known_sum(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}
