//! Keys of clients that send a request again until they hear an answer.

use planner::time::Timestamp;
use storage::IdempotencyRecord;
use uuid::Uuid;

use super::{Fault, Shared};

/// A client's key for "this request, once", and what it was sent with.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    /// The `Idempotency-Key` header.
    pub key: String,
    /// Digest of the request's body.
    pub fingerprint: String,
}

/// Why a key does not tell what was answered before.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// One key, two requests.
    #[error("the Idempotency-Key was used for another request; take a new key")]
    Reused,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl IdempotencyKey {
    /// What is kept of an answer: its status, and the id of what was made.
    pub fn record(&self, owner: &str, status: u16, id: Uuid, now: Timestamp) -> IdempotencyRecord {
        IdempotencyRecord {
            owner: owner.to_owned(),
            key: self.key.clone(),
            fingerprint: self.fingerprint.clone(),
            status,
            response: id.to_string(),
            created: now,
        }
    }
}

impl Shared {
    /// The id that was answered with `status` to this key, if there is a key and it was used.
    ///
    /// # Errors
    /// [`KeyError::Reused`] where it was used for another request.
    pub async fn answered_before(
        &self,
        owner: &str,
        key: Option<&IdempotencyKey>,
        status: u16,
    ) -> Result<Option<Uuid>, KeyError> {
        let Some(key) = key else { return Ok(None) };
        let record = self.database.idempotent_response(owner, &key.key).await;
        let Some(record) = record.map_err(Fault::from)? else { return Ok(None) };
        if (record.status, &record.fingerprint) != (status, &key.fingerprint) {
            return Err(KeyError::Reused);
        }
        let id = record.response.parse::<Uuid>().map_err(Fault::internal)?;
        Ok(Some(id))
    }
}
