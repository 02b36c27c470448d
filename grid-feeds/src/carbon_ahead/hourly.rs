//! Powers by the hour.

use std::collections::BTreeMap;

use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};

pub(super) const HOUR: Seconds = Seconds::new(3600);

/// Watts in a megawatt.
const MEGAWATT: f64 = 1e6;

/// A kind of power of which nothing is told so long before an hour and after it has ended, or has not begun. It is a day with the
/// hour that it may have more, so that tomorrow's values that are late are missing and not none.
const AROUND: Seconds = Seconds::new(25 * 3600);

/// Mean powers in MW by the beginning of the hour, in UTC. An hour that is not known is not there.
pub type Hourly = BTreeMap<Timestamp, f64>;

/// The hours of which `watts` knows all.
pub fn hourly(watts: &Agenda<i64>) -> Hourly {
    let mut hours: BTreeMap<Timestamp, (f64, i64)> = BTreeMap::new();
    for piece in watts.pieces() {
        let mut start = floor(piece.span.start(), HOUR);
        while start < piece.span.end() {
            let part = Span::starting(start, HOUR).and_then(|hour| hour.intersection(piece.span));
            let seconds = part.map_or(0, |part| part.length().get());
            let (sum, covered) = hours.entry(start).or_default();
            *sum += piece.value as f64 * seconds as f64;
            *covered += seconds;
            start = start + HOUR;
        }
    }
    let whole = hours.into_iter().filter(|&(_, (_, covered))| covered == HOUR.get());
    whole.map(|(hour, (sum, _))| (hour, sum / HOUR.get() as f64 / MEGAWATT)).collect()
}

/// Whether anything is told about the day around an hour: then the hour is needed, too.
pub(crate) fn is_told_around(hours: &Hourly, hour: Timestamp) -> bool {
    hours.range(hour - AROUND..=hour + AROUND).next().is_some()
}

/// The last multiple of `step` at or before an instant.
pub(super) fn floor(instant: Timestamp, step: Seconds) -> Timestamp {
    let ceiling = instant.ceil_to(step);
    if ceiling == instant { instant } else { ceiling - step }
}

/// The beginnings of the hours of a span that begins with one.
pub(super) fn hours(from: Timestamp, until: Timestamp) -> impl Iterator<Item = Timestamp> {
    std::iter::successors(Some(from), |hour| Some(*hour + HOUR)).take_while(move |it| *it < until)
}
