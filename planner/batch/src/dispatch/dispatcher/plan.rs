//! The planner: jobs start that the plan of the queue has for now, if the fit finds room for them. The others wait, and are
//! planned anew at the next decision.

use super::Dispatcher;
use super::plan_power::microwatts;
use crate::dispatch::free::{Overuse, UnitsOnNode, each_once, units_of};
use crate::dispatch::order::Waiting;
use crate::dispatch::plan::{PlanJob, PlanProblem, PlanSettings};
use crate::dispatch::queue::WaitingQueue;
use crate::dispatch::running::RunningUnits;
use crate::dispatch::unit::UnitId;
use crate::time::Time;

impl Dispatcher<'_> {
    /// Starts what is planned for now.
    ///
    /// # Errors
    /// A fit chose what is not free.
    pub(super) fn decide_by_plan(
        &mut self,
        now: Time,
        settings: &PlanSettings,
    ) -> Result<(), Overuse> {
        self.receive(now);
        self.released = false;
        let planned = self.planned_for_now(now, settings);
        let mut started = Vec::new();
        for at in planned {
            if self.start(at, now, false)? {
                self.rooms.leave(self.queue[at].unit, self.free.nodes());
                started.push(at);
            }
        }
        self.queue.remove_all(&started);
        self.planned.clear();
        Ok(())
    }

    /// The places in the queue of jobs that are planned for now. Most often no plan is needed: all fit, or none does.
    fn planned_for_now(&mut self, now: Time, settings: &PlanSettings) -> Vec<usize> {
        let count = self.queue.len().min(settings.jobs);
        let first = self.queue.from(0).take(count);
        let demands: Vec<Vec<u64>> = first.map(|job| self.demand(job.unit, job.units)).collect();
        let shared = self.free.shared().iter().map(|it| u64::from(*it));
        let free: Vec<u64> = self.free.totals().iter().copied().chain(shared).collect();
        let fits = |demand: &[u64]| demand.iter().zip(&free).all(|(demand, free)| demand <= free);
        let mut sum = vec![0; free.len()];
        for demand in &demands {
            add(&mut sum, demand);
        }
        if fits(&sum) && self.cap_lets_all_start(now, count) {
            self.planned.resize(count, Time::ZERO);
            return (0..count).collect();
        }
        let lets_start = |at: usize| self.cap_lets_start(now, &self.queue[at]);
        if !(0..count).any(|at| fits(&demands[at]) && lets_start(at)) {
            return Vec::new();
        }
        self.running.correct(now);
        let mut problem = PlanProblem {
            capacity: self.system.totals(),
            running: self.running_demands(now),
            waiting: self.queue.from(0).zip(demands).map(|it| plan_job(it, settings)).collect(),
            taken: Vec::new(),
        };
        self.plan_power(now, &mut problem, settings);
        self.planned = problem.solve(settings).map_or_else(Vec::new, |plan| plan.starts);
        let for_now = (0..self.planned.len()).filter(|at| self.planned[*at] == Time::ZERO);
        let for_now: Vec<usize> = for_now.collect();
        if for_now.is_empty() { self.first_alone(now, count) } else { for_now }
    }

    /// Where nothing runs the first job starts that the cap lets start, whatever the plan is: else nothing would ever happen.
    fn first_alone(&self, now: Time, count: usize) -> Vec<usize> {
        let runs = self.running.count() > 0;
        let first = (0..count).find(|at| !runs && self.cap_lets_start(now, &self.queue[*at]));
        first.into_iter().collect()
    }

    /// What running jobs have of the system, and how long they are taken to have it yet.
    fn running_demands(&self, now: Time) -> Vec<(Vec<u64>, Time)> {
        let mut demands: Vec<(Vec<u64>, Time)> = Vec::new();
        for (key, job) in self.running.with_keys_by_end() {
            let (mut more, left) = (self.demand_of(job), job.end() - now);
            more.extend(self.cap.as_ref().map(|cap| microwatts(cap.draw(key))));
            match demands.last_mut().filter(|it| it.1 == left) {
                Some((demand, _)) => add(demand, &more),
                None => demands.push((more, left)),
            }
        }
        demands
    }

    /// What so many units ask for of the system as a whole: of resources of nodes, then of what is shared.
    fn demand(&self, unit: UnitId, count: u32) -> Vec<u64> {
        let unit = self.units.get(unit);
        let of_nodes = (0..self.system.resources.len()).map(|it| unit.asked_of_nodes(count, it));
        let shared = (0..self.system.shared.len()).map(|it| unit.asked_of_shared(count, it));
        of_nodes.chain(shared).collect()
    }

    /// What a running job has of the system as a whole: an exclusive one has its nodes.
    fn demand_of(&self, job: &RunningUnits) -> Vec<u64> {
        let unit = self.units.get(job.unit);
        let mut demand = self.demand(job.unit, units_of(unit, &job.places).unwrap_or(0));
        if unit.exclusive {
            let nodes = each_once(unit, &job.places);
            for (place, demand) in demand.iter_mut().take(self.system.resources.len()).enumerate() {
                let all = |it: &UnitsOnNode| u64::from(self.free.capacity(it.node)[place]);
                *demand = nodes.iter().map(all).sum();
            }
        }
        demand
    }
}

/// The jobs that fits look at beside the one at a place in the queue, whose first jobs wait so long yet: those planned for now from that
/// one on, then those that are planned to start before it ends (5.3.4).
pub(super) fn planned_beside<'a>(
    queue: &'a WaitingQueue,
    waits: &'a [Time],
    at: usize,
) -> impl Iterator<Item = &'a Waiting> {
    let length = queue[at].estimate.told;
    let others = || (0..).zip(waits).filter(move |(place, _)| *place != at);
    let now = others().filter(move |(place, wait)| *place > at && **wait == Time::ZERO);
    let later = others().filter(move |(_, wait)| **wait > Time::ZERO && **wait < length);
    let places = std::iter::once(at).chain(now.chain(later).map(|it| it.0));
    places.map(move |place| &queue[place])
}

fn plan_job((job, demand): (&Waiting, Vec<u64>), settings: &PlanSettings) -> PlanJob {
    let weight = job.queue.and_then(|queue| settings.weights.get(usize::from(queue)).copied());
    let weight = weight.unwrap_or(settings.other_weight);
    PlanJob { demand, length: job.estimate.told, weight, earliest: Time::ZERO }
}

fn add(sum: &mut [u64], more: &[u64]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
