//! The supplier's tables in simulated time: prices, CO2 intensities and caps; and what a cluster's
//! energy comes to by them.

use std::ops::AddAssign;

use planner::quantity::{CarbonIntensity, EnergyPrice, Power, Rate};

use crate::quantity::ExactEnergy;
use crate::steps::{Missing, Steps};
use crate::time::Time;

/// What the supplier announced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SupplierTables {
    /// The price of energy.
    pub price: Option<Steps<EnergyPrice>>,
    /// The CO2 intensity of energy.
    pub co2: Option<Steps<CarbonIntensity>>,
    /// The cap of the cluster's power.
    pub cap: Option<Steps<Power>>,
}

/// One of the supplier's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields of `SupplierTables`")]
pub enum SupplierTable {
    Price,
    Co2,
    Cap,
}

/// What energy came to, as far as the tables have values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// The cost, in the currency of the prices.
    pub cost: Option<f64>,
    /// The CO2 emitted, g.
    pub co2_g: Option<f64>,
    /// The part of the energy that there were prices for; 1 where nothing was consumed.
    pub cost_covered_share: Option<f64>,
    /// The part of the energy that there were CO2 intensities for; 1 where nothing was consumed.
    pub co2_covered_share: Option<f64>,
}

/// What drawn energy comes to by one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BilledEnergy {
    /// Millionths of the table's unit times picojoules.
    worth: i128,
    /// Energy for which the table has a value.
    covered: ExactEnergy,
}

/// Energy billed so far, by prices and by CO2 intensities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    price: BilledEnergy,
    co2: BilledEnergy,
}

impl BilledEnergy {
    /// Bills what drawing `power` from one instant to another comes to by `steps`.
    fn add<R: Rate>(&mut self, steps: Option<&Steps<R>>, from: Time, until: Time, power: Power) {
        let Some(steps) = steps else { return };
        let integral = steps.integral(from, until);
        self.worth += integral.millionth_micros * i128::from(power.as_microwatts());
        self.covered += power * integral.covered;
    }
}

impl AddAssign for Account {
    fn add_assign(&mut self, other: Self) {
        for (sum, more) in [(&mut self.price, other.price), (&mut self.co2, other.co2)] {
            sum.worth += more.worth;
            sum.covered += more.covered;
        }
    }
}

impl SupplierTables {
    /// Whether energy has a price or emits.
    pub const fn bills(&self) -> bool {
        self.price.is_some() || self.co2.is_some()
    }

    /// Whether a table was given.
    pub const fn has(&self, table: SupplierTable) -> bool {
        match table {
            SupplierTable::Price => self.price.is_some(),
            SupplierTable::Co2 => self.co2.is_some(),
            SupplierTable::Cap => self.cap.is_some(),
        }
    }

    /// The time from one instant to another for which a table that was given has no value.
    pub fn missing(&self, table: SupplierTable, from: Time, until: Time) -> Option<Missing> {
        match table {
            SupplierTable::Price => self.price.as_ref()?.missing(from, until),
            SupplierTable::Co2 => self.co2.as_ref()?.missing(from, until),
            SupplierTable::Cap => self.cap.as_ref()?.missing(from, until),
        }
    }

    /// When the first value of a table begins and the last ends.
    pub fn bounds(&self, table: SupplierTable) -> Option<(Time, Time)> {
        match table {
            SupplierTable::Price => self.price.as_ref()?.bounds(),
            SupplierTable::Co2 => self.co2.as_ref()?.bounds(),
            SupplierTable::Cap => self.cap.as_ref()?.bounds(),
        }
    }

    /// Adds to an account what drawing `power` from one instant to another comes to.
    pub fn charge(&self, account: &mut Account, from: Time, until: Time, power: Power) {
        account.price.add(self.price.as_ref(), from, until, power);
        account.co2.add(self.co2.as_ref(), from, until, power);
    }

    /// The bill for an account, where `consumed` is all the energy.
    pub fn bill(&self, Account { price, co2 }: Account, consumed: ExactEnergy) -> Bill {
        // 1 MWh is 3.6e21 pJ, 1 kWh 3.6e18 pJ.
        Bill {
            cost: self.price.as_ref().map(|_| price.worth as f64 / 1e6 / 3.6e21),
            co2_g: self.co2.as_ref().map(|_| co2.worth as f64 / 1e6 / 3.6e18),
            cost_covered_share: self.price.as_ref().map(|_| price.covered.share_of(consumed)),
            co2_covered_share: self.co2.as_ref().map(|_| co2.covered.share_of(consumed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 kW for two hours: 2 kWh at 100 per MWh in the first hour and 50 in the second are 0.1 + 0.05; at
    /// 40 g/kWh in the first hour only, 40 g for half of the energy.
    #[test]
    fn bills_add_up() {
        let hour = |hours: i64| Time::from_seconds(3_600 * hours);
        let price = |millionths| EnergyPrice::from_millionths_per_mwh(millionths).unwrap();
        let price = [(hour(0), hour(1), price(100_000_000)), (hour(1), hour(2), price(50_000_000))];
        let co2 = CarbonIntensity::from_millionths_g_per_kwh(40_000_000).unwrap();
        let co2 = [(hour(0), hour(1), co2)];
        let tables =
            SupplierTables { price: Some(Steps::of(price)), co2: Some(Steps::of(co2)), cap: None };
        let power = Power::from_microwatts(1_000_000_000);
        let mut account = Account::default();
        tables.charge(&mut account, hour(0), hour(2), power);
        let bill = tables.bill(account, power * hour(2));
        assert!((bill.cost.unwrap() - 0.15).abs() < 1e-12);
        assert!((bill.co2_g.unwrap() - 40.0).abs() < 1e-9);
        assert_eq!((bill.cost_covered_share, bill.co2_covered_share), (Some(1.0), Some(0.5)));
        let nothing = SupplierTables::default().bill(Account::default(), ExactEnergy::ZERO);
        assert_eq!(nothing, Bill::default());
    }
}
