//! When the intervals of an event are.
//!
//! An interval has its own period or follows the one before; the first begins with the event's
//! period. The start `0001-01-01` means now, which is when the event was last modified: an event
//! of an hour from now on ends an hour after it was said, however late it is read. `P9999Y` and no
//! duration at all have no end. An event with a duration of its own repeats its intervals for so
//! long.
//!
//! What has no time that can be read may be at any time from when it may begin.

use planner::time::{Seconds, Span, Timestamp};

use super::types::resembles;
use super::{EventReader, Unread};
use crate::wire::{Event, Interval, Part, Payload, Period, Start, end};

/// An event is laid out as so many intervals at the most.
const MOST_INTERVALS: usize = 100_000;

/// What an event says of a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed<'e> {
    /// The interval's number in the event.
    pub id: i64,
    /// The span; the end of the calendar stands for no end.
    pub span: Span,
    /// What is said of it.
    pub payloads: &'e [Payload],
}

/// What an event says of an unknown time, or of an unknown thing.
#[derive(Clone, Debug)]
pub(super) struct Fault<'e> {
    /// The interval's number in the event; none where it concerns all of them.
    pub id: Option<i64>,
    /// When it may be.
    pub span: Span,
    /// What; it may be anything where that cannot be read.
    pub payloads: Option<&'e [Payload]>,
    /// Where and why.
    pub unread: Unread,
}

/// The intervals of an event, as they are listed, and what cannot be read of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Laid<'e> {
    pub intervals: Vec<Timed<'e>>,
    pub faults: Vec<Fault<'e>>,
}

impl Fault<'_> {
    /// Whether it may be of one of these types.
    pub fn concerns(&self, types: &[&str]) -> bool {
        self.payloads.is_none_or(|payloads| payloads.iter().any(|it| it.may_be_of(types)))
    }
}

impl Event {
    /// Whether it may say something of one of these types.
    pub(super) fn may_say(&self, types: &[&str]) -> bool {
        self.intervals.as_ref().map_or(true, |intervals| {
            intervals.iter().any(|interval| match &interval.payloads {
                Ok(payloads) => payloads.iter().any(|it| it.may_be_of(types)),
                Err(_) => true,
            })
        })
    }
}

impl Payload {
    /// Whether it is of one of these types.
    pub(super) fn is_of(&self, types: &[&str]) -> bool {
        self.kind.as_ref().is_ok_and(|kind| types.contains(&kind.as_str()))
    }

    /// Whether it is of one of these types, or may be: its type cannot be read, or is spelled alike.
    fn may_be_of(&self, types: &[&str]) -> bool {
        let meant = |kind: &String| types.iter().any(|payload| resembles(kind, payload));
        self.is_of(types) || self.kind.as_ref().map_or(true, meant)
    }
}

/// Lays out the intervals of an event.
pub(super) fn laid<'e>(reader: &EventReader<'_>, event: &'e Event) -> Laid<'e> {
    let mut laid = Laid::default();
    let default = event.period.as_ref().map(Option::as_ref);
    let intervals = match &event.intervals {
        Ok(intervals) => intervals,
        Err(message) => {
            let start = default.ok().flatten().and_then(|it| it.start.as_ref().ok());
            let start = start.map_or(Timestamp::MIN, |start| instant(reader, event, *start));
            laid.fault(Unread::new(event, "intervals", message), None, start, None);
            return laid;
        }
    };
    let mut next = match default {
        Ok(Some(period)) => first(reader, event, period).map(Some),
        Ok(None) => Ok(None),
        Err(message) => Err(message.clone()),
    };
    for (index, interval) in intervals.iter().enumerate() {
        let payloads = interval.payloads.as_deref().ok();
        let timing = timing(reader, event, interval, &next);
        let span = match timing {
            Ok(span) => span,
            Err((from, message)) => {
                let place = format!("intervals/{index}");
                laid.fault(Unread::new(event, place, message), Some(interval.id), from, payloads);
                next = Err("follows one whose time cannot be read".to_owned());
                continue;
            }
        };
        next = Ok(Some(span.1));
        // An interval without length says nothing; the user guide has such in requests for reports.
        let Some(span) = Span::new(span.0, span.1) else { continue };
        laid.add(event, interval, span);
    }
    repeated(reader, event, intervals, laid)
}

impl<'e> Laid<'e> {
    fn fault(
        &mut self,
        unread: Unread,
        id: Option<i64>,
        from: Timestamp,
        payloads: Option<&'e [Payload]>,
    ) {
        let span = Span::new(from, Timestamp::MAX);
        self.faults.extend(span.map(|span| Fault { id, span, payloads, unread }));
    }

    /// An interval of a known time: what of it has a type, and what has none.
    fn add(&mut self, event: &Event, interval: &'e Interval, span: Span) {
        let unclear = match &interval.payloads {
            Err(message) => Some(message),
            Ok(payloads) => payloads.iter().find_map(|payload| payload.kind.as_ref().err()),
        };
        let id = interval.id;
        self.faults.extend(unclear.map(|message| {
            let unread = Unread::new(event, format!("interval {id}"), message);
            Fault { id: Some(id), span, payloads: None, unread }
        }));
        if let Ok(payloads) = &interval.payloads {
            self.intervals.push(Timed { id, span, payloads });
        }
    }
}

/// Start and end of an interval.
///
/// # Errors
/// From when on it may be, and why that is not known.
fn timing(
    reader: &EventReader<'_>,
    event: &Event,
    interval: &Interval,
    next: &Part<Option<Timestamp>>,
) -> Result<(Timestamp, Timestamp), (Timestamp, String)> {
    let unknown = |message: String| (Timestamp::MIN, message);
    let own = interval.period.as_ref().map_err(|message| unknown(message.clone()))?.as_ref();
    let start = match own {
        Some(period) => first(reader, event, period).map_err(unknown)?,
        None => next
            .clone()
            .and_then(|next| next.ok_or_else(|| "has no start".to_owned()))
            .map_err(unknown)?,
    };
    if start == Timestamp::MAX {
        // The one before was hardly meant to be without end.
        return Err(unknown("begins after an interval without end".to_owned()));
    }
    let of = |period: &Period| period.duration.clone().map_err(|message| (start, message));
    let mut duration = own.map(of).transpose()?.flatten();
    if duration.is_none() {
        let default = event.period.as_ref().map_err(|message| (start, message.clone()))?;
        duration = default.as_ref().map(of).transpose()?.flatten();
    }
    let end = match duration {
        Some(duration) => end(start, &duration)
            .ok_or_else(|| (start, "has a duration that is none".to_owned()))?,
        None => Timestamp::MAX,
    };
    Ok((start, end))
}

/// Laid out again and again where the event lasts longer than its intervals.
fn repeated<'e>(
    reader: &EventReader<'_>,
    event: &'e Event,
    intervals: &[Interval],
    mut once: Laid<'e>,
) -> Laid<'e> {
    let (Some(first), Some(last)) =
        (once.intervals.first().copied(), once.intervals.last().copied())
    else {
        return once;
    };
    let start = first.span.start();
    let duration = match &event.duration {
        Ok(None) => return once,
        Ok(Some(duration)) => end(start, duration).ok_or_else(|| "is none".to_owned()),
        Err(message) => Err(message.clone()),
    };
    let over = match duration {
        Ok(over) => over,
        // It may end before its intervals, or repeat them for ever.
        Err(message) => return once.unclear_throughout(event, &message, start),
    };
    if once.faults.iter().any(|fault| fault.span.end() == Timestamp::MAX) {
        // Nobody knows how long a round is.
        return once;
    }
    let whole = Span::new(start, over.min(reader.until.max(reader.now)));
    let one_after_another = intervals.iter().all(|it| matches!(it.period, Ok(None)));
    let Some(whole) = whole.filter(|_| one_after_another && last.span.end() < over) else {
        once.intervals = once
            .intervals
            .into_iter()
            .filter_map(|timed| {
                let span = Span::new(timed.span.start(), timed.span.end().min(over))?;
                Some(Timed { span, ..timed })
            })
            .collect();
        return once;
    };
    let round = last.span.end() - start;
    // Rounds that are over are left out, but for the last one.
    let passed = ((reader.now - whole.start()).get() / round.get() - 1).max(0);
    let mut shift = Seconds::new(passed * round.get());
    let shifted = |span: Span, shift: Seconds| {
        Span::new(span.start() + shift, span.end() + shift)?.intersection(whole)
    };
    let mut all = Laid::default();
    while whole.start() + shift < whole.end() {
        for timed in &once.intervals {
            let span = shifted(timed.span, shift);
            all.intervals.extend(span.map(|span| Timed { span, ..*timed }));
        }
        for fault in &once.faults {
            let span = shifted(fault.span, shift);
            all.faults.extend(span.map(|span| Fault { span, ..fault.clone() }));
        }
        if all.intervals.len() > MOST_INTERVALS {
            let message = format!("repeats more than {MOST_INTERVALS} intervals");
            return once.unclear_throughout(event, &message, start);
        }
        shift = shift + round;
    }
    all
}

impl<'e> Laid<'e> {
    /// How long the event repeats its intervals is not known.
    fn unclear_throughout(mut self, event: &Event, message: &str, start: Timestamp) -> Self {
        let known: Vec<Timed<'e>> = self.intervals.clone();
        for (index, timed) in known.into_iter().enumerate() {
            // One for each type would do; one for each interval says no more.
            if known_before(&self.intervals[..index], timed.payloads) {
                continue;
            }
            let unread = Unread::new(event, "duration", message);
            self.fault(unread, None, start, Some(timed.payloads));
        }
        self
    }
}

/// Whether intervals have all the types of these payloads.
fn known_before(intervals: &[Timed<'_>], payloads: &[Payload]) -> bool {
    let has =
        |kind: &str| intervals.iter().any(|it| it.payloads.iter().any(|it| it.is_of(&[kind])));
    payloads.iter().all(|payload| payload.kind.as_ref().is_ok_and(|kind| has(kind)))
}

/// Whether any start should be moved by chance.
pub(super) fn is_randomized(event: &Event) -> bool {
    let own = event.intervals.iter().flatten().map(|it| &it.period);
    let mut all = own.chain([&event.period]);
    all.any(|period| matches!(period, Ok(Some(period)) if period.is_randomized))
}

/// The first instant of a period.
fn first(reader: &EventReader<'_>, event: &Event, period: &Period) -> Part<Timestamp> {
    period.start.as_ref().map(|start| instant(reader, event, *start)).map_err(Clone::clone)
}

fn instant(reader: &EventReader<'_>, event: &Event, start: Start) -> Timestamp {
    match start {
        Start::Now => modified(event).min(reader.now),
        Start::At(start) => start,
    }
}

/// When the event was last modified; later than all others where that cannot be read.
pub(super) fn modified(event: &Event) -> Timestamp {
    event.modified.as_ref().map_or(Timestamp::MAX, |modified| {
        let second = Timestamp::from_unix_seconds(modified.timestamp());
        second.clamp(Timestamp::MIN, Timestamp::MAX)
    })
}
