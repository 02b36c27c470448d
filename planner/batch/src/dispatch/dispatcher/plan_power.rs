//! The cap in plans: what it leaves is one more resource of the system as a whole, of which there is less while the cap is low.

use super::Dispatcher;
use crate::dispatch::order::Waiting;
use crate::dispatch::plan::{PlanProblem, PlanSettings, PlanTaken};
use crate::dispatch::power_cap::MoreDraw;
use crate::time::Time;

impl Dispatcher<'_> {
    /// Whether the cap lets the first jobs of the queue all start now.
    pub(super) fn cap_lets_all_start(&self, now: Time, count: usize) -> bool {
        let keys = || self.queue.from(0).take(count).map(|job| job.key);
        self.cap.as_ref().is_none_or(|cap| cap.allows_all(now, keys()))
    }

    /// Whether the cap lets a job start now beside those that run.
    pub(super) fn cap_lets_start(&self, now: Time, job: &Waiting) -> bool {
        self.cap.as_ref().is_none_or(|cap| cap.allows(now, job.key, None))
    }

    /// Adds power to a problem that says already what running jobs draw. Jobs draw it as long as is estimated, and none starts before the
    /// cap lets it beside those that run. Of the cap the model knows what lies within the bound of the plan, in no more pieces than jobs
    /// are planned; later the highest of these holds.
    pub(super) fn plan_power(&self, now: Time, problem: &mut PlanProblem, settings: &PlanSettings) {
        let Some(cap) = &self.cap else { return };
        let bound = problem.bound();
        let power = problem.capacity.len();
        let waiting = self.queue.from(0).take(problem.waiting.len());
        let of_waiting = waiting.map(|job| microwatts(cap.draw(job.key)));
        let of_running = problem.running.iter().map(|(demand, _)| demand[power]);
        let all: u64 = of_waiting.chain(of_running).sum();
        let pieces = cap.pieces(now, now + bound).take(settings.jobs);
        let pieces: Vec<(Time, Time, u64)> =
            pieces.map(|(from, until, left)| (from - now, until - now, left.min(all))).collect();
        let most = pieces.iter().map(|it| it.2).max().unwrap_or(all);
        problem.capacity.push(most);
        for (planned, job) in problem.waiting.iter_mut().zip(self.queue.from(0)) {
            planned.demand.push(microwatts(cap.draw(job.key)).min(most));
            planned.earliest = (cap.first(now, job.key) - now).min(bound);
        }
        let low = pieces.into_iter().filter(|it| it.2 < most);
        problem.taken.extend(low.map(|(from, until, left)| PlanTaken {
            resource: power,
            amount: most - left,
            from,
            until,
        }));
    }
}

/// What a job draws beside idle nodes.
pub(super) fn microwatts(draw: MoreDraw) -> u64 {
    u64::try_from(draw.more.as_microwatts()).unwrap_or(0)
}
