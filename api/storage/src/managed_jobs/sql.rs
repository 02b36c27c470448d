//! Jobs of the resource manager.

use crate::statements::statements;

/// What is read of jobs.
macro_rules! job_columns {
    () => {
        "id, submitted_s, reservation_id, user_name, account, partition_name, job_name, state, phase, start_s, \
         end_s, limit_s, nodes, ran_in, energy_uj, raw_id"
    };
}
pub(crate) use job_columns;

statements! {
    /// Forgets one, by its id and when it was submitted.
    FORGET_MANAGED_JOB = "DELETE FROM managed_jobs WHERE id = $1 AND submitted_s = $2";

    /// Jobs outside of reservations that run.
    RUNNING_JOBS_OUTSIDE = concat!("SELECT ", job_columns!(), " FROM managed_jobs WHERE phase = 'running' AND reservation_id IS NULL
        ORDER BY id, submitted_s");

    /// Those that ran and ended last, whoever's they are.
    LAST_ENDED_JOBS = concat!("SELECT ", job_columns!(), " FROM managed_jobs
        WHERE phase = 'ended' AND end_s IS NOT NULL AND start_s IS NOT NULL
        ORDER BY end_s DESC, id LIMIT $1");

    /// When jobs outside of reservations were seen last.
    JOBS_OUTSIDE_SEEN = "SELECT seen_s FROM managed_jobs_seen WHERE id = 1";

    /// Notes when jobs outside of reservations were seen last.
    PUT_JOBS_OUTSIDE_SEEN = "INSERT INTO managed_jobs_seen (id, seen_s) VALUES (1, $1)
        ON CONFLICT (id) DO UPDATE SET seen_s = excluded.seen_s";

    /// Jobs outside of reservations may have run unseen since they were seen last, until an instant; what was not asked for
    /// yet stays.
    NOTE_UNSEEN_OUTSIDE = "UPDATE managed_jobs_seen SET unseen_from_s = COALESCE(unseen_from_s, seen_s), unseen_to_s = $1
        WHERE id = 1 AND seen_s < $1";

    /// Over which time jobs outside of reservations may have run unseen.
    UNSEEN_OUTSIDE = "SELECT unseen_from_s, unseen_to_s FROM managed_jobs_seen
        WHERE id = 1 AND unseen_from_s IS NOT NULL";

    /// Those that ran unseen until an instant are known.
    KNOWN_OUTSIDE = "UPDATE managed_jobs_seen SET
            unseen_from_s = CASE WHEN unseen_to_s > $1 THEN $1 END,
            unseen_to_s = CASE WHEN unseen_to_s > $1 THEN unseen_to_s END
        WHERE id = 1";

    /// A page of a reservation's jobs behind one, by submission.
    MANAGED_JOBS_PAGE = concat!("SELECT ", job_columns!(), " FROM managed_jobs
        WHERE reservation_id = $1 AND (submitted_s > $2 OR (submitted_s = $2 AND id > $3))
        ORDER BY submitted_s, id LIMIT $4");

    /// Jobs that ended after an instant and whose consumption is not known; those in one state after another one.
    UNACCOUNTED_MANAGED_JOBS = concat!("SELECT ", job_columns!(), " FROM managed_jobs
        WHERE phase = 'ended' AND energy_uj IS NULL AND reservation_id IS NOT NULL
          AND (end_s >= $1 OR (state = $2 AND end_s >= $3))
        ORDER BY end_s, id LIMIT $4");
}

/// Jobs that last, and those that ended after an instant; reservations' ids follow.
pub const RECENT_MANAGED_JOBS: &str = concat!(
    "SELECT ",
    job_columns!(),
    " FROM managed_jobs WHERE (phase <> 'ended' OR end_s IS NULL OR end_s >= "
);

/// The newest jobs of each reservation: ids of reservations and [`NEWEST_MANAGED_JOBS_END`] follow.
pub const NEWEST_MANAGED_JOBS: &str = concat!(
    "SELECT ",
    job_columns!(),
    " FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY reservation_id
            ORDER BY submitted_s DESC, id DESC) AS place
        FROM managed_jobs WHERE reservation_id IN ("
);

/// The greatest number for each follows.
pub const NEWEST_MANAGED_JOBS_END: &str = ")) AS numbered WHERE place <= ";

/// What jobs are together: now, what stands between names of nodes, ids of reservations and
/// [`MANAGED_JOBS_SUMMARY_END`] follow.
pub const MANAGED_JOBS_SUMMARY: &str = "SELECT reservation_id, COUNT(*) AS jobs,
        SUM(CASE WHEN phase <> 'ended' THEN 1 ELSE 0 END) AS lasting,
        SUM(CASE WHEN phase = 'ended' AND end_s IS NULL THEN 1 ELSE 0 END) AS unknown_ends,
        SUM(CASE WHEN start_s IS NOT NULL THEN 1 ELSE 0 END) AS begun,
        MAX(CASE WHEN phase = 'ended' THEN end_s END) AS last_end_s,
        CAST(SUM(CASE WHEN phase = 'waiting' OR nodes = '' OR start_s IS NULL OR stop_s <= start_s
                THEN 0 ELSE (LENGTH(nodes) - LENGTH(REPLACE(nodes, tab, '')) + 1) * (stop_s - start_s)
            END) AS BIGINT) AS used_node_seconds
    FROM (SELECT reservation_id, phase, nodes, start_s, end_s, tab,
            CASE WHEN phase = 'ended' AND end_s < now_s THEN end_s ELSE now_s END AS stop_s
        FROM managed_jobs CROSS JOIN (SELECT CAST(";

/// Between now and the tab.
pub const MANAGED_JOBS_SUMMARY_TAB: &str = " AS BIGINT) AS now_s, CAST(";

/// Between the tab and the ids.
pub const MANAGED_JOBS_SUMMARY_IDS: &str = " AS TEXT) AS tab) AS given WHERE reservation_id IN (";

/// Behind the ids.
pub const MANAGED_JOBS_SUMMARY_END: &str = ")) AS jobs GROUP BY reservation_id";

/// Jobs; [`MANAGED_JOBS_BULK_KNOWN`] follows the rows.
pub const MANAGED_JOBS_BULK: &str = "INSERT INTO managed_jobs (id, submitted_s, reservation_id,
    user_name, account, partition_name, job_name, state, phase, start_s, end_s, limit_s, nodes, ran_in,
    energy_uj, raw_id) ";

/// What may change of jobs that are known; which of them do follows. An energy that was measured and a raw id stay where
/// none is told, and so does the reservation that a job is of.
pub const MANAGED_JOBS_BULK_KNOWN: &str = " ON CONFLICT (id, submitted_s) DO UPDATE SET
    reservation_id = COALESCE(excluded.reservation_id, managed_jobs.reservation_id),
    user_name = excluded.user_name,
    account = excluded.account, partition_name = excluded.partition_name,
    job_name = excluded.job_name, state = excluded.state, phase = excluded.phase,
    start_s = excluded.start_s, end_s = excluded.end_s, limit_s = excluded.limit_s,
    nodes = excluded.nodes, ran_in = excluded.ran_in,
    energy_uj = COALESCE(excluded.energy_uj, managed_jobs.energy_uj),
    raw_id = COALESCE(excluded.raw_id, managed_jobs.raw_id)";

/// Those that are as they were are not written.
pub const MANAGED_JOBS_CHANGED: &str = "
    WHERE (managed_jobs.state, managed_jobs.phase, managed_jobs.start_s,
            managed_jobs.end_s, managed_jobs.limit_s, managed_jobs.nodes, managed_jobs.ran_in)
        IS DISTINCT FROM (excluded.state, excluded.phase, excluded.start_s,
            excluded.end_s, excluded.limit_s, excluded.nodes, excluded.ran_in)
        OR managed_jobs.reservation_id IS DISTINCT FROM
            COALESCE(excluded.reservation_id, managed_jobs.reservation_id)
        OR managed_jobs.energy_uj IS DISTINCT FROM
            COALESCE(excluded.energy_uj, managed_jobs.energy_uj)
        OR managed_jobs.raw_id IS DISTINCT FROM COALESCE(excluded.raw_id, managed_jobs.raw_id)
        OR (managed_jobs.account, managed_jobs.partition_name, managed_jobs.job_name)
            <> (excluded.account, excluded.partition_name, excluded.job_name)";

/// Those that ran outside of reservations, and of which nobody saw how they ended; the state of such jobs follows.
pub const MANAGED_JOBS_UNSEEN: &str = "
    WHERE managed_jobs.reservation_id IS NULL AND (managed_jobs.phase <> 'ended' OR managed_jobs.state = ";
