//! Notifications.

use crate::statements::statements;

/// All columns but the count of tries.
macro_rules! columns {
    () => {
        "owner, address, pending, code_digest, code_sent_s, kinds, begins_soon_s"
    };
}

statements! {
    /// What a user wants; a code that is new may be tried anew.
    PUT_NOTIFICATIONS = concat!("INSERT INTO notifications (", columns!(), ", code_tries)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0)
        ON CONFLICT (owner) DO UPDATE SET address = excluded.address, pending = excluded.pending,
            code_tries = CASE WHEN notifications.code_digest = excluded.code_digest
                THEN notifications.code_tries ELSE 0 END,
            code_digest = excluded.code_digest, code_sent_s = excluded.code_sent_s,
            kinds = excluded.kinds, begins_soon_s = excluded.begins_soon_s");

    /// What a user wants to be told.
    NOTIFICATIONS_OF = concat!("SELECT ", columns!(), " FROM notifications WHERE owner = $1");

    /// Everybody who is told something.
    TOLD_NOTIFICATIONS = concat!("SELECT ", columns!(), " FROM notifications
        WHERE address IS NOT NULL AND kinds <> '' ORDER BY owner");

    /// Counts a try of a user's code.
    COUNT_CODE_TRY = "UPDATE notifications SET code_tries = code_tries + 1 WHERE owner = $1";

    /// Confirms a user's address by the digest $2 of a code that was sent after $3 and tried at most $4 times.
    CONFIRM_ADDRESS = "UPDATE notifications
        SET address = pending, pending = NULL, code_digest = NULL, code_sent_s = NULL, code_tries = 0
        WHERE owner = $1 AND code_digest = $2 AND code_sent_s > $3 AND code_tries <= $4";
}
