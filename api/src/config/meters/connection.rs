//! Who is asked for samples, and how a section of the settings is read that says so.

#[cfg(any(feature = "meters", feature = "slurm"))]
use anyhow::{Context, ensure};
use planner::metering::{MeterScope, MeterUnit, ValueKind};
use planner::time::Seconds;
#[cfg(any(feature = "meters", feature = "slurm"))]
use toml::Table;

#[cfg(any(feature = "meters", feature = "slurm"))]
use crate::config::tables::text;

/// What a setting is of, in messages.
pub(super) const KIND: &str = "this kind of meter";

/// Whoever can be asked, of which nothing was asked yet.
#[derive(Clone, Debug)]
pub enum MeterConnection {
    /// A Prometheus.
    #[cfg(feature = "meters")]
    Prometheus(std::sync::Arc<meters::prometheus::Prometheus>),
    /// Management controllers, by Redfish.
    #[cfg(feature = "meters")]
    Redfish(std::sync::Arc<meters::redfish::Redfish>),
    /// Management controllers, by IPMI.
    #[cfg(feature = "meters")]
    Ipmi(std::sync::Arc<meters::ipmi::Ipmi>),
    /// Slurm, of which the power or the energy of nodes is read.
    #[cfg(feature = "slurm")]
    Slurm(crate::config::slurm::SlurmConnection, ValueKind),
}

/// What a section says that all meters have, and that a source may know better.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub values: Option<ValueKind>,
    pub covers: Option<MeterScope>,
    #[cfg_attr(not(feature = "meters"), expect(dead_code, reason = "nothing is asked for it"))]
    pub period: Seconds,
}

/// Who is asked, and what is known of the meter then.
pub(super) struct ReadConnection {
    pub connection: MeterConnection,
    pub values: ValueKind,
    pub unit: MeterUnit,
    pub covers: MeterScope,
}

/// What the word `value` stands for; the first where it is not given.
#[cfg(any(feature = "meters", feature = "slurm"))]
pub(super) fn value<T: Copy>(rest: &mut Table, words: &[(&str, T)]) -> anyhow::Result<T> {
    let given = rest.remove("value").map(|it| text("value", &it)).transpose()?;
    let found = match &given {
        None => words.first(),
        Some(given) => words.iter().find(|(word, _)| word == given),
    };
    let allowed = || words.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>();
    let found = found.with_context(|| {
        format!("value = {:?} must be one of {}", given.unwrap_or_default(), allowed().join(", "))
    })?;
    Ok(found.1)
}

/// A source says what its numbers are: `values` may only say the same.
#[cfg(any(feature = "meters", feature = "slurm"))]
pub(super) fn told_once(given: Given, values: ValueKind) -> anyhow::Result<()> {
    let (says, is) = (given.values.unwrap_or(values), values);
    ensure!(
        says == is,
        "values = {:?} contradicts what is read, which is a {}; leave it out",
        says.word(),
        is.word()
    );
    Ok(())
}

/// Who is asked node by node measures nodes or their parts.
#[cfg(any(feature = "meters", feature = "slurm"))]
pub(super) fn of_nodes(kind: &str, covers: MeterScope) -> anyhow::Result<()> {
    ensure!(
        covers.is_of_nodes(),
        "covers = {:?} is not what kind {kind:?} measures: it is asked node by node",
        covers.word()
    );
    Ok(())
}
