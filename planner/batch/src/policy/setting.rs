//! What a scheduler is made for.

use crate::platform::Platform;
use crate::reservation::Reservation;
use crate::scheduler::Tie;
use crate::supplier_tables::SupplierTables;

/// What a scheduler is made for.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The machines.
    pub platform: &'a Platform,
    /// How the scheduler is told of events.
    pub tie: Tie,
    /// Options of the parts: names and values.
    pub options: &'a [(String, String)],
    /// What energy costs and emits, and caps, where there are tables of them.
    pub tables: &'a SupplierTables,
    /// Machines that are not for jobs, for a time.
    pub reservations: &'a [Reservation],
}
