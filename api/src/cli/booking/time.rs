//! Instants and lengths of time as people, Slurm and the API write them.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, AmbiguousZoned, TimeZone};
use jiff::{Span, SpanRelativeTo, Timestamp, Zoned};

/// What [`instant`] reads.
pub const INSTANTS: &str = "now, now+2hours, 22:00, midnight, noon, tomorrow, \
    2026-11-22T08:00 (local time) or 2026-11-22T08:00:00Z";

/// What [`seconds`] reads.
pub const LENGTHS: &str = "90 (minutes), 90:00, 1:30:00, 1-12, 1-12:30, 1-12:30:00 (days-hours), \
    90min, 1h30m or PT1H30M";

/// An instant, read at `now`; what has no offset is local there.
///
/// A time of day is its next. A local time that clocks skip, or that they pass twice, is refused; days
/// that are added are days of the local clock, and where it skips that time as much later.
///
/// # Errors
/// Says what there is, or which of two is to be said.
pub fn instant(text: &str, now: &Zoned) -> Result<Timestamp, String> {
    let read = match text.trim() {
        "now" => Some(now.clone()),
        "today" => now.start_of_day().ok(),
        "tomorrow" => now.tomorrow().and_then(|it| it.start_of_day()).ok(),
        "midnight" => next(Time::midnight(), now)?,
        "noon" => next(Time::constant(12, 0, 0, 0), now)?,
        text => match text.strip_prefix("now+") {
            Some(later) => span(later).and_then(|it| now.checked_add(it).ok()),
            None => written(text, now)?,
        },
    };
    let read = read.ok_or_else(|| format!("{text:?} is not an instant such as {INSTANTS}"))?;
    Ok(read.timestamp())
}

/// Slurm's `now+COUNT[UNIT]`: seconds unless there is a unit.
fn span(text: &str) -> Option<Span> {
    match text.parse::<i64>() {
        Ok(count) if count >= 0 => Span::new().try_seconds(count).ok(),
        Ok(_) => None,
        Err(_) => text.parse().ok().filter(|it: &Span| !it.is_negative()),
    }
}

fn written(text: &str, now: &Zoned) -> Result<Option<Zoned>, String> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(Some(instant.to_zoned(now.time_zone().clone())));
    }
    if let Ok(local) = text.parse::<DateTime>() {
        return at(local, now.time_zone()).map(Some);
    }
    text.parse().map_or(Ok(None), |time| next(time, now))
}

/// The next instant with this time of day.
fn next(time: Time, now: &Zoned) -> Result<Option<Zoned>, String> {
    let on = |day: Date| at(day.to_datetime(time), now.time_zone());
    // Of two the second may still come: that has to be said, too.
    if now.date().to_datetime(time) > now.datetime() {
        return on(now.date()).map(Some);
    }
    now.date().tomorrow().ok().map(on).transpose()
}

/// The instant of a local time, if there is one and one only.
///
/// # Errors
/// Says why there is none, or which of two is to be said.
pub fn at(local: DateTime, zone: &TimeZone) -> Result<Zoned, String> {
    let found = zone.to_ambiguous_zoned(local);
    let name = zone.iana_name().unwrap_or("the local time zone");
    let shown = |it: Zoned| it.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let both = |found: AmbiguousZoned| match (found.clone().earlier(), found.later()) {
        (Ok(earlier), Ok(later)) => (shown(earlier), shown(later)),
        _ => Default::default(),
    };
    match found.offset() {
        AmbiguousOffset::Unambiguous { .. } => {
            found.compatible().map_err(|error| format!("{local} is out of range: {error}"))
        }
        AmbiguousOffset::Gap { .. } => {
            let (earlier, later) = both(found);
            Err(format!(
                "{local} does not exist in {name}, where clocks are set forward then; say {later} or {earlier}"
            ))
        }
        AmbiguousOffset::Fold { .. } => {
            let (earlier, later) = both(found);
            Err(format!(
                "{local} comes twice in {name}, where clocks are set back then; say {earlier} or {later}"
            ))
        }
    }
}

/// A length of time, seconds.
///
/// # Errors
/// Says what there is; nothing and less than a second are no lengths.
pub fn seconds(text: &str) -> Result<i64, String> {
    let read = slurm_seconds(text.trim()).or_else(|| spelt(text.trim())).filter(|it| *it > 0);
    read.ok_or_else(|| format!("{text:?} is not a length of time such as {LENGTHS}"))
}

/// `2 hours`, `1 day 12 hours`, `1 minute 30 seconds`: a length as it was understood, nothing left out, as the page says it.
pub fn in_words(seconds: i64) -> String {
    let mut rest = seconds;
    let mut parts = Vec::new();
    for (unit, size) in [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)] {
        let count = rest / size;
        rest %= size;
        if count > 0 {
            parts.push(format!("{count} {unit}{}", if count == 1 { "" } else { "s" }));
        }
    }
    parts.join(" ")
}

/// A length of time in Slurm's spellings, seconds: minutes, M:S, H:M:S, D-H, D-H:M and D-H:M:S.
pub fn slurm_seconds(text: &str) -> Option<i64> {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let parts = |text: &str| -> Option<Vec<i64>> {
        text.split(':')
            .map(|part| part.parse::<u32>().ok().map(i64::from))
            .collect::<Option<Vec<i64>>>()
    };
    let days = match days {
        Some(text) => Some(parts(text).filter(|it| it.len() == 1)?[0]),
        None => None,
    };
    let (hours, minutes, seconds) = match (days, parts(rest)?.as_slice()) {
        (None, [minutes]) => (0, *minutes, 0),
        (None, [minutes, seconds]) => (0, *minutes, *seconds),
        (Some(_), [hours]) => (*hours, 0, 0),
        (Some(_), [hours, minutes]) => (*hours, *minutes, 0),
        (_, [hours, minutes, seconds]) => (*hours, *minutes, *seconds),
        _ => return None,
    };
    Some(((days.unwrap_or(0) * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// `1h30m`, `90min`, `PT1H30M`: whole seconds.
fn spelt(text: &str) -> Option<i64> {
    let span: Span = text.parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    (length.subsec_nanos() == 0).then(|| length.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paris(text: &str) -> Zoned {
        format!("{text}[Europe/Paris]").parse().unwrap()
    }

    #[test]
    fn instants_are_read_as_slurm_and_the_api_write_them() {
        // A Saturday in winter, an hour ahead of UTC.
        let now = paris("2026-11-21T15:30:10+01:00");
        for (text, utc) in [
            ("now", "2026-11-21T14:30:10Z"),
            ("now+90", "2026-11-21T14:31:40Z"),
            ("now+2hours", "2026-11-21T16:30:10Z"),
            ("now+1h30m", "2026-11-21T16:00:10Z"),
            ("now+1day", "2026-11-22T14:30:10Z"),
            ("now+1week", "2026-11-28T14:30:10Z"),
            ("today", "2026-11-20T23:00:00Z"),
            ("tomorrow", "2026-11-21T23:00:00Z"),
            ("midnight", "2026-11-21T23:00:00Z"),
            ("noon", "2026-11-22T11:00:00Z"),
            ("16:00", "2026-11-21T15:00:00Z"),
            ("15:30", "2026-11-22T14:30:00Z"),
            ("2026-12-01", "2026-11-30T23:00:00Z"),
            ("2026-12-01T08:00", "2026-12-01T07:00:00Z"),
            ("2026-12-01 08:00:30", "2026-12-01T07:00:30Z"),
            ("2026-12-01T08:00:00Z", "2026-12-01T08:00:00Z"),
            ("2026-12-01T08:00:00+05:30", "2026-12-01T02:30:00Z"),
        ] {
            assert_eq!(instant(text, &now), Ok(utc.parse().unwrap()), "{text}");
        }
        for text in ["", "soon", "now-1hour", "now+-5", "now+-1h", "25:00", "2026-13-01"] {
            let told = instant(text, &now).unwrap_err();
            assert!(told.contains("is not an instant such as now"), "{told}");
        }
    }

    /// On 2026-03-29 the clocks of Paris go from 02:00 to 03:00: a day later is 23 hours later.
    #[test]
    fn days_follow_the_local_clock_and_hours_do_not() {
        let now = paris("2026-03-28T12:00:00+01:00");
        let at = |text| instant(text, &now).unwrap().to_string();
        assert_eq!(at("now+1day"), "2026-03-29T10:00:00Z");
        assert_eq!(at("now+24hours"), "2026-03-29T11:00:00Z");
    }

    /// A time that clocks skip, and one that they pass twice, are not guessed at.
    #[test]
    fn local_times_that_do_not_exist_or_come_twice_are_refused() {
        let spring = paris("2026-03-28T12:00:00+01:00");
        let told = instant("2026-03-29T02:30", &spring).unwrap_err();
        assert_eq!(
            told,
            "2026-03-29T02:30:00 does not exist in Europe/Paris, where clocks are set forward then; say \
             2026-03-29T03:30:00+02:00 or 2026-03-29T01:30:00+01:00"
        );
        assert!(instant("02:30", &spring).unwrap_err().contains("does not exist"));
        let autumn = paris("2026-10-24T12:00:00+02:00");
        let told = instant("2026-10-25T02:30", &autumn).unwrap_err();
        assert!(
            told.ends_with("say 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00"),
            "{told}"
        );
        assert!(instant("02:30", &autumn).unwrap_err().contains("comes twice"));
        for told in ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "03:00"] {
            assert!(instant(told, &autumn).is_ok(), "{told}");
        }
    }

    #[test]
    fn lengths_are_told_in_words() {
        for (text, words) in [
            ("2", "2 minutes"),
            ("1:30", "1 minute 30 seconds"),
            ("1-12:00", "1 day 12 hours"),
            ("PT2H", "2 hours"),
        ] {
            assert_eq!(seconds(text).map(in_words).as_deref(), Ok(words));
        }
    }

    #[test]
    fn lengths_are_read_as_slurm_and_the_api_write_them() {
        for (text, length) in [
            ("90", 5400),
            ("90:30", 5430),
            ("1:30:00", 5400),
            ("1-0", 86_400),
            ("1-12:30", 131_400),
            ("2-01:00:05", 176_405),
            ("90min", 5400),
            ("1h30m", 5400),
            ("PT1H30M", 5400),
            ("45s", 45),
        ] {
            assert_eq!(seconds(text), Ok(length), "{text}");
        }
        for text in ["", "0", "-5", "1:2:3:4", "1-", "1-2-3", "soon", "0.5s", "1 month"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
