//! Webhooks of users' own: where each is told what becomes of what is theirs.
//!
//! How far one is told is a row of `webhooks`, as for those of the settings.

mod repository;
pub mod sql;

use sqlx::FromRow;

/// A webhook that a user named.
#[derive(Clone, PartialEq, Eq, FromRow)]
pub struct OwnWebhook {
    /// The user whose reservations it is told of.
    pub owner: String,
    /// Where messages go.
    pub url: String,
    /// What they are signed with: known here, since it signs.
    pub secret: String,
    /// The id under which it is kept how far it is told; another with each address.
    pub webhook: String,
}

impl std::fmt::Debug for OwnWebhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the secret nor the address, which may have one in it.
        f.debug_struct("OwnWebhook").field("owner", &self.owner).finish_non_exhaustive()
    }
}
