//! The problem file's objects as JSON: read with every error at once, written for people.
//!
//! The HTTP service's bodies consist of these objects too. Numbers are taken from their text, so that
//! no decimal is lost; each error carries a JSON pointer (RFC 6901) to its place.

pub mod agendas;
pub mod basis;
pub mod co2_accounting;
pub mod decision;
pub mod estimate;
pub mod explanation;
mod idle_energy;
pub mod nodes;
pub mod notice;
pub mod oar_quotas;
mod parts;
mod power_arrivals;
pub mod power_plan;
pub mod power_problem;
pub mod power_rights;
pub mod power_rules;
pub mod problem;
pub mod reader;
pub mod request;
pub mod reservations;
pub mod savings;
pub mod slower_states;
pub mod standing;

pub use reader::{JsonError, Object, Reader, read};
