//! The loop over instants.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::iter::Peekable;

use planner::quantity::{Energy, Power};

use super::refusal::refusal;
use super::{Parts, UnitSimulation, UnitSimulationError};
use crate::dispatch::dispatcher::{Dispatcher, UnitStart};
use crate::dispatch::estimate::{Estimate, Estimator};
use crate::dispatch::free::{FreeResources, UnitsOnNode, by_kind, each_once};
use crate::dispatch::job_supply::JobSupply;
use crate::dispatch::jobs::UnitJob;
use crate::dispatch::observer::{UnitObserver, UnitPlayed, UnitStarted, UnitStep};
use crate::dispatch::order::{Used, Waiting};
use crate::dispatch::power_meter::PowerMeter;
use crate::dispatch::results::{UnitResults, UnitTally, UserResult};
use crate::dispatch::supply::{StartedJob, Supply, UnitSupply};
use crate::kernel::JobEnd;
use crate::time::Time;

/// Plays jobs with these parts.
pub(super) fn play<E>(
    simulation: &UnitSimulation<'_>,
    supply: &UnitSupply<'_>,
    parts: Parts<'_>,
    jobs: impl Iterator<Item = Result<UnitJob, E>>,
    observer: &mut impl UnitObserver,
) -> Result<UnitResults, UnitSimulationError<E>> {
    let types: Vec<usize> = simulation.system.type_of_nodes().collect();
    let Parts { dispatcher, estimator, powers, rules } = parts;
    let meter = PowerMeter::new(simulation.system, &types, &dispatcher.free);
    let mut play = UnitPlay {
        simulation,
        jobs: jobs.peekable(),
        dispatcher,
        estimator,
        meter,
        supply: Supply::new(simulation.system, supply, &rules, powers),
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
        empty: FreeResources::all_of(simulation.system),
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
    predicted_power: Option<Power>,
    started: Time,
    began: StartedJob,
}

struct UnitPlay<'a, J: Iterator, O> {
    simulation: &'a UnitSimulation<'a>,
    jobs: Peekable<J>,
    dispatcher: Dispatcher<'a>,
    estimator: Box<dyn Estimator>,
    meter: Option<PowerMeter<'a>>,
    supply: Supply<'a>,
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
    /// The system as it is before anything starts.
    empty: FreeResources,
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
        let due = self.dispatcher.wake_at();
        let wakes = [self.supply.wakes(), self.dispatcher.wakes(), due];
        Ok([end, submission].into_iter().chain(wakes).flatten().min())
    }

    fn instant(&mut self, now: Time) -> Result<(), UnitSimulationError<E>> {
        let drawn = self.meter.as_ref().map(PowerMeter::drawn);
        self.supply.pass(now, drawn, &self.dispatcher);
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
        self.supply.review(now, &mut self.dispatcher);
        while let Some((key, why)) = self.supply.refuse_above_cap(now, &mut self.dispatcher) {
            if let Some(slot) = self.slots[key as usize].take() {
                self.free_slots.push(key);
                self.tally.refused(&slot.job, why);
                self.observer.refused(&slot.job, why)?;
            }
        }
        let decided = self.dispatcher.decide(now);
        decided.map_err(|overuse| UnitSimulationError::Overuse { now, overuse })?;
        for start in self.dispatcher.take_starts() {
            self.start(now, &start)?;
        }
        self.supply.look(now, &self.dispatcher);
        self.step(now)
    }

    fn step(&mut self, now: Time) -> Result<(), UnitSimulationError<E>> {
        let free = &self.dispatcher.free;
        let left =
            free.totals().iter().copied().chain(free.shared().iter().map(|it| u64::from(*it)));
        self.used.clear();
        self.used.extend(self.totals.iter().zip(left).map(|(all, free)| all - free));
        let running = self.dispatcher.running.count();
        let waiting = self.dispatcher.waiting() + self.supply.held();
        let step = UnitStep { now, running, waiting, used: &self.used };
        self.tally.step(&step);
        if self.observer.wants_steps() {
            self.observer.decided(&step)?;
        }
        Ok(())
    }

    /// A job is submitted: it waits, or is refused.
    fn submit(&mut self, job: UnitJob) -> Result<(), UnitSimulationError<E>> {
        if let Some(why) = refusal(&job, self.simulation.system, &self.empty) {
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
            unit: self.dispatcher.units.id(&job.unit),
            units: job.units,
            user,
            queue: queue.and_then(|place| u16::try_from(place).ok()),
            rank: (0, 0),
        };
        self.arrived += 1;
        let predicted_power = self.supply.predict(&job, self.factor(&job));
        let power = predicted_power;
        if let Some(why) = self.supply.submit(&job, waiting, power, &mut self.dispatcher) {
            self.free_slots.push(key);
            self.tally.refused(&job, why);
            return Ok(self.observer.refused(&job, why)?);
        }
        self.slots[key as usize] = Some(Slot {
            job,
            user,
            estimate: estimate.told,
            predicted_power,
            started: Time::ZERO,
            began: StartedJob::default(),
        });
        Ok(())
    }

    /// What the energy of a user's jobs is multiplied by.
    fn factor(&self, job: &UnitJob) -> f64 {
        self.simulation.energy_factors.get(&*job.user).copied().unwrap_or(1.0)
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

    fn start(&mut self, now: Time, start: &UnitStart) -> Result<(), UnitSimulationError<E>> {
        let key = start.job.key;
        let Some(mut slot) = self.slots[key as usize].take() else { return Ok(()) };
        let measured = self.supply.measures();
        let energy = measured.then(|| self.energy(&slot.job, &start.places, slot.job.occupied()));
        slot.started = now;
        slot.began = self.supply.started(now, &start.job, &slot.job, energy.flatten());
        self.started += 1;
        self.ends.push(Reverse((now + slot.job.occupied(), self.started, key)));
        let (free, unit) = (&self.dispatcher.free, self.dispatcher.units.get(start.job.unit));
        let efficiency = self.tally.started(unit, start);
        if let Some(meter) = &mut self.meter {
            start.places.iter().for_each(|place| meter.changed(place.node, free));
        }
        let (job, places) = (&slot.job, &start.places[..]);
        self.observer.started(&UnitStarted { job, now, places, efficiency })?;
        self.slots[key as usize] = Some(slot);
        Ok(())
    }

    fn end(&mut self, now: Time, key: u32) -> Result<(), UnitSimulationError<E>> {
        let (Some(slot), Some(ran)) = (self.slots[key as usize].take(), self.dispatcher.end(key))
        else {
            return Ok(());
        };
        self.free_slots.push(key);
        self.supply.stopped(key);
        if let Some(meter) = &mut self.meter {
            ran.places.iter().for_each(|place| meter.changed(place.node, &self.dispatcher.free));
        }
        let Slot { job, user, estimate, predicted_power, started, began } = slot;
        let (energy, time) = (self.energy(&job, &ran.places, now - started), now - started);
        let shared = self.dispatcher.order.shares().unwrap_or(0);
        let seconds = time.as_seconds() * self.amount(&job, &ran.places, shared) as f64;
        let factor = self.factor(&job);
        // Where nobody says what jobs draw, one of the shared resource draws a watt: joules are seconds.
        let joules = energy.map_or(seconds * factor, Energy::as_joules);
        self.dispatcher.order.ended(now, Used { user, seconds, joules });
        self.estimator.ended(&job, time);
        let came_to = self.supply.ended(&job, &began, (user, started, now), energy);
        let end = if job.reaches_walltime() { JobEnd::Walltime } else { JobEnd::Success };
        let played = UnitPlayed {
            job: &job,
            estimate,
            started,
            finished: now,
            places: &ran.places,
            end,
            energy,
            supply: JobSupply { predicted_power, ..came_to },
        };
        self.tally.played(&played, user, joules);
        Ok(self.observer.played(&played)?)
    }

    /// How much of a resource of nodes a job has: of an exclusive one all that its nodes have.
    fn amount(&self, job: &UnitJob, places: &[UnitsOnNode], resource: usize) -> u64 {
        if !job.unit.exclusive {
            return job.unit.asked_of_nodes(job.units, resource);
        }
        let of = |it: &UnitsOnNode| u64::from(self.dispatcher.free.capacity(it.node)[resource]);
        each_once(&job.unit, places).iter().map(of).sum()
    }

    /// What a job consumed: as the workload says, else what its units draw, times its user's factor.
    fn energy(&self, job: &UnitJob, places: &[UnitsOnNode], time: Time) -> Option<Energy> {
        let factor = self.factor(job);
        let joules = if let Some(energy) = job.energy {
            energy.as_joules()
        } else {
            let system = self.simulation.system;
            let mut watts = 0.0;
            for (kind, places) in by_kind(&job.unit, places) {
                for place in places {
                    let draw = system.types[self.dispatcher.type_of(place.node)].draw.as_ref()?;
                    watts += draw.of_unit(kind).as_watts() * f64::from(place.units);
                }
            }
            watts * time.as_seconds()
        };
        Energy::from_joules(joules * factor)
    }

    fn finish(mut self, now: Time) -> Result<UnitResults, UnitSimulationError<E>> {
        let waiting = self.dispatcher.waiting() + self.supply.held();
        if waiting > 0 {
            return Err(UnitSimulationError::Stuck { now, waiting });
        }
        let factors = self.dispatcher.order.factors(now);
        let energy = self.meter.take().map(|meter| meter.finish(now));
        let groups = self.tally.error_groups.groups(&self.users);
        let mut results = self.tally.results(now, energy);
        results.error_groups = groups;
        for (user, number) in self.users {
            let final_factor = factors.get(number as usize).copied();
            let (sums, bill) = (results.sums_of(number), self.supply.of_user(number));
            results.users.push(UserResult { user, sums, final_factor, bill });
        }
        results.supply = self.supply.results(now).map_err(UnitSimulationError::Uncovered)?;
        Ok(results)
    }
}
