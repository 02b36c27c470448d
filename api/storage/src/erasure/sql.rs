//! People's names, wherever they are kept.

use crate::statements::statements;

statements! {
    /// How many of a person's reservations have yet to end.
    LIVE_RESERVATIONS = "SELECT COUNT(*) FROM reservations
        WHERE owner = $1 AND state IN ('proposed', 'confirmed', 'active', 'awaiting_supplier')";

    /// Ends a person's series at $2, so that nothing is booked for nobody.
    END_SERIES_OF = "UPDATE series SET state = 'ended', ended_s = $2, row_version = row_version + 1
        WHERE owner = $1 AND state = 'running'";

    /// What was to come of a person's series does not: it ends, or once somebody has looked what became of the reservation
    /// that it was about to get. What has a reservation, or is on its way out already, is settled as in any series.
    END_OCCURRENCES_OF = "UPDATE series_occurrences
        SET state = CASE WHEN reservation_id IS NULL THEN 'ended' ELSE 'ending' END,
            next_try_s = CASE WHEN reservation_id IS NULL THEN NULL ELSE next_try_s END,
            version = version + 1
        WHERE state IN ('waiting', 'impossible') AND next_try_s IS NOT NULL
            AND series_id IN (SELECT id FROM series WHERE owner = $1)";

    /// What a person's rows of the ledger add up to, by project.
    PERSON_SUMS = "SELECT project, currency, CAST(SUM(node_s) AS BIGINT) AS node_s,
            CAST(SUM(measured_j + estimated_j) AS BIGINT) AS energy_j,
            CAST(SUM(cost_millionths) AS BIGINT) AS cost_millionths,
            CAST(SUM(co2_location_mg) AS BIGINT) AS co2_location_mg,
            CAST(SUM(other_co2_mg) AS BIGINT) AS other_co2_mg
        FROM ledger_rows WHERE user_name = $1 OR owner = $1
        GROUP BY project, currency ORDER BY project, currency";

    /// The person $1 as $2, and no valid token of theirs after $3.
    RENAME_TOKENS = "UPDATE api_tokens SET owner = $2, revoked_s = COALESCE(revoked_s, $3) WHERE owner = $1";

    /// The person $1 as $2, blocked since $3: whoever signs in later as the same subject is somebody new.
    RENAME_PERSON = "UPDATE people SET name = $2, subject = $2, blocked_s = COALESCE(blocked_s, $3),
            role = NULL, projects = NULL, token_issued_s = NULL
        WHERE name = $1";

    /// What a person asked for, where it may have words of theirs.
    REQUESTS_WITH_WORDS = "SELECT id, request FROM reservations
        WHERE owner = $1 AND (request LIKE '%\"note\"%' OR request LIKE '%\"labels\"%')";

    /// What was asked for, without words of a person.
    SET_WORDS = "UPDATE reservations SET request = $2 WHERE id = $1";

    /// An audit record with digests in place of names.
    ERASE_IN_RECORD = "UPDATE audit SET actor = $2, acting_for = $3, source = $4, object = $5, state_before = $6,
            state_after = $7
        WHERE id = $1";

    /// Who was erased, by the digest of the name: what was under way then is recorded without it.
    NOTE_ERASED = "INSERT INTO erased_names (digest, at_us) VALUES ($1, $2)
        ON CONFLICT (digest) DO UPDATE SET at_us = excluded.at_us";
}

/// What is of no use without the person $1: what was answered to them, where they are told what, and the projects that
/// they are in.
pub const FORGETS: &[&str] = &[
    "DELETE FROM idempotency_keys WHERE owner = $1",
    "DELETE FROM calendar_feeds WHERE owner = $1",
    "DELETE FROM notifications WHERE owner = $1",
    "DELETE FROM mails WHERE owner = $1",
    "DELETE FROM webhooks WHERE id IN (SELECT webhook FROM own_webhooks WHERE owner = $1)",
    "DELETE FROM own_webhooks WHERE owner = $1",
    "DELETE FROM project_members WHERE user_name = $1",
    "DELETE FROM shared_reservations WHERE NOT is_project AND name = $1",
    // They name both owners, or who acted. One too many does no harm: events are forgotten after a week anyway.
    "DELETE FROM events WHERE kind IN ('reservation.transferred', 'reservation.acted_for', 'series.acted_for')
        AND data LIKE '%' || $1 || '%'",
];

/// The other tables with names: each statement puts $2 in place of $1.
pub const RENAMES: &[&str] = &[
    // They count as changed, so that who keeps in memory whose they are reads them again.
    "UPDATE reservations SET owner = $2, changed = (SELECT changes FROM book WHERE id = 1) WHERE owner = $1",
    "UPDATE series SET owner = $2 WHERE owner = $1",
    "UPDATE site_reservations SET owner = $2, asked = '{}', sent = '{}', asked_key = NULL WHERE owner = $1",
    "UPDATE outages SET owner = $2 WHERE owner = $1",
    "UPDATE simulations SET owner = $2 WHERE owner = $1",
    "UPDATE events SET owner = $2 WHERE owner = $1",
    "UPDATE measured_runs SET owner = $2 WHERE owner = $1",
    "UPDATE kept_promises SET owner = $2 WHERE owner = $1",
    "UPDATE managed_jobs SET user_name = $2 WHERE user_name = $1",
    "UPDATE ledger_rows SET user_name = $2 WHERE user_name = $1",
    "UPDATE ledger_rows SET owner = $2 WHERE owner = $1",
    "UPDATE power_actions SET asked_by = $2 WHERE asked_by = $1",
    "UPDATE power_actions SET decided_by = $2 WHERE decided_by = $1",
    "UPDATE power_log SET by_name = $2 WHERE by_name = $1",
    "UPDATE power_holds SET by_name = $2 WHERE by_name = $1",
    "UPDATE quota_adjustments SET made_by = $2 WHERE made_by = $1",
    "UPDATE quota_adjustments SET user_name = $2 WHERE user_name = $1",
    "UPDATE audit_begun SET actor = $2 WHERE actor = $1",
    "UPDATE audit_begun SET acting_for = $2 WHERE acting_for = $1",
];
