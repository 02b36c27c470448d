//! Conservative backfilling by sets of machines, as Batsim's `conservative_bf` does.
//!
//! As [`super::conservative`], but a place is an instant and the lowest machines that are free from
//! then on for long enough. When jobs end, every waiting job is planned anew in the order of
//! submission, while the others keep their places: it may get other machines at the same instant.
//! Variants select other machines (the thesis, 5.5.2), or leave that out. Where machines of one group
//! are asked for, jobs wider than the widest group are refused.

use planner::node_set::NodeSet;

use super::ByKey;
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler};
use crate::set_profile::{Selection, SetProfile};
use crate::time::Time;

/// A waiting job and its place.
#[derive(Debug)]
struct Planned {
    job: JobRequest,
    start: Time,
    machines: NodeSet,
}

/// Conservative backfilling over sets of machines.
#[derive(Debug)]
pub(super) struct ConservativeSet {
    profile: SetProfile,
    /// In the order of submission.
    waiting: Vec<Planned>,
    running: ByKey<(Time, NodeSet)>,
    selection: Selection,
    compression: bool,
}

impl ConservativeSet {
    pub(super) fn new(machines: u32, selection: Selection) -> Self {
        Self {
            profile: SetProfile::new(machines),
            waiting: Vec::new(),
            running: ByKey::new(),
            selection,
            compression: true,
        }
    }

    /// Waiting jobs keep their places when jobs end early.
    pub(super) fn without_compression(self) -> Self {
        Self { compression: false, ..self }
    }

    fn end(&mut self, now: Time, key: JobKey) {
        if let Some((until, machines)) = self.running.remove(key) {
            self.profile.give(now, until, &machines);
        }
    }

    fn plan(&mut self, now: Time, job: JobRequest) -> Planned {
        // Jobs wider than what may be found are refused, so there is always a place.
        let earliest = self.profile.earliest(now, job.nodes, job.walltime, &self.selection);
        let (start, machines) = earliest.unwrap_or((Time::FOREVER, NodeSet::new()));
        self.profile.take(start, start + job.walltime, &machines);
        Planned { job, start, machines }
    }

    /// Plans every waiting job anew.
    fn compress(&mut self, now: Time) {
        for planned in std::mem::take(&mut self.waiting) {
            let Planned { job, start, machines } = planned;
            self.profile.give(start, start + job.walltime, &machines);
            let planned = self.plan(now, job);
            self.waiting.push(planned);
        }
    }

    /// Starts those whose instant has come.
    fn start(&mut self, now: Time, decisions: &mut Decisions) {
        let running = &mut self.running;
        self.waiting.retain(|Planned { job, start, machines }| {
            if *start > now {
                return true;
            }
            running.insert(job.key, (*start + job.walltime, machines.clone()));
            decisions.start_on(job.key, machines.clone());
            false
        });
    }
}

impl Scheduler for ConservativeSet {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        let now = moment.now;
        for &key in moment.ended {
            self.end(now, key);
        }
        self.profile.advance(now);
        if self.compression && !moment.ended.is_empty() {
            self.compress(now);
        }
        for job in moment.submitted {
            if job.nodes > self.selection.widest() {
                decisions.refuse(job.key, None);
                continue;
            }
            let planned = self.plan(now, *job);
            self.waiting.push(planned);
        }
        self.start(now, decisions);
        decisions.wake_at = self.waiting.iter().map(|planned| planned.start).min();
    }
}
