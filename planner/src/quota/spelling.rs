//! Times as people write them in files of quotas: hours, days of the week and of the month, months.

use jiff::civil::{Date, DateTime, Time};

use super::calendar::{DAY_S, MONTHS, WEEKDAYS};

/// Reads `09:00-19:00`, or `*` for the whole day, as seconds of the day; an end at 00:00 is the end of the day.
///
/// # Errors
/// What is wrong, in words.
pub fn hours_of_day(text: &str) -> Result<(i32, i32), String> {
    if text == "*" {
        return Ok((0, DAY_S));
    }
    let hours = text.split_once('-').and_then(|(from, to)| Some((clock(from)?, clock(to)?)));
    let Some((from, to)) = hours else {
        return Err(format!("the hours {text:?} must be * or such as 09:00-19:00"));
    };
    let to = if to == 0 { DAY_S } else { to };
    if from >= to {
        return Err(format!(
            "the hours {text:?} end before they begin; write two periods, one to 00:00 and one from 00:00"
        ));
    }
    Ok((from, to))
}

/// Reads `mon-fri`, `sat,sun` or `*`; a range may go past Sunday.
///
/// # Errors
/// What is wrong, in words.
pub fn day_list(text: &str) -> Result<[bool; 7], String> {
    let place = |word: &str| WEEKDAYS.iter().position(|name| *name == word);
    chosen(text, place).ok_or_else(|| {
        format!(
            "the days {text:?} must be * or such as mon-fri or sat,sun; days are {}",
            WEEKDAYS.join(", ")
        )
    })
}

/// Reads `1-15,31` or `*`.
///
/// # Errors
/// What is wrong, in words.
pub fn days_of_month(text: &str) -> Result<[bool; 31], String> {
    chosen(text, |word| number(word, 31))
        .ok_or_else(|| format!("the days of the month {text:?} must be * or such as 1-15 or 1,31"))
}

/// Reads `jun-aug`, `6-8`, `nov-feb` or `*`.
///
/// # Errors
/// What is wrong, in words.
pub fn months_of_year(text: &str) -> Result<[bool; 12], String> {
    let named = |word: &str| MONTHS.iter().position(|name| *name == word);
    chosen(text, |word| named(word).or_else(|| number(word, 12))).ok_or_else(|| {
        format!(
            "the months {text:?} must be * or such as jun-aug or 11-2; months are {}",
            MONTHS.join(", ")
        )
    })
}

/// Reads `2026-12-24 18:00`, a time on the site's clock.
///
/// # Errors
/// What is wrong, in words.
pub fn date_and_time(text: &str) -> Result<DateTime, String> {
    let parts = text.trim().split_once(' ');
    let read = parts.and_then(|(date, time)| {
        let date: Date = date.parse().ok()?;
        let second = clock(time.trim())?;
        let part = |of: i32| i8::try_from(of).ok();
        Some(date.to_datetime(Time::new(part(second / 3600)?, part(second / 60 % 60)?, 0, 0).ok()?))
    });
    read.ok_or_else(|| format!("the time {text:?} must be such as 2026-12-24 18:00"))
}

/// A time on the site's clock as [`date_and_time`] reads it.
pub fn clock_text(at: DateTime) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// What a list of words and ranges of words names, of `N` places; `None` where it cannot be read.
fn chosen<const N: usize>(text: &str, place: impl Fn(&str) -> Option<usize>) -> Option<[bool; N]> {
    if text == "*" {
        return Some([true; N]);
    }
    let mut all = [false; N];
    for part in text.split(',').map(str::trim) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (mut at, last) = (place(from.trim())?, place(to.trim())?);
        all[at] = true;
        while at != last {
            at = (at + 1) % N;
            all[at] = true;
        }
    }
    Some(all)
}

/// A number from 1 as a place.
fn number(word: &str, most: usize) -> Option<usize> {
    word.parse::<usize>().ok().filter(|it| (1..=most).contains(it)).map(|it| it - 1)
}

/// `08:30` or `8:30` as a second of the day.
fn clock(text: &str) -> Option<i32> {
    let (hours, minutes) = text.split_once(':')?;
    let part = |text: &str, below: i32| {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
        text.parse::<i32>().ok().filter(|it| digits && *it < below)
    };
    Some(part(hours, 24)? * 3600 + part(minutes, 60).filter(|_| minutes.len() == 2)? * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_end_at_midnight_where_they_end_at_0() {
        assert_eq!(hours_of_day("09:00-19:00"), Ok((32_400, 68_400)));
        assert_eq!(hours_of_day("19:00-00:00"), Ok((68_400, 86_400)));
        assert_eq!(hours_of_day("*"), Ok((0, 86_400)));
        for wrong in ["9-19", "22:00-06:00", "24:00-00:00", "09:60-10:00", "09:00-09:00", ""] {
            assert!(hours_of_day(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_go_past_the_end() {
        let (on, off) = (true, false);
        assert_eq!(day_list("sun-mon"), Ok([on, off, off, off, off, off, on]));
        assert_eq!(day_list("sat,sun"), Ok([off, off, off, off, off, on, on]));
        let winter = months_of_year("nov-feb").unwrap();
        assert_eq!(winter, months_of_year("11-2").unwrap());
        assert_eq!(winter.iter().filter(|on| **on).count(), 4);
        let days = days_of_month("1-15,31").unwrap();
        assert!(days[0] && days[14] && !days[15] && days[30]);
        assert!(day_list("monday").is_err() && days_of_month("0").is_err());
        assert!(months_of_year("13").is_err() && days_of_month("32").is_err());
    }

    #[test]
    fn times_are_those_of_the_clock() {
        let at = date_and_time("2020-08-29 8:30").unwrap();
        assert_eq!(at.to_string(), "2020-08-29T08:30:00");
        for wrong in ["2020-08-29", "2020-13-01 08:30", "2020-08-29 8", "29.8.2020 08:30"] {
            assert!(date_and_time(wrong).is_err(), "{wrong}");
        }
    }
}
