//! Lines of a report added up again, in whole units.

use std::collections::BTreeMap;

use planner::ledger::{Amounts, known_sum};
use storage::ReportGroup;

use crate::http::v1::reports::ReportRowDocument;
use crate::service::ledger::{LedgerSavings, ReportLine, score_mg};

/// What some lines amount to. Each line is of one reservation at the most.
#[derive(Debug, Default)]
pub struct Sum {
    reserved_s: i64,
    /// Seconds of nodes that jobs used outside of reservations.
    outside_s: i64,
    used_s: Option<i64>,
    amounts: Amounts,
    promised: LedgerSavings,
    measured: LedgerSavings,
    water_ml: Option<i64>,
    embodied_mg: Option<i64>,
    /// How far what was predicted of each reservation is from what was measured, in millionths of it. A reservation may
    /// have several lines, and counts once.
    errors: BTreeMap<String, i64>,
}

impl Sum {
    /// A line as the API tells it.
    pub fn of(row: &ReportRowDocument) -> Self {
        let millionths = |amount: Option<f64>| amount.map(|it| whole(it, 1e6));
        let savings = |cost: Option<f64>, co2: Option<f64>| LedgerSavings {
            cost_millionths: millionths(cost),
            co2_mg: millionths(co2),
        };
        let used_s = row.node_hours_used.map(|it| whole(it, 3600.0));
        let is_outside = row.reservation.as_deref().is_none_or(str::is_empty);
        let error = row.reservation.clone().zip(millionths(row.mean_error));
        Self {
            reserved_s: whole(row.node_hours_reserved, 3600.0),
            outside_s: used_s.filter(|_| is_outside).unwrap_or_default(),
            used_s,
            amounts: Amounts {
                measured_j: row.measured_j,
                estimated_j: row.energy_j - row.measured_j,
                cost_millionths: millionths(row.cost),
                co2_location_mg: millionths(row.co2_location_kg),
                unrated_j: row.unrated_j,
                co2_market_mg: millionths(row.co2_market_kg),
                other_co2_mg: millionths(row.other_co2_kg),
                other_rated_j: row.energy_j - row.other_unrated_j,
                ..Amounts::default()
            },
            promised: savings(row.promised_saving_cost, row.promised_saving_co2_kg),
            measured: savings(row.measured_saving_cost, row.measured_saving_co2_kg),
            water_ml: row.water_l.map(|it| whole(it, 1e3)),
            embodied_mg: millionths(row.embodied_co2_kg),
            errors: error.into_iter().collect(),
        }
    }

    /// Adds a line. What is not known of one is nothing beside what is known of the other.
    pub fn add(&mut self, line: Self) {
        self.reserved_s += line.reserved_s;
        self.outside_s += line.outside_s;
        self.used_s = known_sum(self.used_s, line.used_s);
        self.amounts = self.amounts.plus(line.amounts);
        self.promised = self.promised.plus(line.promised);
        self.measured = self.measured.plus(line.measured);
        self.water_ml = known_sum(self.water_ml, line.water_ml);
        self.embodied_mg = known_sum(self.embodied_mg, line.embodied_mg);
        self.errors.extend(line.errors);
    }

    /// The lines as one.
    pub fn line(self, group: ReportGroup, month: Option<String>) -> ReportLine {
        let errors = self.errors.values().map(|error| i128::from(*error));
        let count = i128::try_from(self.errors.len()).unwrap_or(i128::MAX);
        let mean = errors.sum::<i128>().checked_div(count);
        ReportLine {
            group,
            month,
            reserved_s: self.reserved_s,
            used_s: self.used_s,
            score_mg: score_mg(&self.amounts, self.embodied_mg, self.reserved_s + self.outside_s),
            amounts: self.amounts,
            promised: self.promised,
            measured: self.measured,
            mean_error_millionths: mean.and_then(|it| i64::try_from(it).ok()),
            water_ml: self.water_ml,
            embodied_mg: self.embodied_mg,
        }
    }
}

/// The whole number of units of which `per` make one; the API tells them to six decimals, which is finer.
#[expect(clippy::cast_possible_truncation, reason = "the API's amounts are whole units in an i64")]
fn whole(amount: f64, per: f64) -> i64 {
    (amount * per).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(reservation: &str, mean_error: Option<f64>) -> ReportRowDocument {
        ReportRowDocument {
            reservation: Some(reservation.to_owned()),
            node_hours_reserved: 0.000_278,
            node_hours_used: Some(0.333_333),
            energy_j: 7,
            measured_j: 2,
            cost: Some(0.1),
            co2_location_kg: Some(0.2),
            embodied_co2_kg: Some(0.000_001),
            mean_error,
            ..ReportRowDocument::default()
        }
    }

    /// Three lines of a second, of which 0.1 + 0.1 + 0.1 is 0.3, not a little more. 600,003 mg over three seconds are
    /// 720,003,600 mg for a node-hour. The reservation r1 has two of the lines, and is 10 % off; r2 20 %: 15 % in the mean.
    #[test]
    fn lines_sum_exactly() {
        let mut sum = Sum::default();
        for line in [row("r1", Some(0.1)), row("r1", Some(0.1)), row("r2", Some(0.2))] {
            sum.add(Sum::of(&line));
        }
        let line = sum.line(ReportGroup::default(), None);
        assert_eq!((line.reserved_s, line.used_s), (3, Some(3600)));
        assert_eq!((line.amounts.energy_j(), line.amounts.measured_j), (21, 6));
        assert_eq!(line.amounts.cost_millionths, Some(300_000));
        assert_eq!(line.score_mg, Some(720_003_600));
        assert_eq!(line.mean_error_millionths, Some(150_000));
        assert_eq!((line.water_ml, line.promised.cost_millionths), (None, None));
    }

    #[test]
    fn what_is_not_known_stays_so() {
        let mut sum = Sum::default();
        sum.add(Sum::of(&ReportRowDocument { unrated_j: 1, ..row("", None) }));
        let line = sum.line(ReportGroup::default(), None);
        assert_eq!((line.score_mg, line.mean_error_millionths), (None, None));
        assert_eq!(Sum::default().line(ReportGroup::default(), None).used_s, None);
    }
}
