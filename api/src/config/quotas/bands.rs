//! Bands of the supplier's tariff, by name: when demand charges look at power, and when rules of a contract count.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::ensure;
use grid_feeds::provider::contract::{BandTime, Days, Tariff};
use jiff::civil::{Date, Time, Weekday};
use planner::bill::{DemandCharge, DemandWindow};
use planner::quota::{Holidays, RecurringQuota};

/// The seconds of a day.
const DAY_S: i32 = 86_400;

/// When bands of the supplier's tariff are in force, by the site's clock.
#[derive(Clone, Debug, Default)]
pub struct TariffBands(Vec<Band>);

/// A band, and when it is in force; in words why that is not known. Of no rules yet.
#[derive(Clone, Debug)]
struct Band {
    name: Box<str>,
    times: Result<Vec<RecurringQuota>, String>,
}

impl TariffBands {
    /// Those of `[[billing.demand]]` and of the contracts among the sources; the clock is that of the site's zone.
    ///
    /// # Errors
    /// Two have one name.
    pub fn of<'a>(
        charges: &[DemandCharge],
        contracts: impl IntoIterator<Item = &'a Tariff>,
        zone: Option<&str>,
    ) -> anyhow::Result<Self> {
        let mut bands: Vec<Band> = charges.iter().map(of_charge).collect();
        for contract in contracts {
            for band in of_contract(contract, zone.unwrap_or("UTC")) {
                let is_new = bands.iter().all(|it| it.name != band.name);
                ensure!(
                    is_new,
                    "{:?} is the name of a demand charge or of another contract's band, too; give one another name",
                    band.name
                );
                bands.push(band);
            }
        }
        Ok(Self(bands))
    }

    /// When a band is in force.
    pub(super) fn times(&self, band: &str) -> Result<Vec<RecurringQuota>, String> {
        let Some(found) = self.0.iter().find(|it| *it.name == *band) else {
            let names: Vec<String> = self.0.iter().map(|it| format!("{:?}", it.name)).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!(
                "there is no demand charge and no band of a contract {band:?}; there are {known}"
            ));
        };
        found.times.clone().map_err(|why| format!("the band {band:?} of the contract: {why}"))
    }
}

fn of_charge(charge: &DemandCharge) -> Band {
    // A charge without windows looks at all times.
    let always = [DemandWindow::default()];
    let windows = if charge.windows.is_empty() { &always[..] } else { &charge.windows };
    Band { name: charge.name.clone(), times: Ok(windows.iter().flat_map(recurring).collect()) }
}

fn of_contract(contract: &Tariff, zone: &str) -> Vec<Band> {
    let holidays = contract.holidays();
    let band = |band: grid_feeds::provider::contract::Band| {
        let in_zone = if contract.time_zone() == zone {
            band.times
        } else {
            let theirs = contract.time_zone();
            Err(format!("it is of the time zone {theirs:?}, and the site's time_zone is {zone:?}"))
        };
        let times = in_zone
            .map(|times| times.iter().flat_map(|time| of_contract_days(time, &holidays)).collect());
        Band { name: band.name, times }
    };
    contract.bands().into_iter().map(band).collect()
}

/// A time of a contract's days as periods of a calendar. What the calendar shows a day later is moved by a day: of months
/// that do not all count, the first of the next one belongs to the last day of each.
fn of_contract_days(time: &BandTime, holidays: &BTreeSet<Date>) -> Vec<RecurringQuota> {
    let (mut weekdays, mut holidays) = ([true; 7], holidays.clone());
    if let Some(days) = time.days {
        let is_working = |place: usize| place < 5;
        weekdays = std::array::from_fn(|place| is_working(place) == (days == Days::Working));
    }
    if time.is_next_day {
        weekdays.rotate_right(1);
        holidays = holidays.iter().filter_map(|day| day.tomorrow().ok()).collect();
    }
    let holidays = match time.days {
        Some(_) if holidays.is_empty() => Holidays::AsOthers,
        Some(Days::Working) => Holidays::But(Arc::new(holidays)),
        Some(Days::Free) => Holidays::And(Arc::new(holidays)),
        None => Holidays::AsOthers,
    };
    let to_s = if time.to == Time::midnight() { DAY_S } else { second(time.to) };
    let daily = RecurringQuota {
        weekdays,
        holidays,
        months: time.months,
        ..RecurringQuota::daily(second(time.from), to_s, 0)
    };
    if !time.is_next_day || time.months == [true; 12] {
        return vec![daily];
    }
    let but_first = RecurringQuota { days: std::array::from_fn(|day| day > 0), ..daily.clone() };
    let mut months = time.months;
    months.rotate_right(1);
    let first = RecurringQuota { days: std::array::from_fn(|day| day == 0), months, ..daily };
    vec![but_first, first]
}

fn second(time: Time) -> i32 {
    i32::from(time.hour()) * 3600 + i32::from(time.minute()) * 60 + i32::from(time.second())
}

/// A window as periods of a calendar, two where it goes past midnight; of no rules yet.
fn recurring(window: &DemandWindow) -> Vec<RecurringQuota> {
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

#[cfg(test)]
mod tests {
    use grid_feeds::provider::contract::Settings;
    use planner::quota::{QuotaCalendar, date_and_time};

    use super::*;

    fn contract(more: &str) -> Tariff {
        let text = format!(
            "time_zone = \"Europe/Paris\"\ncurrency = \"EUR\"\nday_starts_at = \"06:00\"\nholidays = \"france\"\n{more}"
        );
        Tariff::new(&toml::from_str::<Settings>(&text).unwrap()).unwrap()
    }

    fn charge(name: &str) -> DemandCharge {
        DemandCharge { name: name.into(), per_kw_millionths: 1, windows: Vec::new() }
    }

    /// The day of the contract begins at 06:00, so that the night of 2026-04-30, a working day, lasts into the legal
    /// holiday of May 1, a Friday, and the night of January 31 into February.
    #[test]
    fn bands_of_a_contract_are_in_force_by_its_days() {
        let contract = contract(
            "rules = [\n\
             { band = \"winter night\", months = [1], from = \"22:00\", to = \"06:00\", energy_per_mwh = \"85\" },\n\
             { band = \"night\", days = \"working\", from = \"22:00\", to = \"06:00\", energy_per_mwh = \"90\" },\n\
             { band = \"peak\", days = \"working\", energy_per_mwh = \"150\" },\n\
             { band = \"free\", energy_per_mwh = \"95\" }]\n",
        );
        let bands = TariffBands::of(&[charge("evening")], [&contract], Some("Europe/Paris"));
        let bands = bands.unwrap();
        for (clock, band) in [
            ("2026-01-31 21:59", "free"),
            ("2026-01-31 22:00", "winter night"),
            ("2026-02-01 05:59", "winter night"),
            ("2026-02-01 06:00", "free"),
            ("2026-04-30 21:59", "peak"),
            ("2026-04-30 23:00", "night"),
            ("2026-05-01 05:59", "night"),
            ("2026-05-01 06:00", "free"),
            ("2026-05-01 23:00", "free"),
            ("2026-05-02 05:00", "free"),
            // Monday's small hours are of Sunday.
            ("2026-05-04 05:59", "free"),
            ("2026-05-04 06:00", "peak"),
            ("2026-05-05 00:00", "night"),
        ] {
            for name in ["winter night", "night", "peak", "free"] {
                let recurring = bands.times(name).unwrap();
                let calendar = QuotaCalendar { recurring, ..QuotaCalendar::default() };
                let is_on = calendar.at(date_and_time(clock).unwrap()).is_some();
                assert_eq!(is_on, name == band, "{name} at {clock}");
            }
        }
        // Together they have every moment, of holidays too.
        let all = ["winter night", "night", "peak", "free"];
        let recurring = all.iter().flat_map(|name| bands.times(name).unwrap()).collect();
        assert_eq!(QuotaCalendar { recurring, ..QuotaCalendar::default() }.gap(), None);
        let days = bands.times("peak").unwrap().into_iter().chain(bands.times("night").unwrap());
        let gap = QuotaCalendar { recurring: days.collect(), ..QuotaCalendar::default() }.gap();
        assert!(gap.is_some(), "free days and winter nights are missing");
    }

    #[test]
    fn what_a_band_cannot_be_is_told_with_what_there_is() {
        let contract = contract(
            "rules = [{ band = \"red\", colour = \"red\", energy_per_mwh = \"500\" }, { band = \"day\", energy_per_mwh = \"95\" }]\n\
             colours = { access = \"public\" }\n",
        );
        let bands = |zone: &'static str| {
            TariffBands::of(&[charge("evening")], [&contract], Some(zone)).unwrap()
        };
        let refused = |zone: &'static str, band: &str| bands(zone).times(band).unwrap_err();
        let unknown = refused("Europe/Paris", "nihgt");
        assert!(unknown.ends_with("there are \"evening\", \"red\", \"day\""), "{unknown}");
        assert!(refused("Europe/Paris", "red").contains("colours"));
        assert!(refused("Europe/Paris", "day").contains("colours"));
        assert!(
            refused("UTC", "day").contains("\"Europe/Paris\", and the site's time_zone is \"UTC\"")
        );
        let twice = TariffBands::of(&[charge("day")], [&contract], Some("Europe/Paris"));
        assert!(twice.unwrap_err().to_string().contains("\"day\" is the name of a demand charge"));
        assert_eq!(bands("UTC").times("evening").unwrap().len(), 1);
    }
}
