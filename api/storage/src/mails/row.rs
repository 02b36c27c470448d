//! Rows of mails.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::mails::{NewMail, WaitingMail};

#[derive(FromRow)]
pub(crate) struct MailRow {
    id: String,
    owner: String,
    address: String,
    subject: String,
    body: String,
    created_s: i64,
    failures: i64,
}

impl From<MailRow> for WaitingMail {
    fn from(row: MailRow) -> Self {
        let mail = NewMail {
            id: row.id,
            owner: row.owner,
            address: row.address,
            subject: row.subject,
            body: row.body,
            created: Timestamp::from_unix_seconds(row.created_s),
        };
        Self { mail, failures: row.failures }
    }
}
