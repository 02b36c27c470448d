//! What fits learn of jobs that wait: of those that are known not to start no more than is needed.

use super::Dispatcher;
use crate::dispatch::queue::QueuePlace;

impl Dispatcher<'_> {
    /// Tells the fit, where it learns, of the jobs from one place to before another, which are known not to start now. Those of which it
    /// would learn nothing more are left out: soon all of them, where many wait.
    pub(super) fn learn_from_failures(&mut self, from: usize, end: usize) {
        let fresh = self.units.after(self.asks_for_critical.len());
        self.asks_for_critical.extend(fresh.iter().map(|unit| self.fit.critical_of(unit)));
        let mut at = from;
        loop {
            let open = self.fit.open_to_failures();
            if open == 0 {
                break;
            }
            let asks_for = &self.asks_for_critical;
            let mut waiting = self.rooms.all().filter(|it| self.queue.of_kind(it.0).is_some());
            if !waiting.any(|(unit, _)| asks_for[unit.index()] & open != 0) {
                break;
            }
            let teaches = |job: &QueuePlace| asks_for[job.unit.index()] & open != 0;
            let next = self.queue.find(at, teaches).filter(|next| *next < end);
            let Some(next) = next else { break };
            self.fit.tried(self.units.get(self.queue[next].unit), false);
            at = next + 1;
        }
    }
}
