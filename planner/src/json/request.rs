//! The `request` and `search` objects.

use serde_json::value::RawValue;

use super::reader::{Object, Reader};
use crate::problem::SearchMode;
use crate::request::{MAX_DURATION, Request, RequestError};
use crate::search::too_many_candidates;
use crate::time::{Seconds, Timestamp};

/// A slot where none is given: a quarter of an hour, as in the paper.
const DEFAULT_SLOT_S: i64 = 900;

/// The fields of a request.
pub const REQUEST_FIELDS: [&str; 6] =
    ["nodes", "duration_s", "duration", "earliest_start", "latest_start", "utilisation"];

/// Reads a request, checked at `now`.
pub fn request(reader: &mut Reader, raw: &RawValue, now: Timestamp) -> Option<Request> {
    let object = reader.object(raw, &REQUEST_FIELDS)?;
    request_fields(reader, &object, now)
}

/// Reads a request from an object that may have other fields too.
pub fn request_fields(reader: &mut Reader, object: &Object<'_>, now: Timestamp) -> Option<Request> {
    let nodes = reader.required(object, "nodes", node_count);
    let key = if object.get("duration").is_some() { "duration" } else { "duration_s" };
    if key == "duration" && object.get("duration_s").is_some() {
        reader.error_at("duration_s", "must not stand beside duration");
    }
    let duration = reader.required(object, key, duration);
    let earliest_start = reader.required(object, "earliest_start", Reader::timestamp);
    let latest_start = reader.required(object, "latest_start", Reader::timestamp);
    let utilisation = reader.optional(object, "utilisation", Reader::fraction);
    // Each rule is checked where its own fields can be read, whatever is wrong with the others.
    if latest_start.is_some_and(|latest| latest < now) {
        reader.error_at("latest_start", RequestError::Past);
    }
    if latest_start.zip(earliest_start).is_some_and(|(latest, earliest)| latest < earliest) {
        reader.error_at("latest_start", RequestError::Reversed);
    }
    let last_end = latest_start.zip(duration).map(|(latest, duration)| latest + duration);
    if last_end.is_some_and(|end| end > Timestamp::MAX) {
        reader.error_at("latest_start", RequestError::BeyondCalendar);
    }
    Some(Request {
        nodes: nodes?,
        duration: duration?,
        earliest_start: earliest_start?,
        latest_start: latest_start?,
        utilisation: utilisation?,
    })
}

fn duration(reader: &mut Reader, raw: &RawValue) -> Option<Seconds> {
    let duration = reader.duration(raw)?;
    if duration < Seconds::ONE || duration > MAX_DURATION {
        reader.error(RequestError::Duration);
        return None;
    }
    Some(duration)
}

fn node_count(reader: &mut Reader, raw: &RawValue) -> Option<u32> {
    // More nodes than any cluster has are no error: the planner answers `impossible`.
    if let Ok(count) = raw.get().parse::<u64>()
        && count > u64::from(u32::MAX)
    {
        return Some(u32::MAX);
    }
    let count = reader.whole_number(raw)?;
    match u32::try_from(count) {
        Ok(count) if count > 0 => Some(count),
        _ if count < 1 => {
            reader.error(RequestError::NoNodes);
            None
        }
        _ => Some(u32::MAX),
    }
}

/// Reads a search mode.
pub fn search(reader: &mut Reader, raw: &RawValue) -> Option<SearchMode> {
    let object = reader.object(raw, &["mode", "slot_s"])?;
    let mode = reader.required(&object, "mode", Reader::string)?;
    match mode.as_str() {
        "exact" if object.get("slot_s").is_some() => {
            reader.error_at("slot_s", "has no meaning in exact mode");
            None
        }
        "exact" => Some(SearchMode::Exact),
        "slots" => {
            let slot = reader.optional(&object, "slot_s", Reader::whole_number)?;
            let slot = slot.unwrap_or(DEFAULT_SLOT_S);
            if !(1..=86_400).contains(&slot) {
                reader.error_at("slot_s", "must lie between 1 and 86400 seconds");
                return None;
            }
            Some(SearchMode::Slots { slot: Seconds::new(slot) })
        }
        _ => {
            reader.error_at("mode", "must be \"slots\" or \"exact\"");
            None
        }
    }
}

/// Notes a window with more slots than a search looks at.
pub fn check_candidates(
    reader: &mut Reader,
    search: SearchMode,
    request: &Request,
    now: Timestamp,
) {
    if too_many_candidates(search, request, now) {
        reader.error_at(
            "latest_start",
            "is 100,000 slots or more after the earliest start; \
             narrow the window, widen the slots or use exact mode",
        );
    }
}
