//! Conservative backfilling: waiting jobs get their promises, and start when these are due.

use super::Dispatcher;
use crate::dispatch::conservative::{
    Future, Held, PromiseState, Promised, Promises, Running, Sought,
};
use crate::dispatch::free::{Overuse, UnitsOnNode};
use crate::dispatch::order::Waiting;
use crate::time::Time;

/// A promise that a job had; and whether what became free reaches it, or the cap alone may let it start before.
#[derive(Clone, Copy)]
struct Before<'a> {
    promised: &'a Promised,
    reached: bool,
}

/// Where a job starts first, if it does; and whether the cap kept it from starting before.
type Found = (Option<(Time, Vec<UnitsOnNode>)>, bool);

impl Dispatcher<'_> {
    /// When a promise is due, if nothing happens before.
    pub fn wake_at(&self) -> Option<Time> {
        let due = self.promises.as_ref()?.due;
        (due < Time::FOREVER).then_some(due)
    }

    /// Starts jobs whose promises are due, after promises were made and moved.
    ///
    /// # Errors
    /// A fit chose what is not free.
    pub(super) fn decide_by_promises(&mut self, now: Time) -> Result<(), Overuse> {
        let Some(mut promises) = self.promises.take() else { return Ok(()) };
        self.receive(now);
        let released = std::mem::take(&mut self.released);
        for key in std::mem::take(&mut promises.ended) {
            if let Some(Running { unit, places, until }) = promises.take_ended(key) {
                let unit = self.units.get(unit);
                promises.give(now, Held { unit, places: &places, from: now, to: until });
            }
        }
        for promised in std::mem::take(&mut promises.withdrawn) {
            let Promised { unit, places, start, end, .. } = &promised;
            let unit = self.units.get(*unit);
            promises.give(now, Held { unit, places, from: *start, to: *end });
        }
        let lost = self.outlive(now, &mut promises);
        if lost || released && promises.compression {
            self.move_promises(now, &mut promises);
        }
        for at in 0..self.queue.len() {
            let job = self.queue[at];
            if matches!(promises.of(job.key), PromiseState::New) {
                self.promise(now, &mut promises, at, now, Time::LAST, None);
            }
        }
        let started = self.start_what_is_due(now, &mut promises);
        self.promises = Some(promises);
        started
    }

    /// Jobs that outlived their estimates keep what they have: who is promised that loses the promise. Whether anybody did.
    fn outlive(&mut self, now: Time, promises: &mut Promises) -> bool {
        let mut lost = false;
        let outlived = self.running.outlived(now);
        for (key, until) in outlived {
            let Some(running) = promises.running(key) else { continue };
            running.until = until;
            let Running { unit, places, .. } = running.clone();
            let unit = self.units.get(unit);
            let held = Held { unit, places: &places, from: now, to: until };
            if !promises.future.has(held) {
                lost = true;
                self.take_back(now, promises, held);
            }
            promises.future.take(now, held);
        }
        lost
    }

    /// Takes back promises of the same nodes, or of the same shared resources, at the same time.
    fn take_back(&self, now: Time, promises: &mut Promises, by: Held<'_>) {
        for job in self.queue.from(0) {
            let PromiseState::Kept(kept) = promises.of(job.key) else { continue };
            let (start, unit) = (kept.start, self.units.get(kept.unit));
            let node_of = |place: &UnitsOnNode| by.places.iter().any(|it| it.node == place.node);
            let both = kept.places.iter().any(node_of)
                || unit.of_shared().any(|it| by.unit.of_shared().any(|other| other == it));
            if both && start < by.to && kept.end > by.from {
                let from = if promises.compression { now } else { start.max(now) };
                let state = std::mem::replace(promises.of(job.key), PromiseState::Lost(from));
                if let PromiseState::Kept(Promised { places, start, end, .. }) = state {
                    promises.release_power(job.key);
                    promises.give(now, Held { unit, places: &places, from: start, to: end });
                }
            }
        }
    }

    /// Plans jobs anew that lost their promises, and with compression those that can gain.
    fn move_promises(&mut self, now: Time, promises: &mut Promises) {
        let first_seen = promises.given();
        for at in 0..self.queue.len() {
            let job = self.queue[at];
            let state = std::mem::take(promises.of(job.key));
            match state {
                PromiseState::New => {}
                PromiseState::Lost(from) => {
                    self.promise(now, promises, at, from, Time::LAST, None);
                }
                PromiseState::Kept(mut kept) => {
                    let gain = if promises.compression {
                        promises.first_gain(now, &kept, self.sought(&job))
                    } else {
                        None
                    };
                    let before = Before { promised: &kept, reached: gain.is_some() };
                    let by_cap = (kept.by_cap && promises.compression).then_some(now);
                    if let Some(from) = by_cap.or(gain) {
                        self.promise(now, promises, at, from, kept.start, Some(before));
                    } else {
                        kept.seen = promises.given();
                        *promises.of(job.key) = PromiseState::Kept(kept);
                    }
                }
            }
        }
        promises.forget(first_seen);
    }

    /// Promises a job the first instant from one on, and before a limit unless it has that already, with the places that the fit
    /// chooses then.
    fn promise(
        &mut self,
        now: Time,
        promises: &mut Promises,
        at: usize,
        from: Time,
        limit: Time,
        before: Option<Before<'_>>,
    ) {
        let job = self.queue[at];
        let old = before.map(|it| it.promised);
        let from = match old {
            None => promises.first_start(now, from, self.sought(&job)),
            Some(_) => from,
        };
        if let Some(Promised { places, start, end, .. }) = old {
            let unit = self.units.get(job.unit);
            promises.future.give(now, Held { unit, places, from: *start, to: *end });
            promises.release_power(job.key);
        }
        let (found, by_cap) = self.first_places(promises, &job, at, from, limit);
        let (start, places) = found.unwrap_or_else(|| {
            let reached = before.is_none_or(|it| it.reached);
            let places = reached.then(|| self.places_at(promises, &job, at, limit)).flatten();
            (limit, places.or(old.map(|it| it.places.clone())).unwrap_or_default())
        });
        let (unit, end) = (self.units.get(job.unit), start + job.estimate.told);
        promises.future.take(now, Held { unit, places: &places, from: start, to: end });
        promises.hold_power(now, job.key, start, self.draw(&job));
        if let Some(Promised { places: before, start: was, end, .. }) = old
            && (*was, before) != (start, &places)
        {
            promises.note(Held { unit, places: before, from: *was, to: *end });
        }
        promises.learn(now, self.sought(&job), (!by_cap).then_some(start));
        let seen = promises.given();
        let kept = Promised { unit: job.unit, places, start, end, seen, by_cap };
        *promises.of(job.key) = PromiseState::Kept(kept);
    }

    /// What a job seeks.
    fn sought(&self, job: &Waiting) -> Sought<'_> {
        let (unit, length) = (self.units.get(job.unit), job.estimate.told);
        Sought { id: job.unit, unit, units: job.units, length }
    }

    /// The first instant before a limit at which a job fits, and where.
    fn first_places(
        &mut self,
        promises: &mut Promises,
        job: &Waiting,
        at: usize,
        from: Time,
        limit: Time,
    ) -> Found {
        let (unit, draw) = (self.units.get(job.unit).clone(), self.draw(job));
        let mut by_cap = false;
        if Future::packs(&unit) {
            let found = promises.instants(from, limit).into_iter().find_map(|start| {
                if promises.cap_lets_start(start, draw).is_err() {
                    by_cap = true;
                    return None;
                }
                Some((start, self.places_at(promises, job, at, start)?))
            });
            return (found, by_cap);
        }
        let mut search = std::mem::take(&mut promises.search);
        search.begin(&promises.future, &unit, job.units, job.estimate.told, from, limit);
        let found = loop {
            let Some(start) = search.first(&promises.future, &unit) else { break None };
            if let Err(next) = promises.cap_lets_start(start, draw) {
                by_cap = true;
                search.go_to(&promises.future, &unit, next);
                continue;
            }
            if let Some(places) = self.places_at(promises, job, at, start) {
                break Some((start, places));
            }
            if search.skip(&promises.future, &unit).is_none() {
                break None;
            }
        };
        promises.search = search;
        (found, by_cap)
    }

    /// The places that the fit chooses for a job in what is free from an instant on for as long as it is taken to last.
    fn places_at(
        &mut self,
        promises: &mut Promises,
        job: &Waiting,
        at: usize,
        start: Time,
    ) -> Option<Vec<UnitsOnNode>> {
        let (unit, end) = (self.units.get(job.unit), start + job.estimate.told);
        if self.fit.is_plain() && !Future::packs(unit) {
            return promises.future.lowest_places(unit, job.units, start, end);
        }
        let mut free = self.scratch.take().unwrap_or_else(|| self.free.clone());
        promises.future.copy_to(start, end, &mut free);
        std::mem::swap(&mut self.free, &mut free);
        let shares = self.free.shares_enough(self.units.get(job.unit), job.units);
        let places = if shares { self.choose(job, at, start, false) } else { None };
        std::mem::swap(&mut self.free, &mut free);
        self.scratch = Some(free);
        places
    }

    fn start_what_is_due(&mut self, now: Time, promises: &mut Promises) -> Result<(), Overuse> {
        promises.due = Time::FOREVER;
        let learns = self.fit.learns();
        let (mut begun, mut over) = (Vec::new(), Ok(()));
        for at in 0..self.queue.len() {
            let job = self.queue[at];
            let start = match promises.of(job.key) {
                PromiseState::Kept(kept) => kept.start,
                _ => Time::LAST,
            };
            let due = start <= now && over.is_ok();
            if learns {
                self.fit.tried(self.units.get(job.unit), due);
            }
            if due {
                if let PromiseState::Kept(kept) = std::mem::take(promises.of(job.key)) {
                    let Promised { unit, places, .. } = kept;
                    let until = now + job.estimate.told;
                    promises.started(job.key, Running { unit, places: places.clone(), until });
                    over = self.begin(job, places, now);
                }
                begun.push(at);
                continue;
            }
            promises.due = promises.due.min(start);
        }
        self.queue.remove_all(&begun);
        over
    }
}
