//! What is pruned. Where not said otherwise $1 is the instant before which it goes, and $2 how many go together; of
//! reservations $2 is the state that they reached, and $3 how many.

use crate::power_states::sql::names;
use crate::statements::statements;

/// States in which a power action stays.
macro_rules! final_actions {
    () => {
        "state IN ('done', 'refused', 'given_up')"
    };
}

/// When a power action was over.
macro_rules! over_s {
    () => {
        "COALESCE(done_s, ordered_s, created_s)"
    };
}

/// Power actions that nothing is read of any more: final, not the newest that limited the power of their node or lifted the
/// limit, and not one of the 20 newest by which it is known how long the node takes to come.
macro_rules! old_actions {
    () => {
        concat!(
            "FROM power_actions AS a WHERE ",
            final_actions!(),
            " AND ",
            over_s!(),
            " < $1 AND (action NOT IN ('limit', 'lift') OR id < (SELECT MAX(b.id) FROM power_actions AS b
                WHERE b.node = a.node AND b.action IN ('limit', 'lift')
                  AND (b.action = 'lift' OR b.ordered_s IS NOT NULL)))
              AND (action <> 'power_up' OR state <> 'done' OR done_s < (SELECT b.done_s FROM power_actions AS b
                WHERE b.node = a.node AND b.action = 'power_up' AND b.state = 'done'
                ORDER BY b.done_s DESC LIMIT 1 OFFSET 19))"
        )
    };
}

/// Series that are over, of which nothing is to be done.
macro_rules! old_series {
    () => {
        "FROM series WHERE state <> 'running' AND ended_s < $1
            AND NOT EXISTS (SELECT 1 FROM series_occurrences AS o
                WHERE o.series_id = series.id AND (o.next_try_s IS NOT NULL OR o.known_by_s >= $1))
            AND NOT EXISTS (SELECT 1 FROM series_occurrences AS o JOIN reservations AS r ON r.id = o.reservation_id
                WHERE o.series_id = series.id
                  AND (r.state IN ('proposed', 'awaiting_supplier', 'confirmed', 'active') OR r.end_s >= $1))"
    };
}

/// Reservations that ended in a state $2 and that nothing keeps: no series, no reservation that took their place, nothing
/// of the resource manager or of switched nodes that is not over.
macro_rules! old_reservations {
    () => {
        "FROM reservations AS r WHERE r.state = $2 AND r.end_s < $1 AND r.chosen_offer_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM reservations AS n WHERE n.replaces = r.id)
            AND NOT EXISTS (SELECT 1 FROM series_occurrences AS o WHERE o.reservation_id = r.id)
            AND NOT EXISTS (SELECT 1 FROM managed_reservations AS m
                WHERE m.reservation_id = r.id AND m.state NOT IN ('removed', 'lost'))
            AND NOT EXISTS (SELECT 1 FROM managed_jobs AS j
                WHERE j.reservation_id = r.id AND (j.phase <> 'ended' OR j.end_s >= $1))
            AND NOT EXISTS (SELECT 1 FROM power_actions AS p
                WHERE p.reservation_id = r.id AND p.state IN ('proposed', 'waiting', 'ordered', 'failed'))"
    };
}

/// Reservations of which no offer was chosen, that reached a state $2 and whose offers were held until before $1.
macro_rules! old_proposals {
    () => {
        "FROM reservations AS r WHERE r.state = $2 AND r.expires_s < $1 AND r.chosen_offer_id IS NULL
            AND NOT EXISTS (SELECT 1 FROM reservations AS n WHERE n.replaces = r.id)
            AND NOT EXISTS (SELECT 1 FROM series_occurrences AS o WHERE o.reservation_id = r.id)"
    };
}

/// Offers of reservations that ended in a state $2 and of which another one was chosen.
macro_rules! old_offers {
    () => {
        "FROM reservations AS r WHERE r.state = $2 AND r.end_s < $1
            AND EXISTS (SELECT 1 FROM offers AS o WHERE o.reservation_id = r.id AND o.id <> r.chosen_offer_id)"
    };
}

/// Revisions of agendas that were received, and say nothing of what came, after an instant, and whose values are there.
macro_rules! old_revisions {
    () => {
        "FROM agenda_revisions AS r WHERE r.received_s < $1 AND r.span_end_s < $1
            AND EXISTS (SELECT 1 FROM agenda_pieces AS p WHERE p.revision_id = r.id)"
    };
}

/// Revisions of feeds, but for the newest of each.
macro_rules! old_feed_revisions {
    () => {
        "FROM feed_revisions AS r WHERE r.received_s < $1 AND r.span_end_s < $1
            AND r.id < (SELECT MAX(n.id) FROM feed_revisions AS n WHERE n.feed = r.feed)"
    };
}

/// When the newest state of a node began before an instant.
macro_rules! newest_before {
    () => {
        "(SELECT MAX(l.since_s) FROM node_power_states AS l WHERE l.node = names.node AND l.since_s <= $1)"
    };
}

macro_rules! old_simulations {
    () => {
        "FROM simulations WHERE state IN ('finished', 'failed', 'cancelled') AND ended_s < $1"
    };
}

macro_rules! old_negotiations {
    () => {
        "FROM negotiations AS n WHERE state = 'closed' AND closed_s < $1
            AND NOT EXISTS (SELECT 1 FROM grants AS g WHERE g.negotiation_id = n.id)
            AND NOT EXISTS (SELECT 1 FROM negotiation_messages AS m
                WHERE m.negotiation_id = n.id AND m.delivery = 'waiting')"
    };
}

/// Tokens that were revoked or ended before an instant. The newest stays: where there has been one, nobody is the local user.
macro_rules! old_tokens {
    () => {
        "FROM api_tokens WHERE (revoked_s < $1 OR expires_s < $1)
            AND id <> (SELECT id FROM api_tokens ORDER BY created_s DESC, id DESC LIMIT 1)"
    };
}

macro_rules! old_jobs {
    () => {
        "FROM managed_jobs WHERE phase = 'ended' AND end_s < $1 AND reservation_id IS NULL"
    };
}

statements! {
    /// Before when what a kind ($1) says may be gone.
    KEPT_FROM = "SELECT from_s FROM kept_from WHERE kind = $1";

    /// What a kind ($1) says before an instant ($2) may be gone from now on.
    MOVE_KEPT_FROM = "UPDATE kept_from SET from_s = $2 WHERE kind = $1 AND from_s < $2";

    /// How many answers are old.
    OLD_ANSWERS = "SELECT COUNT(*) FROM idempotency_keys WHERE created_s < $1";

    /// Forgets the oldest answers.
    PRUNE_ANSWERS = "DELETE FROM idempotency_keys WHERE created_s < $1
        AND (owner, key) IN (SELECT owner, key FROM idempotency_keys WHERE created_s < $1 ORDER BY created_s LIMIT $2)";

    /// How many events are old.
    OLD_EVENTS = "SELECT COUNT(*) FROM events WHERE at_s < $1 AND id < (SELECT MAX(id) FROM events)";

    /// How many mails are old.
    OLD_MAILS = "SELECT COUNT(*) FROM mails WHERE state <> 'waiting' AND ended_s < $1";

    /// How many tokens are old.
    OLD_TOKENS = concat!("SELECT COUNT(*) ", old_tokens!());

    /// Forgets tokens that count no more.
    PRUNE_TOKENS = concat!("DELETE FROM api_tokens WHERE id IN (SELECT id ", old_tokens!(), " LIMIT $2)");

    /// How many offers were not chosen, among reservations of one state.
    OLD_OFFERS = concat!("SELECT COUNT(*) FROM offers AS n JOIN reservations AS c ON c.id = n.reservation_id
        WHERE n.id <> c.chosen_offer_id AND c.id IN (SELECT r.id ", old_offers!(), ")");

    /// Reservations with offers that were not chosen from an instant $4 on, by their ends.
    FIND_OFFERS = concat!("SELECT r.id, r.end_s ", old_offers!(), " AND r.end_s >= $4 ORDER BY r.end_s LIMIT $3");

    /// How many proposals of a state are old.
    OLD_PROPOSALS = concat!("SELECT COUNT(*) ", old_proposals!());

    /// Some of them.
    FIND_PROPOSALS = concat!("SELECT r.id ", old_proposals!(), " ORDER BY r.expires_s LIMIT $3");

    /// How many series are old.
    OLD_SERIES = concat!("SELECT COUNT(*) ", old_series!());

    /// Some of them.
    FIND_SERIES = concat!("SELECT id ", old_series!(), " ORDER BY id LIMIT $2");

    /// Forgets the occurrences of a series ($1).
    PRUNE_OCCURRENCES = "DELETE FROM series_occurrences WHERE series_id = $1";

    /// Forgets a series ($1).
    PRUNE_SERIES = "DELETE FROM series WHERE id = $1";

    /// How many reservations of a state are old.
    OLD_RESERVATIONS = concat!("SELECT COUNT(*) ", old_reservations!());

    /// Some of them, the first that ended first.
    FIND_RESERVATIONS = concat!("SELECT r.id ", old_reservations!(), " ORDER BY r.end_s LIMIT $3");

    /// How many values of old revisions of agendas there are.
    OLD_AGENDA_PIECES = concat!("SELECT COUNT(*) FROM agenda_pieces WHERE revision_id IN (SELECT r.id ", old_revisions!(), ")");

    /// Some of these revisions.
    FIND_AGENDA_REVISIONS = concat!("SELECT r.id ", old_revisions!(), " ORDER BY r.id LIMIT $2");

    /// How many revisions of feeds are old.
    OLD_FEED_REVISIONS = concat!("SELECT COUNT(*) ", old_feed_revisions!());

    /// Some of them.
    FIND_FEED_REVISIONS = concat!("SELECT r.id ", old_feed_revisions!(), " ORDER BY r.id LIMIT $2");

    /// How many power states ended before an instant.
    OLD_POWER_STATES = concat!(names!(), "SELECT CAST(COALESCE(SUM(counted.states), 0) AS BIGINT) FROM (
            SELECT (SELECT COUNT(*) FROM node_power_states AS s WHERE s.node = names.node AND s.since_s < ",
        newest_before!(), ") AS states FROM names) AS counted");

    /// Nodes of which several states began before an instant, each with the newest of them.
    FIND_POWER_STATES = concat!(names!(), "SELECT names.node, ", newest_before!(), " FROM names
        WHERE EXISTS (SELECT 1 FROM node_power_states AS s WHERE s.node = names.node AND s.since_s < ", newest_before!(), ")
        ORDER BY names.node LIMIT $2");

    /// Forgets the power states of a node ($1) before one of them ($2), at most $3.
    PRUNE_POWER_STATES = "DELETE FROM node_power_states WHERE node = $1 AND since_s IN (
        SELECT since_s FROM node_power_states WHERE node = $1 AND since_s < $2 ORDER BY since_s LIMIT $3)";

    /// How many power actions are old.
    OLD_POWER_ACTIONS = concat!("SELECT COUNT(*) ", old_actions!());

    /// Some of them.
    FIND_POWER_ACTIONS = concat!("SELECT a.id ", old_actions!(), " ORDER BY a.id LIMIT $2");

    /// How many entries of the power log are old.
    OLD_POWER_LOG = "SELECT COUNT(*) FROM power_log WHERE at_s < $1";

    /// Drops the oldest entries of the power log.
    PRUNE_POWER_LOG = "DELETE FROM power_log WHERE at_s < $1
        AND id IN (SELECT id FROM power_log WHERE at_s < $1 ORDER BY at_s LIMIT $2)";

    /// How many jobs outside of reservations are old.
    OLD_JOBS_OUTSIDE = concat!("SELECT COUNT(*) ", old_jobs!());

    /// Forgets the oldest jobs outside of reservations.
    PRUNE_JOBS_OUTSIDE = concat!("DELETE FROM managed_jobs WHERE reservation_id IS NULL AND (id, submitted_s) IN (
        SELECT id, submitted_s ", old_jobs!(), " ORDER BY end_s LIMIT $2)");

    /// How many simulations are old.
    OLD_SIMULATIONS = concat!("SELECT COUNT(*) ", old_simulations!());

    /// Some of them.
    FIND_SIMULATIONS = concat!("SELECT id ", old_simulations!(), " ORDER BY id LIMIT $2");

    /// Forgets a result of a simulation ($1) at a time, the first of its cells first.
    PRUNE_SIMULATION_RESULTS = "DELETE FROM simulation_results WHERE simulation_id = $1 AND cell = (
        SELECT MIN(cell) FROM simulation_results WHERE simulation_id = $1)";

    /// How many negotiations are old.
    OLD_NEGOTIATIONS = concat!("SELECT COUNT(*) ", old_negotiations!());

    /// Some of them.
    FIND_NEGOTIATIONS = concat!("SELECT id ", old_negotiations!(), " ORDER BY id LIMIT $2");

    /// Forgets the messages of a negotiation ($1).
    PRUNE_MESSAGES = "DELETE FROM negotiation_messages WHERE negotiation_id = $1";

    /// Forgets a negotiation ($1).
    PRUNE_NEGOTIATION = "DELETE FROM negotiations WHERE id = $1";

    /// How many audit records are old.
    OLD_AUDIT = "SELECT COUNT(*) FROM audit WHERE at_us < CAST($1 AS BIGINT) * 1000000";

    /// How many blocks of samples start before an instant.
    OLD_SAMPLES = "SELECT COUNT(*) FROM sample_blocks WHERE start_s < $1";

    /// How many blocks of quarter-hours start before an instant.
    OLD_QUARTERS = "SELECT COUNT(*) FROM quarter_blocks WHERE start_s < $1";

    /// How many blocks of samples there are.
    SAMPLES = "SELECT COUNT(*) FROM sample_blocks";

    /// How many blocks of quarter-hours there are.
    QUARTERS = "SELECT COUNT(*) FROM quarter_blocks";

    /// Forgets the oldest events, but never the newest: ids do not begin again.
    PRUNE_EVENTS = "DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY id LIMIT $2)
        AND at_s < $1 AND id < (SELECT MAX(id) FROM events)";

    /// Forgets mails that were sent or given up.
    PRUNE_MAILS = "DELETE FROM mails WHERE id IN (
        SELECT id FROM mails WHERE state <> 'waiting' AND ended_s < $1 LIMIT $2)";

    /// How many answers there are.
    ANSWERS = "SELECT COUNT(*) FROM idempotency_keys";

    /// How many events there are.
    EVENTS = "SELECT COUNT(*) FROM events";

    /// How many mails there are.
    MAILS = "SELECT COUNT(*) FROM mails";

    /// How many tokens there are.
    TOKENS = "SELECT COUNT(*) FROM api_tokens";

    /// How many offers there are.
    OFFERS = "SELECT COUNT(*) FROM offers";

    /// How many reservations of which no offer was chosen there are.
    PROPOSALS = "SELECT COUNT(*) FROM reservations WHERE chosen_offer_id IS NULL";

    /// How many series there are.
    SERIES = "SELECT COUNT(*) FROM series";

    /// How many reservations of which one was there are.
    RESERVATIONS = "SELECT COUNT(*) FROM reservations WHERE chosen_offer_id IS NOT NULL";

    /// How many values of revisions of agendas there are.
    AGENDA_PIECES = "SELECT COUNT(*) FROM agenda_pieces";

    /// How many revisions of feeds there are.
    FEED_REVISIONS = "SELECT COUNT(*) FROM feed_revisions";

    /// How many power states there are.
    POWER_STATES = "SELECT COUNT(*) FROM node_power_states";

    /// How many power actions there are.
    POWER_ACTIONS = "SELECT COUNT(*) FROM power_actions";

    /// How many entries of the power log there are.
    POWER_LOG = "SELECT COUNT(*) FROM power_log";

    /// How many jobs outside of reservations there are.
    JOBS_OUTSIDE = "SELECT COUNT(*) FROM managed_jobs WHERE reservation_id IS NULL";

    /// How many simulations there are.
    SIMULATIONS = "SELECT COUNT(*) FROM simulations";

    /// How many negotiations there are.
    NEGOTIATIONS = "SELECT COUNT(*) FROM negotiations";

    /// How many audit records there are.
    AUDIT = "SELECT COUNT(*) FROM audit";
}

/// Forgets values of revisions; their ids follow.
pub const PRUNE_AGENDA_PIECES_WHERE: &str = "DELETE FROM agenda_pieces WHERE revision_id IN ";

/// Forgets revisions of feeds; their ids follow.
pub const PRUNE_FEED_REVISIONS_WHERE: &str = "DELETE FROM feed_revisions WHERE id IN ";

/// Forgets power actions; their ids follow.
pub const PRUNE_POWER_ACTIONS_WHERE: &str = "DELETE FROM power_actions WHERE id IN ";

/// What goes with the offers that were not chosen; the ids of their reservations follow. The order is that of references.
pub const PRUNE_OFFERS_OF: [&str; 4] = [
    "DELETE FROM expected_offers WHERE reservation_id IN (",
    "DELETE FROM outlooks WHERE reservation_id IN (",
    "DELETE FROM allocations WHERE offer_id <> (SELECT r.chosen_offer_id FROM reservations AS r
        WHERE r.id = allocations.reservation_id) AND reservation_id IN (",
    "DELETE FROM offers WHERE id <> (SELECT r.chosen_offer_id FROM reservations AS r
        WHERE r.id = offers.reservation_id) AND reservation_id IN (",
];

/// What goes with reservations, and these; their ids follow. The order is that of references. Power actions stay.
pub const PRUNE_RESERVATIONS_OF: [&str; 10] = [
    "DELETE FROM expected_offers WHERE reservation_id IN (",
    "DELETE FROM outlooks WHERE reservation_id IN (",
    "DELETE FROM power_excesses WHERE reservation_id IN (",
    "DELETE FROM shared_reservations WHERE reservation_id IN (",
    "DELETE FROM managed_jobs WHERE reservation_id IN (",
    "DELETE FROM managed_reservations WHERE reservation_id IN (",
    "UPDATE power_actions SET reservation_id = NULL WHERE reservation_id IN (",
    "DELETE FROM allocations WHERE reservation_id IN (",
    "DELETE FROM offers WHERE reservation_id IN (",
    "DELETE FROM reservations WHERE id IN (",
];
