//! Which waiting jobs start, and where.

use std::borrow::Cow;

use planner::node_set::NodeSet;

use super::{Core, load};
use crate::policy::bits::Bits;
use crate::policy::queue::{Cursor, Hole, Queue};
use crate::scheduler::{Decisions, JobRequest, Moment};
use crate::time::Time;

impl Core {
    /// Decides where nothing is bounded, switched or reserved in advance: as long as no job ends, only new
    /// ones are tried, unless one of them is the first now.
    pub fn decide_plainly(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        let newcomers = self.queue.behind(moment.submitted);
        if let Some(newcomers) = newcomers.filter(|_| moment.ended.is_empty()) {
            for job in newcomers.iter() {
                self.newcomer(*job, decisions);
            }
            return;
        }
        for &key in moment.ended {
            self.plan.end(key);
        }
        for job in moment.submitted {
            self.receive(*job, decisions);
        }
        self.reserved = None;
        // Nothing is to be switched off.
        self.first_jobs(&mut Bits::default(), decisions);
        if self.backfills {
            self.backfill(decisions);
        }
    }

    /// Tries only a job that came behind those that wait, while nothing became free.
    pub fn newcomer(&mut self, job: JobRequest, decisions: &mut Decisions) {
        if job.nodes > self.plan.fitting.widest() {
            return decisions.refuse(job.key, None);
        }
        let first = self.queue.is_empty();
        let place = if first {
            self.plan.fitting.select(&self.plan.free, job.nodes)
        } else {
            self.place_beside(&job).filter(|_| self.backfills)
        };
        if let Some(machines) = place {
            return self.start(&job, machines, decisions);
        }
        self.push(job);
        if first {
            self.reserve_first();
        }
    }

    pub fn push(&mut self, job: JobRequest) {
        self.load += load(&job);
        self.queue.push(job);
    }

    /// Starts waiting jobs in order, and reserves a place for the first that cannot start; how many
    /// machines that one needs.
    pub fn first_jobs(&mut self, sedated: &mut Bits, decisions: &mut Decisions) -> u32 {
        while let Some(job) = self.queue.first().copied() {
            let now = self.plan.select_now(&job).filter(|_| self.admits(&job));
            if let Some(machines) = now {
                self.take(Cursor::default());
                self.start(&job, machines, decisions);
                continue;
            }
            match self.plan.first_fit(&job, true) {
                Some((start, free)) => self.reserve_admitted(&job, start, &free),
                None => self.make_room(&job, sedated, decisions),
            }
            return job.nodes;
        }
        0
    }

    pub fn start(&mut self, job: &JobRequest, machines: NodeSet, decisions: &mut Decisions) {
        self.plan.start(job, machines, decisions);
        self.expect(job, self.plan.now);
    }

    /// Takes the waiting job at a place out of the queue.
    pub fn take(&mut self, place: Cursor) {
        let job = self.queue.remove(place);
        self.load -= load(&job);
    }

    /// Starts jobs behind the first one that do not delay it.
    pub fn backfill(&mut self, decisions: &mut Decisions) {
        let mut cursor = if self.reserved.is_some() { Queue::second() } else { Cursor::default() };
        if self.admits_nobody() {
            return;
        }
        let mut hole = self.hole();
        while hole.nodes > 0
            && let Some(job) = self.queue.next_in(&mut cursor, hole)
        {
            let place = self.place_beside(&job).filter(|_| self.admits_before(&job));
            let Some(machines) = place else {
                cursor.pass();
                continue;
            };
            self.take(cursor);
            self.start(&job, machines, decisions);
            hole = self.hole();
        }
    }

    /// What may start now beside the first waiting job.
    fn hole(&self) -> Hole {
        let (now, free) = (self.plan.now, self.plan.free_nodes);
        let (before_shadow, extra) = match &self.reserved {
            Some(reserved) => {
                (reserved.start - now, free - self.plan.free.common(&reserved.machines))
            }
            None => (Time::FOREVER, free),
        };
        Hole { nodes: free.min(self.admitted_nodes()), before_shadow, extra }
    }

    /// Where a job behind the first one may start now.
    pub fn place_beside(&self, job: &JobRequest) -> Option<NodeSet> {
        let (now, free) = (self.plan.now, &self.plan.free);
        let beside = match &self.reserved {
            Some(reserved) if job.walltime > reserved.start - now => {
                Cow::Owned(free.without(&reserved.machines))
            }
            _ => Cow::Borrowed(free),
        };
        let fitting = &self.plan.fitting;
        fitting.select(&fitting.usable(&beside, now, job.walltime), job.nodes)
    }

    /// The first waiting job, and where it would be if nothing else were switched: the machines that are
    /// free then, as far as they fit.
    pub fn first_place(&self) -> Option<(JobRequest, Option<(Time, Bits)>)> {
        let job = *self.queue.first()?;
        let place = self.plan.first_fit(&job, false);
        let fitting = &self.plan.fitting;
        let fit = |free: Bits| {
            if fitting.takes_any() { free } else { fitting.of(&free, job.nodes) }
        };
        Some((job, place.map(|(start, free)| (start, fit(free)))))
    }
}
