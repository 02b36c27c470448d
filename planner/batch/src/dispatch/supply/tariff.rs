//! What energy costs or emits by the time at which it is drawn, and which start of a window is the cheapest.

use planner::quantity::Power;

use crate::steps::RateIntegral;
use crate::supplier_tables::{SupplierTable, SupplierTables};
use crate::time::Time;

/// By which table windows are used, and savings are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ShiftBy {
    /// The price.
    #[default]
    Price,
    /// The CO2 intensity.
    Co2,
}

/// One of the supplier's tables, for energy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tariff<'a> {
    pub tables: &'a SupplierTables,
    pub by: ShiftBy,
}

impl Tariff<'_> {
    /// Whether there is such a table.
    pub fn is_there(&self) -> bool {
        let table = match self.by {
            ShiftBy::Price => SupplierTable::Price,
            ShiftBy::Co2 => SupplierTable::Co2,
        };
        self.tables.has(table)
    }

    /// The rate over a length of time.
    fn integral(&self, from: Time, length: Time) -> Option<RateIntegral> {
        let until = from + length;
        match self.by {
            ShiftBy::Price => self.tables.price.as_ref().map(|it| it.integral(from, until)),
            ShiftBy::Co2 => self.tables.co2.as_ref().map(|it| it.integral(from, until)),
        }
    }

    /// The rate over a length of time, in millionths times microseconds; none where the table does not cover it all.
    pub fn rate_over(&self, from: Time, length: Time) -> Option<i128> {
        let integral = self.integral(from, length)?;
        (integral.covered == length).then_some(integral.millionth_micros)
    }

    /// What drawing a power for a length of time comes to, in millionths of the rate's unit times picojoules. What is not covered
    /// is nothing.
    pub fn worth(&self, from: Time, length: Time, power: Power) -> i128 {
        let millionth_micros = self.integral(from, length).map_or(0, |it| it.millionth_micros);
        millionth_micros * i128::from(power.as_microwatts())
    }

    /// A worth in the unit of results: the currency, or g.
    pub fn amount(&self, worth: i128) -> f64 {
        match self.by {
            // 1 MWh is 3.6e21 pJ, 1 kWh 3.6e18 pJ.
            ShiftBy::Price => worth as f64 / 1e6 / 3.6e21,
            ShiftBy::Co2 => worth as f64 / 1e6 / 3.6e18,
        }
    }

    /// When the rate changes after an instant.
    pub fn next_change(&self, now: Time) -> Time {
        match self.by {
            ShiftBy::Price => self.tables.price.as_ref().map_or(Time::FOREVER, |it| it.from(now).1),
            ShiftBy::Co2 => self.tables.co2.as_ref().map_or(Time::FOREVER, |it| it.from(now).1),
        }
    }

    /// When rates begin or end from one instant to another, both included.
    fn changes(&self, from: Time, until: Time) -> Vec<Time> {
        let mut changes = Vec::new();
        let mut at = from;
        while at < until {
            at = self.next_change(at);
            if at <= until {
                changes.push(at);
            }
        }
        changes
    }
}

/// The window in which a job may start, and where in it that is cheapest.
///
/// The rate over `length` from a start on is linear in the start between two instants at which the rate changes at the start or at
/// the end of the job. So the least over the rest of a window is now, at one of these instants, or at the window's end.
#[derive(Clone, Debug)]
pub(super) struct StartWindow {
    latest: Time,
    length: Time,
    /// Starts, in order.
    starts: Vec<Candidate>,
}

/// A start that may be the cheapest.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: Time,
    rate: i128,
    /// The least rate from it on.
    least: i128,
}

impl StartWindow {
    /// The window of a job that is taken to last `length`, from `from` until `latest`.
    pub fn new(tariff: Tariff<'_>, from: Time, latest: Time, length: Time) -> Self {
        let mut starts = tariff.changes(from, latest);
        let ends = tariff.changes(from + length, latest + length);
        starts.extend(ends.into_iter().map(|end| end - length));
        starts.push(latest);
        starts.sort_unstable();
        starts.dedup();
        let known = |at: Time| {
            let rate = tariff.rate_over(at, length)?;
            Some(Candidate { at, rate, least: rate })
        };
        let mut starts: Vec<Candidate> = starts.into_iter().filter_map(known).collect();
        let mut least = i128::MAX;
        for start in starts.iter_mut().rev() {
            least = least.min(start.rate);
            start.least = least;
        }
        Self { latest, length, starts }
    }

    /// When it is best to start from now on: now, unless a later start in the window is cheaper; then the first of the cheapest.
    /// Where it is not known what starting now costs, it is now.
    pub fn best_from(&self, tariff: Tariff<'_>, now: Time) -> Time {
        let later = &self.starts[self.starts.partition_point(|it| it.at <= now)..];
        let least = later.first().filter(|_| now < self.latest).map(|it| it.least);
        match (tariff.rate_over(now, self.length), least) {
            (Some(rate), Some(least)) if rate > least => {
                later.iter().find(|it| it.rate == least).map_or(now, |it| it.at)
            }
            _ => now,
        }
    }

    /// When the window ends.
    pub const fn latest(&self) -> Time {
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::EnergyPrice;
    use proptest::prelude::*;

    use super::*;
    use crate::steps::Steps;

    fn s(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    fn prices(pieces: &[(i64, i64, i64)]) -> SupplierTables {
        let piece = |&(from, until, price): &(i64, i64, i64)| {
            let price = EnergyPrice::from_millionths_per_mwh(price).unwrap();
            (s(from), s(until), price)
        };
        let price = Some(Steps::of(pieces.iter().map(piece)));
        SupplierTables { price, ..SupplierTables::default() }
    }

    /// 9 until 10 s, 2 until 20 s, 5 until 30 s, 2 until 40 s, then nothing. A job of 4 s that may start from 0 to 50 s: all its
    /// seconds cost 2 from 10 to 16 s, 8 in all, and from 30 to 36 s. At 7 s it would cost 3 x 9 + 1 x 2; at 17 s 3 x 2 + 1 x 5.
    /// So it starts at 10 s; at 16 s at once; from 17 s on at 30 s; at 37 s nothing is known. Until 25 s alone the best from 17 s
    /// on is 17 s: later ones cost more.
    #[test]
    fn a_window_has_a_cheapest_start() {
        let tables = prices(&[(0, 10, 9), (10, 20, 2), (20, 30, 5), (30, 40, 2)]);
        let tariff = Tariff { tables: &tables, by: ShiftBy::Price };
        let window = StartWindow::new(tariff, s(0), s(50), s(4));
        let best = |at: i64| window.best_from(tariff, s(at));
        assert_eq!([0, 7, 10, 13, 16].map(best), [10, 10, 10, 13, 16].map(s));
        assert_eq!([17, 25, 30, 36, 37, 60].map(best), [30, 30, 30, 36, 37, 60].map(s));
        let short = StartWindow::new(tariff, s(0), s(25), s(4));
        assert_eq!([9, 17, 25].map(|at| short.best_from(tariff, s(at))), [10, 17, 25].map(s));
        assert_eq!(
            (tariff.rate_over(s(17), s(4)), tariff.rate_over(s(38), s(4))),
            (Some(11_000_000), None)
        );
        assert_eq!(tariff.next_change(s(12)), s(20));
        // 11 EUR s / MWh at 3 W: 33 Ws / MWh, of 3.6e9.
        let worth = tariff.worth(s(17), s(4), Power::from_microwatts(3_000_000));
        assert_eq!(worth, 33_000_000_000_000);
        assert!((tariff.amount(worth) * 3.6e9 - 33e-6).abs() < 1e-18);
    }

    proptest! {
        /// The best start is the first of the cheapest of all whole seconds from now on, as everything happens at whole seconds.
        #[test]
        fn no_later_second_is_cheaper(
            lengths in prop::collection::vec((1_i64..8, -3_i64..6), 1..12),
            (from, window, length) in (0_i64..20, 0_i64..40, 1_i64..15),
            gap in 0_i64..30,
        ) {
            let mut pieces = Vec::new();
            let mut at = 0;
            for (length, price) in lengths {
                if at != gap {
                    pieces.push((at, at + length, price));
                }
                at += length;
            }
            let tables = prices(&pieces);
            let tariff = Tariff { tables: &tables, by: ShiftBy::Price };
            let latest = from + window;
            let planned = StartWindow::new(tariff, s(from), s(latest), s(length));
            let rate = |start: i64| -> Option<i64> {
                (start..start + length)
                    .map(|t| pieces.iter().find(|it| it.0 <= t && t < it.1).map(|it| it.2))
                    .sum()
            };
            for now in from..=latest {
                let least = (now..=latest).filter_map(rate).min();
                let expected = match (rate(now), least) {
                    (Some(rate_now), Some(least)) if least < rate_now => {
                        (now..=latest).find(|at| rate(*at) == Some(least)).unwrap()
                    }
                    _ => now,
                };
                prop_assert_eq!(planned.best_from(tariff, s(now)), s(expected), "{}", now);
            }
        }
    }
}
