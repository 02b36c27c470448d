//! The dialogue with the supplier.

use crate::statements::statements;

/// What is read of negotiations.
macro_rules! columns {
    () => {
        "id, kind, outcome, subject, opened_s, deadline_s, closed_s"
    };
}

/// What is read of messages.
macro_rules! message_columns {
    () => {
        "id, negotiation_id, said_s, direction, kind, carrier, document, delivery, attempts, \
         next_attempt_s, delivered_s, error"
    };
}

statements! {
    /// A new negotiation.
    INSERT_NEGOTIATION = "INSERT INTO negotiations (id, kind, state, subject, opened_s, deadline_s)
        VALUES ($1, $2, 'open', $3, $4, $5)";

    /// The open negotiation of a kind.
    OPEN_NEGOTIATION = concat!("SELECT ", columns!(), "
        FROM negotiations WHERE kind = $1 AND state = 'open'");

    /// One negotiation.
    NEGOTIATION = concat!("SELECT ", columns!(), " FROM negotiations WHERE id = $1");

    /// What an open negotiation is about now.
    SET_SUBJECT = "UPDATE negotiations SET subject = $2, deadline_s = $3
        WHERE id = $1 AND state = 'open'";

    /// Ends an open negotiation.
    CLOSE_NEGOTIATION = "UPDATE negotiations SET state = 'closed', outcome = $2, closed_s = $3
        WHERE id = $1 AND state = 'open'";

    /// A new message.
    INSERT_MESSAGE = "INSERT INTO negotiation_messages
        (negotiation_id, said_s, direction, kind, carrier, document, delivery, next_attempt_s)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

    /// What waits and says the same kind of thing need not be sent any more.
    SUPERSEDE_MESSAGES = "UPDATE negotiation_messages
        SET delivery = 'superseded', next_attempt_s = NULL
        WHERE negotiation_id = $1 AND kind = $2 AND delivery = 'waiting'";

    /// Messages of a negotiation after one, at most so many.
    MESSAGES = concat!("SELECT ", message_columns!(), "
        FROM negotiation_messages WHERE negotiation_id = $1 AND id > $2 ORDER BY id LIMIT $3");

    /// The newest messages of a negotiation, newest first, at most so many.
    NEWEST_MESSAGES = concat!("SELECT ", message_columns!(), "
        FROM negotiation_messages WHERE negotiation_id = $1 ORDER BY id DESC LIMIT $2");

    /// The last delivered message of a kind said before an instant.
    LAST_SAID = concat!("SELECT ", message_columns!(), "
        FROM negotiation_messages WHERE kind = $1 AND said_s <= $2 ORDER BY id DESC LIMIT 1");

    /// Messages of a kind after one that were said by an instant, oldest first, at most so many.
    SAID_AFTER = concat!("SELECT ", message_columns!(), " FROM negotiation_messages
        WHERE kind = $1 AND id > $2 AND said_s <= $3 ORDER BY id LIMIT $4");

    /// Messages that are to be sent by an instant, oldest first, at most so many.
    MESSAGES_DUE = concat!("SELECT ", message_columns!(), " FROM negotiation_messages
        WHERE delivery = 'waiting' AND next_attempt_s <= $1 ORDER BY id LIMIT $2");

    /// Notes an attempt to send a message that still waits; its negotiation.
    NOTE_ATTEMPT = "UPDATE negotiation_messages SET delivery = $2, attempts = attempts + 1,
            next_attempt_s = $3, delivered_s = $4, error = $5
        WHERE id = $1 AND delivery = 'waiting' RETURNING negotiation_id";

    /// Forgets messages of closed negotiations of a kind, said before an instant.
    FORGET_MESSAGES = "DELETE FROM negotiation_messages WHERE kind = $1 AND said_s < $2
        AND delivery <> 'waiting'";
}

/// Negotiations that pass a filter.
pub const NEGOTIATIONS_WHERE: &str =
    concat!("SELECT ", columns!(), " FROM negotiations WHERE 1 = 1");
