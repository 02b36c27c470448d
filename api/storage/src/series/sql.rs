//! Series and their occurrences.

use crate::statements::statements;

macro_rules! series_columns {
    () => {
        "id, owner, project, standing, state, request, rule, being_made, releases, created_s, ended_s, revision, row_version"
    };
}

macro_rules! occurrence_columns {
    () => {
        "o.series_id, o.occurrence, o.earliest_start_s, o.latest_start_s, o.known_by_s, o.state, o.is_exception, \
         o.reservation_id, o.revision, o.next_try_s, o.reason_code, o.reason, o.version"
    };
}

/// Occurrences by their reservations.
pub const OCCURRENCES_BY_RESERVATION_WHERE: &str = concat!(
    "SELECT ",
    occurrence_columns!(),
    " FROM series_occurrences o WHERE o.reservation_id IN ("
);

statements! {
    /// Stores a series.
    INSERT_SERIES = concat!("INSERT INTO series (", series_columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)");

    /// One series.
    SERIES = concat!("SELECT ", series_columns!(), " FROM series WHERE id = $1");

    /// Series.
    SERIES_WHERE = concat!("SELECT ", series_columns!(), " FROM series WHERE 1 = 1");

    /// A series as it is to be, if it is still at row version $13.
    UPDATE_SERIES = "UPDATE series SET owner = $2, project = $3, standing = $4, state = $5, request = $6, rule = $7,
            being_made = $8, releases = $9, created_s = $10, ended_s = $11, revision = $12, row_version = row_version + 1
        WHERE id = $1 AND row_version = $13";

    /// The first bookings of a series have all been tried.
    SERIES_MADE = "UPDATE series SET being_made = FALSE WHERE id = $1 AND being_made = TRUE";

    /// Series of which nothing is left to come at $1.
    COMPLETE_SERIES = "UPDATE series SET state = 'completed', ended_s = $1, row_version = row_version + 1
        WHERE state = 'running' AND NOT EXISTS (SELECT 1 FROM series_occurrences o
            WHERE o.series_id = series.id AND (o.next_try_s IS NOT NULL OR o.known_by_s > $1))";

    /// Whether something of a series is left to come at $1.
    ANY_SERIES_TO_COMPLETE = "SELECT EXISTS (SELECT 1 FROM series
        WHERE state = 'running' AND NOT EXISTS (SELECT 1 FROM series_occurrences o
            WHERE o.series_id = series.id AND (o.next_try_s IS NOT NULL OR o.known_by_s > $1)))";

    /// Stores an occurrence.
    INSERT_OCCURRENCE = "INSERT INTO series_occurrences (series_id, occurrence, earliest_start_s, latest_start_s, known_by_s,
            state, is_exception, reservation_id, revision, next_try_s, reason_code, reason, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

    /// An occurrence as it is to be, if it is still at version $13.
    UPDATE_OCCURRENCE = "UPDATE series_occurrences SET earliest_start_s = $3, latest_start_s = $4, known_by_s = $5,
            state = $6, is_exception = $7, reservation_id = $8, revision = $9, next_try_s = $10, reason_code = $11,
            reason = $12, version = version + 1
        WHERE series_id = $1 AND occurrence = $2 AND version = $13";

    /// The occurrence $2 has the name $3 now.
    RENAME_OCCURRENCE = "UPDATE series_occurrences SET occurrence = $3 WHERE series_id = $1 AND occurrence = $2";

    /// The occurrences of a series, in time order.
    OCCURRENCES_OF = concat!("SELECT ", occurrence_columns!(), " FROM series_occurrences o
        WHERE o.series_id = $1 ORDER BY o.earliest_start_s, o.occurrence");

    /// One occurrence.
    OCCURRENCE = concat!("SELECT ", occurrence_columns!(), " FROM series_occurrences o
        WHERE o.series_id = $1 AND o.occurrence = $2");

    /// The occurrence $1 of which a reservation is.
    OCCURRENCE_BY_RESERVATION = concat!("SELECT ", occurrence_columns!(), " FROM series_occurrences o
        WHERE o.reservation_id = $1");

    /// What is to be done by $1: where it waits, with its window known until $2 or opening by $3; at most $4.
    OCCURRENCES_DUE = concat!("SELECT ", occurrence_columns!(), " FROM series_occurrences o
        WHERE o.next_try_s <= $1
            AND (o.state <> 'waiting' OR o.known_by_s <= $2 OR o.earliest_start_s <= $3)
        ORDER BY o.next_try_s, o.earliest_start_s, o.series_id LIMIT $4");

    /// Occurrences of the series $5 that are due, as [`OCCURRENCES_DUE`].
    OCCURRENCES_DUE_OF = concat!("SELECT ", occurrence_columns!(), " FROM series_occurrences o
        WHERE o.next_try_s <= $1
            AND (o.state <> 'waiting' OR o.known_by_s <= $2 OR o.earliest_start_s <= $3)
            AND o.series_id = $5
        ORDER BY o.earliest_start_s, o.occurrence LIMIT $4");

    /// The occurrence of a reservation was changed on its own.
    SET_EXCEPTION = "UPDATE series_occurrences SET is_exception = TRUE, version = version + 1
        WHERE reservation_id = $1 AND is_exception = FALSE";
}
