//! Every statement, written once for both engines.
//!
//! Public so that a test can prepare each on both. Parameters are `$1`, `$2`, ...; their order is
//! that of the columns or of the sentence that documents the statement. Constants that end in
//! `_BULK` or `_WHERE` are beginnings that `sqlx::QueryBuilder` completes.

pub mod access;
pub mod agendas;
pub mod book;
pub mod events;
pub mod feeds;
pub mod negotiations;
pub mod nodes;
pub mod outages;
pub mod outlooks;
pub mod reservations;
pub mod simulations;
pub mod upkeep;
pub mod webhooks;

/// Declares statements and lists them in `ALL`.
macro_rules! statements {
    ($($(#[$docs:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$docs])* pub const $name: &str = $sql;)*

        /// The statements of this module with their names.
        pub const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}
use statements;

/// Every complete statement with its name.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    [
        access::ALL,
        agendas::ALL,
        book::ALL,
        events::ALL,
        feeds::ALL,
        negotiations::ALL,
        nodes::ALL,
        outages::ALL,
        outlooks::ALL,
        reservations::ALL,
        simulations::ALL,
        upkeep::ALL,
        webhooks::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}
