//! Slower states of nodes, and how slow a request may run.

use serde_json::value::RawValue;

use super::nodes::{NodeFields, NodesDocument, nodes_with};
use super::power_rights::who;
use super::reader::{Object, Reader};
use crate::node::Nodes;
use crate::quantity::{MILLION, Power};
use crate::slower_states::{SlowerPowers, SlowerState, SlowerStates, Speed};

/// The slower states of one node, as a document lists them.
type Listed = Vec<(SlowerState, SlowerPowers)>;

/// Reads nodes as [`nodes`](super::nodes::nodes) does, each of them or each class with its `slower_states`:
/// `[{"name", "speed", "max_power_w", "power_limit_w"}]`.
pub(super) fn nodes_with_slower_states(
    reader: &mut Reader,
    raw: &RawValue,
) -> Option<NodesDocument> {
    let fields = NodeFields { names: &["slower_states"], part: &slower_states };
    match nodes_with(reader, raw, &fields)? {
        (NodesDocument::Inline(nodes), listed) => {
            with_states(reader, nodes, &listed).map(NodesDocument::Inline)
        }
        (file, _) => Some(file),
    }
}

fn with_states(reader: &mut Reader, nodes: Nodes, listed: &[Listed]) -> Option<Nodes> {
    if listed.iter().all(Vec::is_empty) {
        return Some(nodes);
    }
    for (ordinal, (node, states)) in (0..).zip(nodes.as_slice().iter().zip(listed)) {
        for (state, powers) in states {
            if let Err(error) = node.slowed(powers.max) {
                let (node, state) = (nodes.name(ordinal), &state.name);
                reader.error(format!("node {node:?} in slower state {state:?}: {error}"));
                return None;
            }
        }
    }
    let states = reader.accept(SlowerStates::new(listed))?;
    Some(nodes.with_slower_states(states))
}

/// The fields of a slower state.
const FIELDS: [&str; 4] = ["name", "speed", "max_power_w", "power_limit_w"];

fn slower_states(reader: &mut Reader, object: &Object<'_>) -> Option<Listed> {
    let states = reader.optional(object, "slower_states", |reader, raw| {
        reader.array(raw, |reader, raw| {
            let object = reader.object(raw, &FIELDS)?;
            slower_state(reader, &object)
        })
    });
    Some(states?.unwrap_or_default())
}

fn slower_state(reader: &mut Reader, object: &Object<'_>) -> Option<(SlowerState, SlowerPowers)> {
    let name = reader.required(object, "name", Reader::name);
    let speed = reader.required(object, "speed", slower_speed);
    let max = reader.required(object, "max_power_w", Reader::power);
    let limit = reader.optional(object, "power_limit_w", Reader::power);
    let state = SlowerState { name: name?.into(), speed: speed? };
    Some((state, SlowerPowers { max: max?, limit: limit? }))
}

/// Reads the `slower_states` of a site's rules: each with the nodes that have it, by name, range, partition or feature, and with
/// the power limit that holds them there, which is in whole watts: as many as they draw at most unless it is given. Of several with
/// one name for one node the first holds.
pub(super) fn states_of_rules(
    reader: &mut Reader,
    raw: &RawValue,
    nodes: Option<&Nodes>,
) -> Option<SlowerStates> {
    let fields = [&FIELDS[..], &["nodes", "node_ranges", "partition", "feature"]].concat();
    let listed = reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &fields)?;
        let nodes = who(reader, &object, nodes);
        let (state, powers) = slower_state(reader, &object)?;
        if powers.limit.is_some_and(|limit| limit != whole_watts(limit)) {
            reader.error_at("power_limit_w", "must be whole watts");
            return None;
        }
        let limit = powers.limit.unwrap_or_else(|| whole_watts(powers.max));
        Some((nodes?, state, SlowerPowers { limit: Some(limit), ..powers }))
    })?;
    let mut of_nodes: Vec<Listed> = vec![Vec::new(); nodes.map_or(0, Nodes::count) as usize];
    for (nodes, state, powers) in listed {
        for node in nodes.positions() {
            let Some(states) = of_nodes.get_mut(node as usize) else { continue };
            if states.iter().all(|(own, _)| own.name != state.name) {
                states.push((state.clone(), powers));
            }
        }
    }
    reader.accept(SlowerStates::new(&of_nodes))
}

/// The whole watts of a power.
fn whole_watts(power: Power) -> Power {
    Power::from_microwatts(power.as_microwatts().div_euclid(MILLION) * MILLION)
}

fn slower_speed(reader: &mut Reader, raw: &RawValue) -> Option<Speed> {
    let speed = Speed::from_millionths(reader.millionths(raw)?);
    let slower = speed.filter(|speed| *speed < Speed::FULL);
    if slower.is_none() {
        reader.error("must lie above 0 and below 1");
    }
    slower
}

/// Reads the slowest speed that a request allows: above 0 and at most 1.
pub fn slowest_speed(reader: &mut Reader, raw: &RawValue) -> Option<Speed> {
    let speed = Speed::from_millionths(reader.millionths(raw)?);
    if speed.is_none() {
        reader.error("must lie above 0 and at most 1");
    }
    speed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use crate::quantity::Power;

    fn nodes(states: &str) -> Result<Nodes, Vec<String>> {
        let text = format!(
            r#"[{{"name": "n1", "idle_power_w": 100, "max_power_w": 200, "slower_states": {states}}},
                {{"name": "n2", "idle_power_w": 100, "max_power_w": 200}}]"#
        );
        let read = read(&text, |reader, raw| match nodes_with_slower_states(reader, raw)? {
            NodesDocument::Inline(nodes) => Some(nodes),
            NodesDocument::File(_) => None,
        });
        read.map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_node_has_the_states_that_stand_with_it() {
        let nodes =
            nodes(r#"[{"name": "p1", "speed": 0.8, "max_power_w": 160, "power_limit_w": 165}]"#)
                .unwrap();
        let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
        let powers = SlowerPowers { max: watts(160), limit: Some(watts(165)) };
        assert_eq!(nodes.slower_states().powers(0, 0), Some(powers));
        assert_eq!(nodes.slower_states().states()[0].speed.as_millionths(), 800_000);
        assert_eq!(nodes.in_state(0, 0).map(|node| node.max()), Some(watts(160)));
        assert_eq!(nodes.in_state(0, 1), None);
    }

    #[test]
    fn what_makes_no_state_is_told_with_its_node() {
        let errors = |states: &str| nodes(states).unwrap_err().join("; ");
        let fast = errors(r#"[{"name": "p1", "speed": 1, "max_power_w": 160}]"#);
        assert_eq!(fast, "/0/slower_states/0/speed: must lie above 0 and below 1");
        let strong = errors(r#"[{"name": "p1", "speed": 0.5, "max_power_w": 201}]"#);
        let expected = "node \"n1\" in slower state \"p1\": max_power_w of a slower state must not exceed that of the node";
        assert!(strong.ends_with(expected), "{strong}");
        let weak = errors(r#"[{"name": "p1", "speed": 0.5, "max_power_w": 99}]"#);
        assert!(weak.ends_with("idle_power_w must not exceed max_power_w"), "{weak}");
    }

    #[test]
    fn states_of_a_site_name_their_nodes_and_have_limits_in_whole_watts() {
        let nodes = nodes("[]").unwrap();
        let states = |text: &str| {
            read(text, |reader, raw| states_of_rules(reader, raw, Some(&nodes))).map_err(|errors| {
                errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            })
        };
        let listed = states(
            r#"[{"nodes": ["n2"], "name": "p1", "speed": 0.8, "max_power_w": 140.5},
                {"node_ranges": [[0, 1]], "name": "p1", "speed": 0.8, "max_power_w": 160, "power_limit_w": 165}]"#,
        );
        let watts = |watts: f64| Power::from_watts(watts).unwrap();
        let powers = |max, limit| Some(SlowerPowers { max: watts(max), limit: Some(watts(limit)) });
        let listed = listed.unwrap();
        assert_eq!(listed.powers(0, 0), powers(160.0, 165.0));
        assert_eq!(listed.powers(0, 1), powers(140.5, 140.0));
        let parts = states(
            r#"[{"nodes": ["n1"], "name": "p1", "speed": 0.8, "max_power_w": 140, "power_limit_w": 140.5}]"#,
        );
        assert_eq!(parts.unwrap_err(), "/0/power_limit_w: must be whole watts");
        let nobody = states(r#"[{"name": "p1", "speed": 0.8, "max_power_w": 140}]"#).unwrap_err();
        assert!(nobody.contains("must have one of nodes"), "{nobody}");
    }
}
