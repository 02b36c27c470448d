//! A system as a document: `[[nodes]]`, `[shared]`, `[[queues]]` and `[facility]`.

use planner::quantity::Power;
use toml::de::DeTable;

use super::fault::{SystemError, SystemFault};
use super::losses::{Converter, Facility, LossChain, Rectifiers, Switches};
use super::section::{Lines, Section};
use super::{ComponentDraw, NodeDraw, NodeType, QueueLimits, SharedResource, System};
use crate::time::Time;

/// The most nodes of a system.
const MOST_NODES: u32 = 1_000_000;
/// The most resources of nodes.
const MOST_RESOURCES: usize = 32;
/// The most properties of nodes: bits of a number.
const MOST_PROPERTIES: usize = 64;

/// Reads a document.
pub(super) fn parse(text: &str) -> Result<System, SystemError> {
    let mut lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = lines.line(error.span().map_or(0, |span| span.start));
        SystemError(vec![SystemFault { line, what: error.message().to_owned() }])
    })?;
    let mut root = Section::of(&lines, "the system", 0, table.get_ref());
    let system = system(&mut lines, &mut root);
    root.finish(&mut lines, "[[nodes]], [shared], [[queues]] and [facility]");
    if lines.faults.is_empty() {
        return Ok(system);
    }
    lines.faults.sort_by_key(|fault| fault.line);
    Err(SystemError(lines.faults))
}

fn system(lines: &mut Lines<'_>, root: &mut Section<'_, '_>) -> System {
    let (mut resources, mut properties) = (Vec::new(), Vec::new());
    let nodes = root.tables(lines, "nodes");
    let mut types: Vec<NodeType> = nodes
        .into_iter()
        .map(|mut section| {
            let marks = marks(lines, &mut section, &mut properties);
            NodeType { properties: marks, ..node_type(lines, section, &mut resources) }
        })
        .collect();
    for node_type in &mut types {
        lengthen(node_type, resources.len());
    }
    let nodes = types.iter().fold(0_u32, |sum, it| sum.saturating_add(it.count));
    if nodes == 0 {
        root.missing(lines, "its nodes: [[nodes]] with count and resources such as cores = 16");
    } else if nodes > MOST_NODES {
        lines.wrong(root.line, format!("there are {nodes} nodes; the most are {MOST_NODES}"));
    }
    if resources.len() > MOST_RESOURCES {
        lines.wrong(root.line, format!("nodes have more than {MOST_RESOURCES} resources"));
    }
    let shared = root.table(lines, "shared").map(|it| shared(lines, it, &resources));
    let shared = shared.unwrap_or_default();
    let mut system = System {
        resources,
        types,
        properties,
        shared,
        queues: Vec::new(),
        facility: Facility::default(),
    };
    for section in root.tables(lines, "queues") {
        let queue = queue(lines, section, &system);
        system.queues.extend(queue);
    }
    if let Some(section) = root.table(lines, "facility") {
        system.facility = facility(lines, section);
    }
    system
}

/// Resources that later types were the first to have are nothing here.
fn lengthen(node_type: &mut NodeType, kinds: usize) {
    let mut amounts = std::mem::take(&mut node_type.amounts).into_vec();
    amounts.resize(kinds, 0);
    node_type.amounts = amounts.into();
    if let Some(draw) = &mut node_type.draw {
        let mut each = std::mem::take(&mut draw.each).into_vec();
        each.resize(kinds, ComponentDraw::default());
        draw.each = each.into();
    }
}

fn node_type(
    lines: &mut Lines<'_>,
    mut section: Section<'_, '_>,
    resources: &mut Vec<Box<str>>,
) -> NodeType {
    let count = section.whole(lines, "count").unwrap_or_else(|| {
        section.missing(lines, "how many such nodes there are: count");
        0
    });
    let power = section.table(lines, "power");
    let losses = section.table(lines, "losses").map(|it| losses(lines, it)).unwrap_or_default();
    let mut amounts = vec![0; resources.len()];
    for entry in section.rest() {
        let Some(amount) = entry.whole(lines) else { continue };
        let place = resources.iter().position(|it| **it == *entry.name).unwrap_or_else(|| {
            resources.push(entry.name.into());
            amounts.push(0);
            resources.len() - 1
        });
        amounts[place] = amount;
    }
    if amounts.iter().all(|amount| *amount == 0) {
        section.missing(lines, "what each node has, such as cores = 16");
    }
    let draw = power.map(|power| node_draw(lines, power, resources));
    NodeType { count, amounts: amounts.into(), properties: 0, draw, losses }
}

/// The properties of a type's nodes as bits.
fn marks(
    lines: &mut Lines<'_>,
    section: &mut Section<'_, '_>,
    properties: &mut Vec<Box<str>>,
) -> u64 {
    let Some(entry) = section.take("properties") else { return 0 };
    let mut bits = 0;
    for name in entry.names(lines) {
        let place = properties.iter().position(|it| **it == *name).unwrap_or_else(|| {
            properties.push(name.into());
            properties.len() - 1
        });
        if place >= MOST_PROPERTIES {
            lines.wrong(entry.line, format!("nodes have more than {MOST_PROPERTIES} properties"));
            break;
        }
        bits |= 1 << place;
    }
    bits
}

fn node_draw(
    lines: &mut Lines<'_>,
    mut section: Section<'_, '_>,
    resources: &[Box<str>],
) -> NodeDraw {
    let constant = section.power(lines, "constant_w").unwrap_or_default();
    let mut each = vec![ComponentDraw::default(); resources.len()];
    for entry in section.rest() {
        let Some(place) = resources.iter().position(|it| **it == *entry.name) else {
            let what =
                format!("nodes have no {}: power is of what they have, or constant_w", entry.name);
            lines.wrong(entry.line, what);
            continue;
        };
        let Some(mut component) = entry.section(lines, &format!("power.{}", entry.name)) else {
            continue;
        };
        let idle = component.power(lines, "idle_w").unwrap_or_default();
        let full = component.power(lines, "full_w");
        match full {
            None => component.missing(lines, "what one draws in use: full_w"),
            Some(full) if full < idle => {
                lines.wrong(component.line, format!("{}: full_w is less than idle_w", entry.name));
            }
            Some(_) => {}
        }
        component.finish(lines, "idle_w and full_w");
        each[place] = ComponentDraw { idle, full: full.unwrap_or(idle) };
    }
    NodeDraw { constant, each: each.into() }
}

fn losses(lines: &mut Lines<'_>, mut section: Section<'_, '_>) -> LossChain {
    let group = section.whole(lines, "group").unwrap_or(0);
    let of_nodes = section.table(lines, "converter").map(|mut it| {
        let converter = converter(lines, &mut it);
        it.finish(lines, "loss_w and efficiency");
        converter
    });
    let rectifiers = section.table(lines, "rectifiers").map(|mut it| {
        let count = it.whole(lines, "count").unwrap_or(1).max(1);
        let each = converter(lines, &mut it);
        let sharing = it.power(lines, "sharing_w").filter(|it| *it > Power::default());
        it.finish(lines, "count, loss_w, efficiency and sharing_w");
        Rectifiers { count, each, sharing }
    });
    let switches = section.table(lines, "switches").map(|mut it| {
        let count = it.whole(lines, "count").unwrap_or(1);
        let each = it.power(lines, "power_w").unwrap_or_default();
        let rectified = it.flag(lines, "rectified").unwrap_or(true);
        it.finish(lines, "count, power_w and rectified");
        Switches { count, each, rectified }
    });
    let chain = LossChain { converter: of_nodes, rectifiers, switches, group };
    if chain.has_groups() && group == 0 {
        section.missing(lines, "how many nodes its rectifiers and switches serve: group");
    }
    section.finish(lines, "group, converter, rectifiers and switches");
    chain
}

fn converter(lines: &mut Lines<'_>, section: &mut Section<'_, '_>) -> Converter {
    let loss = section.power(lines, "loss_w").unwrap_or_default();
    let efficiency = section.number(lines, "efficiency", 0.0).unwrap_or(1.0);
    if efficiency <= 0.0 || efficiency > 1.0 {
        section.missing(lines, "an efficiency above 0 and at most 1");
    }
    Converter { loss, efficiency }
}

fn shared(
    lines: &mut Lines<'_>,
    mut section: Section<'_, '_>,
    resources: &[Box<str>],
) -> Vec<SharedResource> {
    let mut all = Vec::new();
    for entry in section.rest() {
        if resources.iter().any(|it| **it == *entry.name) {
            lines.wrong(entry.line, format!("{} is a resource of nodes already", entry.name));
        }
        let Some(amount) = entry.whole(lines) else { continue };
        all.push(SharedResource { name: entry.name.into(), amount });
    }
    all
}

fn queue(
    lines: &mut Lines<'_>,
    mut section: Section<'_, '_>,
    system: &System,
) -> Option<QueueLimits> {
    let name = section.text(lines, "name");
    let expected_wait = section.time(lines, "expected_wait_s").unwrap_or(Time::from_seconds(1));
    if expected_wait <= Time::ZERO {
        section.missing(lines, "an expected_wait_s above 0");
    }
    let max_units = section.whole(lines, "max_units");
    let max_time = section.time(lines, "max_time_s");
    let mut max_amounts = vec![None; system.names().count()];
    if let Some(mut most) = section.table(lines, "max") {
        for entry in most.rest() {
            match system.place_of(entry.name) {
                Some(place) => max_amounts[place] = entry.whole(lines).map(u64::from),
                None => lines.wrong(entry.line, format!("the system has no {}", entry.name)),
            }
        }
    }
    let Some(name) = name else {
        section.missing(lines, "its name");
        return None;
    };
    if system.queues.iter().any(|it| *it.name == *name) {
        lines.wrong(section.line, format!("there is a queue {name} already"));
    }
    section.finish(lines, "name, expected_wait_s, max_units, max_time_s and max");
    let (name, max_amounts) = (name.into(), max_amounts.into());
    Some(QueueLimits { name, expected_wait, max_units, max_time, max_amounts })
}

fn facility(lines: &mut Lines<'_>, mut section: Section<'_, '_>) -> Facility {
    let constant = section.power(lines, "constant_w").unwrap_or_default();
    let mut pue = Vec::new();
    if let Some(entry) = section.take("pue") {
        for (watts, factor) in entry.pairs(lines) {
            let at = Power::from_watts(watts).filter(|at| *at >= Power::default());
            let next =
                at.filter(|at| pue.last().is_none_or(|(last, _)| last < at) && factor >= 1.0);
            match next {
                Some(at) => pue.push((at, factor)),
                None => {
                    lines.wrong(entry.line, "pue needs rising powers in W, and factors from 1 on");
                }
            }
        }
    }
    section.finish(lines, "constant_w and pue");
    Facility { constant, pue }
}

#[cfg(test)]
mod tests;
