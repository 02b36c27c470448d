//! API tokens. See `docs/guide/running.md`.

pub mod create;
mod document;
pub mod list;
mod members;
pub mod renew;
pub mod revoke;
pub mod schema;

pub use document::{ApiTokenDocument, ApiTokenWithSecret};
pub use list::ApiTokensPage;
