//! When the intervals of an event are.
//!
//! An interval has its own period or follows the one before; the first begins with the event's
//! period. The start `0001-01-01` means now, which is when the event was last modified: an event
//! of an hour from now on ends an hour after it was said, however late it is read. `P9999Y` and no
//! duration at all have no end. An event with a duration of its own repeats its intervals for so
//! long.

use chrono::{DateTime, Datelike, Utc};
use jiff::tz::TimeZone;
use openleadr_wire::Duration;
use openleadr_wire::event::{Event, EventInterval, EventValuesMap};
use planner::time::{Span, Timestamp};

use super::{MapError, Reader};

/// An event is laid out as so many intervals at the most.
const MOST_INTERVALS: usize = 100_000;

/// What an event says of a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed<'e> {
    /// The interval's number in the event.
    pub id: i32,
    /// When; the end of the calendar stands for no end.
    pub span: Span,
    /// What.
    pub payloads: &'e [EventValuesMap],
}

/// The intervals of an event, as they are listed.
///
/// # Errors
/// Names the interval that has no time.
pub(super) fn timed<'e>(reader: &Reader<'_>, event: &'e Event) -> Result<Vec<Timed<'e>>, MapError> {
    let Some(intervals) = &event.content.intervals else { return Ok(Vec::new()) };
    let default = event.content.interval_period.as_ref();
    let mut next = default.map(|period| instant(reader, event, period.start));
    let mut timed = Vec::with_capacity(intervals.len());
    for (index, interval) in intervals.iter().enumerate() {
        let place = || format!("intervals/{index}");
        let own = interval.interval_period.as_ref();
        let start = match own {
            Some(period) => instant(reader, event, period.start),
            None => next.ok_or_else(|| MapError::new(event, place(), "has no start"))?,
        };
        let duration = own.and_then(|own| own.duration.as_ref());
        let duration = duration.or_else(|| default?.duration.as_ref());
        if start == Timestamp::MAX {
            return Err(MapError::new(event, place(), "begins after an interval without end"));
        }
        let end = match duration {
            Some(duration) => end(start, duration)
                .ok_or_else(|| MapError::new(event, place(), "has a duration that is none"))?,
            None => Timestamp::MAX,
        };
        next = Some(end);
        // An interval without length says nothing; the user guide has such in requests for reports.
        let span = Span::new(start, end);
        timed.extend(span.map(|span| Timed {
            id: interval.id,
            span,
            payloads: &interval.payloads,
        }));
    }
    repeated(reader, event, intervals, timed)
}

/// Laid out again and again where the event lasts longer than its intervals.
fn repeated<'e>(
    reader: &Reader<'_>,
    event: &Event,
    intervals: &[EventInterval],
    once: Vec<Timed<'e>>,
) -> Result<Vec<Timed<'e>>, MapError> {
    let (Some(duration), Some(first), Some(last)) =
        (&event.content.duration, once.first(), once.last())
    else {
        return Ok(once);
    };
    let bad = || MapError::new(event, "duration", "is none");
    let over = end(first.span.start(), duration).ok_or_else(bad)?;
    let whole = Span::new(first.span.start(), over.min(reader.until.max(reader.now)));
    let one_after_another = intervals.iter().all(|interval| interval.interval_period.is_none());
    let Some(whole) = whole.filter(|_| one_after_another && last.span.end() < over) else {
        let clipped = once.into_iter().filter_map(|timed| {
            let span = Span::new(timed.span.start(), timed.span.end().min(over))?;
            Some(Timed { span, ..timed })
        });
        return Ok(clipped.collect());
    };
    let round = last.span.end() - first.span.start();
    // Rounds that are over are left out, but for the last one.
    let passed = ((reader.now - whole.start()).get() / round.get() - 1).max(0);
    let mut shift = planner::time::Seconds::new(passed * round.get());
    let mut all = Vec::new();
    while whole.start() + shift < whole.end() {
        for timed in &once {
            let span = Span::new(timed.span.start() + shift, timed.span.end() + shift);
            let span = span.and_then(|span| span.intersection(whole));
            all.extend(span.map(|span| Timed { span, ..*timed }));
        }
        if all.len() > MOST_INTERVALS {
            let message = format!("repeats more than {MOST_INTERVALS} intervals");
            return Err(MapError::new(event, "duration", message));
        }
        shift = shift + round;
    }
    Ok(all)
}

/// Whether any start should be moved by chance.
pub(super) fn is_randomized(event: &Event) -> bool {
    let content = &event.content;
    let own = content.intervals.iter().flatten().filter_map(|it| it.interval_period.as_ref());
    own.chain(&content.interval_period).any(|period| period.randomize_start.is_some())
}

/// The second of a start, inside the calendar.
fn instant(reader: &Reader<'_>, event: &Event, start: DateTime<Utc>) -> Timestamp {
    if start.year() <= 1 {
        return modified(event).min(reader.now);
    }
    let second = Timestamp::from_unix_seconds(start.timestamp());
    second.clamp(Timestamp::MIN, Timestamp::MAX)
}

/// When the event was last modified.
pub(super) fn modified(event: &Event) -> Timestamp {
    let second = Timestamp::from_unix_seconds(event.modification_date_time.timestamp());
    second.clamp(Timestamp::MIN, Timestamp::MAX)
}

/// The end of the calendar where the duration leads beyond it; `None` for a duration that cannot be
/// read or leads back.
pub(crate) fn end(start: Timestamp, duration: &Duration) -> Option<Timestamp> {
    let length: jiff::Span = duration.to_string().parse().ok()?;
    if length.is_negative() {
        return None;
    }
    let from = jiff::Timestamp::from_second(start.as_unix_seconds()).ok()?;
    let end = from.to_zoned(TimeZone::UTC).checked_add(length);
    let end =
        end.map_or(Timestamp::MAX, |end| Timestamp::from_unix_seconds(end.timestamp().as_second()));
    Some(end.min(Timestamp::MAX))
}
