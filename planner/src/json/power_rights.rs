//! The `rights` and `keep_warm` of a problem of power actions and of a site's rules, and the parts of them that others read.

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::reader::{Object, Reader};
use super::reservations::node_set;
use crate::labels::NodeLabels;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::power_plan::{KeepWarm, Right, RightAction, RightLevel, WeeklyWindow};

const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// Finds a zone by its name in the IANA database, such as `Europe/Paris`.
pub type Zones<'a> = &'a dyn Fn(&str) -> Option<TimeZone>;

/// The fields of a right.
const RIGHT_FIELDS: [&str; 7] =
    ["nodes", "node_ranges", "partition", "feature", "level", "actions", "windows"];

/// Reads `[{"nodes", "level", "actions", "windows"}]`; instead of `nodes` a right may name `node_ranges`, a `partition` or a
/// `feature`. Where the nodes themselves are wrong, everything but the rights' nodes is checked.
pub fn rights(
    reader: &mut Reader,
    raw: &RawValue,
    nodes: Option<&Nodes>,
    zones: Zones<'_>,
) -> Option<Vec<Right>> {
    reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &RIGHT_FIELDS)?;
        right(reader, &object, nodes, zones)
    })
}

/// Reads rights, each of which may name in `decided_by` who decides on its nodes beside operators.
pub fn rights_with_deciders(
    reader: &mut Reader,
    raw: &RawValue,
    nodes: Option<&Nodes>,
    zones: Zones<'_>,
) -> Option<Vec<(Right, Vec<String>)>> {
    let mut fields = RIGHT_FIELDS.to_vec();
    fields.push("decided_by");
    reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &fields)?;
        let right = right(reader, &object, nodes, zones);
        let deciders =
            reader.optional(&object, "decided_by", |reader, raw| reader.array(raw, Reader::string));
        Some((right?, deciders?.unwrap_or_default()))
    })
}

fn right(
    reader: &mut Reader,
    object: &Object<'_>,
    nodes: Option<&Nodes>,
    zones: Zones<'_>,
) -> Option<Right> {
    let nodes = who(reader, object, nodes);
    let level = reader.required(object, "level", level);
    let actions = reader.required(object, "actions", |reader, raw| reader.array(raw, action));
    let windows = reader.optional(object, "windows", |reader, raw| windows(reader, raw, zones));
    let windows = windows?.unwrap_or_default();
    Some(Right { nodes: nodes?, level: level?, actions: actions?, windows })
}

/// Reads `[{"partition", "nodes"}]`, or with a `feature` instead of the partition.
pub fn keep_warm(
    reader: &mut Reader,
    raw: &RawValue,
    nodes: Option<&Nodes>,
) -> Option<Vec<KeepWarm>> {
    reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &["partition", "feature", "nodes"])?;
        let count = reader.required(&object, "nodes", |reader, raw| {
            let count = reader.whole_number(raw)?;
            reader.accept(u32::try_from(count).map_err(|_| "must be at least 0"))
        });
        let (kind, name) = partition_or_feature(reader, &object)?;
        let among = labelled(reader, nodes, kind, &name);
        Some(KeepWarm {
            name: format!("{kind} {name:?}").into(),
            among: among?,
            nodes: count?,
            until: None,
        })
    })
}

/// Reads the one of `partition` and `feature` that an object has: which of them, and its name.
pub fn partition_or_feature(
    reader: &mut Reader,
    object: &Object<'_>,
) -> Option<(&'static str, Box<str>)> {
    match (object.get("partition"), object.get("feature")) {
        (Some(_), None) => Some(("partition", reader.required(object, "partition", Reader::name)?)),
        (None, Some(_)) => Some(("feature", reader.required(object, "feature", Reader::name)?)),
        _ => {
            reader.error("must have either partition or feature");
            None
        }
    }
}

/// The nodes of an object that names them, their partition or their feature.
pub(super) fn who(
    reader: &mut Reader,
    object: &Object<'_>,
    nodes: Option<&Nodes>,
) -> Option<NodeSet> {
    let named = ["nodes", "node_ranges", "partition", "feature"];
    let mut given = named.into_iter().filter(|name| object.get(name).is_some());
    match (given.next(), given.next()) {
        (Some(kind @ ("partition" | "feature")), None) => {
            let name = reader.required(object, kind, Reader::name)?;
            labelled(reader, nodes, kind, &name)
        }
        (Some(_), None) => node_set(reader, object, nodes?),
        _ => {
            reader.error("must have one of nodes, node_ranges, partition and feature");
            None
        }
    }
}

/// The nodes of a partition, or with a feature: at least one.
pub(super) fn labelled(
    reader: &mut Reader,
    nodes: Option<&Nodes>,
    kind: &'static str,
    name: &str,
) -> Option<NodeSet> {
    let nodes = nodes?;
    let has = |labels: &NodeLabels| {
        let names = if kind == "partition" { &labels.partitions } else { &labels.features };
        names.iter().any(|it| **it == *name)
    };
    let labelled = |ordinal: &u32| nodes.labels().of(*ordinal).is_some_and(has);
    let set = NodeSet::from_positions((0..nodes.count()).filter(labelled));
    if set.is_empty() {
        let what = if kind == "partition" { "is in the partition" } else { "has the feature" };
        reader.error_at(kind, format!("no node {what} {name:?}"));
        return None;
    }
    Some(set)
}

fn level(reader: &mut Reader, raw: &RawValue) -> Option<RightLevel> {
    let word = reader.string(raw)?;
    let level = RightLevel::from_word(&word);
    reader.accept(level.ok_or("must be one of nothing, propose, with_approval and automatic"))
}

fn action(reader: &mut Reader, raw: &RawValue) -> Option<RightAction> {
    let word = reader.string(raw)?;
    reader.accept(RightAction::from_word(&word).ok_or("must be off or limit"))
}

/// Reads `[{"days", "from", "to", "zone"}]`.
pub fn windows(reader: &mut Reader, raw: &RawValue, zones: Zones<'_>) -> Option<Vec<WeeklyWindow>> {
    reader.array(raw, |reader, raw| window(reader, raw, zones))
}

/// A window as [`windows`] reads it; it has no zone where that is none of the IANA database.
pub fn window_document(window: &WeeklyWindow) -> Map<String, Value> {
    let clock = |time: Time| format!("{:02}:{:02}", time.hour(), time.minute()).into();
    let word = |day: &Weekday| DAYS.iter().find(|(_, known)| known == day).map(|(word, _)| *word);
    let mut document = Map::new();
    if !window.days.is_empty() {
        let days: Vec<&str> = window.days.iter().filter_map(word).collect();
        document.insert("days".to_owned(), days.into());
    }
    document.insert("from".to_owned(), clock(window.from));
    document.insert("to".to_owned(), clock(window.to));
    document.extend(window.zone.iana_name().map(|zone| ("zone".to_owned(), zone.into())));
    document
}

fn window(reader: &mut Reader, raw: &RawValue, zones: Zones<'_>) -> Option<WeeklyWindow> {
    let object = reader.object(raw, &["days", "from", "to", "zone"])?;
    let days = reader.optional(&object, "days", |reader, raw| reader.array(raw, day));
    let from = reader.required(&object, "from", clock);
    let to = reader.required(&object, "to", clock);
    let zone = reader.required(&object, "zone", |reader, raw| {
        let name = reader.string(raw)?;
        let zone = zones(&name);
        reader.accept(zone.ok_or("is not a time zone such as Europe/Paris"))
    });
    Some(WeeklyWindow { days: days?.unwrap_or_default(), from: from?, to: to?, zone: zone? })
}

fn day(reader: &mut Reader, raw: &RawValue) -> Option<Weekday> {
    let word = reader.string(raw)?;
    let day = DAYS.iter().find(|(name, _)| *name == word).map(|(_, day)| *day);
    reader.accept(day.ok_or("must be one of mon, tue, wed, thu, fri, sat and sun"))
}

/// Reads `HH:MM`; 24:00 is midnight.
fn clock(reader: &mut Reader, raw: &RawValue) -> Option<Time> {
    let text = reader.string(raw)?;
    let text = if text == "24:00" { "00:00" } else { text.as_str() };
    let parts = text.split_once(':').filter(|(hour, minute)| hour.len() == 2 && minute.len() == 2);
    let time = parts
        .and_then(|(hour, minute)| Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok());
    reader.accept(time.ok_or("is not a time of the clock such as 22:30"))
}
