//! A cap of what nodes draw: a job starts only if what is expected to be drawn stays under the cap at every later instant, even if
//! every job lasts as long as it may.
//!
//! What is expected is what all nodes draw idle, and for each job what it is estimated to draw less what its units draw idle. It
//! only falls while nothing starts, so it is enough to look at now, at the instants at which the cap changes and, behind a job that
//! is promised a start, at that.

use std::collections::BTreeMap;

use planner::quantity::Power;

use super::system::System;
use super::unit::UnitRequest;
use crate::steps::Steps;
use crate::time::Time;

/// What a job is expected to draw beside idle nodes, and for how long at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MoreDraw {
    pub more: Power,
    pub limit: Time,
}

/// A job that is promised a start: what it draws from then on.
pub(super) type Promised = (Time, MoreDraw);

/// The cap, and what is expected.
#[derive(Clone, Debug)]
pub(super) struct PowerCap {
    cap: Steps<Power>,
    idle: Power,
    /// By key, of jobs that wait or run.
    jobs: Vec<MoreDraw>,
    /// When jobs that run end at the latest, and what they draw more.
    running: BTreeMap<(Time, u32), Power>,
    ends: Vec<Time>,
    drawn: Power,
    changes: Time,
}

/// What all nodes draw that nobody uses; none where the system does not say it.
pub(super) fn idle_power(system: &System) -> Option<Power> {
    let mut microwatts = 0_i64;
    for node_type in &system.types {
        let idle = node_type.draw.as_ref()?.at(&node_type.amounts, std::iter::repeat(0));
        let all = idle.as_microwatts().saturating_mul(node_type.count.into());
        microwatts = microwatts.saturating_add(all);
    }
    Some(Power::from_microwatts(microwatts))
}

/// What a job of `units` such units and those beside them draws idle on the nodes on which that is least.
pub(super) fn idle_of_units(system: &System, unit: &UnitRequest, units: u32) -> Power {
    let all = unit.kinds(units).map(|(units, kind)| {
        let held = system.types.iter().filter(|it| kind.fits(&it.amounts) > 0);
        let idle = held.filter_map(|it| it.draw.as_ref());
        let least = idle.map(|draw| draw.of_unit(kind) - draw.more_for(kind)).min();
        least.unwrap_or_default().as_microwatts().saturating_mul(units.into())
    });
    Power::from_microwatts(all.fold(0, i64::saturating_add))
}

impl PowerCap {
    /// A cap for nodes that draw so much idle.
    pub fn new(cap: Steps<Power>, idle: Power) -> Self {
        Self {
            cap,
            idle,
            jobs: Vec::new(),
            running: BTreeMap::new(),
            ends: Vec::new(),
            drawn: idle,
            changes: Time::from_micros(i64::MIN),
        }
    }

    /// Whether a job may ever start from now on, if nothing else runs.
    pub fn ever_allows(&self, now: Time, job: MoreDraw) -> bool {
        // It may start now, or where a piece ends under which it may not run.
        let (mut start, mut at) = (now, now);
        while at < start + job.limit {
            let (cap, next) = self.cap.from(at);
            let fits = cap.is_none_or(|cap| self.idle + job.more <= cap);
            if !fits {
                start = next;
            }
            if next >= Time::FOREVER {
                return fits;
            }
            at = next;
        }
        true
    }

    /// As [`PowerCap::ever_allows`], of a job that waits.
    pub fn may_ever_start(&self, now: Time, key: u32) -> bool {
        self.ever_allows(now, self.jobs[key as usize])
    }

    /// When the cap changes after it was asked [whether it has](PowerCap::has_changed).
    pub const fn changes(&self) -> Time {
        self.changes
    }

    /// A job waits.
    pub fn submit(&mut self, key: u32, job: MoreDraw) {
        let place = key as usize;
        if self.jobs.len() <= place {
            self.jobs.resize(place + 1, MoreDraw::default());
            self.ends.resize(place + 1, Time::ZERO);
        }
        self.jobs[place] = job;
    }

    /// Whether a job may start at an instant, beside what runs and a job that is promised a start.
    pub fn allows(&self, at: Time, key: u32, promised: Option<Promised>) -> bool {
        let job = self.jobs[key as usize];
        let end = at + job.limit;
        let (mut ends, mut ended) = (self.running.iter().peekable(), Power::ZERO);
        let start_of_promised = promised.map(|it| it.0).filter(|start| *start > at);
        let mut look = at;
        while look < end && look < Time::FOREVER {
            while let Some((_, more)) = ends.next_if(|((end, _), _)| *end <= look) {
                ended = ended + *more;
            }
            let beside = promised.filter(|(start, it)| *start <= look && look < *start + it.limit);
            let drawn = self.drawn - ended + job.more + beside.map_or(Power::ZERO, |it| it.1.more);
            let (cap, next) = self.cap.from(look);
            if cap.is_some_and(|cap| drawn > cap) {
                return false;
            }
            look = start_of_promised.filter(|start| *start > look).map_or(next, |it| it.min(next));
        }
        true
    }

    /// The first instant from one on at which a job may start if nothing else does; [`Time::FOREVER`] where there is none.
    pub fn first(&self, from: Time, key: u32) -> Time {
        let mut at = from;
        while !self.allows(at, key, None) {
            let end = self.running.keys().map(|it| it.0).find(|end| *end > at);
            let next = self.cap.from(at).1.min(end.unwrap_or(Time::FOREVER));
            if next >= Time::FOREVER {
                return Time::FOREVER;
            }
            at = next;
        }
        at
    }

    /// What a job that waits or runs draws.
    pub fn draw(&self, key: u32) -> MoreDraw {
        self.jobs[key as usize]
    }

    /// What the cap leaves beside idle nodes between two instants: from, until, microwatts.
    pub fn pieces(&self, from: Time, until: Time) -> impl Iterator<Item = (Time, Time, u64)> + '_ {
        let mut at = from;
        std::iter::from_fn(move || {
            let from = at;
            let (cap, next) = self.cap.from(from);
            at = next.min(until);
            let left = cap.map(|cap| (cap - self.idle).as_microwatts());
            let left = left.map_or(u64::MAX, |left| u64::try_from(left).unwrap_or(0));
            (from < until).then_some((from, at, left))
        })
    }

    /// Whether jobs may all start at an instant, even if nobody ends before them.
    pub fn allows_all(&self, at: Time, keys: impl Iterator<Item = u32>) -> bool {
        let (mut drawn, mut until) = (self.drawn, at);
        for key in keys {
            let job = self.draw(key);
            drawn = drawn + job.more;
            until = until.max(at + job.limit);
        }
        let mut look = at;
        while look < until && look < Time::FOREVER {
            let (cap, next) = self.cap.from(look);
            if cap.is_some_and(|cap| drawn > cap) {
                return false;
            }
            look = next;
        }
        true
    }

    /// The cap, and what nodes draw idle.
    pub const fn over_idle(&self) -> (&Steps<Power>, Power) {
        (&self.cap, self.idle)
    }

    /// What a job that waits would draw from an instant on.
    pub fn promised(&self, at: Time, key: u32) -> Promised {
        (at, self.draw(key))
    }

    /// A job starts.
    pub fn started(&mut self, now: Time, key: u32) {
        let job = self.jobs[key as usize];
        let end = now + job.limit;
        self.ends[key as usize] = end;
        self.running.insert((end, key), job.more);
        self.drawn = self.drawn + job.more;
    }

    /// A job ended.
    pub fn ended(&mut self, key: u32) {
        let Some(end) = self.ends.get(key as usize) else { return };
        if let Some(more) = self.running.remove(&(*end, key)) {
            self.drawn = self.drawn - more;
        }
    }

    /// What is expected to be drawn now.
    pub const fn drawn(&self) -> Power {
        self.drawn
    }

    /// The cap at an instant, and until when.
    pub fn from(&self, now: Time) -> (Option<Power>, Time) {
        self.cap.from(now)
    }

    /// Whether the cap has changed since this was asked before.
    pub fn has_changed(&mut self, now: Time) -> bool {
        let changed = now >= self.changes;
        self.changes = self.cap.from(now).1;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    fn w(watts: i64) -> Power {
        Power::from_microwatts(watts * 1_000_000)
    }

    /// Nodes draw 10 W idle; the cap is 100 W until 50 s, 60 W until 80 s, and none from then on. Job 0 draws 40 W more for 30 s at most:
    /// from 0 on.
    #[test]
    fn expected_draws_stay_under_the_cap() {
        let steps = Steps::of([(s(0), s(50), w(100)), (s(50), s(80), w(60))]);
        let mut cap = PowerCap::new(steps, w(10));
        let of = |more: i64, limit: i64| MoreDraw { more: w(more), limit: s(limit) };
        for (key, job) in [(0, of(40, 30)), (1, of(45, 20)), (2, of(51, 60)), (3, of(50, 60))] {
            cap.submit(key, job);
        }
        assert!(cap.allows(s(0), 0, None));
        cap.started(s(0), 0);
        assert_eq!(cap.drawn(), w(50));
        // 50 + 45 = 95 W. Job 2: 50 + 51 = 101 W at once, and 61 W at 50 s.
        assert!(cap.allows(s(0), 1, None) && !cap.allows(s(0), 2, None));
        // Job 3: 100 W at once; at 30 s job 0 has ended, 60 W at 50 s.
        assert!(cap.allows(s(0), 3, None));
        // Job 2 starts when there is no cap any more. Job 3 promised at 30 s: job 1 is over by then, but for 40 s it would not be.
        assert_eq!((cap.first(s(0), 2), cap.first(s(5), 3)), (s(80), s(5)));
        let promised = cap.promised(s(30), 3);
        assert!(cap.allows(s(0), 1, Some(promised)));
        cap.submit(1, of(45, 40));
        assert!(!cap.allows(s(0), 1, Some(promised)) && cap.allows(s(0), 1, None));
        assert!(cap.ever_allows(s(0), of(200, 5)));
        cap.ended(0);
        assert_eq!(cap.drawn(), w(10));
        assert!(cap.has_changed(s(0)) && !cap.has_changed(s(49)) && cap.has_changed(s(50)));
        let always = PowerCap::new(Steps::of([(s(0), Time::FOREVER, w(100))]), w(10));
        assert!(always.ever_allows(s(0), of(90, 5)) && !always.ever_allows(s(0), of(91, 5)));
    }
}
