//! Public holidays of countries.

use std::collections::HashSet;

use holidays_rs::{Calendar, Country};
use jiff::civil::{Date, Weekday};

/// The public holidays of a country, those of all of it.
#[derive(Clone, Debug)]
pub(super) struct PublicHolidays(Country);

impl PublicHolidays {
    /// Those of a country by its name, such as `france` or `united-kingdom`; `None` where there is no calendar of that name.
    pub fn named(name: &str) -> Option<Self> {
        Country::ALL.iter().find(|country| word(country.name()) == name).map(|it| Self(*it))
    }

    /// Those of the years from `first` to `last`, without those that fall on Sundays.
    pub fn between(&self, first: Date, last: Date) -> HashSet<Date> {
        let calendar = Calendar::new(self.0);
        let years = first.year()..=last.year();
        let dates = years.flat_map(|year| calendar.holidays_in(year.into()));
        let dates = dates.filter_map(|(date, _)| civil(date));
        dates.filter(|date| date.weekday() != Weekday::Sunday).collect()
    }
}

/// The names of all calendars, in the order of the alphabet.
pub fn holiday_names() -> Vec<String> {
    let mut names: Vec<String> = Country::ALL.iter().map(|country| word(country.name())).collect();
    names.sort_unstable();
    names
}

/// `United States` as `united-states`.
fn word(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

fn civil(date: holidays_rs::Date) -> Option<Date> {
    let (month, day) = (i8::try_from(date.month).ok()?, i8::try_from(date.day).ok()?);
    Date::new(i16::try_from(date.year).ok()?, month, day).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn of(name: &str, year: i16) -> HashSet<Date> {
        let holidays = PublicHolidays::named(name).unwrap();
        holidays.between(date(year, 1, 1), date(year, 12, 31))
    }

    /// 2026: Easter is on April 5. Of the eleven holidays of France 1 November and 15 August are at a weekend, the first a
    /// Sunday, which is left out.
    #[test]
    fn holidays_of_france_but_those_on_sundays() {
        let mut days: Vec<Date> = of("france", 2026).into_iter().collect();
        days.sort_unstable();
        let expected =
            [(1, 1), (4, 6), (5, 1), (5, 8), (5, 14), (5, 25), (7, 14), (8, 15), (11, 11)];
        let mut expected: Vec<Date> = expected.iter().map(|&(m, d)| date(2026, m, d)).collect();
        expected.push(date(2026, 12, 25));
        assert_eq!(days, expected);
    }

    /// One day that each country has and its neighbour has not.
    #[test]
    fn countries_have_their_own() {
        let of_country = [
            ("germany", date(2025, 10, 3)),
            ("united-kingdom", date(2025, 8, 25)),
            ("italy", date(2025, 4, 25)),
            ("spain", date(2025, 12, 6)),
            ("netherlands", date(2026, 4, 27)),
            ("belgium", date(2025, 7, 21)),
            ("austria", date(2025, 12, 8)),
            ("switzerland", date(2025, 8, 1)),
            ("poland", date(2025, 11, 11)),
            ("united-states", date(2025, 11, 27)),
            ("denmark", date(2025, 6, 9)),
            ("sweden", date(2025, 6, 6)),
            ("norway", date(2024, 5, 17)),
        ];
        for (name, day) in of_country {
            assert!(of(name, day.year()).contains(&day), "{name} {day}");
            assert!(holiday_names().iter().any(|it| it == name), "{name}");
        }
        assert!(!of("germany", 2025).contains(&date(2025, 7, 14)));
        assert!(PublicHolidays::named("atlantis").is_none());
    }
}
