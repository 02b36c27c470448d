//! EASY backfilling by number of machines (Mu'alem and Feitelson 2001; the thesis's Algorithm 1).
//!
//! Jobs start in order of submission while they fit. The first that does not is promised the
//! *shadow*: the instant from which enough machines are free if all running jobs last as long as
//! they may. A later job starts now if it fits and either ends by the shadow or takes no more than
//! the machines that are left over at the shadow.
//!
//! While no job ends, nothing becomes free, the shadow stands and walltimes only reach further
//! beyond it: only new jobs are tried then. Otherwise a decision costs the search for the shadow and
//! the jobs that fit, by the summaries of [`Releases`] and [`Queue`].

use super::ByKey;
use crate::queue::{Hole, Queue};
use crate::releases::{Release, Releases, Shadow};
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler, Tie};
use crate::time::Time;

/// EASY backfilling over a count of machines.
#[derive(Debug)]
pub(super) struct Easy {
    free: u32,
    tie: Tie,
    releases: Releases,
    /// What each running job gives back, and at the latest when; nothing once it counts as ended.
    running: ByKey<Release>,
    queue: Queue,
    /// What the first waiting job is promised; found when somebody else might start.
    shadow: Option<Shadow>,
}

impl Easy {
    pub(super) fn new(machines: u32, tie: Tie) -> Self {
        Self {
            free: machines,
            tie,
            releases: Releases::default(),
            running: ByKey::new(),
            queue: Queue::default(),
            shadow: None,
        }
    }

    fn end(&mut self, key: JobKey) {
        if let Some(release) = self.running.remove(key) {
            self.releases.remove(release.at, key);
            self.free += release.nodes;
        }
    }

    /// Takes jobs whose walltime is over for ended, although their ends were not told yet.
    fn expire(&mut self, now: Time) -> bool {
        let mut any = false;
        while let Some(release) = self.releases.pop_until(now) {
            self.running.remove(release.key);
            self.free += release.nodes;
            any = true;
        }
        any
    }

    fn start(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        let release = Release { at: now + job.walltime, key: job.key, nodes: job.nodes };
        self.free -= job.nodes;
        self.releases.insert(release);
        self.running.insert(job.key, release);
        decisions.start(job.key);
    }

    /// What may start now beside the first waiting job.
    fn hole(&mut self, now: Time) -> Hole {
        let shadow = self.shadow.or_else(|| {
            self.queue.first().and_then(|first| self.releases.shadow(self.free, first.nodes))
        });
        self.shadow = shadow;
        let shadow = shadow.unwrap_or(Shadow { at: Time::FOREVER, extra: 0 });
        Hole { nodes: self.free, before_shadow: shadow.at - now, extra: shadow.extra }
    }

    /// Starts a job that the hole takes.
    fn backfill(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        if let Some(shadow) = self.shadow.as_mut().filter(|shadow| now + job.walltime > shadow.at) {
            shadow.extra -= job.nodes;
        }
        self.start(now, job, decisions);
    }

    /// Machines became free: everybody is tried.
    fn whole_queue(&mut self, now: Time, decisions: &mut Decisions) {
        self.shadow = None;
        while let Some(job) = self.queue.first().copied().filter(|job| job.nodes <= self.free) {
            self.queue.pop();
            self.start(now, job, decisions);
        }
        let mut cursor = Queue::second();
        while self.free > 0 && !self.queue.is_empty() {
            let anybody = Hole { nodes: self.free, before_shadow: Time::FOREVER, extra: 0 };
            if self.queue.next_in(&mut cursor, anybody).is_none() {
                break;
            }
            let hole = self.hole(now);
            let Some(job) = self.queue.next_in(&mut cursor, hole) else { break };
            self.queue.remove(cursor);
            self.backfill(now, job, decisions);
        }
    }

    /// Nothing became free: only `job` is tried.
    fn newcomer(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        if self.queue.is_empty() {
            if job.nodes <= self.free {
                return self.start(now, job, decisions);
            }
        } else if job.nodes <= self.free && self.hole(now).takes(job.nodes, job.walltime) {
            return self.backfill(now, job, decisions);
        }
        if self.queue.is_empty() {
            self.shadow = None;
        }
        self.queue.push(job);
    }
}

impl Scheduler for Easy {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        for &key in moment.ended {
            self.end(key);
        }
        let expired = self.tie == Tie::Pyss && self.expire(moment.now);
        if expired || !moment.ended.is_empty() {
            for job in moment.submitted {
                self.queue.push(*job);
            }
            self.whole_queue(moment.now, decisions);
        } else {
            for job in moment.submitted {
                self.newcomer(moment.now, *job, decisions);
            }
        }
    }
}
