//! Which rules are in force when, by the calendar and the clock of the site.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};

use super::rule::QuotaPeriod;
use crate::time::{Span, Timestamp};

/// A day in seconds.
pub(super) const DAY_S: i32 = 86_400;

/// When a set of rules is in force, again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurringQuota {
    /// From a second of the day.
    pub from_s: i32,
    /// To a second of the day, at most the day's last: 86,400 is midnight.
    pub to_s: i32,
    /// On these days of the week, Monday first.
    pub weekdays: [bool; 7],
    /// On these days of the month, the first first.
    pub days: [bool; 31],
    /// In these months, January first.
    pub months: [bool; 12],
    /// What holidays change.
    pub holidays: Holidays,
    /// The place of its rules.
    pub rules: usize,
}

/// What holidays change of the days of the week on which rules are in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Holidays {
    /// Nothing.
    #[default]
    AsOthers,
    /// On these days they are not in force.
    But(Arc<BTreeSet<Date>>),
    /// On these days they are in force, too.
    And(Arc<BTreeSet<Date>>),
}

impl Holidays {
    fn have(&self, day: Date) -> bool {
        match self {
            Self::AsOthers => false,
            Self::But(days) | Self::And(days) => days.contains(&day),
        }
    }

    /// Whether rules are in force on a day that is, or is not, a holiday.
    fn allow(&self, is_holiday: bool, on_weekday: bool) -> bool {
        match self {
            Self::AsOthers => on_weekday,
            Self::But(_) => on_weekday && !is_holiday,
            Self::And(_) => on_weekday || is_holiday,
        }
    }
}

/// When a set of rules is in force once, whatever else would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnceQuota {
    /// From that time on the site's clock.
    pub from: DateTime,
    /// To that time.
    pub to: DateTime,
    /// Why, for people.
    pub why: Box<str>,
    /// The place of its rules.
    pub rules: usize,
}

/// Which rules are in force when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuotaCalendar {
    /// Go before everything else; the first of those that overlap counts.
    pub once: Vec<OnceQuota>,
    /// The first that fits counts.
    pub recurring: Vec<RecurringQuota>,
    /// The place of the rules where nothing else is in force.
    pub otherwise: Option<usize>,
}

/// Rules that are in force over a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaPiece {
    /// The time.
    pub span: Span,
    /// The place of the rules; `None` where there are none.
    pub rules: Option<usize>,
}

impl RecurringQuota {
    /// Of every day.
    pub fn daily(from_s: i32, to_s: i32, rules: usize) -> Self {
        let (weekdays, days, months) = ([true; 7], [true; 31], [true; 12]);
        Self { from_s, to_s, weekdays, days, months, holidays: Holidays::AsOthers, rules }
    }

    fn is_on(&self, (month, day, weekday): (usize, usize, usize), is_holiday: bool) -> bool {
        let on_day = self.holidays.allow(is_holiday, self.weekdays[weekday]);
        on_day && self.days[day] && self.months[month]
    }

    fn contains(&self, at: DateTime) -> bool {
        let place = |number: i8| usize::try_from(number - 1).unwrap_or_default();
        let weekday = place(at.date().weekday().to_monday_one_offset());
        let day = (place(at.month()), place(at.day()), weekday);
        self.is_on(day, self.holidays.have(at.date()))
            && (self.from_s..self.to_s).contains(&second_of_day(at.time()))
    }
}

impl QuotaCalendar {
    /// The place of the rules that are in force when the clock shows that.
    pub fn at(&self, clock: DateTime) -> Option<usize> {
        let once = self.once.iter().find(|it| it.from <= clock && clock < it.to).map(|it| it.rules);
        let recurring = || self.recurring.iter().find(|it| it.contains(clock)).map(|it| it.rules);
        once.or_else(recurring).or(self.otherwise)
    }

    /// Which rules are in force over a span, piece by piece; two that follow each other differ.
    pub fn pieces(&self, span: Span, zone: &TimeZone) -> Vec<QuotaPiece> {
        let mut edges = self.edges(span, zone);
        edges.retain(|edge| span.contains(*edge));
        edges.push(span.start());
        edges.sort_unstable();
        edges.dedup();
        let ends = edges.iter().skip(1).copied().chain([span.end()]);
        let mut pieces: Vec<QuotaPiece> = Vec::new();
        for (start, end) in edges.iter().copied().zip(ends) {
            let rules = self.at(zoned(start, zone).datetime());
            let before = pieces.last_mut().filter(|it| it.rules == rules);
            let from = before.as_ref().map_or(start, |it| it.span.start());
            let Some(span) = Span::new(from, end) else { continue };
            match before {
                Some(before) => before.span = span,
                None => pieces.push(QuotaPiece { span, rules }),
            }
        }
        pieces
    }

    /// Every instant near a span at which other rules may come into force.
    fn edges(&self, span: Span, zone: &TimeZone) -> Vec<Timestamp> {
        let once = self.once.iter().flat_map(|it| [it.from, it.to]);
        let mut edges: Vec<Timestamp> = once.flat_map(|at| instants(at, zone)).collect();
        if self.recurring.is_empty() {
            return edges;
        }
        let ends = self.recurring.iter().flat_map(|it| [it.from_s, it.to_s]);
        let mut seconds: Vec<i32> = ends.filter(|&it| it < DAY_S).chain([0]).collect();
        seconds.sort_unstable();
        seconds.dedup();
        let last = zoned(span.end(), zone).date();
        let mut day = zoned(span.start(), zone).date();
        while day <= last {
            let at = |&second: &i32| instants(day.to_datetime(time(second)), zone);
            edges.extend(seconds.iter().flat_map(at));
            let Ok(next) = day.tomorrow() else { break };
            day = next;
        }
        let begin = jiff_instant(span.start());
        let changes = zone.following(begin).map(|change| instant(change.timestamp()));
        edges.extend(changes.take_while(|change| *change < span.end()));
        edges
    }

    /// The first time of a day, of any day that there is, for which there are no rules, in words.
    pub fn gap(&self) -> Option<String> {
        if self.otherwise.is_some() {
            return None;
        }
        let ends = self.recurring.iter().flat_map(|it| [it.from_s, it.to_s]);
        let mut seconds: Vec<i32> = ends.filter(|&it| it < DAY_S).chain([0]).collect();
        seconds.sort_unstable();
        seconds.dedup();
        let has_holidays = self.recurring.iter().any(|it| it.holidays != Holidays::AsOthers);
        let kinds: &[bool] = if has_holidays { &[false, true][..] } else { &[false] };
        let days =
            days_of_the_calendar().flat_map(|day| kinds.iter().map(move |kind| (day, *kind)));
        for ((month, day, weekday), is_holiday) in days {
            let is_on = |it: &&RecurringQuota| it.is_on((month, day, weekday), is_holiday);
            let of_day: Vec<&RecurringQuota> = self.recurring.iter().filter(is_on).collect();
            let covered =
                |second: i32| of_day.iter().any(|it| (it.from_s..it.to_s).contains(&second));
            if let Some(place) = seconds.iter().position(|&second| !covered(second)) {
                let to = seconds[place..].iter().copied().find(|&second| covered(second));
                let when = self.days_in_words(month, day, weekday);
                let when = if is_holiday { format!("{when}, a holiday,") } else { when };
                let (from, to) = (clock(seconds[place]), clock(to.unwrap_or(DAY_S)));
                return Some(format!("{when} from {from} to {to}"));
            }
        }
        None
    }

    /// A day as far as the calendar tells days apart.
    fn days_in_words(&self, month: usize, day: usize, weekday: usize) -> String {
        let by_date =
            self.recurring.iter().any(|it| it.days.contains(&false) || it.months.contains(&false));
        let weekday = WEEKDAYS[weekday];
        if by_date {
            format!("on a {weekday} that is {} {}", MONTHS[month], day + 1)
        } else {
            format!("on {weekday}")
        }
    }
}

/// The names of days of the week, Monday first.
pub const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// The names of months.
pub(super) const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Month, day and day of the week of every day that some year has, by place.
fn days_of_the_calendar() -> impl Iterator<Item = (usize, usize, usize)> {
    const LENGTHS: [usize; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    LENGTHS.into_iter().enumerate().flat_map(|(month, days)| {
        (0..days).flat_map(move |day| (0..7).map(move |weekday| (month, day, weekday)))
    })
}

impl QuotaPeriod {
    /// The period of the site's calendar that an instant is in; of one that does not recur that one, whenever it is.
    pub fn around(self, at: Timestamp, zone: &TimeZone) -> Option<Span> {
        let day = zoned(at, zone).date();
        let first = match self {
            Self::Day => day,
            Self::Week => {
                day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()?
            }
            Self::Month => day.first_of_month(),
            Self::Quarter => Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok()?,
            Self::Year => day.first_of_year(),
            Self::Fixed { from, to } => {
                let at = |clock: DateTime| Some(instant(zone.to_zoned(clock).ok()?.timestamp()));
                return Span::new(at(from)?, at(to)?);
            }
        };
        let next = match self {
            Self::Day => first.checked_add(1.day()).ok()?,
            Self::Week => first.checked_add(7.days()).ok()?,
            Self::Month => first.checked_add(1.month()).ok()?,
            Self::Quarter => first.checked_add(3.months()).ok()?,
            Self::Year => first.checked_add(1.year()).ok()?,
            Self::Fixed { .. } => return None,
        };
        Span::new(midnight(first, zone)?, midnight(next, zone)?)
    }

    /// The periods that a span touches, by time; of one that does not recur that one.
    pub fn overlapping(self, span: Span, zone: &TimeZone) -> Vec<Span> {
        let first = self.around(span.start(), zone);
        if matches!(self, Self::Fixed { .. }) {
            return first.into_iter().filter(|it| it.overlaps(span)).collect();
        }
        let next = |period: &Span| self.around(period.end(), zone);
        let all = std::iter::successors(first, next);
        all.take_while(|period| period.start() < span.end()).collect()
    }
}

fn midnight(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    Some(instant(zone.to_zoned(day.to_datetime(Time::midnight())).ok()?.timestamp()))
}

/// The instants at which the clock shows that: two where it is put back, and those beside the gap where it never does.
fn instants(at: DateTime, zone: &TimeZone) -> Vec<Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(at);
    let both = [ambiguous.earlier(), ambiguous.later()];
    both.into_iter().flatten().map(instant).collect()
}

fn zoned(at: Timestamp, zone: &TimeZone) -> Zoned {
    jiff_instant(at).to_zoned(zone.clone())
}

fn jiff_instant(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_second(at.as_unix_seconds()).unwrap_or(jiff::Timestamp::MAX)
}

fn instant(at: jiff::Timestamp) -> Timestamp {
    Timestamp::from_unix_seconds(at.as_second())
}

fn second_of_day(time: Time) -> i32 {
    i32::from(time.hour()) * 3600 + i32::from(time.minute()) * 60 + i32::from(time.second())
}

/// A second of the day, before its last, as a time of the clock.
fn time(second: i32) -> Time {
    let part = |of: i32| i8::try_from(of).unwrap_or_default();
    Time::new(part(second / 3600), part(second / 60 % 60), part(second % 60), 0).unwrap_or_default()
}

/// A second of the day for people.
pub fn clock(second: i32) -> String {
    format!("{:02}:{:02}", second / 3600, second / 60 % 60)
}
