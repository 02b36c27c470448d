//! Mails to users about what is theirs: what each wants to be told, and at which address.
//!
//! An address is used once its owner confirmed it by the code that was sent there. Mails are written into an outbox,
//! most of them of events, and sent from it: see `outbox` and `smtp`, and `docs/NOTIFICATIONS.md`.

mod mail_text;
mod month;
mod outbox;
mod smtp;

use std::collections::BTreeSet;
use std::sync::Arc;

use lettre::Address;
use planner::time::Seconds;
use storage::{
    NewMail, NotificationKind, NotificationSettings, OwnWebhook, PendingAddress, WebhookState,
};
use uuid::Uuid;

use super::ledger::LedgerService;
use super::shared::{Access, Fault, Shared, digest, new_secret};
use crate::config::mail::MailSettings;

pub use outbox::{LEASE, LOOK};

/// How long before a reservation begins its owner is told unless they say otherwise.
pub const USUAL_BEGINS_SOON: Seconds = Seconds::new(1800);

/// The longest that one may be told before a reservation begins.
pub const LONGEST_BEGINS_SOON: Seconds = Seconds::new(7 * 86_400);

/// A code counts for so long.
const CODE_LASTS: Seconds = Seconds::new(3600);

/// Another code is sent after so long at the earliest, so that nobody is flooded.
const CODE_PAUSE: Seconds = Seconds::new(60);

/// Codes that a user is sent in a day at most, whatever the addresses.
const MOST_CODES_A_DAY: i64 = 10;

/// A code may be tried so often.
const MOST_TRIES: i64 = 5;

/// The longest address (RFC 5321, section 4.5.3.1).
const LONGEST_ADDRESS: usize = 254;

/// What a user wants to be told from now on; what is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationRequest {
    /// Where mails go.
    pub address: Option<AddressChange>,
    /// What they are told of.
    pub kinds: Option<BTreeSet<NotificationKind>>,
    /// How long before a reservation begins they are told.
    pub begins_soon: Option<Seconds>,
    /// The webhook that is told, too.
    pub webhook: Option<AddressChange>,
}

/// What becomes of the address of a user or of their webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressChange {
    /// It is forgotten, and so is one that is to be confirmed.
    Forget,
    /// It is this one; mails go there once it is confirmed.
    To(String),
}

/// A user's webhook, and how it stands.
#[derive(Debug)]
pub struct OwnWebhookStatus {
    /// The webhook.
    pub webhook: OwnWebhook,
    /// How far it was told.
    pub state: Option<WebhookState>,
}

/// Why what a user wants is not so.
#[derive(Debug, thiserror::Error)]
pub enum NotificationError {
    /// There is nobody who sends mails.
    #[error("this site sends no mails: its settings have no [mail]; leave address out")]
    NoMail,
    /// A code was sent a moment ago, or many within a day; another may be sent after so long.
    #[error(
        "a code was sent less than a minute ago, or {} within a day; look for the last one, or wait {} seconds",
        MOST_CODES_A_DAY,
        .0.get()
    )]
    SentJustNow(Seconds),
    /// It is not the code that was sent, or it is too old, or was tried too often.
    #[error(
        "it is not the code that was sent last, or it is older than an hour, or was tried {MOST_TRIES} times; set the \
         address again to get another"
    )]
    WrongCode,
    /// The database is out of reach.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Mails to users.
pub struct NotificationService {
    shared: Arc<Shared>,
    ledger: Arc<LedgerService>,
}

/// Whether mails can be sent to a text, and why not.
///
/// # Errors
/// In words, after the name of the field.
pub fn check_address(text: &str) -> Result<(), &'static str> {
    let is_plain = !text.chars().any(|it| it.is_control() || it.is_whitespace());
    let is_one = is_plain && text.len() <= LONGEST_ADDRESS && text.parse::<Address>().is_ok();
    is_one.then_some(()).ok_or("must be a mail address such as ada@site.example")
}

impl NotificationService {
    /// On what all services share, and the ledger that reports of months rest on.
    pub const fn new(shared: Arc<Shared>, ledger: Arc<LedgerService>) -> Self {
        Self { shared, ledger }
    }

    /// How mails are sent; `None` where the site sends none.
    fn mail(&self) -> Option<&MailSettings> {
        self.shared.settings.mail.as_ref()
    }

    /// Whether the site sends mails.
    pub fn sends_mails(&self) -> bool {
        self.mail().is_some()
    }

    /// What the caller wants to be told: nothing unless they said so.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn notifications(&self, access: Access<'_>) -> Result<NotificationSettings, Fault> {
        let found = self.shared.database.notifications_of(access.owner).await?;
        Ok(found.unwrap_or_else(|| NotificationSettings {
            owner: access.owner.to_owned(),
            address: None,
            pending: None,
            kinds: BTreeSet::new(),
            begins_soon: USUAL_BEGINS_SOON,
        }))
    }

    /// Takes down what the caller wants to be told. An address that is not confirmed is sent a code; until it is
    /// confirmed mails go to the one before. Where a webhook is named, what its messages are signed with.
    ///
    /// # Errors
    /// `NoMail`, `SentJustNow`; the database cannot be reached.
    pub async fn put(
        &self,
        access: Access<'_>,
        request: NotificationRequest,
    ) -> Result<(NotificationSettings, Option<String>), NotificationError> {
        let mut settings = self.notifications(access).await?;
        if let Some(kinds) = request.kinds {
            settings.kinds = kinds;
        }
        settings.begins_soon = request.begins_soon.unwrap_or(settings.begins_soon);
        let mut unconfirmed = None;
        match request.address {
            None => {}
            Some(AddressChange::Forget) => (settings.address, settings.pending) = (None, None),
            Some(AddressChange::To(address)) if settings.address.as_ref() == Some(&address) => {
                settings.pending = None;
            }
            Some(AddressChange::To(address)) => unconfirmed = Some(address),
        }
        let database = &self.shared.database;
        match unconfirmed {
            None => database.put_notifications(&settings).await.map_err(Fault::from)?,
            Some(address) => self.begin_confirmation(&mut settings, address).await?,
        }
        let secret = match request.webhook {
            None => None,
            Some(AddressChange::Forget) => {
                database.end_own_webhook(access.owner).await.map_err(Fault::from)?;
                None
            }
            Some(AddressChange::To(url)) => Some(self.put_own_webhook(access, url).await?),
        };
        Ok((settings, secret))
    }

    /// Gives the caller a webhook in the place of the one before; what its messages are signed with.
    async fn put_own_webhook(&self, access: Access<'_>, url: String) -> Result<String, Fault> {
        let secret = new_secret()?;
        let webhook = OwnWebhook {
            owner: access.owner.to_owned(),
            url,
            secret: secret.clone(),
            webhook: format!("own-{}", Uuid::now_v7()),
        };
        self.shared.database.put_own_webhook(&webhook, Uuid::now_v7()).await?;
        Ok(secret)
    }

    /// The caller's webhook and how it stands; `None` where they have none.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn own_webhook(&self, access: Access<'_>) -> Result<Option<OwnWebhookStatus>, Fault> {
        let found = self.shared.database.own_webhook_of(access.owner).await?;
        let Some(webhook) = found else { return Ok(None) };
        let states = self.shared.database.webhooks().await?;
        let state = states.into_iter().find(|state| state.id == webhook.webhook);
        Ok(Some(OwnWebhookStatus { webhook, state }))
    }

    /// Takes down what the caller wants with an address that is to be confirmed, and writes the mail with its code.
    async fn begin_confirmation(
        &self,
        settings: &mut NotificationSettings,
        address: String,
    ) -> Result<(), NotificationError> {
        if !self.sends_mails() {
            return Err(NotificationError::NoMail);
        }
        let now = self.shared.now();
        let code = new_code()?;
        let code_digest = code_digest(&settings.owner, &code);
        let mail = NewMail {
            id: format!("code-{}", Uuid::now_v7()),
            owner: settings.owner.clone(),
            address: address.clone(),
            subject: "Wattbook: is this your address?".to_owned(),
            body: mail_text::of_code(&settings.owner, &code),
            created: now,
        };
        let pending = PendingAddress { address, code_digest, sent: now };
        let database = &self.shared.database;
        // It is checked where it is stored: of two requests at the same time one is refused.
        let stored =
            database.put_pending_address(settings, &pending, CODE_PAUSE, MOST_CODES_A_DAY).await;
        if let Some(next) = stored.map_err(Fault::from)? {
            return Err(NotificationError::SentJustNow(next - now));
        }
        database.write_mails(&[mail]).await.map_err(Fault::from)?;
        settings.pending = Some(pending);
        Ok(())
    }

    /// Confirms the caller's address by the code that was sent there.
    ///
    /// # Errors
    /// `WrongCode`; the database cannot be reached.
    pub async fn confirm(
        &self,
        access: Access<'_>,
        code: &str,
    ) -> Result<NotificationSettings, NotificationError> {
        let digest = code_digest(access.owner, code.trim());
        let sent_after = self.shared.now() - CODE_LASTS;
        let database = &self.shared.database;
        let confirmed = database.confirm_address(access.owner, &digest, sent_after, MOST_TRIES);
        if !confirmed.await.map_err(Fault::from)? {
            return Err(NotificationError::WrongCode);
        }
        Ok(self.notifications(access).await?)
    }

    /// How many mails wait to be sent.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn waiting_mails(&self) -> Result<i64, Fault> {
        Ok(self.shared.database.waiting_mails().await?)
    }
}

/// A code of eight digits. It counts for an hour and five tries, so that guessing it is hopeless.
fn new_code() -> Result<String, Fault> {
    let random = getrandom::u64()
        .map_err(|error| Fault::internal(anyhow::anyhow!("no randomness: {error}")))?;
    Ok(format!("{:08}", random % 100_000_000))
}

/// What is stored of a code.
fn code_digest(owner: &str, code: &str) -> String {
    digest(&format!("{owner} {code}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_and_nothing_else() {
        for address in ["ada@site.example", "a.lovelace+hpc@mail.site.example"] {
            assert_eq!(check_address(address), Ok(()), "{address}");
        }
        let long = format!("{}@site.example", "a".repeat(250));
        for wrong in [
            "",
            "ada",
            "@site.example",
            "ada@",
            "ada@site.example\r\nBcc: bob@site.example",
            "ada@site.example, bob@site.example",
            "Ada <ada@site.example>",
            "\"ada lovelace\"@site.example",
            &long,
        ] {
            assert!(check_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_code_has_eight_digits() {
        let code = new_code().unwrap();
        assert!(code.len() == 8 && code.bytes().all(|it| it.is_ascii_digit()), "{code}");
        assert_ne!(code_digest("ada", &code), code_digest("bob", &code));
    }
}
