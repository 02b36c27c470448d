//! Where the samples of meters come from: what `[[meters]]` says beside what all of them have.

use anyhow::Context;
#[cfg(not(all(feature = "meters", feature = "slurm")))]
use anyhow::bail;
use planner::metering::{MeterScope, MeterUnit, ValueKind};
use planner::node_list;
use planner::time::Seconds;
use toml::Table;

#[cfg(feature = "meters")]
use super::clients;
use super::connection::{Given, KIND, MeterConnection, ReadConnection};
#[cfg(feature = "slurm")]
use super::connection::{of_nodes, told_once, value};
use crate::config::slurm::ManagerSettings;
use crate::config::tables::{nothing_else, text, whole};

/// The kinds of meters.
const KINDS: [&str; 5] = ["push", "prometheus", "redfish", "ipmi", "slurm"];

/// How far back is asked after a pause, unless the settings say otherwise: a day.
const CATCH_UP_S: u32 = 86_400;

/// Where the samples of a meter come from.
#[derive(Clone, Debug)]
pub enum MeterSource {
    /// They are sent to the API.
    Push,
    /// The service asks for them.
    Polled(PolledSource),
}

impl MeterSource {
    /// The kind in the settings.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Polled(source) => source.kind,
        }
    }

    /// Whether the service asks.
    pub const fn is_polled(&self) -> bool {
        matches!(self, Self::Polled(_))
    }
}

/// Who is asked for samples.
#[derive(Clone, Debug)]
pub struct PolledSource {
    /// The kind of the meter in the settings.
    pub kind: &'static str,
    /// Who is asked.
    pub connection: MeterConnection,
    /// How far back is asked after a pause, where there is a history.
    pub catch_up: Seconds,
    /// The nodes that are asked, where each is asked by itself; all that have an address unless given.
    pub nodes: Option<Vec<String>>,
}

/// A source, and what it knows of its meter.
pub(super) struct ReadSource {
    pub source: MeterSource,
    pub values: ValueKind,
    pub unit: MeterUnit,
    pub covers: MeterScope,
}

/// Reads what a section says of its source.
///
/// # Errors
/// What cannot work, by name.
pub(super) fn read(
    kind: &str,
    given: Given,
    mut rest: Table,
    manager: Option<&ManagerSettings>,
) -> anyhow::Result<ReadSource> {
    let known = KINDS.iter().copied().find(|it| *it == kind);
    let kinds = || KINDS.map(|it| format!("{it:?}")).join(", ");
    let kind = known.with_context(|| format!("kind {kind:?} is unknown; there are {}", kinds()))?;
    if kind == "push" {
        nothing_else(&rest, KIND)?;
        let values = given.values.unwrap_or(ValueKind::Gauge);
        let covers = given.covers.unwrap_or(MeterScope::Node);
        let unit = planner::metering::Meter::pushed_unit(values);
        return Ok(ReadSource { source: MeterSource::Push, values, unit, covers });
    }
    let catch_up = match kind {
        "prometheus" => whole(&mut rest, "catch_up_s", CATCH_UP_S, 60, 30 * 86_400)?,
        _ => CATCH_UP_S,
    };
    let nodes = match kind {
        "redfish" | "ipmi" => rest.remove("nodes").map(|it| text("nodes", &it)).transpose()?,
        _ => None,
    };
    let nodes = nodes.map(|it| node_list::parse(&it)).transpose().context("nodes")?;
    let ReadConnection { connection, values, unit, covers } = match kind {
        "slurm" => of_slurm(given, rest, manager)?,
        _ => of_meters(kind, given, rest)?,
    };
    let catch_up = Seconds::new(catch_up.into());
    let source = PolledSource { kind, connection, catch_up, nodes };
    Ok(ReadSource { source: MeterSource::Polled(source), values, unit, covers })
}

#[cfg(feature = "meters")]
fn of_meters(kind: &str, given: Given, rest: Table) -> anyhow::Result<ReadConnection> {
    match kind {
        "prometheus" => clients::prometheus(given, rest),
        "redfish" => clients::redfish(given, rest),
        _ => clients::ipmi(given, rest),
    }
}

#[cfg(not(feature = "meters"))]
fn of_meters(kind: &str, _: Given, _: Table) -> anyhow::Result<ReadConnection> {
    bail!("this build asks no meters of kind {kind:?}: it lacks the feature `meters`")
}

#[cfg(feature = "slurm")]
fn of_slurm(
    given: Given,
    mut rest: Table,
    manager: Option<&ManagerSettings>,
) -> anyhow::Result<ReadConnection> {
    let manager =
        manager.context("kind \"slurm\" needs the section [slurm], which says where it is")?;
    let values = value(&mut rest, &[("power", ValueKind::Gauge), ("energy", ValueKind::Counter)])?;
    nothing_else(&rest, KIND)?;
    let connection = MeterConnection::Slurm(manager.connection.clone(), values);
    told_once(given, values)?;
    let unit = planner::metering::Meter::pushed_unit(values);
    let covers = given.covers.unwrap_or(MeterScope::Node);
    of_nodes("slurm", covers)?;
    Ok(ReadConnection { connection, values, unit, covers })
}

#[cfg(not(feature = "slurm"))]
fn of_slurm(_: Given, _: Table, _: Option<&ManagerSettings>) -> anyhow::Result<ReadConnection> {
    bail!("this build does not speak with Slurm: it lacks the feature `slurm`")
}
