//! The ledger, and what it rests on.

use crate::managed_jobs::sql::job_columns;
use crate::power_actions::sql::power_action_columns;
use crate::statements::statements;

/// What is read and written of rows beside their ids and quarter-hours.
macro_rules! columns {
    () => {
        "hour_s, number, counted_s, holder, reservation_id, job_id, user_name, owner, project,
         application, partition_name, nodes, node_s, missing_s, measured_j, estimated_j,
         cost_millionths, unpriced_j, currency, co2_location_mg, unrated_j, co2_market_mg,
         other_co2_mg, other_rated_j, job_raw_id, job_submitted_s"
    };
}

/// What is read of rows. Those of releases that knew no quarter-hours count as drawn evenly.
macro_rules! read_columns {
    () => {
        concat!(
            "id, ",
            columns!(),
            ", COALESCE(quarter1_j, (measured_j + estimated_j) / 4) AS quarter1_j,
            COALESCE(quarter2_j, (measured_j + estimated_j) / 4) AS quarter2_j,
            COALESCE(quarter3_j, (measured_j + estimated_j) / 4) AS quarter3_j,
            COALESCE(quarter4_j, measured_j + estimated_j - (measured_j + estimated_j) / 4 * 3)
                AS quarter4_j"
        )
    };
}

/// What rows amount to.
macro_rules! sums {
    () => {
        "CAST(SUM(node_s) AS BIGINT) AS node_s,
         CAST(SUM(missing_s) AS BIGINT) AS missing_s,
         CAST(SUM(measured_j) AS BIGINT) AS measured_j,
         CAST(SUM(estimated_j) AS BIGINT) AS estimated_j,
         CAST(SUM(cost_millionths) AS BIGINT) AS cost_millionths,
         CAST(SUM(unpriced_j) AS BIGINT) AS unpriced_j,
         CAST(SUM(co2_location_mg) AS BIGINT) AS co2_location_mg,
         CAST(SUM(unrated_j) AS BIGINT) AS unrated_j,
         CAST(SUM(co2_market_mg) AS BIGINT) AS co2_market_mg,
         CAST(SUM(other_co2_mg) AS BIGINT) AS other_co2_mg,
         CAST(SUM(other_rated_j) AS BIGINT) AS other_rated_j"
    };
}

statements! {
    /// Notes that an hour is stated, unless it is already by this number.
    INSERT_STATEMENT = "INSERT INTO ledger_statements (hour_s, number, counted_s, stated_s, serial,
            other_co2_accounting)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (hour_s, number) DO NOTHING";

    /// The serial of a statement that is about to be made: nobody else gets one until it is committed.
    NEXT_SERIAL = "UPDATE ledger_marks SET statements = statements + 1 WHERE id = 1 RETURNING statements";

    /// Hours before this instant are not stated anew.
    SEALED_UNTIL = "SELECT from_s FROM kept_from WHERE kind = 'hours'";

    /// The newest hour that was stated.
    NEWEST_HOUR = "SELECT MAX(hour_s) FROM ledger_statements";

    /// The hours that were stated in a window.
    STATED_HOURS = "SELECT hour_s FROM ledger_statements
        WHERE number = 0 AND hour_s >= $1 AND hour_s < $2 ORDER BY hour_s";

    /// How often an hour was stated.
    STATEMENTS_OF_HOUR = "SELECT COUNT(*) FROM ledger_statements WHERE hour_s = $1";

    /// How statements that count in a window count CO2 by the accounting that the site does not plan by.
    OTHER_ACCOUNTINGS = "SELECT DISTINCT other_co2_accounting FROM ledger_statements
        WHERE counted_s >= $1 AND counted_s < $2 AND other_co2_accounting IS NOT NULL
        ORDER BY other_co2_accounting";

    /// All rows of an hour, those of its corrections too, in the order in which they were stated.
    ROWS_OF_HOUR = concat!("SELECT ", read_columns!(), " FROM ledger_rows WHERE hour_s = $1 ORDER BY id");

    /// The rows of an hour that count in it.
    ROWS_IN_HOUR = concat!("SELECT ", read_columns!(), " FROM ledger_rows
        WHERE hour_s = $1 AND counted_s = $1 ORDER BY id");

    /// What all rows of each hour that count in it and in a window amount to by quarter-hour.
    QUARTERS_IN_HOURS = concat!("SELECT hour_s, CAST(SUM(quarter1_j) AS BIGINT) AS quarter1_j,
            CAST(SUM(quarter2_j) AS BIGINT) AS quarter2_j,
            CAST(SUM(quarter3_j) AS BIGINT) AS quarter3_j,
            CAST(SUM(quarter4_j) AS BIGINT) AS quarter4_j
        FROM (SELECT ", read_columns!(), " FROM ledger_rows
            WHERE counted_s = hour_s AND counted_s >= $1 AND counted_s < $2) AS stated
        GROUP BY hour_s ORDER BY hour_s");

    /// What users used on days before an instant, by the age of the day.
    USED_BY_DAY = "SELECT ($1 - 1 - counted_s) / 86400 AS age_days, user_name, project,
            CAST(SUM(CASE WHEN reservation_id IS NOT NULL OR holder = 'job' THEN node_s ELSE 0 END) AS BIGINT)
                AS node_s,
            CAST(SUM(measured_j + estimated_j) AS BIGINT) AS energy_j,
            CAST(COALESCE(SUM(CASE WHEN currency = $3 THEN cost_millionths END), 0) AS BIGINT) AS cost_millionths,
            CAST(COALESCE(SUM(co2_location_mg), 0) AS BIGINT) AS co2_location_mg
        FROM ledger_rows WHERE counted_s < $1 AND counted_s >= $2 AND user_name <> ''
        GROUP BY age_days, user_name, project ORDER BY age_days, user_name, project";

    /// When the first nodes were put whose epoch can be read.
    FIRST_EPOCH = "SELECT MIN(created_s) FROM calibration_epochs WHERE digest IS NOT NULL";

    /// Up to which revision of agendas stated hours were looked at again, and the newest there is.
    LEDGER_MARK = "SELECT revision_id,
            (SELECT COALESCE(MAX(id), 0) FROM agenda_revisions) AS newest
        FROM ledger_marks WHERE id = 1";

    /// From when to when revisions of prices and intensities, after one and up to another, speak of what
    /// lies before an instant.
    REVISED_BEFORE = "SELECT MIN(span_start_s) AS start_s, MAX(span_end_s) AS end_s
        FROM agenda_revisions
        WHERE id > $1 AND id <= $2 AND span_start_s < $3 AND quantity IN ('price', 'co2')";

    /// Stated hours were looked at again up to a revision.
    PUT_LEDGER_MARK = "UPDATE ledger_marks SET revision_id = $1 WHERE id = 1 AND revision_id < $1";

    /// The epochs that were in force in a window.
    EPOCHS_DURING = "SELECT id, created_s FROM calibration_epochs
        WHERE digest IS NOT NULL AND created_s < $2 AND (created_s > $1 OR id = (
            SELECT MAX(id) FROM calibration_epochs WHERE digest IS NOT NULL AND created_s <= $1))
        ORDER BY id";

    /// The nodes that reservations had in a window by the offers that were chosen. Rows of one offer and
    /// span follow each other.
    HELD_DURING = "SELECT a.reservation_id, a.offer_id, r.owner, r.request, a.epoch, a.first_rank,
            a.end_rank, a.start_s, a.end_s,
            CASE WHEN o.power_state IS NOT NULL THEN o.energy_uj END AS slowed_energy_uj,
            o.end_s - o.start_s AS length_s, o.node_ranges,
            EXISTS (SELECT 1 FROM managed_reservations AS m
                WHERE m.reservation_id = r.id AND m.pushed IS NOT NULL) AS managed
        FROM allocations AS a CROSS JOIN reservations AS r CROSS JOIN offers AS o
        WHERE r.id = a.reservation_id AND o.id = a.offer_id
          AND a.end_s > $1 AND a.start_s < $2 AND a.offer_id = r.chosen_offer_id
          AND r.state || '' IN ('confirmed', 'active', 'completed', 'cancelled', 'failed')
        ORDER BY COALESCE(a.offer_id, a.reservation_id), a.start_s, a.first_rank";

    /// The jobs that ran in a window. One that runs may end later than was expected. Each case is found by an index.
    JOBS_DURING = concat!("SELECT ", job_columns!(), " FROM managed_jobs
        WHERE start_s < $2 AND (phase = 'running' OR (phase = 'ended' AND end_s > $1))
        ORDER BY id, submitted_s");

    /// The power actions that switched nodes in a window. Of those that failed or were given up nothing is
    /// known. Each case is found by an index.
    SWITCHED_DURING = concat!("SELECT ", power_action_columns!(), " FROM power_actions
        WHERE ordered_s < $2 AND action IN ('power_up', 'power_down')
          AND ((state IN ('ordered', 'done') AND done_s IS NULL) OR (state IN ('ordered', 'done') AND done_s > $1))
        ORDER BY id");
}

/// New rows.
pub const ROWS_BULK: &str = concat!(
    "INSERT INTO ledger_rows (",
    columns!(),
    ", quarter1_j, quarter2_j, quarter3_j, quarter4_j) "
);

/// Rows that count in a window, with what their statements say.
pub const ROWS_WHERE: &str = concat!(
    "SELECT ",
    read_columns!(),
    ", (SELECT it.other_co2_accounting FROM ledger_statements AS it
        WHERE it.hour_s = ledger_rows.hour_s AND it.number = ledger_rows.number) AS other_co2_accounting
    FROM ledger_rows WHERE counted_s >= "
);

/// What the rows of each holder that count in a window amount to.
pub const GROUPS_WHERE: &str =
    concat!("SELECT holder, currency, ", sums!(), " FROM ledger_rows WHERE counted_s >= ");

/// What rows amount to by the keys that stand before.
pub const REPORT_SUMS: &str = concat!(
    "currency,
        CAST(SUM(CASE WHEN reservation_id IS NOT NULL THEN node_s ELSE 0 END) AS BIGINT) AS reserved_s,
        CAST(SUM(CASE WHEN holder = 'job' THEN node_s ELSE 0 END) AS BIGINT) AS used_s,
        CAST(SUM(CASE WHEN holder = 'job' AND reservation_id IS NULL THEN node_s ELSE 0 END) AS BIGINT)
            AS outside_s,
        CAST(SUM(CASE WHEN holder = 'facility' THEN measured_j + estimated_j ELSE 0 END) AS BIGINT)
            AS facility_j, ",
    sums!(),
    " FROM ledger_rows WHERE counted_s >= "
);

/// What rows amount to by what a bill tells.
pub const BILL_SUMS: &str = concat!(
    "SELECT holder, reservation_id, user_name, project, ",
    sums!(),
    " FROM ledger_rows WHERE counted_s >= "
);

/// What rows of reservations amount to by the keys that stand before.
pub const REPORT_PARTS: &str = "currency, reservation_id,
        CAST(SUM(measured_j + estimated_j) AS BIGINT) AS energy_j,
        CAST(SUM(cost_millionths) AS BIGINT) AS cost_millionths,
        CAST(SUM(unpriced_j) AS BIGINT) AS unpriced_j,
        CAST(SUM(co2_location_mg) AS BIGINT) AS co2_location_mg,
        CAST(SUM(unrated_j) AS BIGINT) AS unrated_j
    FROM ledger_rows WHERE counted_s >= ";

/// The joules of all rows of reservations.
pub const WHOLE_WHERE: &str = "SELECT reservation_id,
        CAST(SUM(measured_j) AS BIGINT) AS measured_j,
        CAST(SUM(estimated_j) AS BIGINT) AS estimated_j
    FROM ledger_rows WHERE reservation_id IN (";

/// The end of [`GROUPS_WHERE`].
pub const GROUPS_END: &str = " GROUP BY holder, currency ORDER BY holder, currency";
