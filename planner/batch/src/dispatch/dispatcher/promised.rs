//! The promise that EASY backfilling gives the first waiting job.

use super::Dispatcher;
use crate::dispatch::backfill::UnitBackfill;
use crate::dispatch::promise::first_fit;
use crate::time::Time;

impl Dispatcher<'_> {
    pub(super) fn forget_promise(&mut self) {
        if let Some(promise) = self.promise.take() {
            self.spare = promise;
            self.blocked_beyond.fill(u32::MAX);
        }
    }

    /// Sees to it that the first waiting job has its promise.
    pub(super) fn keep_promise(&mut self, now: Time) {
        let Some(first) = self.queue.front().copied() else { return };
        if self.promise.is_some() && self.promised_to == first.key {
            return;
        }
        self.forget_promise();
        self.running.correct(now);
        let mut free = self.scratch.take().unwrap_or_else(|| self.free.clone());
        free.copy_nodes_from(&self.free, &self.touched);
        self.touched.clear();
        // Somebody waits with such units: the room is kept.
        let room = self.rooms.get(first.unit).unwrap_or(0);
        let enough = room >= u64::from(first.units);
        let unit = self.units.get(first.unit);
        // The cap alone holds it up.
        let now_fits = self.cap.is_some() && enough && self.free.shares_enough(unit, first.units);
        let fits = if now_fits {
            now
        } else {
            first_fit(&self.running, &self.units, &first, room, &mut free, &mut self.freed)
        };
        let at = self.cap.as_ref().map_or(fits, |cap| cap.first(fits, first.key));
        std::mem::swap(&mut self.free, &mut free);
        let places = self.choose(&first, 0, at, false).unwrap_or_default();
        std::mem::swap(&mut self.free, &mut free);
        let whole = self.backfill == UnitBackfill::EasyPerNode;
        let unit = self.units.get(first.unit);
        let spare = std::mem::take(&mut self.spare);
        self.promise = Some(spare.renewed(at, unit, &places, &free, whole));
        self.promised_to = first.key;
        self.touched.add(&self.freed);
        self.freed.clear();
        self.scratch = Some(free);
    }
}
