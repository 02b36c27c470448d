//! Rows of notifications.

use planner::time::{Seconds, Timestamp};
use sqlx::FromRow;

use crate::error::StorageError;
use crate::notifications::{NotificationKind, NotificationSettings, PendingAddress};
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct NotificationRow {
    owner: String,
    address: Option<String>,
    pending: Option<String>,
    code_digest: Option<String>,
    code_sent_s: Option<i64>,
    kinds: String,
    begins_soon_s: i64,
}

impl TryFrom<NotificationRow> for NotificationSettings {
    type Error = StorageError;
    fn try_from(row: NotificationRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "notifications", row: &row.owner };
        let words = row.kinds.split_whitespace();
        let kinds = words.map(|word| place.word("kinds", word, NotificationKind::from_word));
        let kinds = kinds.collect::<Result<_, _>>()?;
        let pending = match (row.pending, row.code_digest, row.code_sent_s) {
            (Some(address), Some(code_digest), Some(sent_s)) => {
                let sent = Timestamp::from_unix_seconds(sent_s);
                Some(PendingAddress { address, code_digest, sent })
            }
            // When it was sent is kept when its address is not.
            (None, None, _) => None,
            _ => return Err(place.wrong("pending", "the code of the address is not all there")),
        };
        Ok(Self {
            owner: row.owner,
            address: row.address,
            pending,
            kinds,
            begins_soon: Seconds::new(row.begins_soon_s),
        })
    }
}
