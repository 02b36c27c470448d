//! Which waiting jobs are worth a try: few of those that wait.

use super::Dispatcher;
use crate::dispatch::order::Waiting;
use crate::dispatch::queue::whole_seconds;
use crate::time::Time;

impl Dispatcher<'_> {
    /// The next place in the queue whose job has to be tried.
    pub(super) fn next_to_try(&mut self, at: usize, now: Time) -> Option<usize> {
        // What the cap holds back is not learned from, so each is looked at.
        let each = self.cap.is_some() && self.fit.learns();
        if each { (at < self.queue.len()).then_some(at) } else { self.next_hopeful(at, now) }
    }

    /// The next place in the queue whose job is not known not to start now: few of those that wait.
    fn next_hopeful(&mut self, at: usize, now: Time) -> Option<usize> {
        if !self.is_anybody_hopeful(now) {
            return None;
        }
        let until = self.promised_within(now);
        let (queue, seconds) = (&self.queue, whole_seconds(until));
        queue.find(at, |job| {
            let [within, beyond] = self.hopeful[job.unit.index()];
            // Few are as small and as short: how long these last to the microsecond stands elsewhere.
            job.units <= within
                && (job.units <= beyond || job.seconds <= seconds && queue.lasts(job) <= until)
        })
    }

    /// For how long jobs can run before the first one is promised its nodes.
    fn promised_within(&self, now: Time) -> Time {
        let is_first = |first: &Waiting| first.key == self.promised_to;
        let promise = self.promise.as_ref().filter(|_| self.queue.front().is_some_and(is_first));
        promise.map_or(Time::FOREVER, |promise| promise.at - now)
    }

    /// Whether any job is not known not to start now, wherever it stands in the queue.
    pub(super) fn is_anybody_hopeful(&mut self, now: Time) -> bool {
        let until = self.promised_within(now);
        self.hopeful.resize(self.units.len(), [u32::MAX; 2]);
        let mut anybody = false;
        for (unit, room) in self.rooms.all() {
            let Some(waiting) = self.queue.of_kind(unit) else { continue };
            let room = u32::try_from(room).unwrap_or(u32::MAX);
            let beyond = self.blocked_beyond[unit.index()].saturating_sub(1).min(room);
            self.hopeful[unit.index()] = [room, beyond];
            let least = waiting.least_units;
            anybody |= least <= beyond || least <= room && waiting.shortest <= until;
        }
        anybody
    }
}
