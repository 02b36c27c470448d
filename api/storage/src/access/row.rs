//! Rows of tokens.

use planner::reservation::Role;
use planner::time::Timestamp;
use sqlx::FromRow;

use crate::access::ApiToken;
use crate::error::StorageError;
use crate::identity::TokenId;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct TokenRow {
    id: TokenId,
    owner: String,
    role: String,
    digest: String,
    created_s: i64,
    revoked_s: Option<i64>,
}

impl TryFrom<TokenRow> for ApiToken {
    type Error = StorageError;
    fn try_from(row: TokenRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "api_tokens", row: row.id };
        Ok(Self {
            id: row.id,
            owner: row.owner,
            role: place.word("role", &row.role, Role::from_word)?,
            digest: row.digest,
            created: Timestamp::from_unix_seconds(row.created_s),
            revoked: instant(row.revoked_s),
        })
    }
}
