//! `/api/v1/quotas/adjustments`

pub mod change;
pub mod create;
pub mod document;
pub mod end;
pub mod list;
mod members;
pub mod schema;
