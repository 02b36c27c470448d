//! `/api/v1/reservations`

pub mod cancel;
pub mod choose;
pub mod create;
pub mod document;
pub mod extend;
pub mod get;
pub mod jobs;
pub mod list;
pub mod managed;
pub mod modify;
pub mod release;
pub mod schema;
pub mod share;
pub mod swap;
pub mod transfer;
pub mod unshare;
