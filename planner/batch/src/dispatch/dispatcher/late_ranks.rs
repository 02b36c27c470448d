//! Decisions that put the queue in order only where that matters.
//!
//! Where everybody is tried anyhow and nobody has a promise, the order says who of those that fit goes first. If nobody fits, no job is
//! looked at: a fit that learns of failures learns the same from them in any order.

use super::Dispatcher;
use crate::dispatch::backfill::UnitBackfill;
use crate::dispatch::free::Overuse;
use crate::time::Time;

impl Dispatcher<'_> {
    /// Whether the order of the queue matters only where somebody starts.
    pub(super) fn ranks_late(&self) -> bool {
        self.order.goes_on() && self.backfill == UnitBackfill::None && self.cap.is_none()
    }

    /// Starts jobs as everybody is tried, where the [order matters only then](Self::ranks_late).
    ///
    /// # Errors
    /// A fit chose what is not free.
    pub(super) fn decide_ranking_late(&mut self, now: Time) -> Result<(), Overuse> {
        let released = std::mem::take(&mut self.released) || self.several > 0;
        let (order, units) = (&self.order, &self.units);
        for job in &mut self.fresh {
            job.rank = order.rank(job, units, now);
        }
        self.fresh.sort_by_key(|job| (job.rank, job.arrival));
        // Who waited before was tried before, and less is free now: newcomers alone may start, and stand behind.
        let in_order = !released
            && self.order.newcomers_are_last()
            && self.queue.latest() < now
            && self.fresh.iter().all(|job| job.submitted == now);
        for job in self.fresh.drain(..) {
            self.rooms.wait(job.unit, &self.units, &self.free);
            self.queue.push(job);
        }
        if !self.is_anybody_hopeful(now) {
            if self.fit.learns() {
                self.learn_from_failures(0, self.queue.len());
            }
            return Ok(());
        }
        if !in_order {
            self.order.prepare(now);
            let (order, units) = (&self.order, &self.units);
            self.queue.rank(|job| order.rank_again(job, units, now));
        }
        self.whole_queue(now)
    }
}
