//! What a cap leaves over time beside idle nodes, jobs that run and jobs that wait, which start as promised.
//!
//! A job has its power for as long as it may last, and not only for as long as is estimated: the cap is kept even then.

use planner::quantity::Power;

use crate::dispatch::power_cap::MoreDraw;
use crate::step_function::StepFunction;
use crate::steps::Steps;
use crate::time::Time;

/// What is left where there is no cap, in microwatts: more than all jobs together draw.
const UNBOUNDED: i64 = i64::MAX / 4;

/// What is left; from [`Time::FOREVER`] on nothing is bounded.
#[derive(Clone, Debug)]
pub(in crate::dispatch) struct PowerLeft {
    /// In microwatts; below nothing where idle nodes alone draw more than the cap.
    left: StepFunction<i64>,
    /// What each job has, by key.
    held: Vec<Option<HeldPower>>,
}

/// Power that a job has from an instant to another.
#[derive(Clone, Copy, Debug)]
struct HeldPower {
    from: Time,
    to: Time,
    microwatts: i64,
}

impl PowerLeft {
    /// What a cap leaves beside nodes that draw so much idle.
    pub fn new(cap: &Steps<Power>, idle: Power) -> Self {
        let mut left = StepFunction::of(UNBOUNDED);
        for (from, until, cap) in cap.pieces() {
            left.change(from, until, |_| (cap - idle).as_microwatts());
        }
        Self { left, held: Vec::new() }
    }

    /// Whether a job may start at an instant.
    ///
    /// # Errors
    /// Before when it may not either.
    pub fn lets_start(&self, at: Time, job: MoreDraw) -> Result<(), Time> {
        let microwatts = job.more.as_microwatts();
        let steps = self.left.steps();
        let behind = steps.partition_point(|(begin, _)| *begin < at + job.limit);
        let short = (self.left.step_of(at)..behind).rev().find(|step| steps[*step].1 < microwatts);
        short.map_or(Ok(()), |step| Err(steps.get(step + 1).map_or(Time::LAST, |next| next.0)))
    }

    /// The instants from one on and before a limit at which more may be left than before.
    pub fn instants(&self, from: Time, limit: Time) -> impl Iterator<Item = Time> + '_ {
        let begins = self.left.steps().iter().map(|step| step.0);
        begins.filter(move |at| *at > from && *at < limit)
    }

    /// A job has its power from an instant on.
    pub fn hold(&mut self, now: Time, key: u32, from: Time, job: MoreDraw) {
        self.left.forget(now);
        let place = key as usize;
        if self.held.len() <= place {
            self.held.resize(place + 1, None);
        }
        let to = (from + job.limit).min(Time::FOREVER);
        let microwatts = job.more.as_microwatts();
        self.left.change(from, to, |left| left - microwatts);
        self.held[place] = Some(HeldPower { from, to, microwatts });
    }

    /// A job has its power no more.
    pub fn release(&mut self, key: u32) {
        let held = self.held.get_mut(key as usize).and_then(Option::take);
        if let Some(HeldPower { from, to, microwatts }) = held {
            self.left.change(from, to, |left| left + microwatts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    fn draw(watts: i64, limit: i64) -> MoreDraw {
        MoreDraw { more: Power::from_microwatts(watts * 1_000_000), limit: s(limit) }
    }

    /// Nodes draw 10 W idle; the cap is 50 W until 20 s, 30 W until 40 s, and none from then on: 40 and 20 W are left. Job 0 has
    /// 25 W from 5 to 15 s: 15 W are left then.
    #[test]
    fn what_is_left_is_held_and_released() {
        let w = |watts: i64| Power::from_microwatts(watts * 1_000_000);
        let cap = Steps::of([(s(0), s(20), w(50)), (s(20), s(40), w(30))]);
        let mut power = PowerLeft::new(&cap, w(10));
        power.hold(s(0), 0, s(5), draw(25, 10));
        let first = |power: &PowerLeft, watts: i64, limit: i64| {
            let mut at = s(0);
            while let Err(next) = power.lets_start(at, draw(watts, limit)) {
                at = next;
            }
            at.as_micros() / 1_000_000
        };
        // 15 W fit at once, 20 W for 5 s too, and for 6 s behind job 0. 21 W for 5 s fit at 0 s and for 6 s never before 40 s.
        assert_eq!((first(&power, 15, 99), first(&power, 20, 5), first(&power, 20, 6)), (0, 0, 15));
        assert_eq!((first(&power, 21, 5), first(&power, 21, 6)), (0, 40));
        assert_eq!(power.instants(s(5), s(40)).collect::<Vec<_>>(), [s(15), s(20)]);
        power.release(0);
        assert_eq!((first(&power, 40, 20), first(&power, 40, 21)), (0, 40));
        assert_eq!(power.instants(s(0), Time::LAST).collect::<Vec<_>>(), [s(20), s(40)]);
        // Who has no limit has its power for ever.
        power.hold(s(30), 1, s(30), MoreDraw { more: w(20), limit: Time::FOREVER });
        assert_eq!(power.lets_start(s(30), draw(1, 5)), Err(s(40)));
        power.release(1);
        assert_eq!(power.lets_start(s(30), draw(20, 5)), Ok(()));
    }
}
