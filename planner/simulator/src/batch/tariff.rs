//! The supplier's side in simulated time: prices, CO2 and caps; and what a cluster's energy comes to.

use super::steps::Steps;
use super::time::Time;

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

/// What energy came to; gaps in the tables count nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// In the currency.
    pub cost: Option<f64>,
    /// g of CO2.
    pub co2_g: Option<f64>,
}

impl Tariff {
    /// Whether energy has a price or emits.
    pub const fn bills(&self) -> bool {
        self.price.is_some() || self.co2.is_some()
    }

    /// What drawing `uw` from one instant to another comes to: millionths of the currency per `MWh`, and of
    /// a gram per `kWh`, times picojoules.
    pub fn of(&self, from: Time, until: Time, uw: i64) -> [i128; 2] {
        [&self.price, &self.co2].map(|steps| {
            steps.as_ref().map_or(0, |steps| steps.integral(from, until) * i128::from(uw))
        })
    }

    /// The bill for sums of [`Tariff::of`].
    pub fn bill(&self, [price, co2]: [i128; 2]) -> Bill {
        // 1 MWh is 3.6e21 pJ, 1 kWh 3.6e18 pJ.
        let cost = self.price.as_ref().map(|_| price as f64 / 1e6 / 3.6e21);
        let co2_g = self.co2.as_ref().map(|_| co2 as f64 / 1e6 / 3.6e18);
        Bill { cost, co2_g }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 kW for two hours: 2 kWh at 100 per MWh in the first hour and 50 in the second are 0.1 + 0.05; at
    /// 40 g/kWh in the first hour only, 40 g.
    #[test]
    fn bills_add_up() {
        let hour = |hours: i64| Time::from_seconds(3_600 * hours);
        let price = Steps::of([(hour(0), hour(1), 100_000_000), (hour(1), hour(2), 50_000_000)]);
        let co2 = Steps::of([(hour(0), hour(1), 40_000_000)]);
        let tariff = Tariff { price: Some(price), co2: Some(co2), cap: None };
        let bill = tariff.bill(tariff.of(hour(0), hour(2), 1_000_000_000));
        assert!((bill.cost.unwrap() - 0.15).abs() < 1e-12);
        assert!((bill.co2_g.unwrap() - 40.0).abs() < 1e-9);
        assert_eq!(Tariff::default().bill([0; 2]), Bill::default());
    }
}
