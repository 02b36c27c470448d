//! Finds the start at which a reservation of nodes costs the least energy, money or CO2.
//!
//! Pure: no IO, no clock, no global randomness. The model and its sources are in `docs/MODEL.md`.

pub mod agenda;
pub mod bill;
pub mod book;
pub mod calibration;
pub mod cap_scope;
pub mod check;
pub mod criterion;
pub mod decimal;
pub mod decision;
pub mod dialogue;
pub mod filter;
mod free_nodes;
pub mod headroom;
pub mod hits;
pub mod identity;
pub mod json;
pub mod labels;
pub mod ledger;
pub mod metering;
pub mod names;
pub mod node;
pub mod node_list;
pub mod node_set;
pub mod order;
pub mod power_action;
pub mod power_plan;
pub mod power_states;
pub mod problem;
pub mod quantity;
pub mod ranking;
pub mod recalibration;
pub mod replacement;
pub mod request;
pub mod reservation;
pub mod reserved_power;
pub mod resource_manager;
mod robust;
pub mod search;
pub mod selection;
pub mod service_estimate;
pub mod time;
pub mod tolerance;
