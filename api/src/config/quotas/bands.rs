//! Bands of the supplier's tariff: when demand charges look at power, by name.

use jiff::civil::{Time, Weekday};
use planner::bill::{DemandCharge, DemandWindow};
use planner::quota::RecurringQuota;

/// The seconds of a day.
const DAY_S: i32 = 86_400;

/// When each demand charge of the supplier looks at power, by the site's clock.
#[derive(Clone, Debug, Default)]
pub struct TariffBands(Vec<(Box<str>, Vec<DemandWindow>)>);

impl TariffBands {
    /// Those of `[[billing.demand]]`.
    pub fn of(charges: &[DemandCharge]) -> Self {
        Self(charges.iter().map(|it| (it.name.clone(), it.windows.clone())).collect())
    }

    /// The windows of a band.
    pub(super) fn windows(&self, band: &str) -> Result<Vec<DemandWindow>, String> {
        let found = self.0.iter().find(|(name, _)| **name == *band);
        let (_, windows) = found.ok_or_else(|| {
            format!("there is no demand charge {band:?} among [[billing.demand]] of the settings")
        })?;
        // A charge without windows looks at all times.
        Ok(if windows.is_empty() { vec![DemandWindow::default()] } else { windows.clone() })
    }
}

/// A window as periods of a calendar, two where it goes past midnight; of no rules yet.
pub(super) fn recurring(window: &DemandWindow) -> Vec<RecurringQuota> {
    let second = |time: Time| {
        i32::from(time.hour()) * 3600 + i32::from(time.minute()) * 60 + i32::from(time.second())
    };
    let hours = match window.hours.map(|(from, to)| (second(from), second(to))) {
        None => vec![(0, DAY_S)],
        Some((from, 0)) => vec![(from, DAY_S)],
        Some((from, to)) if from < to => vec![(from, to)],
        Some((from, to)) => vec![(from, DAY_S), (0, to)],
    };
    let has_day = |day: Weekday| window.weekdays.is_empty() || window.weekdays.contains(&day);
    let has_month = |month: i8| window.months.is_empty() || window.months.contains(&month);
    let on = |(from_s, to_s)| RecurringQuota {
        weekdays: [
            Weekday::Monday,
            Weekday::Tuesday,
            Weekday::Wednesday,
            Weekday::Thursday,
            Weekday::Friday,
            Weekday::Saturday,
            Weekday::Sunday,
        ]
        .map(has_day),
        months: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(has_month),
        ..RecurringQuota::daily(from_s, to_s, 0)
    };
    hours.into_iter().map(on).collect()
}
