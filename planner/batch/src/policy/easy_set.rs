//! EASY backfilling by sets of machines, as Batsim's `easy_bf` does.
//!
//! The first waiting job is promised the lowest machines among those free at its shadow. A later job
//! that ends by the shadow takes the lowest free machines, another the lowest free ones that are
//! not promised. The promise is renewed whenever a job ends; while none ends only new jobs are tried.
//! A decision costs the ranges of the free set for each job of the queue that might fit, and the
//! running jobs.

use std::collections::VecDeque;

use planner::node_set::NodeSet;

use super::ByKey;
use crate::releases::{Release, Releases};
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler};
use crate::time::Time;

/// EASY backfilling over sets of machines.
#[derive(Debug)]
pub(super) struct EasySet {
    free: NodeSet,
    count: u32,
    releases: Releases,
    running: ByKey<(Time, NodeSet)>,
    queue: VecDeque<JobRequest>,
    promise: Promise,
}

/// What the first waiting job will get, and when at the latest.
#[derive(Debug, Default)]
struct Promise {
    at: Time,
    machines: NodeSet,
}

impl EasySet {
    pub(super) fn new(machines: u32) -> Self {
        let range = 0..machines;
        Self {
            free: NodeSet::from_ranges(vec![range]),
            count: machines,
            releases: Releases::default(),
            running: ByKey::new(),
            queue: VecDeque::new(),
            promise: Promise::default(),
        }
    }

    fn end(&mut self, key: JobKey) {
        if let Some((at, machines)) = self.running.remove(key) {
            self.releases.remove(at, key);
            self.count += machines.count();
            self.free = self.free.union(&machines);
        }
    }

    fn start(&mut self, now: Time, job: JobRequest, machines: NodeSet, decisions: &mut Decisions) {
        let at = now + job.walltime;
        self.count -= job.nodes;
        self.free = self.free.difference(&machines);
        self.releases.insert(Release { at, key: job.key, nodes: job.nodes });
        self.running.insert(job.key, (at, machines.clone()));
        decisions.start_on(job.key, machines);
    }

    /// Promises the first waiting job the lowest machines that are free at its shadow.
    fn promise(&mut self) {
        let Some(first) = self.queue.front() else { return };
        let Some(shadow) = self.releases.shadow(self.count, first.nodes) else { return };
        let mut free = self.free.clone();
        for release in self.releases.iter().take_while(|release| release.at <= shadow.at) {
            if let Some((_, machines)) = self.running.get_mut(release.key) {
                free = free.union(machines);
            }
        }
        let machines = free.lowest(first.nodes).unwrap_or_default();
        self.promise = Promise { at: shadow.at, machines };
    }

    /// Where a job behind the first one may start now.
    fn place(&self, now: Time, job: &JobRequest) -> Option<NodeSet> {
        if job.nodes > self.count {
            None
        } else if now + job.walltime <= self.promise.at {
            self.free.lowest(job.nodes)
        } else {
            self.free.difference(&self.promise.machines).lowest(job.nodes)
        }
    }

    /// A job ended: everybody is tried.
    fn whole_queue(&mut self, now: Time, decisions: &mut Decisions) {
        while let Some(machines) =
            self.queue.front().and_then(|first| self.free.lowest(first.nodes))
            && let Some(job) = self.queue.pop_front()
        {
            self.start(now, job, machines, decisions);
        }
        self.promise();
        let mut index = 1;
        while let Some(job) = self.queue.get(index).copied().filter(|_| self.count > 0) {
            match self.place(now, &job) {
                Some(machines) => {
                    self.queue.remove(index);
                    self.start(now, job, machines, decisions);
                }
                None => index += 1,
            }
        }
    }

    /// No job ended: only `job` is tried.
    fn newcomer(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        let first = self.queue.is_empty();
        let place = if first { self.free.lowest(job.nodes) } else { self.place(now, &job) };
        if let Some(machines) = place {
            return self.start(now, job, machines, decisions);
        }
        self.queue.push_back(job);
        if first {
            self.promise();
        }
    }
}

impl Scheduler for EasySet {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        for &key in moment.ended {
            self.end(key);
        }
        if moment.ended.is_empty() {
            for job in moment.submitted {
                self.newcomer(moment.now, *job, decisions);
            }
        } else {
            self.queue.extend(moment.submitted);
            self.whole_queue(moment.now, decisions);
        }
    }
}
