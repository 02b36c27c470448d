//! `/api/v1/feeds`

pub mod document;
pub mod list;
pub mod refresh;
pub mod revisions;
