//! What a source is asked for, and what its answer is worth: pure.

use grid_feeds::feed::{FeedError, Known, Revision, Series, Validator};
use grid_feeds::plausibility::{Limits, judge};
use grid_feeds::schedule::Schedule;
use planner::agenda::Agenda;
use planner::time::{Seconds, Span, Timestamp};
use storage::FeedState;

use crate::config::feeds::Source;

/// Sources are asked for as much of the past, for corrections.
const BEHIND: Seconds = Seconds::new(86_400);

/// And for as much of what is to come.
const AHEAD: Seconds = Seconds::new(3 * 86_400);

/// What a publication should have brought is awaited for so long.
const AWAITED_FOR: Seconds = Seconds::new(12 * 3600);

/// What a poll brought.
pub(super) enum Brought {
    /// As before.
    Nothing { validator: Option<Validator> },
    /// Something new, judged.
    News(Box<Revision>),
}

/// The class of a failure as a stable word.
pub const fn class(error: &FeedError) -> &'static str {
    match error {
        FeedError::Refused { .. } => "refused",
        FeedError::Busy { .. } => "busy",
        FeedError::Transient { .. } => "transient",
        FeedError::NotPublished { .. } => "not_published",
        FeedError::Payload { .. } => "payload",
        FeedError::Sandbox { .. } => "sandbox",
        FeedError::Configuration { .. } => "configuration",
    }
}

/// The state of a source before its first poll.
pub(super) fn never_asked(next_poll: Timestamp) -> FeedState {
    FeedState {
        last_poll: None,
        last_success: None,
        failure: None,
        validator: None,
        next_poll,
        closed_until: Timestamp::MIN,
        failures_in_turn: 0,
        horizon: None,
        grown: None,
        requests: 0,
        failures: 0,
        refresh: None,
    }
}

/// What to ask for: after a downtime from where the source was heard last.
pub(super) fn window(source: &Source, state: &FeedState, now: Timestamp) -> Option<Span> {
    let end = now + AHEAD;
    let earliest = end - source.provider.longest_window();
    let since = state.last_success.map_or(now, |last| last.min(now)) - BEHIND;
    let start = since.max(earliest).max(Timestamp::MIN);
    Span::new(start, end)
}

/// Whether something was published, today or yesterday, that the source has not told yet.
pub(super) fn awaits(schedule: &Schedule, state: &FeedState, now: Timestamp) -> bool {
    let published = schedule.latest_publication(now);
    let due = published.filter(|&published| now - published < AWAITED_FOR);
    due.is_some_and(|published| state.grown.is_none_or(|grown| grown < published))
}

/// A plausible revision that says something new, or takes something back where the source
/// `says_all`, with what is odd about it among its notes.
pub(super) fn judged(
    revision: Revision,
    held: &Agenda<Known>,
    says_all: bool,
    now: Timestamp,
) -> Result<Brought, FeedError> {
    let Revision { source, zone, series, validator } = revision;
    let limits = Limits::usual(series.kind);
    let judged = judge(series, &limits, Some(held), now)?;
    let mut series = judged.series;
    let is_news = series.is_news(held);
    let gone = if says_all { taken_back(&mut series, held, now)? } else { false };
    if !is_news && !gone {
        return Ok(Brought::Nothing { validator });
    }
    series.notes.extend(judged.suspicions.iter().map(ToString::to_string));
    Ok(Brought::News(Box::new(Revision { source, zone, series, validator })))
}

/// Takes back what was said of the time from now on and is not said any more, and notes it; `false`
/// where there is no such thing.
pub(super) fn taken_back(
    series: &mut Series,
    held: &Agenda<Known>,
    now: Timestamp,
) -> Result<bool, FeedError> {
    let gone = series.take_back(held, now).map_err(|error| FeedError::Payload {
        place: "the agenda".to_owned(),
        message: error.to_string(),
    })?;
    series.notes.extend(gone.iter().map(|span| format!("takes back what was said of {span}")));
    Ok(!gone.is_empty())
}
