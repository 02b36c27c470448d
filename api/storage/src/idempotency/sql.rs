//! Answers that are remembered.

use crate::statements::statements;

statements! {
    /// What was answered to an owner's key.
    IDEMPOTENCY_KEY = "SELECT owner, key, fingerprint, status, response, created_s
        FROM idempotency_keys WHERE owner = $1 AND key = $2";
}

/// Remembers answers.
pub const IDEMPOTENCY_KEYS_BULK: &str = "INSERT INTO idempotency_keys
    (owner, key, fingerprint, status, response, created_s) ";
