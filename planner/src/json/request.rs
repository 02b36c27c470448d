//! The `request` and `search` objects.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::reader::{Object, Reader};
use crate::filter::FilterError;
use crate::filter::NodeFilter;
use crate::node::Nodes;
use crate::problem::SearchMode;
use crate::request::{MAX_ALTERNATIVES, Request, RequestError, Shape, Tolerances, is_duration};
use crate::search::too_many_candidates;
use crate::slower_states::Speed;
use crate::time::{Seconds, Timestamp};
use crate::tolerance::Tolerance;

/// A slot where none is given: a quarter of an hour, as in the paper.
const DEFAULT_SLOT_S: i64 = 900;

/// The fields of a request.
pub const REQUEST_FIELDS: [&str; 13] = [
    "nodes",
    "duration_s",
    "duration",
    "alternatives",
    "earliest_start",
    "latest_start",
    "latest_end",
    "utilisation",
    "tolerance",
    "partition",
    "features",
    "exclude",
    "only",
];

/// What a request to a service may say besides, and why it is refused in a simulation.
const OF_SERVICES: [(&str, &str); 12] = [
    ("search", "has no meaning in a simulation: starts are looked for on slots of slot_s"),
    ("on_cap", "has no meaning in a simulation: there is no supplier to ask for extra power"),
    (
        "extra_power_fee_limit",
        "has no meaning in a simulation: there is no supplier to ask for extra power",
    ),
    ("priority", "has no meaning in a simulation: no reservation has to give way to another"),
    ("replaces", "has no meaning in a simulation: a request takes no other reservation's place"),
    ("give_back", "has no meaning in a simulation: no job ends before its reservation does"),
    ("utilisation_from", "has no meaning in a simulation: nothing is learnt from earlier runs"),
    ("labels", "has no meaning in a simulation: there is no ledger that goes by them"),
    ("note", "has no meaning in a simulation: nobody reads it"),
    ("expected", "has no meaning in a simulation: nobody was shown its offers before"),
    ("pareto_nodes", "has no meaning in a simulation: the policy chooses, and nothing is shown"),
    ("explain", "has no meaning in a simulation: the policy chooses, and nothing is shown"),
];

/// Reads a request that is to be played in a simulation: all that a request may say counts, and what
/// only a service can do is refused by name. Nothing of it is in the past yet.
pub fn simulated_request(reader: &mut Reader, raw: &RawValue) -> Option<Request> {
    let object = reader.object_without(raw, &REQUEST_FIELDS, &OF_SERVICES)?;
    // Nothing that can be written lies before the epoch.
    request_fields(reader, &object, Timestamp::MIN)
}

/// Reads a request from an object that may have other fields too.
pub fn request_fields(reader: &mut Reader, object: &Object<'_>, now: Timestamp) -> Option<Request> {
    let shapes = shapes(reader, object);
    let earliest_start = reader.required(object, "earliest_start", Reader::timestamp);
    let latest_end = reader.optional(object, "latest_end", Reader::timestamp);
    let deadline_alone =
        object.get("latest_start").is_none() && latest_end.is_none_or(|it| it.is_some());
    let latest_start = if deadline_alone {
        // As late as the shortest shape allows.
        let shortest = shapes.as_ref().and_then(|it| it.iter().map(|shape| shape.duration).min());
        let end = latest_end.flatten();
        end.zip(shortest).map(|(end, duration)| end - duration)
    } else {
        reader.required(object, "latest_start", Reader::timestamp)
    };
    let utilisation = reader.optional(object, "utilisation", Reader::fraction);
    let tolerances = reader.optional(object, "tolerance", tolerances);
    let filter = filter(reader, object);
    let window = Window { earliest_start, latest_start, latest_end: latest_end.flatten() };
    window.check(reader, shapes.as_deref().unwrap_or_default(), deadline_alone, now);
    let mut shapes = shapes?.into_iter();
    let Shape { nodes, duration } = shapes.next()?;
    Some(Request {
        nodes,
        duration,
        alternatives: shapes.collect(),
        earliest_start: earliest_start?,
        latest_start: latest_start?,
        latest_end: latest_end?,
        utilisation: utilisation?,
        tolerances: tolerances?.unwrap_or_default(),
        filter: filter?,
        slowest_speed: Speed::FULL,
    })
}

/// The request's own shape, if any, and its alternatives, equal ones once.
fn shapes(reader: &mut Reader, object: &Object<'_>) -> Option<Vec<Shape>> {
    let alternatives = reader.optional(object, "alternatives", |reader, raw| {
        let shapes = reader.array(raw, |reader, raw| {
            let object = reader.object(raw, &["nodes", "duration_s", "duration"])?;
            shape(reader, &object)
        })?;
        if !(1..=MAX_ALTERNATIVES).contains(&shapes.len()) {
            reader.error(RequestError::Alternatives);
            return None;
        }
        Some(shapes)
    });
    let of_its_own =
        ["nodes", "duration_s", "duration"].iter().any(|key| object.get(key).is_some());
    let mut shapes = Vec::new();
    if of_its_own || object.get("alternatives").is_none() {
        shapes.push(shape(reader, object)?);
    }
    for shape in alternatives?.unwrap_or_default() {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    Some(shapes)
}

fn shape(reader: &mut Reader, object: &Object<'_>) -> Option<Shape> {
    let nodes = reader.required(object, "nodes", node_count);
    let key = if object.get("duration").is_some() { "duration" } else { "duration_s" };
    if key == "duration" && object.get("duration_s").is_some() {
        reader.error_at("duration_s", "must not stand beside duration");
    }
    let duration = reader.required(object, key, duration);
    Some(Shape { nodes: nodes?, duration: duration? })
}

/// When a reservation may lie, as far as it could be read.
struct Window {
    earliest_start: Option<Timestamp>,
    latest_start: Option<Timestamp>,
    latest_end: Option<Timestamp>,
}

impl Window {
    /// Each rule is checked where its own fields can be read, whatever is wrong with the others.
    fn check(&self, reader: &mut Reader, shapes: &[Shape], deadline_alone: bool, now: Timestamp) {
        let Self { earliest_start, latest_start, latest_end } = *self;
        let durations = || shapes.iter().map(|shape| shape.duration);
        if let Some(latest) = latest_start.filter(|_| !deadline_alone) {
            if latest < now {
                reader.error_at("latest_start", RequestError::Past);
            }
            if earliest_start.is_some_and(|earliest| latest < earliest) {
                reader.error_at("latest_start", RequestError::Reversed);
            }
            if durations().any(|duration| latest + duration > Timestamp::MAX) {
                reader.error_at("latest_start", RequestError::BeyondCalendar);
            }
        }
        if let Some(room) = latest_end.zip(durations().min()).map(|(end, shortest)| end - shortest)
        {
            if earliest_start.is_some_and(|earliest| room < earliest) {
                reader.error_at("latest_end", RequestError::NoRoom);
            } else if room < now {
                reader.error_at("latest_end", RequestError::TooLate);
            }
        }
    }
}

fn duration(reader: &mut Reader, raw: &RawValue) -> Option<Seconds> {
    let duration = reader.duration(raw)?;
    if !is_duration(duration) {
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

fn tolerances(reader: &mut Reader, raw: &RawValue) -> Option<Tolerances> {
    let object = reader.object(raw, &["energy", "cost", "co2"])?;
    let energy = reader.optional(&object, "energy", tolerance);
    let cost = reader.optional(&object, "cost", tolerance);
    let co2 = reader.optional(&object, "co2", tolerance);
    Some(Tolerances {
        energy: energy?.unwrap_or_default(),
        cost: cost?.unwrap_or_default(),
        co2: co2?.unwrap_or_default(),
    })
}

fn tolerance(reader: &mut Reader, raw: &RawValue) -> Option<Tolerance> {
    let value = serde_json::from_str::<f64>(raw.get());
    let value = reader.accept(value.map_err(|_| "is not a number"))?;
    reader.accept(Tolerance::new(value).ok_or(Tolerance::RULE))
}

fn filter(reader: &mut Reader, object: &Object<'_>) -> Option<NodeFilter> {
    let partition = reader.optional(object, "partition", Reader::name);
    let features = reader.optional(object, "features", names);
    let exclude = reader.optional(object, "exclude", names);
    let only = reader.optional(object, "only", names);
    Some(NodeFilter {
        partition: partition?,
        features: features?.unwrap_or_default(),
        exclude: exclude?.unwrap_or_default(),
        only: only?.unwrap_or_default(),
        closed: Vec::new(),
    })
}

/// Notes what a filter names that is not there.
pub fn check_filter(reader: &mut Reader, filter: &NodeFilter, nodes: &Nodes) {
    for error in filter.errors(nodes) {
        match error {
            FilterError::NoPartition(_) => reader.error_at("partition", error),
            FilterError::NoFeature { index, .. } => reader.error_in("features", index, error),
            FilterError::NoNode { field, index, .. } => reader.error_in(field, index, error),
        }
    }
}

/// A list of names.
pub(super) fn names(reader: &mut Reader, raw: &RawValue) -> Option<Vec<Box<str>>> {
    reader.array(raw, Reader::name)
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

/// A request as [`request_fields`] reads it. What may be left out is there where it has a meaning of its
/// own, and where `says` has its name: `latest_start`, and the criteria of `tolerance`.
pub fn document(request: &Request, says: impl Fn(&str) -> bool) -> Map<String, Value> {
    let mut document = Map::new();
    let mut put = |name: &str, value: Value| document.insert(name.to_owned(), value);
    put("nodes", request.nodes.into());
    put("duration_s", request.duration.get().into());
    if !request.alternatives.is_empty() {
        let shape = |it: &Shape| json!({"nodes": it.nodes, "duration_s": it.duration.get()});
        put("alternatives", request.alternatives.iter().map(shape).collect());
    }
    put("earliest_start", json!(request.earliest_start));
    if says("latest_start") || request.latest_end.is_none() {
        put("latest_start", json!(request.latest_start));
    }
    if let Some(latest_end) = request.latest_end {
        put("latest_end", json!(latest_end));
    }
    if let Some(utilisation) = request.utilisation {
        put("utilisation", json!(utilisation.as_f64()));
    }
    let Tolerances { energy, cost, co2 } = request.tolerances;
    let given = [("energy", energy), ("cost", cost), ("co2", co2)].into_iter();
    let given = given.filter(|(name, it)| says(name) || *it != Tolerance::default());
    let given: Map<_, _> = given.map(|(name, it)| (name.to_owned(), json!(it.as_f64()))).collect();
    if !given.is_empty() {
        put("tolerance", Value::Object(given));
    }
    let NodeFilter { partition, features, exclude, only, closed: _ } = &request.filter;
    if let Some(partition) = partition {
        put("partition", json!(partition));
    }
    for (name, list) in [("features", features), ("exclude", exclude), ("only", only)] {
        if !list.is_empty() {
            put(name, json!(list));
        }
    }
    document
}
