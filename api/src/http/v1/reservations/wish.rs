//! Requests for nodes as bodies: the problem file's `request`, and optionally its `search`.

use planner::json::Reader;
use planner::json::reader::read;
use planner::json::request::{REQUEST_FIELDS, check_candidates, request_fields, search};
use planner::problem::SearchMode;
use planner::time::Timestamp;
use serde_json::value::RawValue;

use crate::http::body::JsonBody;
use crate::http::problem::Problem;
use crate::service::{Service, Wish};

/// Reads a wish from a body.
///
/// # Errors
/// A problem with every error in it.
pub fn read_wish(body: &JsonBody, service: &Service) -> Result<Wish, Problem> {
    let (now, default) = (service.now(), service.settings().search);
    body.read(|reader, raw| wish(reader, raw, now, default))
}

/// Reads a wish that was stored; `None` once its window has passed.
pub fn stored_wish(text: &str, service: &Service) -> Option<Wish> {
    let (now, default) = (service.now(), service.settings().search);
    read(text, |reader, raw| wish(reader, raw, now, default)).ok()
}

fn wish(reader: &mut Reader, raw: &RawValue, now: Timestamp, default: SearchMode) -> Option<Wish> {
    let known = [REQUEST_FIELDS.as_slice(), &["search"]].concat();
    let object = reader.object(raw, &known)?;
    let mode = reader.optional(&object, "search", search);
    let request = request_fields(reader, &object, now)?;
    let search = mode?.unwrap_or(default);
    check_candidates(reader, search, &request, now);
    Some(Wish { request, search })
}
