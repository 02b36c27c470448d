//! Emergencies and warnings.

use grid_feeds::feed::scrub;
use planner::time::{Span, Timestamp};
use serde_json::Value;

use super::timing::laid;
use super::types::ALERT;
use super::{EventReader, Heard};
use crate::wire::{Event, Payload};

/// A word of warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The event's id and the interval's number.
    pub id: String,
    /// Such as `ALERT_GRID_EMERGENCY`.
    pub kind: String,
    /// The time that it is about.
    pub span: Span,
    /// The warning in the supplier's words, without secrets.
    pub text: String,
}

/// The alerts that are not over, in time order. One whose time cannot be read is told all the same,
/// as of any time that it may be.
pub(super) fn alerts(reader: &EventReader<'_>, ranked: &[&Event]) -> Heard<Vec<Alert>> {
    let mut heard = Heard { said: Vec::new(), doubtful: Vec::new(), unread: Vec::new() };
    let is_alert =
        |payload: &Payload| payload.kind.as_ref().is_ok_and(|kind| kind.starts_with(ALERT));
    for &event in ranked {
        let mut payloads =
            event.intervals.iter().flatten().flat_map(|it| it.payloads.iter().flatten());
        if !payloads.any(is_alert) {
            continue;
        }
        let laid = laid(reader, event);
        let timed = laid.intervals.iter().map(|it| (Some(it.id), it.span, it.payloads));
        let others = laid.faults.iter().filter_map(|it| Some((it.id, it.span, it.payloads?)));
        for (id, span, payloads) in timed.chain(others).filter(|it| it.1.end() > reader.now) {
            let of_kind = payloads.iter().filter_map(|payload| {
                let kind = payload.kind.as_ref().ok().filter(|_| is_alert(payload))?;
                let id = id.map_or_else(|| "all".to_owned(), |id| id.to_string());
                let (id, kind) = (scrub(&format!("{}/{id}", event.id)), scrub(kind));
                let since = if span.start() == Timestamp::MIN { reader.now } else { span.start() };
                let span = Span::new(since, span.end())?;
                Some(Alert { id, kind, span, text: words(payload) })
            });
            heard.said.extend(of_kind);
        }
        for fault in laid.faults {
            if fault.payloads.is_some_and(|payloads| payloads.iter().any(is_alert)) {
                heard.doubtful.push(fault.span);
                heard.unread.push(fault.unread);
            }
        }
    }
    let alerts = &mut heard.said;
    alerts.sort_by(|one, other| one.span.cmp(&other.span).then_with(|| one.id.cmp(&other.id)));
    heard
}

/// The words of a payload, without secrets.
fn words(payload: &Payload) -> String {
    let values = payload.values.as_deref().unwrap_or_default();
    scrub(&values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "))
}
