//! Colours, and the rules that say on which days they may fall.
//!
//! A season runs from 1 September to 31 August and has 22 red days (November to March, never on a
//! Saturday, Sunday or holiday) and 43 white days (never on a Sunday); the rest is blue.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

use crate::feed::Quality;

const RED_DAYS: i64 = 22;
const WHITE_DAYS: i64 = 43;

/// The colour of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colour {
    /// Most days.
    Blue,
    /// 43 days.
    White,
    /// 22 days, the dearest.
    Red,
}

/// A colour and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announced {
    /// The colour.
    pub colour: Colour,
    /// `Measured` once it is binding.
    pub quality: Quality,
}

/// Colours by day; a day that is not there is not known.
pub type Colours = BTreeMap<Date, Announced>;

/// How likely a colour is on a day: `weight` of the sum of all weights of that day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The colour.
    pub colour: Colour,
    /// Positive.
    pub weight: i64,
}

/// The colours that may fall on `day`, each as often as a season has it on such days.
pub fn shares(day: Date) -> Vec<Share> {
    let (red_days, white_days) = eligible_days(day);
    let red = if may_be_red(day) { RED_DAYS * white_days } else { 0 };
    let white = if may_be_white(day) { WHITE_DAYS * red_days } else { 0 };
    let blue = red_days * white_days - red - white;
    [(Colour::Blue, blue), (Colour::White, white), (Colour::Red, red)]
        .into_iter()
        .filter(|&(_, weight)| weight > 0)
        .map(|(colour, weight)| Share { colour, weight })
        .collect()
}

/// How many days of the season of `day` may be red, and how many white; at least one each.
fn eligible_days(day: Date) -> (i64, i64) {
    let year = if day.month() >= 9 { day.year() } else { day.year() - 1 };
    let first = date(year.clamp(-9999, 9998), 9, 1);
    let season =
        first.series(1.day()).take_while(|day| day.year() == first.year() || day.month() < 9);
    let (mut red, mut white) = (0, 0);
    for day in season {
        red += i64::from(may_be_red(day));
        white += i64::from(may_be_white(day));
    }
    (red.max(1), white.max(1))
}

fn may_be_red(day: Date) -> bool {
    let winter = matches!(day.month(), 11 | 12 | 1..=3);
    let weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
    winter && !weekend && !is_french_holiday(day)
}

fn may_be_white(day: Date) -> bool {
    day.weekday() != Weekday::Sunday
}

/// Whether `day` is one of the eleven legal holidays of France (Code du travail, L3133-1).
pub fn is_french_holiday(day: Date) -> bool {
    let fixed = [(1, 1), (5, 1), (5, 8), (7, 14), (8, 15), (11, 1), (11, 11), (12, 25)];
    // Easter Monday, Ascension and Whit Monday, in days after Easter Sunday.
    let moving = [1, 39, 50];
    fixed.contains(&(day.month(), day.day()))
        || easter(day.year()).is_some_and(|easter| {
            moving.iter().any(|&days| easter.checked_add(days.days()).ok() == Some(day))
        })
}

/// Easter Sunday of the Gregorian calendar, by the anonymous algorithm (Nature, 20 April 1876).
#[expect(clippy::many_single_char_names, reason = "those of the algorithm")]
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y.rem_euclid(19), y.div_euclid(100), y.rem_euclid(100));
    let (d, e) = (b / 4, b % 4);
    let g = (b - (b + 8) / 25 + 1) / 3;
    let h = (19 * a + b - d - g + 15).rem_euclid(30);
    let l = (32 + 2 * e + 2 * (c / 4) - h - c % 4).rem_euclid(7);
    let m = (a + 11 * h + 22 * l) / 451;
    let n = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(n / 31).ok()?, i8::try_from(n % 31 + 1).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::Colour::{Blue, Red, White};
    use super::*;

    #[test]
    fn easter_and_the_holidays_that_follow_it() {
        assert_eq!(easter(2025), Some(date(2025, 4, 20)));
        assert_eq!(easter(2026), Some(date(2026, 4, 5)));
        assert_eq!(easter(2038), Some(date(2038, 4, 25)));
        for day in [date(2026, 4, 6), date(2026, 5, 14), date(2026, 5, 25), date(2026, 11, 11)] {
            assert!(is_french_holiday(day), "{day}");
        }
        assert!(!is_french_holiday(date(2026, 4, 5)));
        let count =
            date(2026, 1, 1).series(1.day()).take(365).filter(|&day| is_french_holiday(day));
        assert_eq!(count.count(), 11);
    }

    #[test]
    fn red_is_for_winter_weekdays_and_sundays_are_blue() {
        let colours = |day| shares(day).iter().map(|share| share.colour).collect::<Vec<_>>();
        assert_eq!(colours(date(2026, 1, 14)), [Blue, White, Red]);
        assert_eq!(colours(date(2026, 1, 17)), [Blue, White], "a Saturday");
        assert_eq!(colours(date(2026, 1, 18)), [Blue], "a Sunday");
        assert_eq!(colours(date(2026, 7, 14)), [Blue, White]);
        assert_eq!(colours(date(2025, 11, 11)), [Blue, White], "a holiday");
    }

    /// The weights of all days of a season sum up to 22 red and 43 white days.
    #[test]
    fn shares_of_a_season_sum_up_to_its_days() {
        let mut sums = BTreeMap::new();
        for day in date(2025, 9, 1).series(1.day()).take(365) {
            let shares = shares(day);
            let total: i64 = shares.iter().map(|share| share.weight).sum();
            for share in shares {
                *sums.entry(share.colour).or_insert(0.0) += share.weight as f64 / total as f64;
            }
        }
        assert!((sums[&Colour::Red] - 22.0).abs() < 1e-9);
        assert!((sums[&Colour::White] - 43.0).abs() < 1e-9);
    }
}
