//! What the caller wants to be told by mail and by a webhook. See `docs/NOTIFICATIONS.md`.

pub mod confirm;
pub mod get;
pub mod put;

use serde::{Deserialize, Serialize};
use storage::NotificationSettings;
use utoipa::ToSchema;

use crate::http::problem::Problem;
use crate::service::notifications::NotificationService;
use crate::service::shared::Access;
use crate::service::webhooks::status_word;

/// What the caller is told by mail and by a webhook.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct NotificationDocument {
    /// Where mails go; null before an address was confirmed.
    #[schema(example = "ada@site.example")]
    pub address: Option<String>,
    /// The address to which a code was sent, until it is confirmed; null where there is none.
    pub pending_address: Option<String>,
    /// What they are told of by mail: `offered`, `confirmed`, `moved`, `degraded`, `begins_soon`, `ended` and
    /// `month_report`.
    #[schema(example = json!(["confirmed", "degraded"]))]
    pub kinds: Vec<String>,
    /// How many minutes before a reservation begins they are told by mail.
    #[schema(example = 30)]
    pub begins_soon_min: i64,
    /// Whether the site sends mails at all.
    pub sends_mails: bool,
    /// The webhook that is told what becomes of the caller's reservations; null where there is none.
    #[schema(example = "https://hooks.site.example/wattbook")]
    pub webhook_url: Option<String>,
    /// What its messages are signed with. Only in the answer that it is made by; it is not shown again.
    pub webhook_secret: Option<String>,
    /// `ok`, `failing`, or `stopped` where the receiver wants no more; null where there is none.
    #[schema(example = "ok")]
    pub webhook_status: Option<String>,
}

/// What the caller wants to be told by mail and by a webhook. What is left out stays as it is.
#[derive(Serialize, ToSchema)]
pub struct NotificationBody {
    /// Where mails go; null for nowhere. A new one is sent a code, and mails go to the former until it is confirmed.
    #[schema(example = "ada@site.example")]
    pub address: Option<String>,
    /// What to be told of by mail: `offered`, `confirmed`, `moved`, `degraded`, `begins_soon`, `ended` and
    /// `month_report`.
    #[schema(example = json!(["confirmed", "degraded"]))]
    pub kinds: Option<Vec<String>>,
    /// How many minutes before a reservation begins to be told by mail, from 1 to 10080; 30 until it is said.
    pub begins_soon_min: Option<i64>,
    /// A webhook that is told what becomes of the caller's reservations; null for none.
    #[schema(example = "https://hooks.site.example/wattbook")]
    pub webhook_url: Option<String>,
}

/// The code that was sent to the address.
#[derive(Serialize, ToSchema)]
pub struct ConfirmationBody {
    /// As it stands in the mail.
    #[schema(example = "01234567")]
    pub code: String,
}

impl NotificationDocument {
    /// What the caller is told; with the secret of a webhook that was made just now.
    async fn new(
        service: &NotificationService,
        access: Access<'_>,
        settings: NotificationSettings,
        webhook_secret: Option<String>,
    ) -> Result<Self, Problem> {
        let webhook = service.own_webhook(access).await?;
        let status = webhook.as_ref().map(|it| status_word(it.state.as_ref()).to_owned());
        Ok(Self {
            address: settings.address,
            pending_address: settings.pending.map(|pending| pending.address),
            kinds: settings.kinds.into_iter().map(|kind| kind.word().to_owned()).collect(),
            begins_soon_min: settings.begins_soon.get() / 60,
            sends_mails: service.sends_mails(),
            webhook_url: webhook.map(|it| it.webhook.url),
            webhook_secret,
            webhook_status: status,
        })
    }
}
