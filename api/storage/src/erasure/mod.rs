//! What is kept of a person, and a pseudonym in its place.
//!
//! A table with people's names has a statement in `sql.rs` that replaces them.

pub(crate) mod repository;
pub mod sql;

use sqlx::FromRow;

/// What stands before the random part of a pseudonym.
pub const PSEUDONYM: &str = "erased-";

/// What became of erasing a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erased {
    /// The pseudonym stands in place of the name in so many rows.
    Rows(u64),
    /// Nothing: so many of their reservations have yet to end.
    HasReservations(i64),
}

/// What the ledger says of a person's energy in a project.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct PersonSum {
    /// The project; empty for none.
    pub project: String,
    /// Of the cost.
    pub currency: String,
    /// Seconds of nodes.
    pub node_s: i64,
    /// Joules.
    pub energy_j: i64,
    /// Millionths of the currency; `None` where no price is known.
    pub cost_millionths: Option<i64>,
    /// Milligrams of CO2 by the grid's intensity; `None` where it is not known.
    pub co2_location_mg: Option<i64>,
    /// Milligrams of CO2 by the accounting that the site does not plan by; `None` where it is not known.
    pub other_co2_mg: Option<i64>,
}
