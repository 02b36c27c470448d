-- raw_id: a job's id as a number, which a task of an array has of its own. Null of tasks that were noted before.
ALTER TABLE managed_jobs ADD COLUMN raw_id BIGINT;
UPDATE managed_jobs SET raw_id = CAST(id AS BIGINT) WHERE id ~ '^[0-9]{1,18}$';

-- Which of the jobs that had job_id it is. Null in rows of what is no job, and in those that were stated before.
ALTER TABLE ledger_rows ADD COLUMN job_raw_id BIGINT;
ALTER TABLE ledger_rows ADD COLUMN job_submitted_s BIGINT;
