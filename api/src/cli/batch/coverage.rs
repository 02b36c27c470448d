//! What the supplier's tables do not cover of a simulation, in words: the file, what it covers, what is
//! needed and the way out.

use std::path::Path;

use batch::simulation::{PlayError, Uncovered};
use batch::supplier_tables::{SupplierTable, SupplierTables};
use batch::time::Time;
use planner::time::{Seconds, Timestamp};

use super::arguments::Supplier;
use super::cluster_inputs::ClusterInputs;
use crate::cli::Failure;

/// What to do about it.
const WAY_OUT: &str = "give a table that covers it, or another --origin, or allow it with \
     --allow-uncovered (in a sweep: allow_uncovered beside it): the summary then says which share \
     is covered";

/// What is missing before anything is played, as a failure.
pub fn before(cluster: &ClusterInputs, uncovered: &[Uncovered]) -> Failure {
    let word = |uncovered: &Uncovered| {
        let words = Words::of(&cluster.supplier, &cluster.tables, uncovered)?;
        let ((from, until), covers) = (uncovered.needed, words.covers());
        let from = words.instant(from);
        Some(if until == Time::FOREVER {
            format!("{covers}, and the simulation begins at {from} (--origin): {WAY_OUT}")
        } else {
            let until = words.instant(until);
            format!("{covers}, and the policy goes by it from {from} to {until}: {WAY_OUT}")
        })
    };
    let mut errors: Vec<String> = uncovered.iter().filter_map(word).collect();
    errors.dedup();
    Failure::BadInput(errors)
}

/// Why a simulation was not played to its end, in words.
pub fn failure(cluster: &ClusterInputs, error: PlayError) -> Failure {
    match error {
        PlayError::Options(errors) => Failure::BadInput(errors),
        PlayError::Uncovered(uncovered) => after(&cluster.supplier, &cluster.tables, &uncovered),
        PlayError::Simulation(error) => error.into(),
    }
}

/// What was missing of a simulation, as a failure.
pub fn after(supplier: &Supplier, tables: &SupplierTables, uncovered: &[Uncovered]) -> Failure {
    let lacks = uncovered
        .iter()
        .filter_map(|uncovered| Some(Words::of(supplier, tables, uncovered)?.lacks()));
    Failure::BadInput(lacks.map(|lacks| format!("{lacks}: {WAY_OUT}")).collect())
}

/// What was missing of a simulation, as notes on its results.
pub fn notes(supplier: &Supplier, tables: &SupplierTables, uncovered: &[Uncovered]) -> Vec<String> {
    let note = |uncovered: &Uncovered| {
        let lacks = Words::of(supplier, tables, uncovered)?.lacks();
        Some(format!("{lacks}. {}", what_then(uncovered.table)))
    };
    uncovered.iter().filter_map(note).collect()
}

const fn what_then(table: SupplierTable) -> &'static str {
    match table {
        SupplierTable::Price => {
            "energy_cost is of the covered part: energy_cost_covered_share says how much of the energy that is"
        }
        SupplierTable::Co2 => {
            "energy_co2_g is of the covered part: energy_co2_covered_share says how much of the energy that is"
        }
        SupplierTable::Cap => {
            "Elsewhere there was no cap: power_cap_covered_share says for how much of the time there was one"
        }
    }
}

/// A table in words.
struct Words<'a> {
    file: &'a Path,
    of: &'static str,
    bounds: Option<(Time, Time)>,
    origin: Timestamp,
    uncovered: &'a Uncovered,
}

impl<'a> Words<'a> {
    fn of(
        supplier: &'a Supplier,
        tables: &SupplierTables,
        uncovered: &'a Uncovered,
    ) -> Option<Self> {
        let (file, of) = match uncovered.table {
            SupplierTable::Price => (&supplier.price, "price"),
            SupplierTable::Co2 => (&supplier.co2, "CO2 intensity"),
            SupplierTable::Cap => (&supplier.cap, "cap"),
        };
        let (file, bounds) = (file.as_deref()?, tables.bounds(uncovered.table));
        Some(Self { file, of, bounds, origin: supplier.origin?, uncovered })
    }

    /// An instant of the simulation by the clock, to the second after it.
    fn instant(&self, time: Time) -> Timestamp {
        self.origin + Seconds::new(time.ceil().as_micros() / 1_000_000)
    }

    fn covers(&self) -> String {
        let file = self.file.display();
        match self.bounds {
            Some((from, until)) => {
                let (from, until) = (self.instant(from), self.instant(until));
                format!("{file}: covers {from} to {until}")
            }
            None => format!("{file}: covers nothing"),
        }
    }

    fn lacks(&self) -> String {
        let Uncovered { needed: (from, until), missing, .. } = *self.uncovered;
        let share = 100.0 * missing.total.as_seconds() / (until - from).as_seconds();
        let [gap_from, gap_until] = [missing.first.0, missing.first.1].map(|it| self.instant(it));
        let [from, until] = [from, until].map(|it| self.instant(it));
        let (covers, of) = (self.covers(), self.of);
        format!(
            "{covers}, and the simulation needs {from} to {until}; for {share:.1} % of it there is no \
             {of}, first from {gap_from} to {gap_until}"
        )
    }
}
