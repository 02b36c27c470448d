//! What is known of the truth at an instant, and which of it an answer tells.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use planner::time::{Seconds, Span, Timestamp};

use crate::fault::Fault;
use crate::truth::{Truth, mean};

/// A unit in millionths.
const UNIT: i64 = 1_000_000;

/// Neither a price nor an intensity: ten millions.
const ABSURD: i64 = 10_000_000 * UNIT;

/// How late a late publication is.
const LATENESS: Seconds = Seconds::new(6 * 3600);

/// When an early auction tells its prices.
const EARLY: (i8, i8) = (10, 30);

/// From this day on prices are of quarter-hours.
const QUARTER_HOURS_FROM: Date = jiff::civil::date(2025, 10, 1);

/// What one answer may tell.
#[derive(Clone)]
pub(crate) struct View {
    pub truth: Truth,
    pub now: Timestamp,
    fault: Option<Fault>,
}

impl View {
    pub fn new(truth: Truth, now: Timestamp, fault: Option<Fault>) -> Self {
        Self { truth, now, fault }
    }

    pub fn is_sandbox(&self) -> bool {
        self.fault == Some(Fault::Sandbox)
    }

    /// Whether the answer has this fault.
    pub fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The area that an answer is about.
    pub fn area(&self, asked: Option<&String>) -> String {
        let other = self.fault == Some(Fault::OtherArea);
        if other { "ELSEWHERE".to_owned() } else { asked.cloned().unwrap_or_default() }
    }

    /// The price over `span`, in millionths; `None` where an answer tells none.
    pub fn price(&self, span: Span) -> Option<i64> {
        self.told(mean(&self.truth.price, span), span)
    }

    /// The price of an early auction.
    pub fn provisional_price(&self, span: Span) -> Option<i64> {
        self.price(span).map(|price| price - UNIT)
    }

    /// Whether an early auction told the prices of a day of `zone` that are not out yet: at half past ten
    /// of the day before.
    pub fn day_is_provisional(&self, zone: &Zone, day: Date) -> bool {
        let is_tomorrow = zone.date(self.now) < day;
        self.fault == Some(Fault::Provisional) && is_tomorrow && self.day_is_out(zone, day, EARLY)
    }

    /// The CO2 intensity over `span`, in millionths; `None` where an answer tells none.
    pub fn co2(&self, span: Span) -> Option<i64> {
        self.told(mean(&self.truth.co2, span), span)
    }

    /// One in seven values is missing where the fault is that, and all are higher once revised.
    fn told(&self, value: Option<i64>, span: Span) -> Option<i64> {
        let index = span.start().as_unix_seconds().div_euclid(span.length().get());
        match self.fault {
            Some(Fault::Nulls) if index.rem_euclid(7) == 3 => None,
            Some(Fault::Revised) => value.map(|value| value + UNIT),
            Some(Fault::Absurd) if index.rem_euclid(50) == 7 => Some(ABSURD),
            _ => value,
        }
    }

    /// Whether what comes out at `instant` is out.
    pub fn is_out(&self, instant: Timestamp) -> bool {
        let lateness = if self.fault == Some(Fault::Late) { LATENESS } else { Seconds::new(0) };
        instant + lateness <= self.now
    }

    /// Whether the prices of a day of `zone` are out: from `hour` and `minute` of the day before.
    pub fn day_is_out(&self, zone: &Zone, day: Date, (hour, minute): (i8, i8)) -> bool {
        let eve = day.checked_sub(1.day()).unwrap_or(day);
        self.is_out(zone.instant(eve, hour, minute))
    }
}

/// A time zone.
pub(crate) struct Zone(TimeZone);

impl Zone {
    /// A zone of the bundled ones; UTC for a name that is none.
    pub fn named(name: &str) -> Self {
        Self(TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC))
    }

    pub fn date(&self, instant: Timestamp) -> Date {
        self.clock(instant).date()
    }

    /// What the clock shows at `instant`.
    pub fn clock(&self, instant: Timestamp) -> DateTime {
        let instant = jiff::Timestamp::from_second(instant.as_unix_seconds()).unwrap_or_default();
        instant.to_zoned(self.0.clone()).datetime()
    }

    pub fn instant(&self, day: Date, hour: i8, minute: i8) -> Timestamp {
        let zoned = day.at(hour, minute, 0, 0).to_zoned(self.0.clone());
        let second = zoned.map_or(0, |zoned| zoned.timestamp().as_second());
        Timestamp::from_unix_seconds(second)
    }

    /// The day from midnight to midnight.
    pub fn day(&self, day: Date) -> Option<Span> {
        Span::new(self.instant(day, 0, 0), self.instant(day.tomorrow().ok()?, 0, 0))
    }

    /// The days that touch `span`.
    pub fn days(&self, span: Span) -> Vec<Date> {
        let last = self.date(span.end() - Seconds::ONE);
        let first = self.date(span.start());
        first.series(1.day()).take_while(|day| *day <= last).collect()
    }

    /// Midnight with the offset of the zone.
    pub fn midnight(&self, day: Date) -> String {
        self.shown(self.instant(day, 0, 0), "%Y-%m-%dT%H:%M:%S%:z")
    }

    /// What the clock shows at `instant`, in a format of `strftime`.
    pub fn shown(&self, instant: Timestamp, format: &str) -> String {
        let instant = jiff::Timestamp::from_second(instant.as_unix_seconds()).unwrap_or_default();
        instant.to_zoned(self.0.clone()).strftime(format).to_string()
    }
}

/// How long prices of a delivery day hold.
pub(crate) fn price_step(day: Date) -> Seconds {
    Seconds::new(if day < QUARTER_HOURS_FROM { 3600 } else { 900 })
}

/// The steps that touch `span`.
pub(crate) fn steps(span: Span, step: Seconds) -> Vec<Span> {
    let mut spans = Vec::new();
    let ceiling = span.start().ceil_to(step);
    let mut start = if ceiling == span.start() { ceiling } else { ceiling - step };
    while let Some(here) = Span::starting(start, step).filter(|_| start < span.end()) {
        spans.push(here);
        start = here.end();
    }
    spans
}

/// A value in millionths as a JSON number.
pub(crate) fn number(millionths: Option<i64>) -> serde_json::Value {
    millionths.map_or(serde_json::Value::Null, |value| (value as f64 / 1e6).into())
}
