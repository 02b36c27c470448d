//! Conservative backfilling by sets of machines, as Batsim's `conservative_bf` does.
//!
//! As [`super::count`], but a place is an instant and machines that are free from then on for long
//! enough. When jobs end, every waiting job is planned anew in the order of the queue, while the others
//! keep their places: it may get other machines at the same instant. Jobs wider than what the fit can
//! ever find are refused. Advance reservations are places that nobody else gets.

use planner::node_set::NodeSet;

use super::Guarantees;
use super::cap::Cap;
use super::profile::Profile;
use super::set_profile::SetProfile;
use crate::policy::by_key::ByKey;
use crate::policy::fit::Selection;
use crate::policy::queue::in_order;
use crate::reservation::Reservation;
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler};
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
pub struct ConservativeSet {
    rank: fn(&JobRequest) -> i64,
    profile: SetProfile,
    /// How many more machines may compute, where a cap bounds that.
    limits: Option<Profile>,
    cap: Cap,
    /// In the order of the queue.
    waiting: Vec<Planned>,
    running: ByKey<(Time, NodeSet)>,
    selection: Box<dyn Selection>,
    compression: bool,
}

impl ConservativeSet {
    pub fn new(
        machines: u32,
        guarantees: &Guarantees<'_>,
        selection: Box<dyn Selection>,
        reservations: &[Reservation],
    ) -> Self {
        let limits = guarantees.limits;
        let mut profile = SetProfile::new(machines, guarantees.rested_first);
        for reservation in reservations {
            profile.take(reservation.from, reservation.until, &reservation.machines);
        }
        Self {
            rank: guarantees.order.rank,
            profile,
            limits: (!limits.is_empty()).then(|| Profile::limited(machines, limits)),
            cap: Cap::new(machines, limits),
            waiting: Vec::new(),
            running: ByKey::new(),
            selection,
            compression: guarantees.compression,
        }
    }

    fn end(&mut self, now: Time, key: JobKey) {
        if let Some((until, machines)) = self.running.remove(key) {
            self.give(now, until, &machines);
        }
    }

    fn take(&mut self, start: Time, end: Time, machines: &NodeSet) {
        self.profile.take(start, end, machines);
        if let Some(limits) = &mut self.limits {
            limits.take(start, end, machines.count());
        }
    }

    fn give(&mut self, start: Time, end: Time, machines: &NodeSet) {
        self.profile.give(start, end, machines);
        if let Some(limits) = &mut self.limits {
            limits.give(start, end, machines.count());
        }
    }

    /// The earliest place of a job, which is beyond all time behind jobs without a walltime, until they end;
    /// `None` only for jobs wider than what the fit can ever find.
    fn earliest(&self, now: Time, job: &JobRequest) -> Option<(Time, NodeSet)> {
        let mut from = now;
        loop {
            let selection = self.selection.as_ref();
            let (start, machines) =
                self.profile.earliest(from, job.nodes, job.walltime, selection)?;
            let Some(limits) = &self.limits else { return Some((start, machines)) };
            let limited = limits.earliest(start, job.nodes, job.walltime, Time::LAST);
            from = limited.unwrap_or(Time::LAST);
            if from == start {
                return Some((start, machines));
            }
        }
    }

    fn plan(&mut self, now: Time, job: JobRequest) -> Option<Planned> {
        let (start, machines) = self.earliest(now, &job)?;
        self.take(start, start + job.walltime, &machines);
        Some(Planned { job, start, machines })
    }

    /// Plans a new job, or refuses it where it fits nowhere or the cap never lets it start.
    fn receive(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        if job.nodes > self.selection.widest() {
            return decisions.refuse(job.key, None);
        }
        if self.cap.refuses(now, &job, decisions) {
            return;
        }
        let Some(planned) = self.plan(now, job) else {
            return decisions.refuse(job.key, None);
        };
        let rank = (self.rank)(&job);
        let place = self.waiting.partition_point(|other| (self.rank)(&other.job) <= rank);
        self.waiting.insert(place, planned);
    }

    /// Plans every waiting job anew.
    fn compress(&mut self, now: Time) {
        for planned in std::mem::take(&mut self.waiting) {
            let Planned { job, start, machines } = planned;
            self.give(start, start + job.walltime, &machines);
            // It has its old place at least.
            if let Some(planned) = self.plan(now, job) {
                self.waiting.push(planned);
            }
        }
    }

    /// Refuses waiting jobs that the cap would have let start, and never does any more.
    fn refuse_hopeless(&mut self, now: Time, decisions: &mut Decisions) {
        for planned in std::mem::take(&mut self.waiting) {
            let Planned { job, start, machines } = &planned;
            if *start >= Time::FOREVER && self.cap.refuses(now, job, decisions) {
                self.give(*start, *start + job.walltime, machines);
            } else {
                self.waiting.push(planned);
            }
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
        if let Some(limits) = &mut self.limits {
            limits.advance(now);
        }
        self.cap.advance(now);
        if self.compression && !moment.ended.is_empty() {
            self.compress(now);
        }
        for job in in_order(moment.submitted, self.rank).iter() {
            self.receive(now, *job, decisions);
        }
        if self.cap.bounds() {
            self.refuse_hopeless(now, decisions);
        }
        self.start(now, decisions);
        let next = self.waiting.iter().map(|planned| planned.start).min();
        decisions.wake_at = self.cap.wake_at(next);
    }
}
