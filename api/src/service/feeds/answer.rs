//! What a source is asked for, and what its answer is worth: pure.

use grid_feeds::feed::{Doubt, FeedError, Kind, KnownValue, Quality, Revision, Series, Validator};
use grid_feeds::plausibility::{Limits, judge};
use grid_feeds::schedule::Schedule;
use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Seconds, Span, Timestamp};
use storage::FeedState;

use crate::config::feeds::Source;

/// Sources are asked for as much of the past, for corrections.
const BEHIND: Seconds = Seconds::new(86_400);

/// And for as much of what is to come.
const AHEAD: Seconds = Seconds::new(3 * 86_400);

/// What a source answered to a poll.
pub(super) struct PollAnswer {
    /// What identifies the answer.
    pub validator: Option<Validator>,
    /// Whether the value that the latest publication brings is known, and binding where the source
    /// publishes what is.
    pub is_awaited: bool,
    /// What of the answer could not be read.
    pub doubt: Doubt,
    /// Something new, judged.
    pub news: Option<Box<Revision>>,
}

/// A plausible answer.
pub(super) struct Judgement {
    /// With what is odd about it among its notes.
    pub revision: Box<Revision>,
    /// Whether it says anything new.
    pub is_news: bool,
}

/// The class of an answer of which a part could not be read.
pub const PARTLY_READ: &str = "partly_read";

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
    let due = schedule.awaited(now);
    due.is_some_and(|published| state.grown.is_none_or(|grown| grown < published))
}

/// Whether a value is what a source publishes in the end.
pub(super) fn is_final(source: &Source, known: Option<KnownValue>) -> bool {
    let known = known.filter(|known| *known != KnownValue::TAKEN_BACK);
    known.is_some_and(|it| {
        it.quality == Quality::Measured || !source.provider.is_binding(source.quantity)
    })
}

/// A plausible revision, with what is odd about it among its notes, and whether it says something new
/// or takes something back where the source `says_all`. Where it is in doubt, what is not beyond
/// `bound` holds.
pub(super) fn judged(
    revision: Revision,
    held: &Agenda<KnownValue>,
    says_all: bool,
    bound: Option<i64>,
    now: Timestamp,
) -> Result<Judgement, FeedError> {
    let Revision { source, zone, series, doubt, validator } = revision;
    let limits = Limits::usual(series.kind);
    let judged = judge(series, &limits, Some(held), now)?;
    let mut series = without_provisional(judged.series, held)?;
    let held_back = series.hold_back(&doubt.spans, held, bound, now);
    held_back.map_err(bad_agenda)?;
    let is_news = series.is_news(held);
    let gone = if says_all { taken_back(&mut series, held, now)? } else { false };
    series.notes.extend(judged.suspicions.iter().map(ToString::to_string));
    series.notes.extend(doubt.told());
    let revision = Box::new(Revision { source, zone, series, doubt, validator });
    Ok(Judgement { revision, is_news: is_news || gone })
}

/// Provisional prices do not replace binding ones of the same source.
fn without_provisional(mut series: Series, held: &Agenda<KnownValue>) -> Result<Series, FeedError> {
    let Kind::Price { .. } = series.kind else { return Ok(series) };
    let is_binding = |piece: &Piece<KnownValue>| piece.value.quality == Quality::Measured;
    let all = series.agenda.pieces();
    let kept: Vec<Piece<KnownValue>> = all
        .iter()
        .copied()
        .filter(|piece| {
            let known =
                held.covers(piece.span) && held.overlapping(piece.span).iter().all(is_binding);
            is_binding(piece) || !known
        })
        .collect();
    let left_out = all.len() - kept.len();
    if left_out > 0 {
        series
            .notes
            .push(format!("{left_out} provisional values left out: binding ones are known"));
        series.agenda = Agenda::new(kept).map_err(bad_agenda)?;
    }
    Ok(series)
}

fn bad_agenda(error: AgendaError) -> FeedError {
    FeedError::Payload { place: "the agenda".to_owned(), message: error.to_string() }
}

/// Takes back what was said of the time from now on and is not said any more, and notes it; `false`
/// where there is no such thing.
pub(super) fn taken_back(
    series: &mut Series,
    held: &Agenda<KnownValue>,
    now: Timestamp,
) -> Result<bool, FeedError> {
    let gone = series.take_back(held, now).map_err(bad_agenda)?;
    series.notes.extend(gone.iter().map(|span| format!("takes back what was said of {span}")));
    Ok(!gone.is_empty())
}
