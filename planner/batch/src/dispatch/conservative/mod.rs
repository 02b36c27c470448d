//! Conservative backfilling: every waiting job has a promise, an instant and places from then on.
//!
//! A new job gets the first places that disturb nobody. When jobs end, every waiting job that what became free reaches is
//! planned anew, in the order of the queue, while the others keep their promises; without compression promises stay as they are. If a job
//! outlives its estimate, and where it runs others are promised what it still has, these are planned anew.

mod future;
mod given;
mod power;
mod timeline;

use super::free::UnitsOnNode;
use super::power_cap::MoreDraw;
use super::unit::{UnitId, UnitRequest};
use crate::time::Time;
pub(super) use future::{Future, Held, Search};
use given::Given;
pub(super) use power::PowerLeft;

/// What a waiting job is promised.
#[derive(Clone, Debug)]
pub(super) struct Promised {
    pub unit: UnitId,
    pub places: Vec<UnitsOnNode>,
    pub start: Time,
    pub end: Time,
    /// So much of what became free was seen when it was planned.
    pub seen: u64,
    /// Whether the cap kept it from starting before.
    pub by_cap: bool,
}

/// What is known of the promise of a job.
#[derive(Clone, Debug, Default)]
pub(super) enum PromiseState {
    /// It has none yet.
    #[default]
    New,
    Kept(Promised),
    /// It lost the one that it had, and gets another from this instant on.
    Lost(Time),
}

/// What a running job has, and until when it is taken to have it.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub unit: UnitId,
    pub places: Vec<UnitsOnNode>,
    pub until: Time,
}

/// What a waiting job seeks: so many units for so long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought<'a> {
    pub id: UnitId,
    pub unit: &'a UnitRequest,
    pub units: u32,
    pub length: Time,
}

/// All promises, and what is free beside them.
#[derive(Debug)]
pub(super) struct Promises {
    pub future: Future,
    /// What the cap leaves, where there is one.
    pub power: Option<PowerLeft>,
    /// Whether promises become earlier when jobs end.
    pub compression: bool,
    pub search: Search,
    /// Of waiting jobs, by key.
    waiting: Vec<PromiseState>,
    /// By key.
    running: Vec<Option<Running>>,
    /// Jobs that ended since the last decision.
    pub ended: Vec<u32>,
    /// Promises of jobs that do not wait any more since the last decision.
    pub withdrawn: Vec<Promised>,
    given: Given,
    /// When the next promise is due.
    pub due: Time,
}

impl Promises {
    pub fn new(future: Future, compression: bool) -> Self {
        Self {
            future,
            power: None,
            compression,
            search: Search::default(),
            waiting: Vec::new(),
            running: Vec::new(),
            ended: Vec::new(),
            withdrawn: Vec::new(),
            given: Given::default(),
            due: Time::FOREVER,
        }
    }

    /// The promise of a waiting job.
    pub fn of(&mut self, key: u32) -> &mut PromiseState {
        let place = key as usize;
        if self.waiting.len() <= place {
            self.waiting.resize(place + 1, PromiseState::New);
        }
        &mut self.waiting[place]
    }

    /// Whether the cap lets a job start at an instant.
    ///
    /// # Errors
    /// Before when it does not either.
    pub fn cap_lets_start(&self, at: Time, job: MoreDraw) -> Result<(), Time> {
        self.power.as_ref().map_or(Ok(()), |power| power.lets_start(at, job))
    }

    /// The instants from one on and before a limit at which a job may start that could not before.
    pub fn instants(&self, from: Time, limit: Time) -> Vec<Time> {
        let mut instants = self.future.instants(from, limit);
        if let Some(power) = &self.power {
            instants.extend(power.instants(from, limit));
            instants.sort_unstable();
            instants.dedup();
        }
        instants
    }

    /// A job has its power from an instant on, where there is a cap.
    pub fn hold_power(&mut self, now: Time, key: u32, from: Time, job: MoreDraw) {
        if let Some(power) = &mut self.power {
            power.hold(now, key, from, job);
        }
    }

    /// A job has its power no more, where there is a cap.
    pub fn release_power(&mut self, key: u32) {
        if let Some(power) = &mut self.power {
            power.release(key);
        }
    }

    /// A job does not wait any more.
    pub fn withdraw(&mut self, key: u32) {
        self.release_power(key);
        if let PromiseState::Kept(promised) = std::mem::take(self.of(key)) {
            self.withdrawn.push(promised);
        }
    }

    /// A job runs from now on.
    pub fn started(&mut self, key: u32, running: Running) {
        let place = key as usize;
        if self.running.len() <= place {
            self.running.resize(place + 1, None);
        }
        self.running[place] = Some(running);
    }

    /// A running job.
    pub fn running(&mut self, key: u32) -> Option<&mut Running> {
        self.running.get_mut(key as usize)?.as_mut()
    }

    /// What a job had that ended.
    pub fn take_ended(&mut self, key: u32) -> Option<Running> {
        self.release_power(key);
        self.running.get_mut(key as usize)?.take()
    }

    /// Places are free that were taken, and who waits has not seen that.
    pub fn give(&mut self, now: Time, held: Held<'_>) {
        self.future.give(now, held);
        self.note(held);
    }

    /// Remembers that places are free that were taken.
    pub fn note(&mut self, held: Held<'_>) {
        let Held { unit, places, from, to } = held;
        if !self.compression || from >= to {
            return;
        }
        for place in places {
            self.given.push(Some(place.node), from, to);
        }
        if unit.of_shared().next().is_some() {
            self.given.push(None, from, to);
        }
    }

    /// How much became free so far.
    pub fn given(&self) -> u64 {
        self.given.count()
    }

    /// Forgets what became free before it was so much.
    pub fn forget(&mut self, seen: u64) {
        self.given.forget(seen);
    }

    /// From when on a job may find a start before its own, or other places at the same instant, in what became free since it was planned;
    /// none where that does not reach it.
    pub fn first_gain(
        &mut self,
        now: Time,
        promised: &Promised,
        sought: Sought<'_>,
    ) -> Option<Time> {
        let Promised { start, end, seen, .. } = *promised;
        let Sought { id, unit, units, length } = sought;
        if Future::packs(unit) {
            // Where its units stand may be other nodes even where less is free.
            return Some(now);
        }
        if seen >= self.given() {
            return None;
        }
        let reaches = self.given.reaches(now, &self.future, (id, unit), length);
        let (anywhere, bound) = (reaches.first_since(seen), reaches.bound(units, length, start));
        let (given, future) = (&self.given, &self.future);
        let on_own = |place: &UnitsOnNode| {
            let on = (place.node, future.on(place.node));
            given.first_on_own(now, seen, on, unit, [start, end])
        };
        let own = promised.places.iter().filter_map(on_own);
        let first = own.chain(anywhere).min().filter(|first| *first <= start)?;
        Some(first.max(now).max(bound.unwrap_or(now)))
    }

    /// From when on a job may find a start that has none.
    pub fn first_start(&mut self, now: Time, from: Time, sought: Sought<'_>) -> Time {
        let Sought { id, unit, units, length } = sought;
        if !self.compression || Future::packs(unit) {
            return from;
        }
        let reaches = self.given.reaches(now, &self.future, (id, unit), length);
        from.max(reaches.bound(units, length, Time::LAST).unwrap_or(from))
    }

    /// A job has seen all that became free. Where `start` is known, it may start at any instant from now on, and found none before that.
    pub fn learn(&mut self, now: Time, sought: Sought<'_>, start: Option<Time>) {
        let Sought { id, unit, units, length } = sought;
        if self.compression && !Future::packs(unit) {
            let reaches = self.given.reaches(now, &self.future, (id, unit), length);
            if let Some(start) = start {
                reaches.learn(units, length, start);
            }
        }
    }
}
