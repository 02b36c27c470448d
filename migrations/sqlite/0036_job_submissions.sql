-- raw_id: a job's id as a number, which a task of an array has of its own. Null of tasks that were noted before.
ALTER TABLE managed_jobs ADD COLUMN raw_id INTEGER;
UPDATE managed_jobs SET raw_id = CAST(id AS INTEGER) WHERE id <> '' AND LENGTH(id) < 19 AND id NOT GLOB '*[^0-9]*';

-- Which of the jobs that had job_id it is. Null in rows of what is no job, and in those that were stated before.
ALTER TABLE ledger_rows ADD COLUMN job_raw_id INTEGER;
ALTER TABLE ledger_rows ADD COLUMN job_submitted_s INTEGER;
