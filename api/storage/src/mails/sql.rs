//! Mails.

use crate::statements::statements;

statements! {
    /// How far mails are written begins after the newest event; where it is known it stays as it is.
    OPEN_MAILS = "INSERT INTO mail_position (id, instance, position)
        SELECT 1, $1, COALESCE(MAX(id), 0) FROM events WHERE 1 = 1
        ON CONFLICT (id) DO NOTHING";

    /// How far mails are written.
    MAIL_POSITION = "SELECT instance, position FROM mail_position WHERE id = 1";

    /// Mails are written up to $2, unless another process moved on from $1.
    MOVE_MAIL_POSITION = "UPDATE mail_position SET position = $2 WHERE id = 1 AND position = $1";

    /// A new mail; one that was written before stays as it is.
    INSERT_MAIL = "INSERT INTO mails
        (id, owner, address, subject, body, created_s, state, failures, next_attempt_s)
        VALUES ($1, $2, $3, $4, $5, $6, 'waiting', 0, $6)
        ON CONFLICT (id) DO NOTHING";

    /// Mails that are due at an instant, the longest due first, at most so many.
    DUE_MAILS = "SELECT id, owner, address, subject, body, created_s, failures FROM mails
        WHERE state = 'waiting' AND next_attempt_s <= $1 ORDER BY next_attempt_s, id LIMIT $2";

    /// A mail was sent or given up at an instant, for a reason if any; its text is forgotten.
    END_MAIL = "UPDATE mails SET state = $2, ended_s = $3, last_failure = $4, body = ''
        WHERE id = $1 AND state = 'waiting'";

    /// A mail is tried again.
    RETRY_MAIL = "UPDATE mails SET failures = failures + 1, next_attempt_s = $2, last_failure = $3
        WHERE id = $1 AND state = 'waiting'";

    /// How many mails wait.
    WAITING_MAILS = "SELECT COUNT(*) FROM mails WHERE state = 'waiting'";
}
