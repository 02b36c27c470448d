//! The `request` and `search` objects.

use serde_json::value::RawValue;

use super::reader::{Object, Reader};
use crate::problem::SearchMode;
use crate::request::{Request, RequestError};
use crate::search::too_many_candidates;
use crate::time::{Seconds, Timestamp};

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
    let duration = match object.get("duration") {
        Some(_) if object.get("duration_s").is_some() => {
            reader.error_at("duration", "must not stand beside duration_s");
            None
        }
        Some(_) => reader.required(object, "duration", Reader::duration),
        None => reader.required(object, "duration_s", Reader::duration),
    };
    let earliest_start = reader.required(object, "earliest_start", Reader::timestamp);
    let latest_start = reader.required(object, "latest_start", Reader::timestamp);
    let utilisation = reader.optional(object, "utilisation", Reader::fraction);
    let request = Request {
        nodes: nodes?,
        duration: duration?,
        earliest_start: earliest_start?,
        latest_start: latest_start?,
        utilisation: utilisation?,
    };
    for error in request.errors(now) {
        let key = match error {
            RequestError::NoNodes => "nodes",
            RequestError::Duration if object.get("duration").is_some() => "duration",
            RequestError::Duration => "duration_s",
            RequestError::Reversed | RequestError::Past => "latest_start",
        };
        reader.error_at(key, error);
    }
    Some(request)
}

fn node_count(reader: &mut Reader, raw: &RawValue) -> Option<u32> {
    let count = reader.whole_number(raw)?;
    match u32::try_from(count) {
        Ok(count) => Some(count),
        Err(_) if count < 0 => {
            reader.error(RequestError::NoNodes);
            None
        }
        // More nodes than any cluster has: the planner answers `impossible`.
        Err(_) => Some(u32::MAX),
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
            let slot = reader.required(&object, "slot_s", Reader::whole_number)?;
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
            "is a million slots or more after the earliest start; \
             narrow the window, widen the slots or use exact mode",
        );
    }
}
