//! Conservative backfilling by number of machines (Mu'alem and Feitelson 2001).
//!
//! Every waiting job has a place in the profile: it starts at its planned instant at the latest. A
//! new job takes the earliest place that disturbs nobody. When jobs end, the rest of what they might
//! have used becomes free, and every waiting job, in the order of the queue, moves to the earliest
//! place that it can have while the others keep theirs. Those that wait already go before new ones.
//!
//! A job that looks for an earlier place only needs machines up to its present one, which it has
//! already; so the profile changes only for those that move. An end costs, for each waiting job, the
//! steps of the profile that are searched: all before its place, or, where many wait, those behind
//! what is known of jobs no larger.

use super::Guarantees;
use super::bounds::Bounds;
use super::cap::Cap;
use super::profile::Profile;
use crate::policy::by_key::ByKey;
use crate::policy::queue::{Rank, in_order};
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler, Tie};
use crate::time::Time;

/// From so many waiting jobs on it pays to know bounds.
const MANY: usize = 2048;

/// A waiting job and its guaranteed start.
#[derive(Clone, Copy, Debug)]
struct Planned {
    job: JobRequest,
    start: Time,
}

impl Planned {
    /// Moves to the earliest place.
    fn advance(&mut self, now: Time, profile: &mut Profile) {
        let JobRequest { nodes, walltime, .. } = self.job;
        if let Some(start) = profile.earliest(now, nodes, walltime, self.start) {
            profile.give(self.start, self.start + walltime, nodes);
            profile.take(start, start + walltime, nodes);
            self.start = start;
        }
    }

    /// Moves the place forward where the profile has many steps.
    fn advance_far(&mut self, now: Time, profile: &mut Profile, bounds: &mut Bounds) {
        let JobRequest { nodes, walltime, .. } = self.job;
        let from = bounds.from(now, nodes, walltime, self.start);
        if let Some(start) = profile.earliest(from, nodes, walltime, self.start) {
            profile.shift(self.start, start, walltime, nodes);
            let given = self.start.max(start + walltime);
            bounds.given(profile, given, self.start + walltime);
            self.start = start;
        }
        bounds.learn(nodes, walltime, self.start);
    }
}

/// Conservative backfilling over a count of machines.
#[derive(Debug)]
pub struct Conservative {
    tie: Tie,
    rank: Rank,
    profile: Profile,
    cap: Cap,
    /// Of the profile as it is.
    bounds: Bounds,
    /// In the order of the queue.
    waiting: Vec<Planned>,
    /// The machines of running jobs, and until when the profile has them.
    running: ByKey<(u32, Time)>,
    /// The least planned start of those that wait.
    next_start: Time,
    compression: bool,
}

impl Conservative {
    pub fn new(machines: u32, tie: Tie, guarantees: &Guarantees<'_>) -> Self {
        Self {
            tie,
            rank: Rank(guarantees.order.rank),
            profile: Profile::limited(machines, guarantees.limits),
            cap: Cap::new(machines, guarantees.limits),
            bounds: Bounds::default(),
            waiting: Vec::new(),
            running: ByKey::new(),
            next_start: Time::FOREVER,
            compression: guarantees.compression,
        }
    }

    fn end(&mut self, now: Time, key: JobKey) {
        if let Some((nodes, until)) = self.running.remove(key) {
            self.profile.give(now, until, nodes);
            self.bounds.clear();
        }
    }

    /// Plans a new job, or refuses it where the cap never lets it start.
    fn plan(&mut self, now: Time, job: JobRequest, decisions: &mut Decisions) {
        if self.cap.refuses(now, &job, decisions) {
            return;
        }
        let JobRequest { nodes, walltime, .. } = job;
        let many = self.waiting.len() >= MANY;
        let from = if many { self.bounds.from(now, nodes, walltime, Time::LAST) } else { now };
        // Behind jobs without a walltime the place is beyond all time, until they end.
        let earliest = self.profile.earliest(from, nodes, walltime, Time::LAST);
        let start = earliest.unwrap_or(Time::LAST);
        self.profile.take(start, start + walltime, nodes);
        if many {
            self.bounds.learn(nodes, walltime, start);
        }
        self.next_start = self.next_start.min(start);
        let rank = self.rank.of(&job);
        let place = self.waiting.partition_point(|other| self.rank.of(&other.job) <= rank);
        self.waiting.insert(place, Planned { job, start });
    }

    /// Moves waiting jobs to earlier places.
    fn compress(&mut self, now: Time) {
        self.next_start = Time::FOREVER;
        let many = self.waiting.len() >= MANY;
        for planned in &mut self.waiting {
            if planned.start > now {
                if many {
                    planned.advance_far(now, &mut self.profile, &mut self.bounds);
                } else {
                    planned.advance(now, &mut self.profile);
                }
            }
            self.next_start = self.next_start.min(planned.start);
        }
    }

    /// Refuses waiting jobs that the cap would have let start, and never does any more.
    fn refuse_hopeless(&mut self, now: Time, decisions: &mut Decisions) {
        let Self { profile, bounds, cap, .. } = self;
        self.waiting.retain(|Planned { job, start }| {
            let refused = *start >= Time::FOREVER && cap.refuses(now, job, decisions);
            if refused {
                profile.give(*start, *start + job.walltime, job.nodes);
                bounds.clear();
            }
            !refused
        });
    }

    /// Starts those whose instant has come.
    fn start(&mut self, now: Time, decisions: &mut Decisions) {
        if self.next_start > now {
            return;
        }
        let (running, mut next_start) = (&mut self.running, Time::FOREVER);
        self.waiting.retain(|planned| {
            let Planned { job, start } = *planned;
            if start > now {
                next_start = next_start.min(start);
                return true;
            }
            running.insert(job.key, (job.nodes, start + job.walltime));
            decisions.start(job.key);
            false
        });
        self.next_start = next_start;
    }
}

impl Scheduler for Conservative {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        let now = moment.now;
        for &key in moment.ended {
            self.end(now, key);
        }
        self.profile.advance(now);
        self.cap.advance(now);
        if self.tie == Tie::Pyss {
            // Jobs that are due do not move any more.
            self.start(now, decisions);
        }
        if self.compression && !moment.ended.is_empty() {
            self.compress(now);
        }
        for job in in_order(moment.submitted, self.rank).iter() {
            self.plan(now, *job, decisions);
        }
        if self.cap.bounds() {
            self.refuse_hopeless(now, decisions);
        }
        self.start(now, decisions);
        let next = (!self.waiting.is_empty()).then_some(self.next_start);
        decisions.wake_at = self.cap.wake_at(next);
    }
}
