//! Emergencies and warnings.

use openleadr_wire::event::{Event, EventType};
use openleadr_wire::values_map::Value;
use planner::time::Span;

use super::Reader;
use super::timing::timed;

/// A word of warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The event's id and the interval's number.
    pub id: String,
    /// Such as `ALERT_GRID_EMERGENCY`.
    pub kind: String,
    /// When.
    pub span: Span,
    /// In the supplier's words.
    pub text: String,
}

/// The alerts that are not over, in time order. One that cannot be read is noted: it must not
/// silence the others.
pub(super) fn alerts(
    reader: &Reader<'_>,
    ranked: &[&Event],
    notes: &mut Vec<String>,
) -> Vec<Alert> {
    let mut alerts = Vec::new();
    for &event in ranked {
        let kinds = event.content.intervals.iter().flatten().flat_map(|it| &it.payloads);
        if !kinds.into_iter().any(|payload| alert_kind(&payload.value_type).is_some()) {
            continue;
        }
        let intervals = match timed(reader, event) {
            Ok(intervals) => intervals,
            Err(error) => {
                notes.push(error.to_string());
                continue;
            }
        };
        for timed in intervals.iter().filter(|timed| timed.span.end() > reader.now) {
            let of_kind = timed.payloads.iter().filter_map(|payload| {
                let texts = payload.values.iter().filter_map(|value| match value {
                    Value::String(text) => Some(text.as_str()),
                    _ => None,
                });
                let text = texts.collect::<Vec<_>>().join("; ");
                Some((alert_kind(&payload.value_type)?, text))
            });
            alerts.extend(of_kind.map(|(kind, text)| Alert {
                id: format!("{}/{}", event.id, timed.id),
                kind,
                span: timed.span,
                text,
            }));
        }
    }
    alerts.sort_by(|one, other| one.span.cmp(&other.span).then_with(|| one.id.cmp(&other.id)));
    alerts
}

/// The word of an alert; `None` for other types.
fn alert_kind(payload: &EventType) -> Option<String> {
    let word = serde_json::to_value(payload).ok()?;
    word.as_str().filter(|word| word.starts_with("ALERT_")).map(str::to_owned)
}
