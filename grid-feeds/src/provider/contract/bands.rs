//! Bands of a contract: when which of its rules counts, as far as that is known ahead.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::{Date, Time};

use super::settings::{Days, Holidays};
use super::tariff::{ALL_COLOURS, Rule, Tariff};
use crate::provider::rte_tempo::is_french_holiday;

/// The years whose legal holidays are told.
const YEARS: std::ops::RangeInclusive<i16> = 2020..=2100;

/// A band: the rules of one name together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Its name.
    pub name: Box<str>,
    /// When one of its rules counts; in words why that is not known.
    pub times: Result<Vec<BandTime>, String>,
}

/// A time of some days over which a band counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BandTime {
    /// The months of the day of the contract, January first.
    pub months: [bool; 12],
    /// What kind of day that is; `None` for both.
    pub days: Option<Days>,
    /// Whether the calendar shows the day after it.
    pub is_next_day: bool,
    /// From this time of the clock ...
    pub from: Time,
    /// ... to this; midnight is the end of the day.
    pub to: Time,
}

impl Tariff {
    /// The zone of its clock.
    pub fn time_zone(&self) -> &str {
        &self.time_zone
    }

    /// Its bands, in the order of the rules.
    pub fn bands(&self) -> Vec<Band> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.rules.iter().filter_map(|rule| rule.band.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter().map(|name| Band { name: name.into(), times: self.times(name) }).collect()
    }

    /// The days from Monday to Friday and others that are free by its holidays.
    pub fn holidays(&self) -> BTreeSet<Date> {
        let mut days: BTreeSet<Date> = self.extra_holidays.iter().copied().collect();
        if self.holidays == Holidays::France {
            for year in YEARS {
                let Ok(first) = Date::new(year, 1, 1) else { continue };
                let of_year = first.series(1.day()).take_while(|it| it.year() == year);
                days.extend(of_year.filter(|day| is_french_holiday(*day)));
            }
        }
        days
    }

    fn times(&self, band: &str) -> Result<Vec<BandTime>, String> {
        let mut times: Vec<BandTime> = Vec::new();
        for (from, to, is_next_day) in self.clock_parts()? {
            let months = |days: Days| -> Result<[bool; 12], String> {
                let mut months = [false; 12];
                for (month, counts) in (1..).zip(&mut months) {
                    *counts = self.counts(band, (month, days, from))?;
                }
                Ok(months)
            };
            let (working, free) = (months(Days::Working)?, months(Days::Free)?);
            let of = |months, days| BandTime { months, days, is_next_day, from, to };
            if working == free {
                times.push(of(working, None));
            } else {
                times.extend([of(working, Some(Days::Working)), of(free, Some(Days::Free))]);
            }
        }
        times.retain(|it| it.months.contains(&true));
        if times.is_empty() {
            return Err("other rules come before its own at all times".to_owned());
        }
        Ok(times)
    }

    /// The parts of a day of the contract over which the same rules fit, none past midnight.
    fn clock_parts(&self) -> Result<Vec<(Time, Time, bool)>, String> {
        // Any day has them.
        let day = Date::constant(2001, 1, 1);
        let mut edges = self.edges(day).map_err(|error| error.to_string())?;
        let next = day.tomorrow().map_err(|error| error.to_string())?;
        edges.insert(next.to_datetime(Time::midnight()));
        let pairs = edges.iter().zip(edges.iter().skip(1));
        Ok(pairs.map(|(from, to)| (from.time(), to.time(), from.date() > day)).collect())
    }

    /// Whether a rule of a band is the first that fits.
    fn counts(&self, band: &str, (month, days, time): (i8, Days, Time)) -> Result<bool, String> {
        let fitting = || self.rules.iter().filter(|rule| rule.fits(month, days, time));
        let is_of = |rule: &Rule| rule.band.as_deref() == Some(band);
        let by_colour = ALL_COLOURS.map(|colour| {
            let first = fitting().find(|rule| rule.colour.is_none_or(|it| it == colour));
            first.is_some_and(is_of)
        });
        match by_colour {
            [true, true, true] => Ok(true),
            [false, false, false] => Ok(false),
            _ => Err("it depends on the colours of days, which are not known ahead".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    fn bands(text: &str) -> Vec<Band> {
        let settings: Settings = toml::from_str(text).unwrap();
        Tariff::new(&settings).unwrap().bands()
    }

    fn clock(hour: i8) -> Time {
        Time::constant(hour, 0, 0, 0)
    }

    /// The day begins at 06:00. Winter nights go before all else; peak is on working days.
    #[test]
    fn bands_are_where_their_rule_is_the_first_that_fits() {
        let bands = bands(
            "time_zone = \"Europe/Paris\"\ncurrency = \"EUR\"\nday_starts_at = \"06:00\"\nrules = [\n\
             { band = \"night\", months = [1, 12], from = \"22:00\", to = \"06:00\", energy_per_mwh = \"85\" },\n\
             { band = \"peak\", days = \"working\", from = \"08:00\", to = \"20:00\", energy_per_mwh = \"150\" },\n\
             { band = \"night\", from = \"00:00\", to = \"06:00\", energy_per_mwh = \"90\" },\n\
             { energy_per_mwh = \"95\" }]\n",
        );
        let winter = std::array::from_fn(|month| month == 0 || month == 11);
        let time = |months, days, is_next_day, from, to| BandTime {
            months,
            days,
            is_next_day,
            from: clock(from),
            to: clock(to),
        };
        let [night, peak] = bands.as_slice() else { panic!("{bands:?}") };
        let at_night = [time(winter, None, false, 22, 0), time([true; 12], None, true, 0, 6)];
        assert_eq!((&*night.name, night.times.as_deref()), ("night", Ok(&at_night[..])));
        let working = [time([true; 12], Some(Days::Working), false, 8, 20)];
        assert_eq!((&*peak.name, peak.times.as_deref()), ("peak", Ok(&working[..])));
    }

    #[test]
    fn what_depends_on_colours_or_never_counts_is_told() {
        let rules = |rules: &str| {
            bands(&format!(
                "time_zone = \"Europe/Paris\"\ncurrency = \"EUR\"\nrules = [{rules} {{ energy_per_mwh = \"95\" }}]\n\
                 colours = {{ access = \"public\" }}\n"
            ))
        };
        let red = "{ band = \"red\", colour = \"red\", energy_per_mwh = \"500\" },";
        assert!(rules(red)[0].times.as_ref().unwrap_err().contains("colours"));
        let never = "{ energy_per_mwh = \"90\" }, { band = \"never\", energy_per_mwh = \"91\" },";
        assert!(rules(never)[0].times.as_ref().unwrap_err().contains("other rules"));
        // The same band on days of each colour.
        let each = ["blue", "white", "red"].map(|colour| {
            format!("{{ band = \"all\", colour = \"{colour}\", energy_per_mwh = \"90\" }},")
        });
        assert_eq!(rules(&each.concat())[0].times.as_ref().unwrap().len(), 1);
    }

    /// Easter Monday 2026 is April 6.
    #[test]
    fn holidays_are_the_legal_ones_and_those_that_are_named() {
        let settings: Settings = toml::from_str(
            "time_zone = \"Europe/Paris\"\ncurrency = \"EUR\"\nholidays = \"france\"\n\
             extra_holidays = [\"2026-12-24\"]\nrules = [{ energy_per_mwh = \"95\" }]\n",
        )
        .unwrap();
        let holidays = Tariff::new(&settings).unwrap().holidays();
        let of_year = holidays.iter().filter(|day| day.year() == 2026).count();
        assert_eq!(of_year, 12);
        assert!(holidays.contains(&Date::constant(2026, 4, 6)));
        assert!(holidays.contains(&Date::constant(2026, 12, 24)));
    }
}
