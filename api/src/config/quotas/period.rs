//! Periods of rules, as they are written.

use planner::quota::{RecurringQuota, day_list, days_of_month, hours_of_day, months_of_year};
use serde::Deserialize;

use super::{TariffBands, Wrong, all};

/// When some rules are in force, again and again.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PeriodFields {
    #[serde(default = "all")]
    hours: String,
    #[serde(default = "all")]
    weekdays: String,
    #[serde(default = "all")]
    days: String,
    #[serde(default = "all")]
    months: String,
    /// A band of the supplier's tariff, in place of hours, weekdays and months.
    tariff: Option<String>,
    pub(super) rules: String,
}

impl PeriodFields {
    /// When it is; of no rules yet.
    pub(super) fn when(
        &self,
        bands: &TariffBands,
        place: &dyn Fn(&str) -> String,
        wrong: &mut Wrong,
    ) -> Option<Vec<RecurringQuota>> {
        match &self.tariff {
            None => self.times(place, wrong),
            Some(band) => self.of_band(band, bands, place, wrong),
        }
    }

    /// By its own hours and days.
    fn times(
        &self,
        place: &dyn Fn(&str) -> String,
        wrong: &mut Wrong,
    ) -> Option<Vec<RecurringQuota>> {
        let hours = wrong.accept(&place("hours"), hours_of_day(&self.hours));
        let weekdays = wrong.accept(&place("weekdays"), day_list(&self.weekdays));
        let days = wrong.accept(&place("days"), days_of_month(&self.days));
        let months = wrong.accept(&place("months"), months_of_year(&self.months));
        let ((from_s, to_s), weekdays) = hours.zip(weekdays)?;
        let (days, months) = days.zip(months)?;
        let daily = RecurringQuota::daily(from_s, to_s, 0);
        Some(vec![RecurringQuota { weekdays, days, months, ..daily }])
    }

    /// By the windows of a band.
    fn of_band(
        &self,
        band: &str,
        bands: &TariffBands,
        place: &dyn Fn(&str) -> String,
        wrong: &mut Wrong,
    ) -> Option<Vec<RecurringQuota>> {
        if [&self.hours, &self.weekdays, &self.days, &self.months].iter().any(|it| *it != "*") {
            wrong.0.push(format!(
                "{}: says when the period is; leave out hours, weekdays, days and months",
                place("tariff")
            ));
        }
        wrong.accept(&place("tariff"), bands.times(band))
    }
}
