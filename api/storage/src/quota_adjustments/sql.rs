//! Quota adjustments.

use crate::statements::statements;

/// All columns of quota adjustments.
macro_rules! columns {
    () => {
        "id, made_by, reason, created_s, row_version, from_s, to_s, partition, project, job_type, user_name, \
         nodes, reservations, node_hours, energy_kwh, cost, co2_kg, with_below, per, period_from, period_to"
    };
}

statements! {
    /// A new adjustment.
    INSERT_QUOTA_ADJUSTMENT = concat!("INSERT INTO quota_adjustments (", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)");

    /// One adjustment.
    QUOTA_ADJUSTMENT = concat!("SELECT ", columns!(), " FROM quota_adjustments WHERE id = $1");

    /// Adjustments that end after an instant, or do not, in the order in which they were made.
    LASTING_QUOTA_ADJUSTMENTS = concat!("SELECT ", columns!(), " FROM quota_adjustments
        WHERE to_s IS NULL OR to_s > $1 ORDER BY id");

    /// A page of those after an id that end after an instant, or do not, and begin at another or before.
    QUOTA_ADJUSTMENTS = concat!("SELECT ", columns!(), " FROM quota_adjustments
        WHERE id > $1 AND (to_s IS NULL OR to_s > $2) AND from_s <= $3 ORDER BY id LIMIT $4");

    /// Changes what may change of an adjustment that is as it was read.
    CHANGE_QUOTA_ADJUSTMENT = "UPDATE quota_adjustments
        SET reason = $3, to_s = $4, nodes = $5, reservations = $6, node_hours = $7, energy_kwh = $8, cost = $9,
            co2_kg = $10, with_below = $11, per = $12, period_from = $13, period_to = $14, row_version = row_version + 1
        WHERE id = $1 AND row_version = $2";

    /// Ends an adjustment at an instant.
    END_QUOTA_ADJUSTMENT = "UPDATE quota_adjustments SET to_s = $2, row_version = row_version + 1 WHERE id = $1";

    /// Takes an adjustment back that has yet to begin.
    DELETE_QUOTA_ADJUSTMENT = "DELETE FROM quota_adjustments WHERE id = $1";
}
