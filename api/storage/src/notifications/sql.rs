//! Notifications.

use crate::statements::statements;

/// All columns but those that count.
macro_rules! columns {
    () => {
        "owner, address, pending, code_digest, code_sent_s, kinds, begins_soon_s"
    };
}

statements! {
    /// What a user wants; an address that is to be confirmed, and its code, stay as they are.
    PUT_NOTIFICATIONS = "INSERT INTO notifications
            (owner, address, kinds, begins_soon_s, code_tries, codes_sent)
        VALUES ($1, $2, $3, $4, 0, 0)
        ON CONFLICT (owner) DO UPDATE SET address = excluded.address, kinds = excluded.kinds,
            begins_soon_s = excluded.begins_soon_s";

    /// Forgets the address that a user was to confirm, but not when its code was sent.
    FORGET_PENDING_ADDRESS = "UPDATE notifications SET pending = NULL, code_digest = NULL
        WHERE owner = $1";

    /// A user is to confirm the address $2 by the code of the digest $3 that is sent at $4, unless one was sent after
    /// $5, or $7 since the first one after $6. A code that is new may be tried anew.
    PUT_PENDING_ADDRESS = "UPDATE notifications
        SET pending = $2, code_digest = $3, code_sent_s = $4, code_tries = 0,
            codes_sent = CASE WHEN codes_since_s > $6 THEN codes_sent + 1 ELSE 1 END,
            codes_since_s = CASE WHEN codes_since_s > $6 THEN codes_since_s ELSE $4 END
        WHERE owner = $1 AND (code_sent_s IS NULL OR code_sent_s <= $5)
          AND (codes_since_s IS NULL OR codes_since_s <= $6 OR codes_sent < $7)";

    /// When a user's last code was sent, and how many were since when.
    CODES_SENT = "SELECT code_sent_s, codes_sent, codes_since_s FROM notifications WHERE owner = $1";

    /// What a user wants to be told.
    NOTIFICATIONS_OF = concat!("SELECT ", columns!(), " FROM notifications WHERE owner = $1");

    /// Everybody who is told something.
    TOLD_NOTIFICATIONS = concat!("SELECT ", columns!(), " FROM notifications
        WHERE address IS NOT NULL AND kinds <> '' ORDER BY owner");

    /// Counts a try of a user's code.
    COUNT_CODE_TRY = "UPDATE notifications SET code_tries = code_tries + 1 WHERE owner = $1";

    /// Confirms a user's address by the digest $2 of a code that was sent after $3 and tried at most $4 times.
    CONFIRM_ADDRESS = "UPDATE notifications
        SET address = pending, pending = NULL, code_digest = NULL, code_tries = 0
        WHERE owner = $1 AND code_digest = $2 AND code_sent_s > $3 AND code_tries <= $4";
}
