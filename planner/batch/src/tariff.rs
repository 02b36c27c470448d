//! The supplier's side in simulated time: prices, CO2 and caps; and what a cluster's energy comes to.

use crate::steps::Steps;
use crate::time::Time;

/// What the supplier announced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tariff {
    /// Price of energy, millionths of the currency per `MWh`.
    pub price: Option<Steps>,
    /// CO2 intensity of energy, millionths of a gram per `kWh`.
    pub co2: Option<Steps>,
    /// Cap of the cluster's power, uW.
    pub cap: Option<Steps>,
}

/// One of the supplier's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields of `Tariff`")]
pub enum Table {
    Price,
    Co2,
    Cap,
}

/// What energy came to, as far as the tables have values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// In the currency.
    pub cost: Option<f64>,
    /// g of CO2.
    pub co2_g: Option<f64>,
    /// Of the energy, the part that there were prices for; 1 where nothing was consumed.
    pub cost_covered_share: Option<f64>,
    /// Of the energy, the part that there were CO2 intensities for.
    pub co2_covered_share: Option<f64>,
}

/// What drawn energy comes to by one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Millionths of the table's unit times picojoules.
    pub worth: i128,
    /// Energy for which the table has a value, pJ.
    pub covered_pj: i128,
}

impl std::ops::AddAssign for Sum {
    fn add_assign(&mut self, more: Self) {
        self.worth += more.worth;
        self.covered_pj += more.covered_pj;
    }
}

impl Tariff {
    /// Whether energy has a price or emits.
    pub const fn bills(&self) -> bool {
        self.price.is_some() || self.co2.is_some()
    }

    /// One of the tables, where it was given.
    pub const fn table(&self, table: Table) -> Option<&Steps> {
        match table {
            Table::Price => self.price.as_ref(),
            Table::Co2 => self.co2.as_ref(),
            Table::Cap => self.cap.as_ref(),
        }
    }

    /// What drawing `uw` from one instant to another comes to, by prices and by CO2 intensities.
    pub fn of(&self, from: Time, until: Time, uw: i64) -> [Sum; 2] {
        [&self.price, &self.co2].map(|steps| {
            let (worth, covered) = steps.as_ref().map_or((0, 0), |steps| steps.over(from, until));
            let uw = i128::from(uw);
            Sum { worth: worth * uw, covered_pj: i128::from(covered) * uw }
        })
    }

    /// The bill for sums of [`Tariff::of`] over `consumed_pj` in all.
    pub fn bill(&self, [price, co2]: [Sum; 2], consumed_pj: i128) -> Bill {
        let share = |sum: Sum| match consumed_pj {
            0 => 1.0,
            all => sum.covered_pj as f64 / all as f64,
        };
        // 1 MWh is 3.6e21 pJ, 1 kWh 3.6e18 pJ.
        Bill {
            cost: self.price.as_ref().map(|_| price.worth as f64 / 1e6 / 3.6e21),
            co2_g: self.co2.as_ref().map(|_| co2.worth as f64 / 1e6 / 3.6e18),
            cost_covered_share: self.price.as_ref().map(|_| share(price)),
            co2_covered_share: self.co2.as_ref().map(|_| share(co2)),
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
        let price = Steps::of([(hour(0), hour(1), 100_000_000), (hour(1), hour(2), 50_000_000)]);
        let co2 = Steps::of([(hour(0), hour(1), 40_000_000)]);
        let tariff = Tariff { price: Some(price), co2: Some(co2), cap: None };
        let consumed_pj = 7_200_000_000_i128 * 1_000_000_000;
        let bill = tariff.bill(tariff.of(hour(0), hour(2), 1_000_000_000), consumed_pj);
        assert!((bill.cost.unwrap() - 0.15).abs() < 1e-12);
        assert!((bill.co2_g.unwrap() - 40.0).abs() < 1e-9);
        assert_eq!((bill.cost_covered_share, bill.co2_covered_share), (Some(1.0), Some(0.5)));
        assert_eq!(Tariff::default().bill([Sum::default(); 2], 0), Bill::default());
    }
}
