//! Decides which waiting jobs start now, and where: an order, backfilling and a fit.
//!
//! While no job ends, less and less is free: a job that did not fit does not fit then either. How many units of each kind would fit
//! is kept, and what did not fit beside the promise is remembered until a job ends. Of jobs of several kinds of units that is not
//! sure: while one waits, everybody is tried at each decision and nothing is remembered.

mod conservative;
mod hopeful;
mod late_ranks;
mod learning;
mod plan;
mod plan_power;
mod promised;
mod several_kinds;
mod supply;

use super::backfill::UnitBackfill;
use super::conservative::{Future, Promises};
use super::fit::{FitView, NodeOrder, PlaceRequest, WaitingUnits, place};
use super::free::{FreeResources, Overuse, UnitsOnNode, each_once};
use super::order::{QueueOrder, Waiting};
use super::plan::PlanSettings;
use super::power_cap::PowerCap;
use super::promise::Promise;
use super::queue::WaitingQueue;
use super::rooms::Rooms;
use super::running::{Running, RunningUnits};
use super::system::System;
use super::unit::UnitRequests;
use crate::policy::bits::Bits;
use crate::time::Time;

/// A job that starts.
#[derive(Clone, Debug)]
pub(super) struct UnitStart {
    pub job: Waiting,
    pub places: Vec<UnitsOnNode>,
    /// What was free on its nodes before, all resources added up.
    pub free_before: u64,
}

/// The state of nodes and of the queue, and the parts that decide.
#[derive(Debug)]
pub(super) struct Dispatcher<'a> {
    system: &'a System,
    types: Vec<usize>,
    pub free: FreeResources,
    pub units: UnitRequests,
    pub order: Box<dyn QueueOrder>,
    fit: Box<dyn NodeOrder>,
    backfill: UnitBackfill,
    /// What nodes may draw, where that is bounded.
    pub cap: Option<PowerCap>,
    queue: WaitingQueue,
    /// Jobs that came since the last decision.
    fresh: Vec<Waiting>,
    pub running: Running,
    rooms: Rooms,
    /// By unit: the least number of units that is known not to fit beside the promise.
    blocked_beyond: Vec<u32>,
    /// By unit that somebody waits with: the most units that are not known not to fit now, within the promise and beyond it.
    hopeful: Vec<[u32; 2]>,
    /// By unit: of which of the resources that the fit learns about it asks, as bits.
    asks_for_critical: Vec<u64>,
    promise: Option<Promise>,
    /// The job that has the promise.
    promised_to: u32,
    /// Where every waiting job has one.
    promises: Option<Promises>,
    /// Where the whole queue is planned.
    plan: Option<PlanSettings>,
    /// How long the first jobs of the queue wait yet as is planned; empty where no plan is being carried out.
    planned: Vec<Time>,
    released: bool,
    /// How many jobs wait that ask for several kinds of units.
    several: usize,
    starts: Vec<UnitStart>,
    /// Kept to be used again.
    scratch: Option<FreeResources>,
    /// The nodes on which what is kept for promises may differ from what is free.
    touched: Bits,
    spare: Promise,
    /// While a promise is made: the nodes of jobs that end before it, where more may be free than the rooms say. Else none.
    freed: Bits,
    nodes: Vec<u32>,
    window: Vec<WaitingUnits>,
    busy_until: Vec<Time>,
}

impl<'a> Dispatcher<'a> {
    pub fn new(
        system: &'a System,
        order: Box<dyn QueueOrder>,
        backfill: UnitBackfill,
        fit: Box<dyn NodeOrder>,
    ) -> Self {
        let free = FreeResources::all_of(system);
        let compression = backfill == UnitBackfill::Conservative;
        let promises = || Promises::new(Future::new(&free), compression);
        Self {
            system,
            types: system.type_of_nodes().collect(),
            plan: order.plan(),
            planned: Vec::new(),
            promises: backfill.promises_all().then(promises),
            free,
            units: UnitRequests::default(),
            order,
            fit,
            backfill,
            cap: None,
            queue: WaitingQueue::default(),
            fresh: Vec::new(),
            running: Running::default(),
            rooms: Rooms::default(),
            blocked_beyond: Vec::new(),
            hopeful: Vec::new(),
            asks_for_critical: Vec::new(),
            promise: None,
            promised_to: 0,
            released: false,
            several: 0,
            starts: Vec::new(),
            scratch: None,
            spare: Promise::default(),
            touched: Bits::none(system.nodes()),
            freed: Bits::none(system.nodes()),
            nodes: Vec::new(),
            window: Vec::new(),
            busy_until: Vec::new(),
        }
    }

    /// The type of a node, by position.
    pub fn type_of(&self, node: u32) -> usize {
        self.types[node as usize]
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// A job waits from now on.
    pub fn submit(&mut self, job: Waiting) {
        self.several += usize::from(self.asks_for_several(&job));
        self.fresh.push(job);
    }

    /// A job ended.
    pub fn end(&mut self, key: u32) -> Option<RunningUnits> {
        let job = self.running.remove(key)?;
        if let Some(cap) = &mut self.cap {
            cap.ended(key);
        }
        let unit = self.units.get(job.unit);
        let nodes = each_once(unit, &job.places);
        self.free.give(unit, &job.places);
        self.rooms.changed(&self.units, &self.free, &nodes);
        nodes.iter().for_each(|it| self.touched.insert(it.node));
        drop(nodes);
        self.released = true;
        if let Some(promises) = &mut self.promises {
            promises.ended.push(key);
        }
        Some(job)
    }

    /// Starts jobs, which [`Dispatcher::take_starts`] gives.
    ///
    /// # Errors
    /// A fit chose what is not free.
    pub fn decide(&mut self, now: Time) -> Result<(), Overuse> {
        let cap_changed = self.cap.as_mut().is_some_and(|cap| cap.has_changed(now));
        if self.backfill.promises_all() {
            return self.decide_by_promises(now);
        }
        if let Some(plan) = self.plan.take() {
            let decided = self.decide_by_plan(now, &plan);
            self.plan = Some(plan);
            return decided;
        }
        self.blocked_beyond.resize(self.units.len(), u32::MAX);
        self.released |= cap_changed;
        // Else newcomers are tried without looking at who waits.
        let looks_at_queue = self.fit.learns() || self.fit.window() > 0;
        if self.ranks_late() && (self.released || self.several > 0 || looks_at_queue) {
            return self.decide_ranking_late(now);
        }
        let late = self.promise.as_ref().is_some_and(|promise| promise.at <= now);
        if std::mem::take(&mut self.released) || late || self.several > 0 {
            self.forget_promise();
            self.receive(now);
            return self.whole_queue(now);
        }
        if self.fit.learns() || !self.only_newcomers() {
            self.receive(now);
            return self.whole_queue(now);
        }
        self.newcomers(now)
    }

    /// The jobs that started, in their order.
    pub fn take_starts(&mut self) -> Vec<UnitStart> {
        std::mem::take(&mut self.starts)
    }

    /// Whether jobs that wait since before cannot start, and the new ones come behind the first of them.
    fn only_newcomers(&mut self) -> bool {
        if self.order.changes() {
            // Without backfilling one that goes on has tried them all; else the first may be another now. A window must be in order.
            let goes_on = self.order.goes_on() && self.backfill == UnitBackfill::None;
            return goes_on && self.fit.window() == 0;
        }
        let Some(first) = self.queue.front().map(|job| job.rank) else { return true };
        let (order, units) = (&self.order, &self.units);
        self.fresh.iter().all(|job| order.rank(job, units, job.submitted) >= first)
    }

    /// New jobs take their places in the queue, and all of them where the order changes.
    fn receive(&mut self, now: Time) {
        let (order, units) = (&mut self.order, &self.units);
        // One alone needs no rank.
        let several = self.queue.len() + self.fresh.len() > 1;
        if several && order.prepare(now) {
            self.queue.rank(|job| order.rank_again(job, units, now));
        }
        for mut job in self.fresh.drain(..) {
            job.rank = order.rank(&job, units, now);
            if !self.backfill.promises_all() {
                self.rooms.wait(job.unit, units, &self.free);
            }
            self.queue.insert(job);
        }
    }

    /// Nothing became free: only new jobs are tried.
    fn newcomers(&mut self, now: Time) -> Result<(), Overuse> {
        let mut fresh = std::mem::take(&mut self.fresh);
        for job in &mut fresh {
            job.rank = self.order.rank(job, &self.units, now);
        }
        fresh.sort_by_key(|job| (job.rank, job.arrival));
        for job in fresh.drain(..) {
            let at = self.queue.insert(job);
            let tried = at == 0 || self.order.goes_on() || self.backfill != UnitBackfill::None;
            let promised = at > 0 && self.backfill != UnitBackfill::None;
            // Behind others it most likely waits: how many fit is counted once.
            if at > 0 {
                self.rooms.wait(job.unit, &self.units, &self.free);
            } else {
                self.rooms.look(job.unit, &self.units, &self.free);
            }
            if tried && self.start(at, now, promised)? {
                self.queue.remove(at);
                if at > 0 {
                    self.rooms.leave(job.unit, self.free.nodes());
                }
            } else if at == 0 {
                self.rooms.wait(job.unit, &self.units, &self.free);
            }
        }
        self.fresh = fresh;
        Ok(())
    }

    /// Everybody is tried.
    fn whole_queue(&mut self, now: Time) -> Result<(), Overuse> {
        while !self.queue.is_empty() && self.start(0, now, false)? {
            if let Some(job) = self.queue.remove(0) {
                self.rooms.leave(job.unit, self.free.nodes());
            }
        }
        let backfills = self.backfill != UnitBackfill::None;
        if !backfills && !self.order.goes_on() {
            return Ok(());
        }
        let mut at = 1;
        loop {
            let next = self.next_to_try(at, now);
            if self.fit.learns() {
                self.learn_from_failures(at, next.unwrap_or(self.queue.len()));
            }
            let Some(next) = next else { break };
            at = next;
            if self.start(at, now, backfills)? {
                if let Some(job) = self.queue.remove(at) {
                    self.rooms.leave(job.unit, self.free.nodes());
                }
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Starts the job at a place in the queue, if it fits; beside the promise to the first one where that is `promised`.
    fn start(&mut self, at: usize, now: Time, promised: bool) -> Result<bool, Overuse> {
        let job = self.queue[at];
        if self.cap.is_some() && !self.cap_allows(&job, now, promised) {
            return Ok(false);
        }
        let places = self.places(&job, at, now, promised);
        if self.fit.learns() {
            self.fit.tried(self.units.get(job.unit), places.is_some());
        }
        let Some(places) = places else { return Ok(false) };
        if !promised {
            // It came before who has a promise, which may be late now.
            self.forget_promise();
        }
        if promised
            && let Some(promise) = &mut self.promise
            && now + job.estimate.told > promise.at
        {
            promise.take(self.units.get(job.unit), &places);
        }
        self.begin(job, places, now)?;
        Ok(true)
    }

    /// A job has these places from now on.
    fn begin(&mut self, job: Waiting, places: Vec<UnitsOnNode>, now: Time) -> Result<(), Overuse> {
        let unit = self.units.get(job.unit);
        let nodes = each_once(unit, &places);
        let free = nodes.iter().flat_map(|it| self.free.on(it.node));
        let free_before = free.map(|amount| u64::from(*amount)).sum();
        self.free.take(unit, &places)?;
        self.rooms.changed(&self.units, &self.free, &nodes);
        nodes.iter().for_each(|it| self.touched.insert(it.node));
        drop(nodes);
        self.several -= usize::from(self.asks_for_several(&job));
        if let Some(cap) = &mut self.cap {
            cap.started(now, job.key);
        }
        let estimate = job.estimate.told;
        let running = RunningUnits::new(job.unit, places.clone(), now, estimate, job.limit);
        self.running.insert(job.key, running);
        self.starts.push(UnitStart { job, places, free_before });
        Ok(())
    }

    /// Where a job can start now.
    fn places(
        &mut self,
        job: &Waiting,
        at: usize,
        now: Time,
        promised: bool,
    ) -> Option<Vec<UnitsOnNode>> {
        let (id, unit) = (job.unit.index(), self.units.get(job.unit));
        match self.rooms.get(job.unit) {
            Some(room) if room < u64::from(job.units) => return None,
            Some(_) if !self.free.shares_enough(unit, job.units) => return None,
            Some(_) => {}
            None => {
                // In the order of numbers places are found as fast as it is seen whether there are any.
                let sure = promised || !self.fit.is_plain();
                let fits = self.free.may_fit(unit, job.units);
                if !fits || sure && !self.free.holds(unit, job.units) {
                    return None;
                }
            }
        }
        let mut beyond = false;
        if promised {
            self.keep_promise(now);
            beyond = self.promise.as_ref().is_some_and(|it| now + job.estimate.told > it.at);
            if beyond && job.units >= self.blocked_beyond[id] {
                return None;
            }
        }
        let places = self.choose(job, at, now, beyond);
        if places.is_none() && beyond && self.units.get(job.unit).beside.is_empty() {
            self.blocked_beyond[id] = job.units;
        }
        places
    }

    /// The places that the fit chooses in what is free, and beside the promise where the job runs `beyond` it.
    fn choose(
        &mut self,
        job: &Waiting,
        at: usize,
        now: Time,
        beyond: bool,
    ) -> Option<Vec<UnitsOnNode>> {
        if let Some(promise) = self.promise.as_ref().filter(|_| beyond)
            && let Some(room) = self.rooms.get(job.unit)
            && !promise.leaves(self.units.get(job.unit), &self.free, room, u64::from(job.units))
        {
            return None;
        }
        self.look_around(at);
        if self.asks_for_several(job) {
            return self.choose_several(job, now, beyond);
        }
        let unit = self.units.get(job.unit);
        let promise = self.promise.as_ref().filter(|_| beyond);
        if promise.is_some_and(|promise| !promise.shares(unit, job.units)) {
            return None;
        }
        let free = &self.free;
        let room = |node: u32| {
            let fits = free.room(unit, node);
            if fits == 0 { 0 } else { promise.map_or(fits, |it| fits.min(it.room(unit, node))) }
        };
        if self.fit.is_plain() {
            return match self.rooms.nodes(job.unit, &self.freed) {
                Some(nodes) => place(nodes, job.units, room),
                None => place(0..free.nodes(), job.units, room),
            };
        }
        let view = FitView {
            system: self.system,
            types: &self.types,
            free,
            units: &self.units,
            waiting: &self.window,
            busy_until: &self.busy_until,
        };
        let request = PlaceRequest { unit, units: job.units, ends: now + job.estimate.told };
        self.nodes.clear();
        self.fit.order(&view, &request, &mut self.nodes);
        place(self.nodes.iter().copied(), job.units, room)
    }

    /// Collects what the fit looks at beside nodes, for the job at a place in the queue.
    fn look_around(&mut self, at: usize) {
        let window = self.fit.window();
        if window > 0 {
            let units = |job: &Waiting| WaitingUnits {
                unit: job.unit,
                units: job.units,
                estimate: job.estimate.told,
            };
            self.window.clear();
            if self.planned.is_empty() {
                self.window.extend(self.queue.from(at).take(window).map(units));
            } else {
                let beside = plan::planned_beside(&self.queue, &self.planned, at);
                self.window.extend(beside.take(window).map(units));
            }
        }
        if self.fit.wants_ends() {
            self.busy_until.clear();
            self.busy_until.resize(self.types.len(), Time::ZERO);
            for job in self.running.all() {
                for it in &job.places {
                    let until = &mut self.busy_until[it.node as usize];
                    *until = (*until).max(job.end());
                }
            }
        }
    }
}
