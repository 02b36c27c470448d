//! Jobs outside of our reservations as they were noted, and what changed of them since.

use std::collections::{HashMap, HashSet};

use planner::resource_manager::{JobKey, JobPhase, ManagedJob};
use planner::time::{Seconds, Timestamp};

/// When jobs were seen last is noted so often, where nothing changed of them.
const SEEN_EVERY: Seconds = Seconds::new(60);

/// Jobs outside of our reservations, as they were noted last.
pub(super) struct JobsOutside {
    /// Those that run, and those that ended and are told yet, by id and submission.
    jobs: HashMap<(String, Timestamp), ManagedJob>,
    /// When jobs were seen last, and when that was noted; `None` before the first time.
    seen: Option<Timestamp>,
    noted: Option<Timestamp>,
}

impl JobsOutside {
    /// Those that run, and when jobs were seen last, as that was noted.
    pub(super) fn noted(running: Vec<ManagedJob>, seen: Option<Timestamp>) -> Self {
        let mut all = Self { jobs: HashMap::new(), seen, noted: seen };
        all.put(running);
        all
    }

    /// What is to be noted: of all jobs that are told, those outside of our reservations that have nodes of ours and are
    /// not as they were noted; and those that ran and are not told any more.
    pub(super) fn changed(
        &self,
        told: &[ManagedJob],
        outside: &[&ManagedJob],
        is_ours: impl Fn(&str) -> bool,
    ) -> Vec<ManagedJob> {
        let known: HashMap<JobKey<'_>, &ManagedJob> =
            self.jobs.values().map(|job| (job.key(), job)).collect();
        let changed = outside.iter().filter(|job| match known.get(&job.key()) {
            Some(known) => has_nodes(job) && !alike(known, job),
            None => has_nodes(job) && job.nodes.iter().any(|node| is_ours(node)),
        });
        changed.map(|job| (*job).clone()).chain(self.gone(told)).collect()
    }

    /// Those that ran and are not among all jobs that are told, or wait again: they ended when they were seen last, or at
    /// their limit where that is earlier.
    pub(super) fn gone(&self, told: &[ManagedJob]) -> Vec<ManagedJob> {
        let Some(seen) = self.seen else { return Vec::new() };
        let told: HashSet<JobKey<'_>> =
            told.iter().filter(|job| has_nodes(job)).map(ManagedJob::key).collect();
        let ran = self.jobs.values().filter(|job| job.phase != JobPhase::Ended);
        let gone = ran.filter(|job| !told.contains(&job.key()));
        gone.map(|job| job.forgotten(seen)).collect()
    }

    /// Keeps what is told of jobs outside of our reservations: what has ended and is told no more is not noted again, and
    /// those that are in a reservation by now are noted with it.
    pub(super) fn retain_told(&mut self, outside: &[&ManagedJob]) {
        let told: HashSet<JobKey<'_>> = outside.iter().map(|job| job.key()).collect();
        self.jobs.retain(|(id, submitted), _| told.contains(&(id.as_str(), *submitted)));
    }

    /// When jobs were seen last; `None` before the first time.
    pub(super) const fn seen(&self) -> Option<Timestamp> {
        self.seen
    }

    /// Whether something is to be written: jobs that changed, or that they were seen at `now`.
    pub(super) fn is_due(&self, changed: &[ManagedJob], now: Timestamp) -> bool {
        !changed.is_empty() || self.noted.is_none_or(|noted| now >= noted + SEEN_EVERY)
    }

    /// Jobs were seen, and what was due of that is written.
    pub(super) fn note(&mut self, changed: Vec<ManagedJob>, seen: Timestamp, written: bool) {
        self.put(changed);
        self.seen = Some(seen);
        if written {
            self.noted = Some(seen);
        }
    }

    fn put(&mut self, jobs: Vec<ManagedJob>) {
        self.jobs.extend(jobs.into_iter().map(|job| ((job.id.clone(), job.submitted), job)));
    }
}

/// Whether a job has nodes, or had some.
fn has_nodes(job: &ManagedJob) -> bool {
    job.phase != JobPhase::Waiting && job.start.is_some() && !job.nodes.is_empty()
}

/// Whether a job is as it was noted, but for what the ledger does not need.
fn alike(noted: &ManagedJob, job: &ManagedJob) -> bool {
    (noted.phase, noted.start, noted.end, noted.limit) == (job.phase, job.start, job.end, job.limit)
        && (&noted.user, &noted.account, &noted.partition)
            == (&job.user, &job.account, &job.partition)
        && noted.nodes == job.nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    /// Runs on n1 since 100, with a limit of 500 s.
    fn job(id: &str) -> ManagedJob {
        ManagedJob {
            id: id.to_owned(),
            raw_id: id.parse().ok(),
            submitted: at(0),
            user: "bob".to_owned(),
            account: String::new(),
            partition: "batch".to_owned(),
            name: "job".to_owned(),
            state: "RUNNING".to_owned(),
            phase: JobPhase::Running,
            start: Some(at(100)),
            end: Some(at(600)),
            limit: Some(Seconds::new(500)),
            queued: None,
            nodes: vec!["n1".to_owned()],
            reservation: None,
            energy: None,
        }
    }

    fn ended(id: &str, end: i64) -> ManagedJob {
        let state = "COMPLETED".to_owned();
        ManagedJob { phase: JobPhase::Ended, state, end: Some(at(end)), ..job(id) }
    }

    fn known(jobs: &[ManagedJob], seen: i64) -> JobsOutside {
        JobsOutside::noted(jobs.to_vec(), Some(at(seen)))
    }

    /// What is to be noted of jobs that are told, all of them outside of reservations; id and end of each.
    fn noted(known: &JobsOutside, told: &[ManagedJob]) -> Vec<(String, Option<i64>)> {
        let outside: Vec<&ManagedJob> = told.iter().collect();
        let changed = known.changed(told, &outside, |node| node != "x9");
        let mut list: Vec<_> = changed
            .into_iter()
            .map(|job| (job.id, job.end.map(Timestamp::as_unix_seconds)))
            .collect();
        list.sort();
        list
    }

    #[test]
    fn jobs_are_noted_as_they_begin_change_and_end_and_not_while_they_run() {
        let known = known(&[job("1"), job("2"), job("3"), ended("4", 300)], 300);
        let completing = ManagedJob { state: "SUSPENDED".to_owned(), ..job("1") };
        let longer = ManagedJob { end: Some(at(900)), ..job("2") };
        let waits = ManagedJob {
            phase: JobPhase::Waiting,
            start: None,
            end: None,
            nodes: Vec::new(),
            ..job("5")
        };
        let elsewhere = ManagedJob { nodes: vec!["x9".to_owned()], ..job("6") };
        let never_ran = ManagedJob { nodes: Vec::new(), start: None, ..ended("7", 250) };
        let told = [completing, longer, ended("3", 310), ended("4", 300), waits, elsewhere];
        let told = [&told[..], &[never_ran, job("8")]].concat();
        let of = |id: &str, end: i64| (id.to_owned(), Some(end));
        assert_eq!(noted(&known, &told), [of("2", 900), of("3", 310), of("8", 600)]);
    }

    /// Each has until 600. At 300 they were seen last, at 700 after a limit that nobody kept.
    #[test]
    fn jobs_that_are_told_no_more_ended_when_they_were_seen_last_or_at_their_limit() {
        let gone = |seen: i64| noted(&known(&[job("1")], seen), &[]);
        assert_eq!(gone(300), [("1".to_owned(), Some(300))]);
        assert_eq!(gone(700), [("1".to_owned(), Some(600))]);
        assert_eq!(noted(&known(&[ended("1", 200)], 300), &[]), []);
        let waits = ManagedJob { phase: JobPhase::Waiting, start: None, end: None, ..job("1") };
        let queued_again = noted(&known(&[job("1")], 300), &[waits]);
        assert_eq!(queued_again, [("1".to_owned(), Some(300))]);
    }

    /// Nothing is written while jobs run, but once a minute when that was seen.
    #[test]
    fn what_is_seen_is_noted_once_a_minute() {
        let mut known = known(&[job("1")], 300);
        known.note(Vec::new(), at(310), false);
        assert_eq!(known.seen(), Some(at(310)));
        let due = |seen: i64| known.is_due(&[], at(seen));
        assert_eq!([359, 360].map(due), [false, true]);
        assert!(known.is_due(&[job("2")], at(311)), "it began");
        known.note(vec![job("2")], at(311), true);
        assert_eq!(noted(&known, &[job("1"), job("2")]), []);
        assert!(!known.is_due(&[], at(370)) && known.is_due(&[], at(371)));
    }

    /// Slurm forgets it in the end, as it does those of reservations.
    #[test]
    fn a_job_that_is_in_a_reservation_by_now_is_noted_with_it_alone() {
        let told = [job("1")];
        let mut known = known(&told, 300);
        assert_eq!(known.changed(&told, &[], |_| true), []);
        known.retain_told(&[]);
        assert_eq!(noted(&known, &[]), []);
    }
}
