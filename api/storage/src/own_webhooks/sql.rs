//! Webhooks of users' own.

use crate::statements::statements;

statements! {
    /// A user's webhook.
    INSERT_OWN_WEBHOOK = "INSERT INTO own_webhooks (owner, url, secret, webhook)
        VALUES ($1, $2, $3, $4)";

    /// Forgets how far a user's webhook was told.
    DELETE_STATE_OF_OWN_WEBHOOK = "DELETE FROM webhooks
        WHERE id IN (SELECT webhook FROM own_webhooks WHERE owner = $1)";

    /// Forgets a user's webhook.
    DELETE_OWN_WEBHOOK = "DELETE FROM own_webhooks WHERE owner = $1";

    /// All webhooks of users.
    OWN_WEBHOOKS = "SELECT owner, url, secret, webhook FROM own_webhooks ORDER BY owner";

    /// A user's webhook.
    OWN_WEBHOOK_OF = "SELECT owner, url, secret, webhook FROM own_webhooks WHERE owner = $1";
}
