//! Exact amounts as tables keep them: energies, money and CO2 need up to 128 bits, which no integer
//! column of either engine has, so they are whole numbers as decimal text.

use planner::quantity::{CarbonMass, Currency, Energy, Money};

/// An energy in whole microjoules.
pub(crate) fn energy_text(energy: Energy) -> String {
    energy.as_microjoules().to_string()
}

/// An amount of money in 1 / 3.6e21 of its currency.
pub(crate) fn money_text(money: Money) -> String {
    money.as_exact().to_string()
}

/// A mass of CO2 in 1 / 3.6e18 g.
pub(crate) fn mass_text(mass: CarbonMass) -> String {
    mass.as_exact().to_string()
}

/// The energy that a column says.
pub(crate) fn energy(text: &str) -> Option<Energy> {
    text.parse().ok().map(Energy::from_microjoules)
}

/// The money that a column says.
pub(crate) fn money(text: &str, currency: Currency) -> Option<Money> {
    Some(Money::from_exact(text.parse().ok()?, currency))
}

/// The mass that a column says.
pub(crate) fn mass(text: &str) -> Option<CarbonMass> {
    text.parse().ok().map(CarbonMass::from_exact)
}
