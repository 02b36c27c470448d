//! Promises of pruned reservations.

/// All columns.
macro_rules! columns {
    () => {
        "reservation_id, owner, completed, node_s, energy_uj, cost_exact, currency, co2_exact, saved_energy_uj,
         saved_cost_exact, saved_co2_exact"
    };
}

/// Promises to be kept; [`PROMISES_BULK_KNOWN`] follows the rows.
pub const PROMISES_BULK: &str = concat!("INSERT INTO kept_promises (", columns!(), ") ");

/// What is kept stays.
pub const PROMISES_BULK_KNOWN: &str = " ON CONFLICT (reservation_id) DO NOTHING";

/// Promises of reservations; their ids follow.
pub const PROMISES_WHERE: &str =
    concat!("SELECT ", columns!(), " FROM kept_promises WHERE reservation_id IN (");
