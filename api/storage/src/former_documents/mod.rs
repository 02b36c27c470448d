//! Offers, and what is expected of them, as releases before migration 17 stored them: as the API's
//! JSON. They become columns when such a database is next opened.
//!
//! Amounts are read from the decimals that were printed. Those were made from exact amounts with more
//! digits than are lost here, so that what is printed of the columns is the same double again
//! (decision 15).

mod repository;
mod row;
pub mod sql;
