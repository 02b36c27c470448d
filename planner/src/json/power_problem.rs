//! The problem file of power actions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::nodes::{NodeFields, nodes_with};
use super::parts::{cap_scope, currency, loaded};
use super::power_arrivals::arrivals;
use super::power_rights::{Zones, keep_warm, rights};
use super::reader::{JsonError, Object, Reader, read};
use super::{agendas, reservations};
use crate::criterion::Criterion;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::power_plan::{
    CriteriaAmounts, LONGEST_HORIZON, MAX_SWITCHED_POWER, PowerProblem, RankBy, Switching,
};
use crate::power_states::{Sleep, Transition};
use crate::quantity::{CarbonMass, Currency, Energy, MILLION, Money};
use crate::time::{Span, Timestamp};

const FIELDS: [&str; 16] = [
    "now",
    "until",
    "currency",
    "nodes",
    "reservations",
    "outages",
    "agendas",
    "power_cap_scope",
    "rights",
    "keep_warm",
    "arrivals",
    "most_switches_per_day",
    "rank_by",
    "wear",
    "failure_probability",
    "failure_loss",
];

pub(super) const SWITCHING_FIELDS: [&str; 6] = [
    "off_power_w",
    "switching_off_s",
    "switching_off_power_w",
    "switching_on_s",
    "switching_on_power_w",
    "boot_s",
];

/// The longest time that switching may take.
const LONGEST_SWITCHING_S: i64 = 86_400;

/// The most that a cycle may be said to cost, in units.
const LARGEST_COST: i64 = 1_000_000_000;

/// Reads a problem; `load_nodes` turns a path relative to the document into nodes, or says in words why it cannot, and
/// `zones` finds time zones by name.
///
/// # Errors
/// Every error in the document, each with its place.
pub fn power_problem(
    text: &str,
    load_nodes: impl FnOnce(&str) -> Result<Nodes, Vec<String>>,
    zones: Zones<'_>,
) -> Result<PowerProblem, Vec<JsonError>> {
    read(text, |reader, raw| {
        let object = reader.object(raw, &FIELDS)?;
        let horizon = horizon(reader, &object);
        let nodes = read_nodes(reader, &object, load_nodes);
        let listed = nodes.as_ref().map(|it| &it.nodes);
        let reservations = reader.optional(&object, "reservations", |reader, raw| {
            reservations::reservations(reader, raw, listed)
        });
        let outages = reader
            .optional(&object, "outages", |reader, raw| reservations::outages(reader, raw, listed));
        let agendas = reader.required(&object, "agendas", agendas::agendas);
        let cap_scope = reader.optional(&object, "power_cap_scope", cap_scope);
        // Prices have one; nothing here rests on which.
        let currency = reader.optional(&object, "currency", currency);
        let most_switches_per_day = reader.optional(&object, "most_switches_per_day", count);
        let rank_by = reader.optional(&object, "rank_by", rank_by);
        let wear = reader.optional(&object, "wear", amounts);
        let probability = reader.optional(&object, "failure_probability", probability);
        let loss = reader.optional(&object, "failure_loss", amounts);
        let rights =
            reader.optional(&object, "rights", |reader, raw| rights(reader, raw, listed, zones));
        let keep_warm =
            reader.optional(&object, "keep_warm", |reader, raw| keep_warm(reader, raw, listed));
        let arrivals =
            reader.optional(&object, "arrivals", |reader, raw| arrivals(reader, raw, listed));
        currency?;
        let PowerNodes { nodes, switching, asleep, idle_since } = nodes?;
        idle_before(reader, &idle_since, horizon?)?;
        let arrivals = arrivals?.unwrap_or_default();
        Some(PowerProblem {
            horizon: horizon?,
            nodes: Arc::new(nodes),
            asleep,
            switching,
            reservations: reservations?.unwrap_or_default(),
            outages: outages?.unwrap_or_default(),
            agendas: agendas?,
            cap_scope: cap_scope?.unwrap_or_default(),
            rights: rights?.unwrap_or_default(),
            keep_warm: keep_warm?.unwrap_or_default(),
            unannounced: arrivals.unannounced,
            loads: arrivals.loads,
            idle_since,
            most_switches_per_day: most_switches_per_day?,
            rank_by: rank_by?.unwrap_or_default(),
            wear: wear?.unwrap_or(CriteriaAmounts::ZERO),
            failure: (probability?.unwrap_or(0), loss?.unwrap_or(CriteriaAmounts::ZERO)),
        })
    })
}

fn horizon(reader: &mut Reader, object: &Object<'_>) -> Option<Span> {
    let now = reader.required(object, "now", Reader::timestamp);
    let until = reader.required(object, "until", Reader::timestamp);
    let (now, until): (Timestamp, Timestamp) = (now?, until?);
    let horizon = Span::new(now, until).filter(|horizon| horizon.length() <= LONGEST_HORIZON);
    if horizon.is_none() {
        reader.error_at("until", "must be after now, and at most 366 days after it");
    }
    horizon
}

/// Nodes, and what is told of each beside its powers and labels.
struct PowerNodes {
    nodes: Nodes,
    switching: Vec<Option<Switching>>,
    asleep: NodeSet,
    idle_since: BTreeMap<u32, Timestamp>,
}

/// What is told of a node or of a class.
#[derive(Clone)]
struct PowerFields {
    switching: Option<Switching>,
    is_off: bool,
    idle_since: Option<Timestamp>,
}

fn idle_before(
    reader: &mut Reader,
    idle_since: &BTreeMap<u32, Timestamp>,
    horizon: Span,
) -> Option<()> {
    let is_before = idle_since.values().all(|since| *since <= horizon.start());
    if !is_before {
        reader.error_at("nodes", "idle_since must be at now or before");
    }
    is_before.then_some(())
}

fn read_nodes(
    reader: &mut Reader,
    object: &Object<'_>,
    load_nodes: impl FnOnce(&str) -> Result<Nodes, Vec<String>>,
) -> Option<PowerNodes> {
    let names = &["switching", "state", "idle_since"];
    let fields = NodeFields { names, part: &power_fields };
    let nodes = reader.required(object, "nodes", |reader, raw| nodes_with(reader, raw, &fields));
    let (document, fields) = nodes?;
    let nodes = loaded(reader, document, load_nodes)?;
    let off = (0..).zip(&fields).filter(|(_, it)| it.is_off);
    let asleep = NodeSet::from_positions(off.map(|(ordinal, _)| ordinal));
    let idle = (0..).zip(&fields).filter_map(|(ordinal, it)| Some((ordinal, it.idle_since?)));
    let idle_since = idle.collect();
    let mut switching: Vec<Option<Switching>> = fields.into_iter().map(|it| it.switching).collect();
    switching.resize(nodes.count() as usize, None);
    if draws_too_much(&nodes, &switching) {
        reader.error_at("nodes", "those that can be switched draw more than 2e9 W together");
        return None;
    }
    Some(PowerNodes { nodes, switching, asleep, idle_since })
}

/// Whether the nodes that can be switched draw more together than sums are exact for; `switching` is by ordinal.
pub(super) fn draws_too_much(nodes: &Nodes, switching: &[Option<Switching>]) -> bool {
    let switched = nodes.as_slice().iter().zip(switching).filter_map(|(node, switching)| {
        let Sleep { off, switching_off, switching_on, .. } = (*switching)?.sleep;
        let powers = [node.idle(), off, switching_off.power, switching_on.power];
        powers.into_iter().max().map(|power| i128::from(power.as_microwatts()))
    });
    switched.sum::<i128>() > i128::from(MAX_SWITCHED_POWER.as_microwatts())
}

/// How a node is switched, whether it is off now, and since when it has idled.
fn power_fields(reader: &mut Reader, object: &Object<'_>) -> Option<PowerFields> {
    let idle_since = reader.optional(object, "idle_since", Reader::timestamp);
    let switching = reader.optional(object, "switching", switching);
    let is_off = reader.optional(object, "state", |reader, raw| {
        let word = reader.string(raw)?;
        match word.as_str() {
            "on" => Some(false),
            "off" => Some(true),
            _ => reader.accept(Err("must be on or off")),
        }
    });
    let (switching, is_off) = (switching?, is_off?.unwrap_or(false));
    if is_off && switching.is_none() {
        reader.error_at("state", "must be on where the node has no switching");
        return None;
    }
    Some(PowerFields { switching, is_off, idle_since: idle_since? })
}

fn switching(reader: &mut Reader, raw: &RawValue) -> Option<Switching> {
    let object = reader.object(raw, &SWITCHING_FIELDS)?;
    switching_of(reader, &object)
}

/// Reads how a node is switched from an object with [`SWITCHING_FIELDS`].
pub(super) fn switching_of(reader: &mut Reader, object: &Object<'_>) -> Option<Switching> {
    let off = reader.required(object, "off_power_w", Reader::power);
    let off_power = reader.required(object, "switching_off_power_w", Reader::power);
    let off_time = reader.required(object, "switching_off_s", time);
    let on_power = reader.required(object, "switching_on_power_w", Reader::power);
    let on_time = reader.required(object, "switching_on_s", time);
    let boot = reader.optional(object, "boot_s", time);
    let sleep = Sleep {
        number: 1,
        off: off?,
        switching_off: Transition { power: off_power?, time: off_time? },
        switching_on: Transition { power: on_power?, time: on_time? },
    };
    Some(Switching { sleep, boot: boot?.unwrap_or(sleep.switching_on.time) })
}

/// Seconds, to the millisecond.
fn time(reader: &mut Reader, raw: &RawValue) -> Option<Duration> {
    let millionths = reader.millionths(raw)?;
    let is_whole = millionths % 1000 == 0;
    let time = u64::try_from(millionths).ok().map(Duration::from_micros);
    let time = time.filter(|time| is_whole && time.as_secs() < LONGEST_SWITCHING_S.unsigned_abs());
    reader.accept(time.ok_or("must lie between 0 and 86400 s, in whole milliseconds"))
}

pub(super) fn count(reader: &mut Reader, raw: &RawValue) -> Option<u32> {
    let count = reader.whole_number(raw)?;
    reader.accept(u32::try_from(count).map_err(|_| "must be at least 0"))
}

pub(super) fn rank_by(reader: &mut Reader, raw: &RawValue) -> Option<RankBy> {
    let criteria = reader.array(raw, |reader, raw| {
        let word = reader.string(raw)?;
        let criterion = Criterion::ALL.into_iter().find(|it| it.word() == word);
        reader.accept(criterion.ok_or("must be one of energy, cost and co2"))
    })?;
    reader.accept(RankBy::new(&criteria))
}

pub(super) fn probability(reader: &mut Reader, raw: &RawValue) -> Option<i64> {
    let millionths = reader.millionths(raw)?;
    let is_one = (0..=MILLION).contains(&millionths);
    reader.accept(is_one.then_some(millionths).ok_or("must lie between 0 and 1"))
}

/// Reads `{"energy_j", "cost", "co2_g"}`, each of which may be left out.
pub(super) fn amounts(reader: &mut Reader, raw: &RawValue) -> Option<CriteriaAmounts> {
    let object = reader.object(raw, &["energy_j", "cost", "co2_g"])?;
    let energy = reader.optional(&object, "energy_j", unit);
    let cost = reader.optional(&object, "cost", unit);
    let co2 = reader.optional(&object, "co2_g", unit);
    let gram = CarbonMass::from_grams(1.0).map_or(0, CarbonMass::as_exact);
    let co2 = co2?.map_or(0, |millionths| i128::from(millionths) * (gram / i128::from(MILLION)));
    Some(CriteriaAmounts::new(
        Energy::from_microjoules(energy?.unwrap_or(0).into()),
        Money::from_millionths(cost?.unwrap_or(0), Currency::EUR),
        CarbonMass::from_exact(co2),
    ))
}

/// Millionths of a unit.
fn unit(reader: &mut Reader, raw: &RawValue) -> Option<i64> {
    let millionths = reader.millionths(raw)?;
    let is_within = (0..=LARGEST_COST * MILLION).contains(&millionths);
    reader.accept(is_within.then_some(millionths).ok_or("must lie between 0 and 1e9"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every part is wrong in one way, and each is told with its place.
    #[test]
    fn all_errors_are_told_at_once() {
        let text = r#"{
            "now": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z", "currency": "eur",
            "nodes": [{"name": "n1", "idle_power_w": 95, "max_power_w": 190, "partitions": ["batch"],
                       "switching": {"off_power_w": 9.75, "switching_off_s": 6.1, "switching_off_power_w": 101,
                                     "switching_on_s": 151.5205, "switching_on_power_w": 125.17}}],
            "agendas": {"price": [], "co2": []},
            "rights": [{"partition": "bach", "level": "automatic", "actions": ["off"]},
                       {"nodes": ["n1"], "level": "all", "actions": ["on"],
                        "windows": [{"days": ["monday"], "from": "7:00", "to": "24:00", "zone": "Europe/Pariss"}]}],
            "keep_warm": [{"nodes": 2}], "most_switches_per_day": -1, "rank_by": ["cost", "cost"],
            "wear": {"cost": -1}, "failure_probability": 1.5
        }"#;
        let read = power_problem(text, |_| Err(Vec::new()), &|_| None);
        let places: Vec<String> =
            read.unwrap_err().into_iter().map(|error| error.pointer).collect();
        let expected = [
            "/until",
            "/nodes/0/switching/switching_on_s",
            "/currency",
            "/most_switches_per_day",
            "/rank_by",
            "/wear/cost",
            "/failure_probability",
            "/rights/1/level",
            "/rights/1/actions/0",
            "/rights/1/windows/0/days/0",
            "/rights/1/windows/0/from",
            "/rights/1/windows/0/zone",
            "/keep_warm/0",
        ];
        assert_eq!(places, expected);
        // A node that cannot be switched is never off.
        let off = r#"[{"name": "n1", "idle_power_w": 95, "max_power_w": 190, "state": "off"},
                      {"name": "n2", "idle_power_w": 95, "max_power_w": 190, "state": "asleep"}]"#;
        let minimal = format!(
            r#"{{"now": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z", "nodes": {off},
                 "agendas": {{"price": [], "co2": []}}}}"#
        );
        let read = power_problem(&minimal, |_| Err(Vec::new()), &|_| None);
        let told: Vec<String> = read.unwrap_err().iter().map(ToString::to_string).collect();
        assert!(told.iter().all(|error| error.contains("/state: must be on")), "{told:?}");
        assert_eq!(told.len(), 2);
        // The partition can be looked for once the nodes are right.
        let with_nodes = text.replace("151.5205", "151.52");
        let read = power_problem(&with_nodes, |_| Err(Vec::new()), &|_| None);
        assert_eq!(read.unwrap_err()[6].pointer, "/rights/0/partition");
    }
}
