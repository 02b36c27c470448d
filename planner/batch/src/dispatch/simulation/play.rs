//! The loop over instants.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::iter::Peekable;

use planner::quantity::Energy;

use super::{UnitSimulation, UnitSimulationError};
use crate::dispatch::dispatcher::{Dispatcher, UnitStart};
use crate::dispatch::estimate::{Estimate, Estimator};
use crate::dispatch::free::UnitsOnNode;
use crate::dispatch::jobs::UnitJob;
use crate::dispatch::observer::{UnitObserver, UnitPlayed, UnitRefusal, UnitStep};
use crate::dispatch::order::{Used, Waiting};
use crate::dispatch::power_meter::PowerMeter;
use crate::dispatch::results::{UnitResults, UnitTally, UserResult};
use crate::dispatch::system::{QueueLimits, System};
use crate::kernel::JobEnd;
use crate::time::Time;

/// Plays jobs with these parts.
pub(super) fn play<E>(
    simulation: &UnitSimulation<'_>,
    dispatcher: Dispatcher<'_>,
    estimator: Box<dyn Estimator>,
    jobs: impl Iterator<Item = Result<UnitJob, E>>,
    observer: &mut impl UnitObserver,
) -> Result<UnitResults, UnitSimulationError<E>> {
    let types: Vec<usize> = simulation.system.type_of_nodes().collect();
    let meter = PowerMeter::new(simulation.system, &types, &dispatcher.free);
    let mut play = UnitPlay {
        simulation,
        jobs: jobs.peekable(),
        dispatcher,
        estimator,
        meter,
        observer,
        slots: Vec::new(),
        free_slots: Vec::new(),
        ends: BinaryHeap::new(),
        started: 0,
        arrived: 0,
        users: BTreeMap::new(),
        tally: UnitTally::new(simulation.system),
        totals: simulation.system.totals(),
        used: Vec::new(),
    };
    let mut now = Time::ZERO;
    while let Some(next) = play.next_instant()? {
        now = next;
        play.instant(now)?;
    }
    play.finish(now)
}

/// A job that waits or runs.
#[derive(Debug)]
struct Slot {
    job: UnitJob,
    user: u32,
    estimate: Time,
    started: Time,
}

struct UnitPlay<'a, J: Iterator, O> {
    simulation: &'a UnitSimulation<'a>,
    jobs: Peekable<J>,
    dispatcher: Dispatcher<'a>,
    estimator: Box<dyn Estimator>,
    meter: Option<PowerMeter<'a>>,
    observer: &'a mut O,
    slots: Vec<Option<Slot>>,
    free_slots: Vec<u32>,
    /// By end, then in the order of the starts.
    ends: BinaryHeap<Reverse<(Time, u64, u32)>>,
    started: u64,
    arrived: u64,
    users: BTreeMap<Box<str>, u32>,
    tally: UnitTally,
    totals: Vec<u64>,
    used: Vec<u64>,
}

impl<E, J: Iterator<Item = Result<UnitJob, E>>, O: UnitObserver> UnitPlay<'_, J, O> {
    /// When something happens next.
    fn next_instant(&mut self) -> Result<Option<Time>, UnitSimulationError<E>> {
        let end = self.ends.peek().map(|Reverse((at, ..))| *at);
        let submission = match self.jobs.peek() {
            None => None,
            Some(Ok(job)) => Some(job.submitted),
            Some(Err(_)) => match self.jobs.next() {
                Some(Err(error)) => return Err(UnitSimulationError::Workload(error)),
                _ => None,
            },
        };
        Ok([end, submission].into_iter().flatten().min())
    }

    fn instant(&mut self, now: Time) -> Result<(), UnitSimulationError<E>> {
        if let Some(meter) = &mut self.meter {
            meter.pass(now);
        }
        while self.ends.peek().is_some_and(|Reverse((at, ..))| *at <= now) {
            if let Some(Reverse((_, _, key))) = self.ends.pop() {
                self.end(now, key)?;
            }
        }
        while let Some(Ok(job)) =
            self.jobs.next_if(|job| job.as_ref().is_ok_and(|job| job.submitted <= now))
        {
            self.submit(job)?;
        }
        let decided = self.dispatcher.decide(now);
        decided.map_err(|overuse| UnitSimulationError::Overuse { now, overuse })?;
        for start in self.dispatcher.take_starts() {
            self.start(now, &start);
        }
        self.step(now)
    }

    fn step(&mut self, now: Time) -> Result<(), UnitSimulationError<E>> {
        let free = &self.dispatcher.free;
        let left =
            free.totals().iter().copied().chain(free.shared().iter().map(|it| u64::from(*it)));
        self.used.clear();
        self.used.extend(self.totals.iter().zip(left).map(|(all, free)| all - free));
        let (running, waiting) = (self.dispatcher.running.count(), self.dispatcher.waiting());
        let step = UnitStep { now, running, waiting, used: &self.used };
        self.tally.step(&step);
        if self.observer.wants_steps() {
            self.observer.decided(&step)?;
        }
        Ok(())
    }

    /// A job is submitted: it waits, or is refused.
    fn submit(&mut self, job: UnitJob) -> Result<(), UnitSimulationError<E>> {
        if let Some(why) = refusal(&job, self.simulation.system) {
            self.tally.refused(&job, why);
            return Ok(self.observer.refused(&job, why)?);
        }
        let told = self.estimator.estimate(&job);
        let estimate = Estimate::of(told);
        let user = self.user(&job.user);
        let queue = self.simulation.system.queues.iter().position(|it| it.name == job.queue);
        let key = self.free_slots.pop().unwrap_or_else(|| {
            self.slots.push(None);
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        });
        let waiting = Waiting {
            key,
            arrival: self.arrived,
            submitted: job.submitted,
            estimate,
            limit: job.walltime.unwrap_or(Time::FOREVER),
            unit: self.dispatcher.units.id(job.unit.clone()),
            units: job.units,
            user,
            queue: queue.and_then(|place| u16::try_from(place).ok()),
            rank: (0, 0),
        };
        self.arrived += 1;
        self.dispatcher.submit(waiting);
        let slot = Slot { job, user, estimate: estimate.told, started: Time::ZERO };
        self.slots[key as usize] = Some(slot);
        Ok(())
    }

    /// The number of a user.
    fn user(&mut self, name: &str) -> u32 {
        if let Some(user) = self.users.get(name) {
            return *user;
        }
        let user = u32::try_from(self.users.len()).unwrap_or(u32::MAX);
        self.users.insert(name.into(), user);
        self.dispatcher.order.user(name);
        user
    }

    fn start(&mut self, now: Time, start: &UnitStart) {
        let key = start.job.key;
        let Some(slot) = self.slots[key as usize].as_mut() else { return };
        slot.started = now;
        self.started += 1;
        self.ends.push(Reverse((now + slot.job.occupied(), self.started, key)));
        let (free, unit) = (&self.dispatcher.free, self.dispatcher.units.get(start.job.unit));
        self.tally.started(unit, start);
        if let Some(meter) = &mut self.meter {
            start.places.iter().for_each(|place| meter.changed(place.node, free));
        }
    }

    fn end(&mut self, now: Time, key: u32) -> Result<(), UnitSimulationError<E>> {
        let (Some(slot), Some(ran)) = (self.slots[key as usize].take(), self.dispatcher.end(key))
        else {
            return Ok(());
        };
        self.free_slots.push(key);
        if let Some(meter) = &mut self.meter {
            ran.places.iter().for_each(|place| meter.changed(place.node, &self.dispatcher.free));
        }
        let Slot { job, user, estimate, started } = slot;
        let (energy, time) = (self.energy(&job, &ran.places, now - started), now - started);
        let shared = self.dispatcher.order.shares().unwrap_or(0);
        let amount = f64::from(job.unit.amount(shared)) * f64::from(job.units);
        let seconds = time.as_seconds() * amount;
        let factor = self.simulation.energy_factors.get(&*job.user).copied().unwrap_or(1.0);
        // Where nobody says what jobs draw, one of the shared resource draws a watt: joules are seconds.
        let joules = energy.map_or(seconds * factor, Energy::as_joules);
        self.dispatcher.order.ended(now, Used { user, seconds, joules });
        self.estimator.ended(&job, time);
        let end = if job.reaches_walltime() { JobEnd::Walltime } else { JobEnd::Success };
        let played = UnitPlayed {
            job: &job,
            estimate,
            started,
            finished: now,
            places: &ran.places,
            end,
            energy,
        };
        self.tally.played(&played, user, joules);
        Ok(self.observer.played(&played)?)
    }

    /// What a job consumed: as the workload says, else what its units draw, times its user's factor.
    fn energy(&self, job: &UnitJob, places: &[UnitsOnNode], time: Time) -> Option<Energy> {
        let factor = self.simulation.energy_factors.get(&*job.user).copied().unwrap_or(1.0);
        let joules = if let Some(energy) = job.energy {
            energy.as_joules()
        } else {
            let system = self.simulation.system;
            let mut watts = 0.0;
            for place in places {
                let draw = system.types[self.dispatcher.type_of(place.node)].draw.as_ref()?;
                watts += draw.of_unit(&job.unit).as_watts() * f64::from(place.units);
            }
            watts * time.as_seconds()
        };
        Energy::from_joules(joules * factor)
    }

    fn finish(mut self, now: Time) -> Result<UnitResults, UnitSimulationError<E>> {
        let waiting = self.dispatcher.waiting();
        if waiting > 0 {
            return Err(UnitSimulationError::Stuck { now, waiting });
        }
        let factors = self.dispatcher.order.factors(now);
        let energy = self.meter.take().map(|meter| meter.finish(now));
        let mut results = self.tally.results(now, energy);
        for (name, user) in self.users {
            let factor = factors.get(user as usize).copied();
            let sums = results.sums_of(user);
            results.users.push(UserResult { user: name, sums, final_factor: factor });
        }
        Ok(results)
    }
}

/// Why a job can never start.
fn refusal(job: &UnitJob, system: &System) -> Option<UnitRefusal> {
    if job.units == 0 || job.unit.of_node.is_empty() {
        return Some(UnitRefusal::AsksForNothing);
    }
    match system.holds(&job.unit) {
        0 => return Some(UnitRefusal::NoNodeHoldsIt),
        units if units < u64::from(job.units) => return Some(UnitRefusal::TooManyUnits),
        _ => {}
    }
    let queue = system.queues.iter().find(|it| it.name == job.queue)?;
    above(job, queue, system.resources.len()).then_some(UnitRefusal::AboveTheQueue)
}

/// Whether a job asks for more than its queue allows.
fn above(job: &UnitJob, queue: &QueueLimits, kinds: usize) -> bool {
    let units = queue.max_units.is_some_and(|most| job.units > most);
    let time = queue.max_time.is_some_and(|most| job.walltime.is_none_or(|it| it > most));
    let shared = job.unit.shared.iter().map(|&(place, amount)| (kinds + place, amount));
    let mut asked = job.unit.of_node.iter().copied().chain(shared);
    let amounts = asked.any(|(place, amount)| {
        queue.max_amounts[place].is_some_and(|most| u64::from(amount) * u64::from(job.units) > most)
    });
    units || time || amounts
}
