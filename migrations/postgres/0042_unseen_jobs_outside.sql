-- Over which time jobs outside of reservations may have run unseen, of which the accounting is still to be asked; null once
-- it was.
ALTER TABLE managed_jobs_seen ADD COLUMN unseen_from_s BIGINT;
ALTER TABLE managed_jobs_seen ADD COLUMN unseen_to_s BIGINT;
