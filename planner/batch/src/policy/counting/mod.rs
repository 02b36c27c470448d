//! Queues by number of machines, strict or with EASY backfilling (Mu'alem and Feitelson 2001; the
//! thesis's Algorithm 1): the fast path of [`super::core`], whose starts it has.
//!
//! Jobs start in the order of the queue while they fit. Under EASY the first that does not is promised
//! the *shadow*: the instant from which enough machines are free if all running jobs last as long as
//! they may. A later job starts now if it fits and either ends by the shadow or takes no more than
//! the machines that are left over at the shadow.
//!
//! While no job ends, nothing becomes free, the shadow stands and walltimes only reach further
//! beyond it: only new jobs are tried then, unless one of them is the first now. Otherwise a decision
//! costs the search for the shadow and the jobs that fit, by the summaries of [`Releases`] and [`Queue`].

mod releases;

use super::by_key::ByKey;
use super::order::OrderPart;
use super::queue::{Hole, Queue};
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler, Tie};
use crate::time::Time;
use releases::{Release, Releases, Shadow};

/// A queue over a count of machines.
#[derive(Debug)]
pub(super) struct Counting {
    free: u32,
    tie: Tie,
    /// Whether jobs behind the first one may start before it.
    backfills: bool,
    /// Of all running jobs, where jobs are backfilled.
    releases: Releases,
    /// What each running job gives back, and at the latest when; nothing once it counts as ended.
    running: ByKey<Release>,
    queue: Queue,
    /// What the first waiting job is promised; found when somebody else might start.
    shadow: Option<Shadow>,
}

impl Counting {
    pub(super) fn new(machines: u32, tie: Tie, order: &OrderPart, backfills: bool) -> Self {
        Self {
            free: machines,
            tie,
            backfills,
            releases: Releases::default(),
            running: ByKey::new(),
            queue: Queue::new(order),
            shadow: None,
        }
    }

    fn end(&mut self, key: JobKey) {
        if let Some(release) = self.running.remove(key) {
            if self.backfills {
                self.releases.remove(release.at, key);
            }
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
        if self.backfills {
            self.releases.insert(release);
        }
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
        while self.backfills && self.free > 0 && !self.queue.is_empty() {
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

    /// Nothing became free: only `job` is tried, which comes behind those that wait.
    fn newcomer(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        if self.queue.is_empty() {
            if job.nodes <= self.free {
                return self.start(now, job, decisions);
            }
            self.shadow = None;
        } else if self.backfills
            && job.nodes <= self.free
            && self.hole(now).takes(job.nodes, job.walltime)
        {
            return self.backfill(now, job, decisions);
        }
        self.queue.push(job);
    }
}

impl Scheduler for Counting {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        for &key in moment.ended {
            self.end(key);
        }
        let expired = self.tie == Tie::Pyss && self.expire(moment.now);
        let opened = expired || !moment.ended.is_empty();
        let behind = self.queue.behind(moment.submitted).filter(|_| !opened);
        let Some(newcomers) = behind else {
            for job in moment.submitted {
                self.queue.push(*job);
            }
            return self.whole_queue(moment.now, decisions);
        };
        for job in newcomers.iter() {
            self.newcomer(moment.now, *job, decisions);
        }
    }
}
