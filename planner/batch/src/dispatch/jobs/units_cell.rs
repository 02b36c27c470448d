//! Several kinds of units in one cell of a table: `1:cores=16+4:cores=4,gpu=1`, 1 unit of 16 cores and 4 of 4 cores and a GPU each.
//! A property that a kind wants of its nodes stands among its amounts by its name: `4:cores=4,gpu=1,infiniband`.

use std::fmt::Write;

use super::UnitJob;
use crate::dispatch::system::System;
use crate::dispatch::unit::{OtherUnits, UnitRequest};

/// Whether a cell names kinds of units, and not only how many there are.
pub(super) fn names_kinds(cell: &str) -> bool {
    cell.contains([':', '=', '+'])
}

/// The units of a cell: how many of the first kind, and these with those beside them.
///
/// # Errors
/// What is wrong with the cell.
pub(super) fn parse(cell: &str, system: &System) -> Result<(u32, UnitRequest), String> {
    let mut kinds = cell.split('+').map(|text| kind(text.trim(), system));
    let Some(first) = kinds.next().transpose()? else { return Err("no unit is named".to_owned()) };
    let (units, mut unit) = first;
    let beside = kinds.map(|it| it.map(|(units, each)| OtherUnits { units, each }));
    unit.beside = beside.collect::<Result<_, _>>()?;
    Ok((units, unit))
}

fn kind(text: &str, system: &System) -> Result<(u32, UnitRequest), String> {
    let wrong = || format!("{text:?} is no kind of units, such as 4:cores=4,gpu=1");
    let (units, amounts) = text.split_once(':').ok_or_else(wrong)?;
    let units = units.trim();
    let count = units.parse().map_err(|_| format!("{units:?} is no whole number of units"))?;
    let mut of = vec![0; system.names().count()];
    let mut properties = Vec::new();
    for part in amounts.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((name, amount)) = part.split_once('=') else {
            properties.push(part);
            continue;
        };
        let (name, amount) = (name.trim(), amount.trim());
        let place = system.place_of(name).ok_or_else(|| {
            let names: Vec<&str> = system.names().collect();
            format!("the system has no {name:?}; it has {}", names.join(", "))
        })?;
        of[place] = amount.parse().map_err(|_| {
            format!("{part:?}: {amount:?} is no whole amount; take a smaller unit for parts")
        })?;
    }
    let bits = bits(properties.into_iter(), system)?;
    Ok((count, UnitRequest { properties: bits, ..UnitRequest::of(&of, system.resources.len()) }))
}

/// Properties by their names.
///
/// # Errors
/// No node has one of them.
pub(super) fn bits<'n>(
    names: impl Iterator<Item = &'n str>,
    system: &System,
) -> Result<u64, String> {
    system.properties_of(names).map_err(|name| match system.properties.join(", ") {
        known if known.is_empty() => {
            format!("no node has the property {name:?}: [[nodes]] can list properties")
        }
        known => format!("no node has the property {name:?}; there are {known}"),
    })
}

/// The names of properties, with `between` between them.
pub(super) fn names(bits: u64, system: &System, between: &str) -> String {
    let some = system.properties.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
    some.map(|(_, name)| &**name).collect::<Vec<_>>().join(between)
}

/// The cell of a job of several kinds.
pub(super) fn cell(job: &UnitJob, system: &System) -> String {
    let mut cell = String::new();
    for (at, (units, kind)) in job.unit.kinds(job.units).enumerate() {
        let _ = write!(cell, "{}{units}:", if at > 0 { "+" } else { "" });
        let shared = kind.shared.iter().map(|&(place, it)| (system.resources.len() + place, it));
        let mut parts: Vec<String> = kind
            .of_node
            .iter()
            .copied()
            .chain(shared)
            .map(|(place, amount)| format!("{}={amount}", system.names().nth(place).unwrap_or("")))
            .collect();
        if kind.properties != 0 {
            parts.push(names(kind.properties, system, ","));
        }
        cell.push_str(&parts.join(","));
    }
    cell
}
