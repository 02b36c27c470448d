//! Calendar feeds.

use crate::statements::statements;

statements! {
    /// A user's secret address; one that they had before stops working.
    PUT_CALENDAR_FEED = "INSERT INTO calendar_feeds (owner, digest, created_s) VALUES ($1, $2, $3)
        ON CONFLICT (owner) DO UPDATE SET digest = excluded.digest, created_s = excluded.created_s";

    /// Ends a user's feed.
    END_CALENDAR_FEED = "DELETE FROM calendar_feeds WHERE owner = $1";

    /// A user's feed.
    CALENDAR_FEED_OF = "SELECT owner, digest, created_s FROM calendar_feeds WHERE owner = $1";

    /// The feed of a secret.
    CALENDAR_FEED = "SELECT owner, digest, created_s FROM calendar_feeds WHERE digest = $1";
}
