//! Meters that are asked.

use crate::statements::statements;

statements! {
    /// How all of them stand.
    POLLED_METERS = "SELECT id, asked_until_s, last_poll_s, last_success_s, next_poll_s,
            failures_in_turn, failure_s, failure, notes, polls, failures, taken, late, doubled,
            refused
        FROM polled_meters ORDER BY id";

    /// How one stands now.
    PUT_POLLED_METER = "INSERT INTO polled_meters (id, asked_until_s, last_poll_s,
            last_success_s, next_poll_s, failures_in_turn, failure_s, failure, notes, polls,
            failures, taken, late, doubled, refused)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        ON CONFLICT (id) DO UPDATE SET asked_until_s = excluded.asked_until_s,
            last_poll_s = excluded.last_poll_s, last_success_s = excluded.last_success_s,
            next_poll_s = excluded.next_poll_s, failures_in_turn = excluded.failures_in_turn,
            failure_s = excluded.failure_s, failure = excluded.failure, notes = excluded.notes,
            polls = excluded.polls, failures = excluded.failures, taken = excluded.taken,
            late = excluded.late, doubled = excluded.doubled, refused = excluded.refused";
}
