//! Charges for the highest power of a month.

use jiff::tz::TimeZone;

use super::window::DemandWindow;
use crate::ledger::apportion::split;
use crate::metering::QuarterHour;

/// What a supplier charges for a month's highest quarter-hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandCharge {
    /// What it is called on the bill.
    pub name: Box<str>,
    /// Millionths of the currency for a kilowatt; not negative.
    pub per_kw_millionths: i64,
    /// Quarter-hours that count lie in one of these; without any all count.
    pub windows: Vec<DemandWindow>,
}

/// The quarter-hour of a month in which most was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemandPeak {
    /// The quarter-hour.
    pub quarter: QuarterHour,
    /// Joules.
    pub energy_j: i64,
}

/// Joules of a kilowatt in a quarter-hour.
const KILOWATT_QUARTER_J: i128 = 900_000;

impl DemandCharge {
    /// The quarter-hour that the charge is for, of those that are given with their joules in time order, by the
    /// calendar of a zone; `None` where nothing was drawn in any that counts.
    pub fn peak(
        &self,
        quarters: impl IntoIterator<Item = (QuarterHour, i64)>,
        zone: &TimeZone,
    ) -> Option<DemandPeak> {
        let mut peak: Option<DemandPeak> = None;
        for (quarter, energy_j) in quarters {
            let least = peak.map_or(0, |it| it.energy_j);
            if energy_j > least && self.counts(quarter, zone) {
                peak = Some(DemandPeak { quarter, energy_j });
            }
        }
        peak
    }

    /// Whether a quarter-hour lies in one of the windows.
    fn counts(&self, quarter: QuarterHour, zone: &TimeZone) -> bool {
        let start = jiff::Timestamp::from_second(quarter.start().as_unix_seconds());
        let start = start.map(|it| it.to_zoned(zone.clone()));
        self.windows.is_empty()
            || start.is_ok_and(|start| self.windows.iter().any(|it| it.contains(&start)))
    }

    /// Millionths of the currency for a peak, rounded half up.
    pub fn amount(&self, peak: DemandPeak) -> i64 {
        let exact = i128::from(self.per_kw_millionths) * i128::from(peak.energy_j);
        let rounded = (2 * exact + KILOWATT_QUARTER_J).div_euclid(2 * KILOWATT_QUARTER_J);
        i64::try_from(rounded).unwrap_or(i64::MAX)
    }
}

impl DemandPeak {
    /// Its mean power in kilowatts, for people and documents.
    pub fn as_kilowatts(self) -> f64 {
        self.energy_j as f64 / KILOWATT_QUARTER_J as f64
    }
}

/// The parts of a charge that fall to those who drew these energies in its quarter-hour: they sum to it. What is below
/// nothing, such as a facility between meters that disagree, has no part.
pub fn demand_shares(amount: i64, energies_j: &[i64]) -> Vec<i64> {
    let weight = |energy: &i64| u128::from(energy.max(&0).unsigned_abs());
    let weights: Vec<u128> = energies_j.iter().map(weight).collect();
    let parts = split(amount.into(), &weights);
    parts.into_iter().map(|part| i64::try_from(part).unwrap_or(i64::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Time, Weekday};
    use proptest::prelude::*;

    use super::*;
    use crate::time::Timestamp;

    fn quarter(text: &str) -> QuarterHour {
        QuarterHour::of(Timestamp::parse(text).unwrap())
    }

    fn charge(windows: Vec<DemandWindow>) -> DemandCharge {
        DemandCharge { name: "peak".into(), per_kw_millionths: 9_500_000, windows }
    }

    /// 90 MJ in 900 s are 100 kW. At 9.50 a kW: 950. The same again later changes nothing. On Sunday 99 MJ, 110 kW, were
    /// drawn, which count only where Sundays do.
    #[test]
    fn the_first_highest_quarter_hour_of_the_windows_counts() {
        let drawn = [
            (quarter("2026-03-27T12:00:00Z"), 90_000_000),
            (quarter("2026-03-27T12:15:00Z"), 90_000_000),
            (quarter("2026-03-29T12:00:00Z"), 99_000_000),
        ];
        let times = (Time::new(8, 0, 0, 0).unwrap(), Time::new(20, 0, 0, 0).unwrap());
        let working = DemandWindow {
            weekdays: vec![Weekday::Monday, Weekday::Friday],
            hours: Some(times),
            ..DemandWindow::default()
        };
        let charge_working = charge(vec![working]);
        let peak = charge_working.peak(drawn, &TimeZone::UTC).unwrap();
        assert_eq!(peak, DemandPeak { quarter: drawn[0].0, energy_j: 90_000_000 });
        assert_eq!(charge_working.amount(peak), 950_000_000);
        assert!((peak.as_kilowatts() - 100.0).abs() < 1e-12);
        let always = charge(Vec::new());
        let peak = always.peak(drawn, &TimeZone::UTC).unwrap();
        assert_eq!((peak.quarter, always.amount(peak)), (drawn[2].0, 1_045_000_000));
        assert_eq!(always.peak([(drawn[0].0, 0)], &TimeZone::UTC), None);
    }

    /// Of 950 three drew 45, 30 and 15 MJ: 475, 316.666667 and 158.333333. The site's meter said less than the nodes'.
    #[test]
    fn who_drew_in_that_quarter_hour_has_a_part() {
        let parts = demand_shares(950_000_000, &[45_000_000, 30_000_000, 15_000_000, -7]);
        assert_eq!(parts, [475_000_000, 316_666_667, 158_333_333, 0]);
    }

    proptest! {
        /// Whatever was drawn, and however little: nothing is lost, and nobody has more than a millionth beyond the part.
        #[test]
        fn shares_sum_to_the_charge(amount in 0_i64..1 << 50, drawn in prop::collection::vec(-1_i64 << 40..1 << 40, 1..40)) {
            let shares = demand_shares(amount, &drawn);
            prop_assert_eq!(shares.iter().sum::<i64>(), amount);
            let all: i128 = drawn.iter().map(|it| i128::from(*it.max(&0))).sum();
            for (share, energy) in shares.iter().zip(&drawn).filter(|_| all > 0) {
                let apart = i128::from(*share) * all - i128::from(amount) * i128::from(*energy.max(&0));
                prop_assert!(*share >= 0 && apart.abs() < all);
            }
        }
    }
}
