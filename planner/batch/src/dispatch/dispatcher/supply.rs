//! Jobs that budgets and windows hold back, and what a power cap lets start.

use super::Dispatcher;
use crate::dispatch::conservative::PowerLeft;
use crate::dispatch::order::Waiting;
use crate::dispatch::power_cap::{MoreDraw, PowerCap};
use crate::time::Time;

impl Dispatcher<'_> {
    /// What nodes may draw is bounded from now on, before any job is submitted.
    pub fn keep_cap(&mut self, cap: PowerCap) {
        if let Some(promises) = &mut self.promises {
            let (steps, idle) = cap.over_idle();
            promises.power = Some(PowerLeft::new(steps, idle));
        }
        self.cap = Some(cap);
    }

    /// A job that was [withdrawn](Dispatcher::withdraw), or held back at its submission, waits again.
    pub fn resubmit(&mut self, job: Waiting) {
        self.submit(job);
        // It may come before others.
        self.released = true;
    }

    /// A job that waits is taken out of the queue.
    pub fn withdraw(&mut self, key: u32) {
        let Some(at) = self.queue.find(0, |job| job.key == key) else { return };
        if let Some(job) = self.queue.remove(at) {
            self.several -= usize::from(self.asks_for_several(&job));
            if let Some(promises) = &mut self.promises {
                promises.withdraw(key);
            } else {
                self.rooms.leave(job.unit, self.free.nodes());
            }
        }
        if self.promised_to == key {
            self.forget_promise();
        }
        self.released = true;
    }

    /// What a job draws beside idle nodes, where there is a cap.
    pub(super) fn draw(&self, job: &Waiting) -> MoreDraw {
        self.cap.as_ref().map(|cap| cap.draw(job.key)).unwrap_or_default()
    }

    /// When the cap changes for jobs that wait.
    pub fn wakes(&self) -> Option<Time> {
        let changes = self.cap.as_ref().filter(|_| !self.queue.is_empty())?.changes();
        (changes < Time::FOREVER).then_some(changes)
    }

    /// A job that waits and that no cap from now on lets start; looked for when the cap changes and while nothing runs.
    pub fn above_cap(&self, now: Time) -> Option<Waiting> {
        let cap = self.cap.as_ref()?;
        let looks = cap.changes() <= now || self.running.count() == 0;
        self.queue.from(0).filter(|_| looks).find(|job| !cap.may_ever_start(now, job.key)).copied()
    }

    /// Whether the cap lets a job start now, beside the promise to the first one where that is `promised`.
    pub(super) fn cap_allows(&mut self, job: &Waiting, now: Time, promised: bool) -> bool {
        if promised {
            self.keep_promise(now);
        }
        let Some(cap) = &self.cap else { return true };
        let promise = self.promise.as_ref().filter(|_| promised);
        let promise = promise.map(|it| cap.promised(it.at, self.promised_to));
        cap.allows(now, job.key, promise)
    }
}
