//! A simulation of jobs of units: events over integer time, as in [`crate::kernel`].
//!
//! At one instant jobs end first, in the order of their starts; then jobs are submitted; then it is decided once which start.
//! The kernel takes what jobs have from what is free, and refuses more than there is: no resource is ever over-used.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::iter::Peekable;

use planner::quantity::Energy;

use super::dispatcher::{Dispatcher, UnitBackfill, UnitStart};
use super::estimate::{Estimate, EstimatePart, Estimator};
use super::fit::UnitFitPart;
use super::free::{Overuse, UnitsOnNode};
use super::jobs::UnitJob;
use super::order::{OrderSetting, SharesFile, UnitOrderPart, Used, Waiting};
use super::power_meter::PowerMeter;
use super::results::{UnitResults, UnitTally, UserResult};
use super::system::{QueueLimits, System};
use crate::kernel::JobEnd;
use crate::policy::Options;
use crate::time::Time;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct UnitSimulation<'a> {
    /// The nodes.
    pub system: &'a System,
    /// Which waiting job is the first.
    pub order: &'static UnitOrderPart,
    /// Who may start before it.
    pub backfill: UnitBackfill,
    /// Which nodes jobs take.
    pub fit: &'static UnitFitPart,
    /// How long jobs are taken to last.
    pub estimate: &'static EstimatePart,
    /// Who is given which share; all the same where this is not said.
    pub shares: Option<&'a SharesFile>,
    /// What the energy of a user's jobs is multiplied by.
    pub energy_factors: &'a BTreeMap<String, f64>,
    /// Options of the parts by name.
    pub options: &'a [(String, String)],
}

/// A job that has ended.
#[derive(Clone, Copy, Debug)]
pub struct UnitPlayed<'a> {
    /// The job.
    pub job: &'a UnitJob,
    /// How long it was taken to last.
    pub estimate: Time,
    /// The instant at which it started.
    pub started: Time,
    /// The instant at which it ended.
    pub finished: Time,
    /// Where its units ran.
    pub places: &'a [UnitsOnNode],
    /// The way in which it ended.
    pub end: JobEnd,
    /// What it consumed, where that is known.
    pub energy: Option<Energy>,
}

/// Why a job is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitRefusal {
    /// It has no unit, or its units ask for nothing of a node.
    AsksForNothing,
    /// No node has what a unit asks for.
    NoNodeHoldsIt,
    /// The empty system does not hold all its units.
    TooManyUnits,
    /// It asks for more than its queue allows.
    AboveTheQueue,
}

impl UnitRefusal {
    /// The reason as `jobs.csv` states it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::AsksForNothing => "asks for nothing",
            Self::NoNodeHoldsIt => "no node ever holds a unit of it",
            Self::TooManyUnits => "the empty system does not hold all its units",
            Self::AboveTheQueue => "above what its queue allows",
        }
    }
}

/// The state after a decision.
#[derive(Clone, Copy, Debug)]
pub struct UnitStep<'a> {
    /// The instant.
    pub now: Time,
    /// Jobs that run.
    pub running: usize,
    /// Jobs that wait.
    pub waiting: usize,
    /// What is used of each resource: of nodes by position, then of what is shared.
    pub used: &'a [u64],
}

/// Sees what happens.
pub trait UnitObserver {
    /// A job ended.
    ///
    /// # Errors
    /// Those of an output.
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()>;

    /// A job was refused.
    ///
    /// # Errors
    /// Those of an output.
    fn refused(&mut self, _job: &UnitJob, _why: UnitRefusal) -> io::Result<()> {
        Ok(())
    }

    /// It was decided which jobs start; only told where [`UnitObserver::wants_steps`].
    ///
    /// # Errors
    /// Those of an output.
    fn decided(&mut self, _step: &UnitStep<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Whether it wants to be told of every decision.
    fn wants_steps(&self) -> bool {
        false
    }
}

/// Why a simulation ended early.
#[derive(Debug, thiserror::Error)]
pub enum UnitSimulationError<E> {
    /// The workload cannot be read.
    #[error(transparent)]
    Workload(E),
    /// An output failed.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// A fit chose what is not free.
    #[error("at {now} s {overuse}")]
    Overuse {
        /// The instant.
        now: Time,
        /// What was over-used.
        overuse: Overuse,
    },
    /// Nothing is left to happen, and jobs wait.
    #[error("at {now} s {waiting} jobs wait, nothing runs, and none starts")]
    Stuck {
        /// The instant at which everything stands still.
        now: Time,
        /// The number of jobs that wait.
        waiting: usize,
    },
    /// Options that are wrong.
    #[error("{}", .0.join("; "))]
    Options(Vec<String>),
}

impl<'a> UnitSimulation<'a> {
    /// The options of the parts.
    pub fn options(&self) -> Vec<&'static crate::policy::PolicyOption> {
        [self.order.about.options, self.fit.about.options, self.estimate.about.options]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The parts that decide.
    ///
    /// # Errors
    /// Everything that is wrong with the options.
    fn parts(&self) -> Result<(Dispatcher<'a>, Box<dyn Estimator>), Vec<String>> {
        let mut options = Options::new(self.options);
        let setting = OrderSetting { system: self.system, shares: self.shares };
        let order = (self.order.build)(&setting, &mut options);
        let fit = (self.fit.build)(self.system, &mut options);
        let estimator = (self.estimate.build)(&mut options);
        let whose = format!(
            "{}, {} and {}",
            self.order.about.name, self.fit.about.name, self.estimate.about.name
        );
        options.finish(&whose, &self.options())?;
        Ok((Dispatcher::new(self.system, order, self.backfill, fit), estimator))
    }

    /// Says what is wrong with the options, before anything is read.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn check(&self) -> Result<(), Vec<String>> {
        self.parts().map(|_| ())
    }

    /// Plays jobs, which come in the order of submission.
    ///
    /// # Errors
    /// Those of the workload, of the observer and of the options.
    pub fn play<E>(
        &self,
        jobs: impl Iterator<Item = Result<UnitJob, E>>,
        observer: &mut impl UnitObserver,
    ) -> Result<UnitResults, UnitSimulationError<E>> {
        let (dispatcher, estimator) = self.parts().map_err(UnitSimulationError::Options)?;
        let types: Vec<usize> = self.system.type_of_nodes().collect();
        let meter = PowerMeter::new(self.system, &types, &dispatcher.free);
        let mut play = UnitPlay {
            simulation: self,
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
            tally: UnitTally::new(self.system),
            totals: self.system.totals(),
            used: Vec::new(),
        };
        let mut now = Time::ZERO;
        while let Some(next) = play.next_instant()? {
            now = next;
            play.instant(now)?;
        }
        play.finish(now)
    }
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
        self.tally.started(unit, start, free);
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
