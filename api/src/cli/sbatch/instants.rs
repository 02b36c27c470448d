//! Instants as `--begin` and `--deadline` of sbatch take them: what it would refuse is refused here too, before
//! anything is booked for it.

use jiff::civil::{Date, Time};
use jiff::{Timestamp, ToSpan, Zoned};

/// What [`instant`] reads.
const INSTANTS: &str = "now, now+2hours, 22:00, 8:00PM, noon, teatime, tomorrow, 12/24, 2026-12-24, \
    2026-12-24T08:00 or uts1798000000";

/// Units of what is added to now, seconds.
const UNITS: &[(&str, i64)] = &[
    ("seconds", 1),
    ("second", 1),
    ("minutes", 60),
    ("minute", 60),
    ("hours", 3600),
    ("hour", 3600),
    ("days", 86_400),
    ("day", 86_400),
    ("weeks", 604_800),
    ("week", 604_800),
];

/// Hours that have names.
const HOURS: &[(&str, i8)] =
    &[("midnight", 0), ("noon", 12), ("elevenses", 11), ("fika", 15), ("teatime", 16)];

/// The least number after `uts` that sbatch takes.
const LEAST_UTS: i64 = 1_000_000;

/// An instant in sbatch's spellings, read at `now` in its zone: a date, a time of day, or both in any order.
///
/// # Errors
/// Says what there is; days that do not exist, and local times that do not exist or come twice.
pub fn instant(text: &str, now: &Zoned) -> Result<Timestamp, String> {
    let told = || format!("{text:?} is not an instant that sbatch takes, such as {INSTANTS}");
    if let Some(seconds) = after(text, "uts") {
        let seconds = seconds.parse().ok().filter(|it| *it >= LEAST_UTS);
        return seconds.and_then(|it| Timestamp::from_second(it).ok()).ok_or_else(told);
    }
    if let Some(rest) = after(text.trim(), "now") {
        let later = added(rest).ok_or_else(told)?;
        return now.timestamp().checked_add(later.seconds()).map_err(|_| told());
    }
    local(&Said::read(text, now).ok_or_else(told)?, now).ok_or_else(told)?
}

/// The year, where it is said, the month and the day.
type SaidDate = (Option<i16>, i8, i8);

/// What is said of an instant.
#[derive(Default)]
struct Said {
    date: Option<SaidDate>,
    time: Option<Time>,
}

impl Said {
    fn read(text: &str, now: &Zoned) -> Option<Self> {
        let mut said = Self::default();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if matches!(first, ' ' | '\t' | '-' | 'T') {
                rest = &rest[1..];
            } else if let Some(after) = after(rest, "today") {
                said.date = Some(of(now.date()));
                rest = after;
            } else if let Some(after) = after(rest, "tomorrow") {
                said.date = Some(of(now.checked_add(24.hours()).ok()?.date()));
                rest = after;
            } else if let Some((hour, after)) =
                HOURS.iter().find_map(|(name, hour)| Some((*hour, after(rest, name)?)))
            {
                said.time = Some(Time::new(hour, 0, 0, 0).ok()?);
                rest = after;
            } else if rest.bytes().take(3).skip(1).any(|it| it == b':') {
                let (time, after) = time_of_day(rest)?;
                said.time = Some(time);
                rest = after;
            } else {
                let (date, after) = date(rest)?;
                said.date = Some(date);
                rest = after;
            }
        }
        (said.date.is_some() || said.time.is_some()).then_some(said)
    }
}

/// The instant of what is said: a time of day is the next one, and so is a day of no year. `None` for days that
/// do not exist.
fn local(said: &Said, now: &Zoned) -> Option<Result<Timestamp, String>> {
    let time = said.time.unwrap_or(Time::midnight());
    let minute = |time: Time| (time.hour(), time.minute());
    let day = match said.date {
        Some((Some(year), month, day)) => Date::new(year, month, day).ok()?,
        Some((None, month, day)) => {
            let later = (month, day, minute(time)) > (now.month(), now.day(), minute(now.time()));
            Date::new(now.year() + i16::from(!later), month, day).ok()?
        }
        None if minute(time) > minute(now.time()) => now.date(),
        None => now.checked_add(24.hours()).ok()?.date(),
    };
    let local = day.to_datetime(time);
    let found = now.time_zone().to_ambiguous_zoned(local);
    if !found.is_ambiguous() {
        return Some(Ok(found.compatible().ok()?.timestamp()));
    }
    let seconds = |it: Result<Zoned, jiff::Error>| Some(it.ok()?.timestamp().as_second());
    let (earlier, later) = (seconds(found.clone().earlier())?, seconds(found.later())?);
    Some(Err(format!(
        "{local} does not exist or comes twice in the local time zone, where clocks are set then; say \
         uts{earlier} or uts{later}"
    )))
}

/// Seconds that are added to now, or taken from it: `+2hours`, ` + 90`, or nothing.
fn added(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let (sign, rest) = match text.as_bytes().first() {
        None => return Some(0),
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        Some(_) => return None,
    };
    let packed: String = rest.split_whitespace().collect();
    let digits = packed.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = packed.split_at(digits);
    let factor = match unit {
        "" => 1,
        unit => UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    count.parse::<i64>().ok()?.checked_mul(factor)?.checked_mul(sign)
}

/// `8:00`, `08:00:30`, `8:00PM`, and what follows.
fn time_of_day(text: &str) -> Option<(Time, &str)> {
    let (hour, rest) = number(text, 1..=2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2..=2)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest, 2..=2)?,
        None => (0, rest),
    };
    let rest = rest.trim_start();
    let (hour, rest) = if let Some(rest) = after(rest, "pm") {
        (if hour == 12 { 12 } else { hour + 12 }, rest)
    } else if let Some(rest) = after(rest, "am") {
        (if hour == 12 { 0 } else { Some(hour).filter(|it| *it < 12)? }, rest)
    } else {
        (hour, rest)
    };
    Some((Time::new(hour, minute, second, 0).ok()?, rest))
}

/// `2026-12-24`, `122426`, `1224`, `12/24/26`, `12.24`, and what follows.
fn date(text: &str) -> Option<(SaidDate, &str)> {
    let bytes = text.as_bytes();
    if bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-') {
        let (century, rest) = number(text, 2..=2)?;
        let (year, rest) = number(rest, 2..=2)?;
        let (month, rest) = number(rest.strip_prefix('-')?, 2..=2)?;
        let (day, rest) = number(rest.strip_prefix('-')?, 1..=2)?;
        return Some(((Some(i16::from(century) * 100 + i16::from(year)), month, day), rest));
    }
    let (month, rest) = number(text, 1..=2)?;
    let (day, rest) = number(rest.strip_prefix(['.', '/']).unwrap_or(rest), 1..=2)?;
    let rest = rest.strip_prefix(['.', '/']).unwrap_or(rest);
    if !rest.starts_with(|it: char| it.is_ascii_digit()) {
        return Some(((None, month, day), rest));
    }
    let (year, rest) = number(rest, 2..=2)?;
    Some((((year > 0).then(|| 2000 + i16::from(year)), month, day), rest))
}

/// As many digits as there may be, and what follows.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<(i8, &str)> {
    let count = text.bytes().take(*digits.end()).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(count);
    digits.contains(&count).then_some((number.parse().ok()?, rest))
}

/// What follows a word in any case.
fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

fn of(date: Date) -> SaidDate {
    (Some(date.year()), date.month(), date.day())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Result<String, String> {
        // A Sunday in winter, an hour ahead of UTC.
        let now: Zoned = "2026-11-22T15:30:10+01:00[Europe/Paris]".parse().unwrap();
        instant(text, &now).map(|it| it.to_string())
    }

    /// The sbatch of Slurm 22.05 takes all of these so.
    #[test]
    fn instants_are_read_as_sbatch_reads_them() {
        for (text, utc) in [
            ("now", "2026-11-22T14:30:10Z"),
            ("now+90", "2026-11-22T14:31:40Z"),
            ("now + 1hour", "2026-11-22T15:30:10Z"),
            ("now+ 5 minutes", "2026-11-22T14:35:10Z"),
            ("now-1hour", "2026-11-22T13:30:10Z"),
            ("now+1week", "2026-11-29T14:30:10Z"),
            ("today", "2026-11-21T23:00:00Z"),
            ("tomorrow", "2026-11-22T23:00:00Z"),
            ("tomorrow 08:00", "2026-11-23T07:00:00Z"),
            ("08:00 tomorrow", "2026-11-23T07:00:00Z"),
            ("teatime", "2026-11-22T15:00:00Z"),
            ("fika", "2026-11-23T14:00:00Z"),
            ("NOON", "2026-11-23T11:00:00Z"),
            ("15:30", "2026-11-23T14:30:00Z"),
            ("15:31", "2026-11-22T14:31:00Z"),
            ("8:00PM", "2026-11-22T19:00:00Z"),
            ("8:00 pm", "2026-11-22T19:00:00Z"),
            ("12:30am", "2026-11-22T23:30:00Z"),
            (" 08:00 ", "2026-11-23T07:00:00Z"),
            ("120126", "2026-11-30T23:00:00Z"),
            ("1201", "2026-11-30T23:00:00Z"),
            ("12/01", "2026-11-30T23:00:00Z"),
            ("11/22", "2027-11-21T23:00:00Z"),
            ("12.01.26", "2026-11-30T23:00:00Z"),
            ("12/01/27-08:00", "2027-12-01T07:00:00Z"),
            ("2026-12-1", "2026-11-30T23:00:00Z"),
            ("2026-12-01T08:00", "2026-12-01T07:00:00Z"),
            ("2026-12-01 08:00:30", "2026-12-01T07:00:30Z"),
            ("uts1795000000", "2026-11-18T11:06:40Z"),
        ] {
            assert_eq!(at(text).as_deref(), Ok(utc), "{text}");
        }
    }

    #[test]
    fn what_sbatch_refuses_is_refused() {
        for text in [
            "",
            "soon",
            "Today",
            "now+",
            "now+1h30m",
            "now+2min",
            "now+1d",
            "now+5 minutesx",
            "now+1hour 5",
            "13:00PM",
            "24:00",
            "1:2",
            "08:00:75",
            "8:00pmx",
            "2026-1-05",
            "2026-13-01",
            "1201262",
            "uts5",
            "2026-12-01T08:00:00Z",
            "2026-12-01T08:00+01:00",
        ] {
            let told = at(text).unwrap_err();
            assert!(told.contains("is not an instant that sbatch takes"), "{told}");
        }
    }

    /// On 2026-10-25 the clocks of Paris go from 03:00 back to 02:00.
    #[test]
    fn local_times_that_come_twice_are_not_guessed_at() {
        let told = at("10/25/26-02:30").unwrap_err();
        assert!(told.ends_with("say uts1792888200 or uts1792891800"), "{told}");
        assert!(at("03/28/27-02:30").unwrap_err().contains("does not exist"));
    }
}
