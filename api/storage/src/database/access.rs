//! Tokens and idempotency keys.

use planner::time::Timestamp;

use super::{Database, Engine};
use crate::access::ApiToken;
use crate::error::StorageError;
use crate::idempotency::IdempotencyRecord;
use crate::identity::TokenId;
use crate::reservations::error::ProposeError;

/// Access.
impl Database {
    /// Stores a token.
    ///
    /// # Errors
    /// [`StorageError::TokenExists`] where its digest or id is taken.
    pub async fn create_token(&self, token: &ApiToken) -> Result<(), StorageError> {
        on_engine!(self.create_token(token))
    }

    /// The token with this digest, unless revoked.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn find_token(&self, digest: &str) -> Result<Option<ApiToken>, StorageError> {
        on_engine!(self.find_token(digest))
    }

    /// All tokens, also revoked ones, oldest first.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn list_tokens(&self) -> Result<Vec<ApiToken>, StorageError> {
        on_engine!(self.list_tokens())
    }

    /// Revokes a token; `false` where it is unknown or revoked already.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn revoke_token(&self, id: TokenId, now: Timestamp) -> Result<bool, StorageError> {
        on_engine!(self.revoke_token(id, now))
    }

    /// Whether a token was ever made, be it revoked since: a site that has had users keeps its door shut.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn has_tokens(&self) -> Result<bool, StorageError> {
        on_engine!(self.has_tokens())
    }

    /// What was answered to an owner's key.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn idempotent_response(
        &self,
        owner: &str,
        key: &str,
    ) -> Result<Option<IdempotencyRecord>, StorageError> {
        on_engine!(self.idempotent_response(owner, key))
    }

    /// Remembers an answer that no proposal carries.
    ///
    /// # Errors
    /// [`ProposeError::IdempotencyKeyReused`].
    pub async fn record_idempotency(&self, record: &IdempotencyRecord) -> Result<(), ProposeError> {
        on_engine!(self.record_idempotency(record))
    }

    /// Forgets answers from before `instant`; how many.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn forget_idempotency_before(&self, instant: Timestamp) -> Result<u64, StorageError> {
        on_engine!(self.forget_idempotency_before(instant))
    }
}
