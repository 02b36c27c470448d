//! EASY beside advance reservations, which it keeps inviolate: a job starts only on machines on which it
//! ends, if it lasts as long as it may, before they are reserved. The first waiting job has a guaranteed
//! start at which that holds too.
//!
//! A decision costs the steps of the profile for each waiting job that is narrow enough.

use std::collections::VecDeque;

use planner::node_set::NodeSet;

use super::{ByKey, Setting};
use crate::scheduler::{Decisions, JobRequest, Moment, Scheduler};
use crate::set_profile::{Selection, SetProfile};
use crate::time::Time;

/// EASY backfilling over sets of machines and time.
#[derive(Debug)]
pub(super) struct EasyReservations {
    profile: SetProfile,
    running: ByKey<(Time, NodeSet)>,
    queue: VecDeque<JobRequest>,
    /// When reservations end, the last first.
    ends: Vec<Time>,
}

impl EasyReservations {
    pub(super) fn new(setting: &Setting<'_>) -> Self {
        let mut profile = SetProfile::new(setting.platform.machines());
        for reservation in setting.reservations {
            profile.take(reservation.from, reservation.until, &reservation.machines);
        }
        let ends = setting.reservations.iter().map(|reservation| reservation.until);
        let mut ends: Vec<Time> = ends.collect();
        ends.sort_unstable_by(|one, other| other.cmp(one));
        Self { profile, running: ByKey::new(), queue: VecDeque::new(), ends }
    }

    fn start(&mut self, now: Time, job: JobRequest, machines: NodeSet, decisions: &mut Decisions) {
        let until = now + job.walltime;
        self.profile.take(now, until, &machines);
        self.running.insert(job.key, (until, machines.clone()));
        decisions.start_on(job.key, machines);
    }

    /// Starts jobs in order; the place of the first that cannot start.
    fn first_jobs(
        &mut self,
        now: Time,
        decisions: &mut Decisions,
    ) -> Option<(Time, Time, NodeSet)> {
        while let Some(job) = self.queue.front().copied() {
            // Reservations end, so there is always a place.
            let place = self.profile.earliest(now, job.nodes, job.walltime, &Selection::Lowest);
            let (start, machines) = place?;
            if start > now {
                return Some((start, start + job.walltime, machines));
            }
            self.queue.pop_front();
            self.start(now, job, machines, decisions);
        }
        None
    }

    fn backfill(&mut self, now: Time, decisions: &mut Decisions) {
        let mut index = 1;
        while let Some(job) = self.queue.get(index).copied() {
            match self.profile.at_once(now, job.nodes, job.walltime) {
                Some(machines) => {
                    self.queue.remove(index);
                    self.start(now, job, machines, decisions);
                }
                None => index += 1,
            }
        }
    }
}

impl Scheduler for EasyReservations {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        let now = moment.now;
        for &key in moment.ended {
            if let Some((until, machines)) = self.running.remove(key) {
                self.profile.give(now, until, &machines);
            }
        }
        self.profile.advance(now);
        self.queue.extend(moment.submitted);
        let first = self.first_jobs(now, decisions);
        if let Some((start, end, machines)) = &first {
            self.profile.take(*start, *end, machines);
            self.backfill(now, decisions);
            self.profile.give(*start, *end, machines);
        }
        while self.ends.last().is_some_and(|end| *end <= now) {
            self.ends.pop();
        }
        let start = first.map(|(start, ..)| start);
        let end = self.ends.last().copied().filter(|_| !self.queue.is_empty());
        decisions.wake_at = [start, end].into_iter().flatten().min();
    }
}
