//! Webhooks of events.

use crate::statements::statements;

statements! {
    /// A webhook that is seen for the first time begins after the newest event; one that is known
    /// stays as it is.
    OPEN_WEBHOOK = "INSERT INTO webhooks (id, instance, position)
        SELECT $1, $2, COALESCE(MAX(id), 0) FROM events WHERE 1 = 1
        ON CONFLICT (id) DO NOTHING";

    /// How all webhooks stand.
    WEBHOOKS = "SELECT id, instance, position, tried_since_s, failures, next_attempt_s,
            last_success_s, last_failure_s, last_failure, delivered, given_up, gone
        FROM webhooks ORDER BY id";

    /// How a webhook stands now, unless another process moved it on from $2.
    PUT_WEBHOOK = "UPDATE webhooks SET position = $3, tried_since_s = $4, failures = $5,
            next_attempt_s = $6, last_success_s = $7, last_failure_s = $8, last_failure = $9,
            delivered = $10, given_up = $11, gone = $12
        WHERE id = $1 AND position = $2";
}
