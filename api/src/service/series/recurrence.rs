//! When a series recurs: a rule of RFC 5545 by the clocks of a time zone, with exceptions.
//!
//! The rule is followed by local times alone, and each is then an instant by RFC 5545, section 3.3.5: a local time that
//! does not exist, since clocks go forward over it, counts by the offset before (02:30 is 03:30); of one that occurs twice
//! the first is meant. Two local times that are one instant by that are one occurrence.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use planner::time::Timestamp;
use rrule::{RRuleSet, Tz};

/// The longest rule, in bytes.
const LONGEST_RULE: usize = 1000;

/// When a series recurs.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// The rule as it was given, such as `FREQ=WEEKLY;BYDAY=MO,TH`.
    pub rule: String,
    /// No occurrence starts later.
    pub until: Option<Timestamp>,
    /// What is left out.
    pub except: Vec<Exclusion>,
    /// What is added.
    pub also: Vec<DateTime>,
    /// By whose clocks.
    pub zone: TimeZone,
}

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// All occurrences of a day.
    Day(Date),
    /// The one at a local time.
    At(DateTime),
}

/// Why a rule says no occurrences.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecurrenceError {
    /// It does not end.
    #[error("never ends: say \"until\", or COUNT or UNTIL in the rule")]
    Endless,
    /// It is no rule.
    #[error("is no recurrence rule of RFC 5545: {0}; one is FREQ=WEEKLY;BYDAY=MO,TH")]
    NoRule(String),
    /// It has more occurrences than a series may have.
    #[error(
        "has more than {0} occurrences, and one series of this site may have so many; say an earlier \"until\", or make \
         several series"
    )]
    TooMany(u16),
    /// It has none.
    #[error("has no occurrence at or after the request's earliest_start")]
    Never,
}

impl Recurrence {
    /// The local starts of all occurrences, the first at `first` or later, in time order.
    ///
    /// # Errors
    /// [`RecurrenceError`].
    pub fn occurrences(
        &self,
        first: DateTime,
        most: u16,
    ) -> Result<Vec<(DateTime, Timestamp)>, RecurrenceError> {
        let (rule, has_count) = self.bounded_rule()?;
        let text = format!("DTSTART:{}Z\nRRULE:{rule}", first.strftime("%Y%m%dT%H%M%S"));
        let set: RRuleSet = text.parse().map_err(|error| no_rule(&error))?;
        let found = set.all(most.saturating_add(1));
        if found.dates.len() > usize::from(most) {
            return Err(RecurrenceError::TooMany(most));
        }
        let mut starts: BTreeSet<DateTime> = found.dates.iter().filter_map(civil).collect();
        if found.limited && !has_count && starts.is_empty() {
            return Err(RecurrenceError::Never);
        }
        starts.extend(self.also.iter().filter(|at| **at >= first));
        starts.retain(|start| !self.except.iter().any(|it| it.excludes(*start)));
        let mut occurrences: Vec<(DateTime, Timestamp)> = Vec::with_capacity(starts.len());
        for start in starts {
            let Some(at) = instant_of(&self.zone, start) else { continue };
            let is_early = self.until.is_none_or(|until| at <= until);
            if is_early && occurrences.last().is_none_or(|(_, last)| *last < at) {
                occurrences.push((start, at));
            }
        }
        match occurrences.len() {
            0 => Err(RecurrenceError::Never),
            many if many > usize::from(most) => Err(RecurrenceError::TooMany(most)),
            _ => Ok(occurrences),
        }
    }

    /// The rule with an end by local time, and whether it counts its occurrences.
    fn bounded_rule(&self) -> Result<(String, bool), RecurrenceError> {
        let is_written = |it: char| it.is_ascii_alphanumeric() || "=;,+-".contains(it);
        if self.rule.len() > LONGEST_RULE || !self.rule.chars().all(is_written) {
            let told = "it has letters, digits, and = ; , + - only, at most 1000";
            return Err(RecurrenceError::NoRule(told.to_owned()));
        }
        let rule = self.rule.to_ascii_uppercase();
        let (ends, rest): (Vec<&str>, Vec<&str>) =
            rule.split(';').partition(|part| part.starts_with("UNTIL="));
        let has_count = rest.iter().any(|part| part.starts_with("COUNT="));
        let own = match ends.as_slice() {
            [] => None,
            [end] if !has_count => Some(self.end_of_rule(end)?),
            _ => {
                let told = "it has either one COUNT or one UNTIL";
                return Err(RecurrenceError::NoRule(told.to_owned()));
            }
        };
        let until = self.until.and_then(|until| local_of(&self.zone, until));
        let end = own.into_iter().chain(until).min();
        let rest = rest.join(";");
        match end {
            // What is counted ends by itself; a later part is cut off afterwards.
            _ if has_count => Ok((rest, true)),
            Some(end) => Ok((format!("{rest};UNTIL={}Z", end.strftime("%Y%m%dT%H%M%S")), false)),
            None => Err(RecurrenceError::Endless),
        }
    }

    /// The local time until which a rule goes by itself: a day to its end, a local time, or an instant of UTC.
    fn end_of_rule(&self, part: &str) -> Result<DateTime, RecurrenceError> {
        let text = part.trim_start_matches("UNTIL=");
        let wrong = || RecurrenceError::NoRule(format!("UNTIL={text} is no date or time"));
        if let Some(utc) = text.strip_suffix('Z') {
            let local = DateTime::strptime("%Y%m%dT%H%M%S", utc).map_err(|_| wrong())?;
            let zoned = local.to_zoned(TimeZone::UTC).map_err(|_| wrong())?;
            return Ok(zoned.with_time_zone(self.zone.clone()).datetime());
        }
        if let Ok(local) = DateTime::strptime("%Y%m%dT%H%M%S", text) {
            return Ok(local);
        }
        let day = Date::strptime("%Y%m%d", text).map_err(|_| wrong())?;
        Ok(day.at(23, 59, 59, 0))
    }
}

impl Exclusion {
    /// Reads a local day or time.
    ///
    /// # Errors
    /// What it must be.
    pub fn read(text: &str) -> Result<Self, &'static str> {
        if let Ok(at) = local_time(text) {
            return Ok(Self::At(at));
        }
        let day = text.parse::<Date>().ok().filter(|_| text.len() == 10);
        day.map(Self::Day)
            .ok_or("must be a day such as 2026-12-24 or a local time such as 2026-12-24T08:00:00")
    }

    fn excludes(self, start: DateTime) -> bool {
        match self {
            Self::Day(day) => start.date() == day,
            Self::At(at) => start == at,
        }
    }
}

/// Reads a local time: it has no offset, and whole seconds.
///
/// # Errors
/// What it must be.
pub fn local_time(text: &str) -> Result<DateTime, &'static str> {
    let is_plain = text.len() >= 16 && text.is_ascii() && text.as_bytes()[10] == b'T';
    let is_local = is_plain && text.chars().all(|it| it.is_ascii_digit() || "-:T".contains(it));
    let seconds = if text.len() == 16 { format!("{text}:00") } else { text.to_owned() };
    let read = DateTime::strptime("%Y-%m-%dT%H:%M:%S", &seconds).ok();
    read.filter(|_| is_local).ok_or("must be a local time such as 2026-12-24T08:00:00")
}

/// A local time as occurrences are named by it.
pub fn named(start: DateTime) -> String {
    start.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// The instant of a local time; of one that does not exist or exists twice as RFC 5545 has it.
pub fn instant_of(zone: &TimeZone, local: DateTime) -> Option<Timestamp> {
    let found = zone.to_ambiguous_zoned(local).compatible().ok()?;
    Some(Timestamp::from_unix_seconds(found.timestamp().as_second()))
}

/// The local time of an instant.
pub fn local_of(zone: &TimeZone, at: Timestamp) -> Option<DateTime> {
    let at = jiff::Timestamp::from_second(at.as_unix_seconds()).ok()?;
    Some(at.to_zoned(zone.clone()).datetime())
}

/// A time of the rule's, whose UTC stands for local time.
fn civil(at: &chrono::DateTime<Tz>) -> Option<DateTime> {
    let local = at.naive_utc();
    let since: chrono::TimeDelta = local - NaiveDate::default().and_time(chrono::NaiveTime::MIN);
    let epoch = jiff::Timestamp::from_second(since.num_seconds()).ok()?;
    Some(epoch.to_zoned(TimeZone::UTC).datetime())
}

/// What the reader of rules says, in one line.
fn no_rule(error: &rrule::RRuleError) -> RecurrenceError {
    let told = error.to_string().replace('\n', " ");
    RecurrenceError::NoRule(told.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests;
