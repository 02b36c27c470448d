//! Calibration that follows what meters measure.

use crate::statements::statements;

/// What is read and written of nodes.
macro_rules! columns {
    () => {
        "node_name, idle_power_uw, idle_spread_uw, idle_quarters, max_power_uw, max_spread_uw,
         max_quarters, drifted, outlying, fault, error_quarters, error_mean, error_mean_absolute,
         proposal, proposed_s, proposed_idle_uw, proposed_max_uw"
    };
}

statements! {
    /// How calibration stands.
    RECALIBRATION = "SELECT version, judged_s, from_s, to_s FROM recalibrations WHERE id = 1";

    /// Nodes are judged, unless anything was written since a version.
    JUDGE = "UPDATE recalibrations SET version = version + 1, judged_s = $2, from_s = $3, to_s = $4
        WHERE id = 1 AND version = $1";

    /// A proposal is decided on.
    COUNT_DECISION = "UPDATE recalibrations SET version = version + 1 WHERE id = 1";

    /// Forgets what nodes were found to draw, to be written anew.
    DELETE_FINDINGS = "DELETE FROM node_findings";

    /// All nodes as they were judged last.
    FINDINGS = concat!("SELECT ", columns!(), " FROM node_findings ORDER BY node_name");

    /// The nodes with the greatest error without its sign, at most so many.
    WORST_FINDINGS = concat!("SELECT ", columns!(), " FROM node_findings
        WHERE error_mean_absolute IS NOT NULL
        ORDER BY error_mean_absolute DESC, node_name LIMIT $1");

    /// How many nodes there are of each standing.
    JUDGED_COUNTS = "SELECT COUNT(*) AS nodes,
            COUNT(CASE WHEN drifted THEN 1 END) AS drifted,
            COUNT(CASE WHEN outlying THEN 1 END) AS outlying,
            COUNT(fault) AS failing,
            COUNT(CASE WHEN proposal = 'open' THEN 1 END) AS proposed,
            COUNT(CASE WHEN proposal = 'rejected' THEN 1 END) AS rejected
        FROM node_findings";

    /// What a run drew, as it is known now.
    PUT_RUN = "INSERT INTO measured_runs (reservation_id, owner, application, start_s, end_s, quarters,
            utilisation, alpha)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (reservation_id) DO UPDATE SET start_s = excluded.start_s, end_s = excluded.end_s,
            quarters = excluded.quarters, utilisation = excluded.utilisation, alpha = excluded.alpha";

    /// Forgets runs that ended before an instant.
    FORGET_RUNS = "DELETE FROM measured_runs WHERE end_s < $1";

    /// The utilisations of the newest runs of an application, at least so many quarter-hours long, at most so many.
    RUNS_OF_APPLICATION = "SELECT utilisation FROM measured_runs
        WHERE application = $1 AND quarters >= $2 AND utilisation IS NOT NULL
        ORDER BY end_s DESC, reservation_id DESC LIMIT $3";

    /// Which nodes were occupied in a quarter-hour.
    OCCUPIED_QUARTER = "SELECT quarter, epoch, looks, ordinals FROM occupied_quarters
        WHERE quarter = $1";

    /// Which nodes were occupied in the quarter-hours from one number on and before another.
    OCCUPIED_QUARTERS = "SELECT quarter, epoch, looks, ordinals FROM occupied_quarters
        WHERE quarter >= $1 AND quarter < $2 ORDER BY quarter";

    /// Which nodes are occupied in a quarter-hour, as far as is known.
    PUT_OCCUPIED_QUARTER = "INSERT INTO occupied_quarters (quarter, epoch, looks, ordinals)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (quarter) DO UPDATE SET epoch = excluded.epoch, looks = excluded.looks,
            ordinals = excluded.ordinals";

    /// Forgets quarter-hours before a number.
    FORGET_OCCUPIED = "DELETE FROM occupied_quarters WHERE quarter < $1";
}

/// Nodes as they were judged.
pub const FINDINGS_BULK: &str = concat!("INSERT INTO node_findings (", columns!(), ") ");

/// Nodes as they were judged; conditions follow.
pub const FINDINGS_WHERE: &str =
    concat!("SELECT ", columns!(), " FROM node_findings WHERE node_name > ");

/// What the rows of each reservation amount to that has some in a window; [`RESERVATION_SUMS_OWNER`] may follow, and
/// [`RESERVATION_SUMS_END`] does.
pub const RESERVATION_SUMS: &str = "SELECT reservation_id, application,
        CAST(SUM(node_s) AS BIGINT) AS node_s,
        CAST(SUM(measured_j) AS BIGINT) AS measured_j,
        CAST(SUM(estimated_j) AS BIGINT) AS estimated_j,
        CAST(SUM(cost_millionths) AS BIGINT) AS cost_millionths,
        CAST(SUM(unpriced_j) AS BIGINT) AS unpriced_j,
        CAST(SUM(co2_location_mg) AS BIGINT) AS co2_location_mg,
        CAST(SUM(unrated_j) AS BIGINT) AS unrated_j
    FROM ledger_rows WHERE reservation_id IN (SELECT reservation_id FROM ledger_rows
        WHERE reservation_id IS NOT NULL AND counted_s >= ";

/// Of one owner.
pub const RESERVATION_SUMS_OWNER: &str = ") AND owner = ";

/// The end where it is of all.
pub const RESERVATION_SUMS_OF_ALL: &str = ")";

/// The end of both.
pub const RESERVATION_SUMS_END: &str = " GROUP BY reservation_id, application";

/// Proposals are rejected, by the names of nodes that follow.
pub const REJECT_WHERE: &str =
    "UPDATE node_findings SET proposal = 'rejected' WHERE proposal = 'open' AND node_name IN ";

/// Proposals are taken, by the names of nodes that follow: these differ no more from what is in force.
pub const TAKE_WHERE: &str = "UPDATE node_findings SET proposal = NULL, drifted = (1 = 0)
    WHERE proposal = 'open' AND node_name IN ";
