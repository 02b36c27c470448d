//! Decides which waiting jobs start now, and where: an order, backfilling and a fit.
//!
//! While no job ends, less and less is free: a job that did not fit does not fit then either. How many units of each kind would fit
//! is kept, and what did not fit beside the promise is remembered until a job ends.

use std::collections::VecDeque;

use super::backfill::UnitBackfill;
use super::fit::{FitView, NodeOrder, PlaceRequest, WaitingUnits, place};
use super::free::{FreeResources, Overuse, UnitsOnNode};
use super::order::{QueueOrder, Waiting};
use super::promise::{Promise, first_fit};
use super::rooms::Rooms;
use super::running::{Running, RunningUnits};
use super::system::System;
use super::unit::UnitRequests;
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
    queue: VecDeque<Waiting>,
    /// Jobs that came since the last decision.
    fresh: Vec<Waiting>,
    pub running: Running,
    rooms: Rooms,
    /// By unit: the least number of units that is known not to fit beside the promise.
    blocked_beyond: Vec<u32>,
    promise: Option<Promise>,
    /// The job that has the promise.
    promised_to: u32,
    released: bool,
    starts: Vec<UnitStart>,
    /// Kept to be used again.
    scratch: Option<FreeResources>,
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
        Self {
            system,
            types: system.type_of_nodes().collect(),
            free: FreeResources::all_of(system),
            units: UnitRequests::default(),
            order,
            fit,
            backfill,
            queue: VecDeque::new(),
            fresh: Vec::new(),
            running: Running::default(),
            rooms: Rooms::default(),
            blocked_beyond: Vec::new(),
            promise: None,
            promised_to: 0,
            released: false,
            starts: Vec::new(),
            scratch: None,
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
        self.fresh.push(job);
    }

    /// A job ended.
    pub fn end(&mut self, key: u32) -> Option<RunningUnits> {
        let job = self.running.remove(key)?;
        self.rooms.changing(&self.units, &self.free, &job.places);
        self.free.give(self.units.get(job.unit), &job.places);
        self.rooms.changed(&self.units, &self.free, &job.places);
        self.released = true;
        Some(job)
    }

    /// Starts jobs, which [`Dispatcher::take_starts`] gives.
    ///
    /// # Errors
    /// A fit chose what is not free.
    pub fn decide(&mut self, now: Time) -> Result<(), Overuse> {
        self.blocked_beyond.resize(self.units.len(), u32::MAX);
        let late = self.promise.as_ref().is_some_and(|promise| promise.at <= now);
        if std::mem::take(&mut self.released) || late {
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
            // Without backfilling one that goes on has tried them all; else the first may be another now.
            return self.order.goes_on() && self.backfill == UnitBackfill::None;
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
            let queue = self.queue.make_contiguous();
            for job in &mut *queue {
                job.rank = order.rank(job, units, now);
            }
            queue.sort_by_key(|job| (job.rank, job.arrival));
        }
        for mut job in self.fresh.drain(..) {
            job.rank = order.rank(&job, units, now);
            self.rooms.wait(job.unit, units, &self.free);
            insert(&mut self.queue, job);
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
            let at = insert(&mut self.queue, job);
            let tried = at == 0 || self.order.goes_on() || self.backfill != UnitBackfill::None;
            let promised = at > 0 && self.backfill != UnitBackfill::None;
            if tried && self.start(at, now, promised)? {
                self.queue.remove(at);
            } else {
                self.rooms.wait(job.unit, &self.units, &self.free);
            }
        }
        self.fresh = fresh;
        Ok(())
    }

    /// Everybody is tried.
    fn whole_queue(&mut self, now: Time) -> Result<(), Overuse> {
        while !self.queue.is_empty() && self.start(0, now, false)? {
            if let Some(job) = self.queue.pop_front() {
                self.rooms.leave(job.unit, self.free.nodes());
            }
        }
        let backfills = self.backfill != UnitBackfill::None;
        if !backfills && !self.order.goes_on() {
            return Ok(());
        }
        let learns = self.fit.learns();
        let (mut kept, mut at) = (1, 1);
        while at < self.queue.len() {
            let hopeless = !learns && self.is_hopeless(&self.queue[at], now);
            if !hopeless && self.start(at, now, backfills)? {
                self.rooms.leave(self.queue[at].unit, self.free.nodes());
            } else {
                if kept < at {
                    self.queue.swap(kept, at);
                }
                kept += 1;
            }
            at += 1;
        }
        self.queue.truncate(kept);
        Ok(())
    }

    /// Whether it is known that a job does not start now: most of those that wait.
    fn is_hopeless(&self, job: &Waiting, now: Time) -> bool {
        if self.rooms.get(job.unit).is_some_and(|room| room < u64::from(job.units)) {
            return true;
        }
        let beyond = |promise: &Promise| now + job.estimate.told > promise.at;
        job.units >= self.blocked_beyond[job.unit.index()]
            && self.queue.front().is_some_and(|first| first.key == self.promised_to)
            && self.promise.as_ref().is_some_and(beyond)
    }

    /// Starts the job at a place in the queue, if it fits; beside the promise to the first one where that is `promised`.
    fn start(&mut self, at: usize, now: Time, promised: bool) -> Result<bool, Overuse> {
        let job = self.queue[at];
        let places = self.places(&job, at, now, promised);
        if self.fit.learns() {
            self.fit.tried(self.units.get(job.unit), places.is_some());
        }
        let Some(places) = places else { return Ok(false) };
        if !promised {
            // It came before who has a promise, which may be late now.
            self.forget_promise();
        }
        self.rooms.changing(&self.units, &self.free, &places);
        let unit = self.units.get(job.unit);
        let free = places.iter().flat_map(|it| self.free.on(it.node));
        let free_before = free.map(|amount| u64::from(*amount)).sum();
        self.free.take(unit, &places)?;
        self.rooms.changed(&self.units, &self.free, &places);
        if promised
            && let Some(promise) = &mut self.promise
            && now + job.estimate.told > promise.at
        {
            promise.take(unit, &places);
        }
        let estimate = job.estimate.told;
        let running = RunningUnits::new(job.unit, places.clone(), now, estimate, job.limit);
        self.running.insert(job.key, running);
        self.starts.push(UnitStart { job, places, free_before });
        Ok(true)
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
            Some(_) if self.free.shared_fits(unit) < job.units => return None,
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
        let lowest = self.rooms.lowest(job.unit);
        let places = self.choose(job, at, now, lowest, beyond);
        if let Some(first) = places.as_ref().and_then(|places| places.first())
            && self.fit.is_plain()
            && !beyond
        {
            self.rooms.saw_lowest(job.unit, first.node);
        }
        if places.is_none() && beyond {
            self.blocked_beyond[id] = job.units;
        }
        places
    }

    /// The places that the fit chooses in what is free, of which no node below `lowest` has room, and beside the promise where
    /// the job runs `beyond` it.
    fn choose(
        &mut self,
        job: &Waiting,
        at: usize,
        now: Time,
        lowest: u32,
        beyond: bool,
    ) -> Option<Vec<UnitsOnNode>> {
        self.look_around(at);
        let unit = self.units.get(job.unit);
        let promise = self.promise.as_ref().filter(|_| beyond);
        if promise.is_some_and(|promise| !promise.shares(unit, job.units)) {
            return None;
        }
        let free = &self.free;
        let room = |node: u32| {
            let fits = unit.fits(free.on(node));
            if fits == 0 { 0 } else { promise.map_or(fits, |it| fits.min(it.room(unit, node))) }
        };
        if self.fit.is_plain() {
            return place(lowest..free.nodes(), job.units, room);
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
            self.window.clear();
            self.window.extend(self.queue.range(at..).take(window).map(|job| WaitingUnits {
                unit: job.unit,
                units: job.units,
                estimate: job.estimate.told,
            }));
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

    fn forget_promise(&mut self) {
        if self.promise.take().is_some() {
            self.blocked_beyond.fill(u32::MAX);
        }
    }

    /// Sees to it that the first waiting job has its promise.
    fn keep_promise(&mut self, now: Time) {
        let Some(first) = self.queue.front().copied() else { return };
        if self.promise.is_some() && self.promised_to == first.key {
            return;
        }
        self.forget_promise();
        self.running.correct(now);
        let mut free = self.scratch.take().unwrap_or_else(|| self.free.clone());
        free.copy_from(&self.free);
        // Somebody waits with such units: the room is kept.
        let room = self.rooms.get(first.unit).unwrap_or(0);
        let at = first_fit(&self.running, &self.units, &first, room, &mut free);
        let unit = self.units.get(first.unit).clone();
        std::mem::swap(&mut self.free, &mut free);
        let places = self.choose(&first, 0, at, 0, false).unwrap_or_default();
        std::mem::swap(&mut self.free, &mut free);
        let whole = self.backfill == UnitBackfill::EasyPerNode;
        self.promise = Some(Promise::of(at, &unit, &places, &free, whole));
        self.promised_to = first.key;
        self.scratch = Some(free);
    }
}

/// Puts a job at its place; where that is.
fn insert(queue: &mut VecDeque<Waiting>, job: Waiting) -> usize {
    let place = (job.rank, job.arrival);
    // Nearly all come last.
    let at = match queue.back() {
        Some(last) if (last.rank, last.arrival) > place => {
            queue.partition_point(|other| (other.rank, other.arrival) < place)
        }
        _ => queue.len(),
    };
    queue.insert(at, job);
    at
}
