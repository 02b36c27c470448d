//! What the caller wants to be told by mail. See `docs/NOTIFICATIONS.md`.

pub mod confirm;
pub mod get;
pub mod put;

use serde::{Deserialize, Serialize};
use storage::NotificationSettings;
use utoipa::ToSchema;

/// What the caller is told by mail.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct NotificationDocument {
    /// Where mails go; null before an address was confirmed.
    #[schema(example = "ada@site.example")]
    pub address: Option<String>,
    /// The address to which a code was sent, until it is confirmed; null where there is none.
    pub pending_address: Option<String>,
    /// Of what: `offered`, `confirmed`, `moved`, `degraded`, `begins_soon`, `ended` and `month_report`.
    #[schema(example = json!(["confirmed", "degraded"]))]
    pub kinds: Vec<String>,
    /// How many minutes before a reservation begins.
    #[schema(example = 30)]
    pub begins_soon_min: i64,
    /// Whether the site sends mails at all.
    pub sends_mails: bool,
}

/// What the caller wants to be told by mail. What is left out stays as it is.
#[derive(Serialize, ToSchema)]
pub struct NotificationBody {
    /// Where; null for nowhere. A new one is sent a code, and mails go to the former until it is confirmed.
    #[schema(example = "ada@site.example")]
    pub address: Option<String>,
    /// Of what.
    #[schema(example = json!(["confirmed", "degraded"]))]
    pub kinds: Option<Vec<String>>,
    /// How many minutes before a reservation begins, from 1 to 10080; 30 until it is said.
    pub begins_soon_min: Option<i64>,
}

/// The code that was sent to the address.
#[derive(Serialize, ToSchema)]
pub struct ConfirmationBody {
    /// As it stands in the mail.
    #[schema(example = "01234567")]
    pub code: String,
}

impl NotificationDocument {
    /// What a user is told.
    fn new(settings: NotificationSettings, sends_mails: bool) -> Self {
        Self {
            address: settings.address,
            pending_address: settings.pending.map(|pending| pending.address),
            kinds: settings.kinds.into_iter().map(|kind| kind.word().to_owned()).collect(),
            begins_soon_min: settings.begins_soon.get() / 60,
            sends_mails,
        }
    }
}
