//! Conservative backfilling by sets of machines, as Batsim's `conservative_bf` does.
//!
//! As [`super::count`], but a place is an instant and machines that are free from then on for long
//! enough. When jobs end, every waiting job is planned anew in the order of the queue, while the others
//! keep their places: it may get other machines at the same instant. Jobs wider than what the fit can
//! ever find are refused. Advance reservations are places that nobody else gets.
//!
//! What is taken gives nobody a better place. So a job is planned anew only where something that was given
//! back since it was planned last reaches into its time, and for an earlier start only where it reaches into
//! the time from then on.

use planner::node_set::NodeSet;

use super::Guarantees;
use super::cap::Cap;
use super::profile::{PlaceRequest, Profile};
use super::set_profile::{MachineSpan, SetProfile};
use crate::policy::by_key::ByKey;
use crate::policy::fit::Selection;
use crate::policy::queue::{Rank, in_order};
use crate::reservation::Reservation;
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler};
use crate::time::Time;

/// A waiting job and its place.
#[derive(Debug)]
struct Planned {
    job: JobRequest,
    place: MachineSpan,
    /// How much of what was given back was known when it was planned.
    seen: usize,
}

/// Conservative backfilling over sets of machines.
#[derive(Debug)]
pub struct ConservativeSet {
    rank: Rank,
    profile: SetProfile,
    /// How many more machines may compute, where a cap bounds that.
    limits: Option<Profile>,
    cap: Cap,
    /// In the order of the queue.
    waiting: Vec<Planned>,
    running: ByKey<MachineSpan>,
    /// From when to when machines were given back that not every waiting job knows of.
    given: Vec<(Time, Time)>,
    selection: Box<dyn Selection>,
    compression: bool,
    /// The least planned start of those that wait.
    next_start: Time,
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
        for Reservation { from, until, machines } in reservations {
            profile.take(&MachineSpan { start: *from, end: *until, machines: machines.clone() });
        }
        Self {
            rank: Rank(guarantees.order.rank),
            profile,
            limits: (!limits.is_empty()).then(|| Profile::limited(machines, limits)),
            cap: Cap::new(machines, limits),
            waiting: Vec::new(),
            running: ByKey::new(),
            given: Vec::new(),
            selection,
            compression: guarantees.compression,
            next_start: Time::FOREVER,
        }
    }

    fn end(&mut self, now: Time, key: JobKey) {
        if let Some(place) = self.running.remove(key) {
            self.give(&MachineSpan { start: now, ..place });
        }
    }

    fn take(&mut self, place: &MachineSpan) {
        self.profile.take(place);
        if let Some(limits) = &mut self.limits {
            limits.take(place.start, place.end, place.machines.count());
        }
    }

    fn give(&mut self, place: &MachineSpan) {
        self.profile.give(place);
        if let Some(limits) = &mut self.limits {
            limits.give(place.start, place.end, place.machines.count());
        }
        if self.compression && place.start < place.end {
            self.given.push((place.start, place.end));
        }
    }

    /// The earliest place of a job from one instant on and before another, beside its own, where it has one.
    fn earliest(
        &mut self,
        (mut from, before): (Time, Time),
        job: &JobRequest,
        own: Option<&MachineSpan>,
    ) -> Option<(Time, NodeSet)> {
        let JobRequest { nodes, walltime: duration, .. } = *job;
        let limit = own.map_or(Time::LAST, |own| own.start);
        let wanted = PlaceRequest { nodes, duration, limit };
        loop {
            let found =
                self.profile.earliest((from, before), wanted, own, self.selection.as_ref())?;
            let Some(limits) = &self.limits else { return Some(found) };
            from = limits.earliest(found.0, nodes, duration, limit)?;
            if from == found.0 {
                return Some(found);
            }
        }
    }

    /// The machines of a job from an instant on, beside its own, where it has any.
    fn select(
        &mut self,
        start: Time,
        job: &JobRequest,
        own: Option<&MachineSpan>,
    ) -> Option<NodeSet> {
        let wanted = PlaceRequest { nodes: job.nodes, duration: job.walltime, limit: Time::LAST };
        self.profile.at(start, wanted, own, self.selection.as_ref())
    }

    /// Plans a new job, or refuses it where it fits nowhere or the cap never lets it start.
    fn receive(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        if job.nodes > self.selection.widest() {
            return decisions.refuse(job.key, None);
        }
        if self.cap.refuses(now, &job, decisions) {
            return;
        }
        let found = self.earliest((now, Time::LAST), &job, None);
        // Behind jobs without a walltime the place is beyond all time, until they end.
        let found = found.or_else(|| Some((Time::LAST, self.select(Time::LAST, &job, None)?)));
        let Some((start, machines)) = found else {
            return decisions.refuse(job.key, None);
        };
        let place = MachineSpan { start, end: start + job.walltime, machines };
        self.take(&place);
        self.next_start = self.next_start.min(start);
        let rank = self.rank.of(&job);
        let index = self.waiting.partition_point(|other| self.rank.of(&other.job) <= rank);
        self.waiting.insert(index, Planned { job, place, seen: self.given.len() });
    }

    /// Where a waiting job is planned anew.
    fn better(
        &mut self,
        now: Time,
        Planned { job, place, seen }: &Planned,
    ) -> Option<(Time, NodeSet)> {
        let instant = Time::from_micros(1);
        let end = place.start + job.walltime.max(instant);
        let given = self.given[*seen..].iter().filter(|(from, _)| *from < end);
        let bounds = given.fold((Time::LAST, now), |(first, last), (from, until)| {
            (first.min(*from), last.max(*until))
        });
        if place.start > now {
            let from = now.max(bounds.0 - job.walltime.max(instant));
            let earlier = self.earliest((from, bounds.1.min(place.start)), job, Some(place));
            if earlier.is_some() {
                return earlier;
            }
        }
        if bounds.1 <= place.start && place.start > now {
            return None;
        }
        Some((place.start, self.select(place.start, job, Some(place))?))
    }

    /// Plans every waiting job anew.
    fn compress(&mut self, now: Time) {
        let known = self.given.len();
        self.next_start = Time::FOREVER;
        let mut waiting = std::mem::take(&mut self.waiting);
        for planned in &mut waiting {
            let found = self.better(now, planned);
            let Planned { job, place, seen } = planned;
            let new = found.map(|(start, machines)| MachineSpan {
                start,
                end: start + job.walltime,
                machines,
            });
            if let Some(new) = new.filter(|new| new != place) {
                self.give(place);
                self.take(&new);
                *place = new;
            }
            *seen = self.given.len() - known;
            self.next_start = self.next_start.min(place.start);
        }
        self.waiting = waiting;
        self.given.drain(..known);
    }

    /// Refuses waiting jobs that the cap would have let start, and never does any more.
    fn refuse_hopeless(&mut self, now: Time, decisions: &mut Decisions) {
        for planned in std::mem::take(&mut self.waiting) {
            let Planned { job, place, .. } = &planned;
            if place.start >= Time::FOREVER && self.cap.refuses(now, job, decisions) {
                self.give(place);
            } else {
                self.waiting.push(planned);
            }
        }
    }

    /// Starts those whose instant has come.
    fn start(&mut self, now: Time, decisions: &mut Decisions) {
        if self.next_start > now {
            return;
        }
        self.next_start = Time::FOREVER;
        for planned in std::mem::take(&mut self.waiting) {
            let Planned { job, place, .. } = &planned;
            if place.start > now {
                self.next_start = self.next_start.min(place.start);
                self.waiting.push(planned);
            } else {
                decisions.start_on(job.key, place.machines.clone());
                self.running.insert(job.key, planned.place);
            }
        }
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
        let next = (!self.waiting.is_empty()).then_some(self.next_start);
        decisions.wake_at = self.cap.wake_at(next);
    }
}
