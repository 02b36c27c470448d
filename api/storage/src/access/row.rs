//! Rows of tokens.

use planner::reservation::Role;
use planner::rights::Action;
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
    expires_s: Option<i64>,
    used_s: Option<i64>,
    actions: Option<String>,
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
            expires: instant(row.expires_s),
            used: instant(row.used_s),
            // An action that this release does not know is none that it lets anybody do.
            actions: row
                .actions
                .map(|words| words.split(' ').filter_map(Action::from_word).collect()),
        })
    }
}
