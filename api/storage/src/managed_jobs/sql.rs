//! Jobs in managed reservations.

use crate::statements::statements;

statements! {
    /// Forgets one, by its id and when it was submitted.
    FORGET_MANAGED_JOB = "DELETE FROM managed_jobs WHERE id = $1 AND submitted_s = $2";

    /// Jobs that ended after an instant and whose consumption is not known; those in one state after another one.
    UNACCOUNTED_MANAGED_JOBS = "SELECT id, submitted_s, reservation_id, user_name, account,
            partition_name, job_name, state, phase, start_s, end_s, limit_s, nodes, ran_in, energy_uj
        FROM managed_jobs
        WHERE phase = 'ended' AND energy_uj IS NULL
          AND (end_s >= $1 OR (state = $2 AND end_s >= $3))
        ORDER BY end_s, id LIMIT $4";
}

/// Jobs; [`MANAGED_JOBS_BULK_END`] follows the rows.
pub const MANAGED_JOBS_BULK: &str = "INSERT INTO managed_jobs (id, submitted_s, reservation_id,
    user_name, account, partition_name, job_name, state, phase, start_s, end_s, limit_s, nodes, ran_in,
    energy_uj) ";

/// What may change of jobs that are known; those that are as they were are not written. An energy that
/// was measured stays where none is told.
pub const MANAGED_JOBS_BULK_END: &str = " ON CONFLICT (id, submitted_s) DO UPDATE SET
    reservation_id = excluded.reservation_id, user_name = excluded.user_name,
    account = excluded.account, partition_name = excluded.partition_name,
    job_name = excluded.job_name, state = excluded.state, phase = excluded.phase,
    start_s = excluded.start_s, end_s = excluded.end_s, limit_s = excluded.limit_s,
    nodes = excluded.nodes, ran_in = excluded.ran_in,
    energy_uj = COALESCE(excluded.energy_uj, managed_jobs.energy_uj)
    WHERE (managed_jobs.reservation_id, managed_jobs.state, managed_jobs.phase, managed_jobs.start_s,
            managed_jobs.end_s, managed_jobs.limit_s, managed_jobs.nodes, managed_jobs.ran_in)
        IS DISTINCT FROM (excluded.reservation_id, excluded.state, excluded.phase, excluded.start_s,
            excluded.end_s, excluded.limit_s, excluded.nodes, excluded.ran_in)
        OR managed_jobs.energy_uj IS DISTINCT FROM
            COALESCE(excluded.energy_uj, managed_jobs.energy_uj)
        OR (managed_jobs.account, managed_jobs.partition_name, managed_jobs.job_name)
            <> (excluded.account, excluded.partition_name, excluded.job_name)";

/// Jobs of several reservations.
pub const MANAGED_JOBS_WHERE: &str = "SELECT id, submitted_s, reservation_id, user_name, account,
        partition_name, job_name, state, phase, start_s, end_s, limit_s, nodes, ran_in, energy_uj
    FROM managed_jobs WHERE reservation_id IN (";
