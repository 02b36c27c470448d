//! What is held, and what was stated of it.

use crate::statements::statements;

/// Spans that reservations held or hold, each with the number of nodes and the amounts of its offer; which reservations
/// follows. The joins are crossed so that SQLite begins with them: see [`CHOSEN_LATE`](crate::reservations::sql::CHOSEN_LATE).
macro_rules! spans_where {
    () => {
        "SELECT r.id, r.owner, r.project, r.request,
            CASE WHEN r.chosen_offer_id IS NULL THEN r.expires_s END AS held_until_s,
            o.id AS offer_id, a.start_s, a.end_s,
            CAST(SUM(a.end_rank - a.first_rank) AS BIGINT) AS nodes,
            o.end_s AS offer_end_s,
            CASE WHEN a.end_s < o.end_s THEN o.node_ranges END AS freed_ranges, o.energy_uj, o.cost_exact, o.co2_exact
        FROM reservations AS r CROSS JOIN allocations AS a CROSS JOIN offers AS o
        WHERE a.reservation_id = r.id AND o.id = a.offer_id AND r.id"
    };
}

/// Of those that are held, in order.
macro_rules! spans_order {
    () => {
        " AND (r.chosen_offer_id = a.offer_id
            OR (r.chosen_offer_id IS NULL AND r.state || '' = 'proposed'))
        GROUP BY r.id, o.id, a.start_s, a.end_s
        ORDER BY r.id, o.id, a.start_s, a.end_s"
    };
}

/// What rows of reservations amount to by hour; what follows says in which hours they count.
macro_rules! stated_hours {
    () => {
        "SELECT reservation_id, counted_s,
            CAST(SUM(measured_j + estimated_j) AS BIGINT) AS energy_j,
            CAST(SUM(cost_millionths) AS BIGINT) AS cost_millionths,
            CAST(SUM(unpriced_j) AS BIGINT) AS unpriced_j,
            CAST(SUM(co2_location_mg) AS BIGINT) AS co2_location_mg,
            CAST(SUM(unrated_j) AS BIGINT) AS unrated_j
        FROM ledger_rows WHERE reservation_id IS NOT NULL AND"
    };
}

macro_rules! by_hour {
    () => {
        " GROUP BY counted_s, reservation_id ORDER BY counted_s, reservation_id"
    };
}

statements! {
    /// All spans of the reservations that held or hold something after an instant.
    SPANS_SINCE = concat!(spans_where!(), " IN (SELECT reservation_id FROM allocations WHERE end_s > $1)", spans_order!());

    /// The reservations that changed after a count.
    CHANGED_IDS = "SELECT id FROM reservations WHERE changed > $1";

    /// The serial of the newest statement of the ledger.
    NEWEST_SERIAL = "SELECT statements FROM ledger_marks WHERE id = 1";

    /// The statements of the ledger after a serial: the hours, their numbers, and the hours in which they count.
    STATEMENTS_AFTER = "SELECT hour_s, number, counted_s FROM ledger_statements WHERE serial > $1 ORDER BY serial";

    /// What the rows of reservations that count since an instant amount to by hour, which they are found by.
    STATED_HOURS_OF = concat!(stated_hours!(), " counted_s >= $1", by_hour!());
}

/// All spans of these reservations, which follow; [`SPANS_ORDER`] ends it. Both engines find them by the reservations: PostgreSQL
/// went through all that is held where these were those that changed after a count, of which it does not know that they are few.
pub const SPANS_OF_WHERE: &str = spans_where!();

/// The end of [`SPANS_OF_WHERE`].
pub const SPANS_ORDER: &str = spans_order!();

/// What the rows of reservations amount to that count in some hours, which follow; [`BY_HOUR`] ends it.
pub const STATED_HOURS_WHERE: &str = concat!(stated_hours!(), " counted_s IN (");

/// The end of [`STATED_HOURS_WHERE`].
pub const BY_HOUR: &str = concat!(")", by_hour!());
