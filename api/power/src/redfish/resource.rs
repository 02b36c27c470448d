//! What all resources have: links, members, numbers.

use bmc::session::{Session, payload};
use grid_feeds::feed::FeedError;
use planner::metering::MeterUnit;
use planner::quantity::Power;
use serde_json::Value;

use crate::error::PowerError;

/// No more members of a collection are looked at.
const MOST_MEMBERS: usize = 64;

/// A resource, where the controller has it: it may link to what it does not have.
pub(super) async fn read_optional(
    session: &mut Session<'_>,
    path: &str,
) -> Result<Option<Value>, FeedError> {
    match session.get(path).await {
        Err(FeedError::Refused { status: 404, .. }) => Ok(None),
        resource => resource.map(Some),
    }
}

/// The paths that a collection, or a list of links, names.
pub(super) fn paths(list: Option<&Value>) -> Vec<String> {
    let listed = list.and_then(Value::as_array).into_iter().flatten();
    let paths = listed.filter_map(|it| it.get("@odata.id")?.as_str());
    paths.take(MOST_MEMBERS).map(str::to_owned).collect()
}

/// The path of the resource that a property links to.
pub(super) fn link(owner: &Value, name: &str) -> Option<String> {
    Some(owner.get(name)?.get("@odata.id")?.as_str()?.to_owned())
}

/// The watts at a place; `None` where there are none, or `null`. Some controllers write numbers as texts.
pub(super) fn watts(document: &Value, place: &str) -> Result<Option<Power>, PowerError> {
    let text = match document.pointer(place) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(_) => return Err(payload(place, "is no number").into()),
    };
    let milli = MeterUnit::Watt.parse_milli(&text);
    let milli = milli.map_err(|error| PowerError::from(payload(place, &error.to_string())))?;
    Ok(Some(Power::from_microwatts(milli.saturating_mul(1000))))
}

/// The text at a place.
pub(super) fn text<'d>(document: &'d Value, place: &str) -> Option<&'d str> {
    document.pointer(place)?.as_str()
}
