//! What simulations are played on, as files say it: machines, the supplier's tables, reservations.

use batch::communication::MachineNetwork;
use batch::platform::Platform;
use batch::reservation::Reservation;
use batch::simulation::Inputs;
use batch::supplier_tables::SupplierTables;

use super::arguments::Supplier;
use super::supplier;
use crate::cli::Failure;

/// Machines, the supplier's tables and reservations.
pub struct ClusterInputs {
    pub platform: Platform,
    pub tables: SupplierTables,
    reservations: Vec<Reservation>,
    /// What jobs communicate over, where that takes time.
    pub network: Option<MachineNetwork>,
    /// Where the tables are, and when the simulation begins.
    pub supplier: Supplier,
}

impl ClusterInputs {
    /// Reads the tables that are given for a platform.
    pub fn read(platform: Platform, supplier: &Supplier) -> Result<Self, Failure> {
        let reservations = supplier::reserved(supplier, platform.machines())?;
        let tables = supplier::tables(supplier)?;
        Ok(Self { platform, tables, reservations, network: None, supplier: supplier.clone() })
    }

    /// What a simulation is played on.
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs {
            platform: &self.platform,
            tables: &self.tables,
            allows_uncovered: self.supplier.allow_uncovered,
            reservations: &self.reservations,
            network: self.network.as_ref(),
        }
    }
}
