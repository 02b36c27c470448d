//! Prices, CO2 intensities, caps and budgets of simulations on systems.

use std::path::Path;

use batch::dispatch::jobs::UnitJobError;
use batch::dispatch::simulation::UnitSimulationError;
use batch::dispatch::{BudgetFile, PowerEstimatePart, UnitResults, UnitSupply};
use batch::supplier_tables::SupplierTables;

use super::arguments::{Arguments, Supplier};
use super::files::{self, bad_input};
use super::{coverage, supplier};
use crate::cli::Failure;

/// Why a workload was not played to its end.
pub enum Ended {
    /// It cannot be read.
    Failed(Failure),
    /// It was read, and the simulation ended early.
    Early(UnitSimulationError<UnitJobError>),
}

impl Ended {
    /// What the command fails with.
    pub fn failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Early(error) => Failure::Other(error.into()),
        }
    }
}

/// What files say.
pub struct SystemSupply {
    supplier: Supplier,
    tables: SupplierTables,
    budgets: Option<BudgetFile>,
}

impl SystemSupply {
    /// Whether any of it is said.
    pub fn is_said(arguments: &Arguments) -> bool {
        let supplier = &arguments.supplier;
        let tables = supplier.price.is_some() || supplier.co2.is_some() || supplier.cap.is_some();
        let cap = arguments.options.iter().any(|(name, _)| name == "cap_w");
        tables || cap || arguments.system.budgets.is_some()
    }

    /// Reads the files that are given.
    pub fn read(supplier: &Supplier, budgets: Option<&Path>) -> Result<Self, Failure> {
        let tables = supplier::tables(supplier)?;
        let budgets = budgets.zip(supplier.origin).map(|(file, origin)| {
            let text = files::text(file).map_err(|error| {
                Failure::BadInput(vec![format!("cannot read {}: {error}", file.display())])
            })?;
            BudgetFile::parse(&text, origin).map_err(|error| bad_input(file, error))
        });
        Ok(Self { supplier: supplier.clone(), tables, budgets: budgets.transpose()? })
    }

    /// What a simulation is played with.
    pub fn supply(&self, power_estimate: Option<&'static PowerEstimatePart>) -> UnitSupply<'_> {
        UnitSupply {
            tables: Some(&self.tables),
            allows_uncovered: self.supplier.allow_uncovered,
            budgets: self.budgets.as_ref(),
            power_estimate,
        }
    }

    /// Why a simulation was not played to its end, in words.
    pub fn failure(&self, ended: Ended) -> Failure {
        match ended {
            Ended::Early(UnitSimulationError::Uncovered(uncovered)) => {
                coverage::after(&self.supplier, &self.tables, &uncovered)
            }
            ended => ended.failure(),
        }
    }

    /// Tells of what the tables lack, where that is allowed, and of jobs that nobody says the energy of.
    pub fn notes(&self, results: &UnitResults) {
        let Some(supply) = &results.supply else { return };
        for note in coverage::notes(&self.supplier, &self.tables, &supply.uncovered) {
            crate::cli::tell(note);
        }
        let refused = supply.cap.map_or(0, |it| it.jobs_refused_by_cap);
        if refused > 0 {
            super::note(&format!(
                "{refused} jobs were refused: they could never start under the cap"
            ));
        }
        if supply.jobs_without_energy > 0 {
            super::note(&format!(
                "of {} jobs nobody says what they consumed: they cost nothing; say energy_j in the workload or [nodes.power]",
                supply.jobs_without_energy
            ));
        }
    }
}
