//! The liquid load horizon (the thesis, 7.4.1): how long it takes until everything that waits is
//! computed, if it could be poured over the machines that are free.

use super::plan::{Plan, Reserved};
use crate::time::Time;

/// Longer than anything: nothing is ever free. As large as what batsched takes, s.
const NEVER_S: f64 = 1e19;

/// The horizon as of the last decision, and its integral.
#[derive(Debug, Default)]
pub struct Horizon {
    /// How many machines more are free, from when on.
    steps: Vec<(Time, i64)>,
    value_s: f64,
    at: Time,
    /// Since [`Horizon::take`], s^2.
    integral: f64,
}

impl Horizon {
    /// Adds up to `now`, before anything changes; `load` is what waits, in machine-microseconds.
    pub fn advance(&mut self, now: Time, load: i128) {
        let value_s = self.at(now, load);
        self.integral += f64::midpoint(self.value_s, value_s) * (now - self.at).as_seconds();
        (self.value_s, self.at) = (value_s, now);
    }

    /// Looks at the schedule after a decision.
    pub fn renew(&mut self, plan: &Plan, reserved: Option<&Reserved>, load: i128) {
        if load == 0 {
            self.steps.clear();
        } else {
            plan.steps(reserved, &mut self.steps);
        }
        (self.value_s, self.at) = (self.at(plan.now, load), plan.now);
    }

    /// The integral, which begins anew.
    pub fn take(&mut self) -> f64 {
        std::mem::take(&mut self.integral)
    }

    fn at(&self, now: Time, load: i128) -> f64 {
        let (mut rest, mut free, mut reached) = (load, 0_i64, now);
        if rest == 0 {
            return 0.0;
        }
        let mut steps = self.steps.iter().peekable();
        while let Some((_, more)) = steps.next() {
            free += more;
            let Some((next, _)) = steps.peek() else { break };
            if *next <= reached {
                continue;
            }
            let area = i128::from(free) * i128::from((*next - reached).as_micros());
            if area > rest {
                return (reached - now).as_seconds() + rest as f64 / free as f64 / 1e6;
            }
            rest -= area;
            reached = *next;
            if rest == 0 {
                return (reached - now).as_seconds();
            }
        }
        if free > 0 {
            (reached - now).as_seconds() + rest as f64 / free as f64 / 1e6
        } else {
            NEVER_S - now.as_seconds()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;
    use crate::policy::bits::Bits;
    use crate::policy::core::Fitting;
    use crate::policy::fit::set;
    use crate::policy::options::Options;

    /// Four machines, two of them for the first job from 10 s to 20 s: 40 machine-seconds before it, 20
    /// beside it, 40 after it, on four machines, or on two where its own are then switched off.
    #[test]
    fn machines_idle_for_long_are_gone_after_the_first_job() {
        let selection = (set::FIT.build)(&Platform::of_machines(4), &mut Options::new(&[]));
        let fitting = Fitting::new(&set::FIT, selection, 4, &[]);
        let plan = Plan::new(4, fitting, Time::ZERO, Time::ZERO);
        let (start, end) = (Time::from_seconds(10), Time::from_seconds(20));
        let (machines, then_off) = (Bits::all(4).lowest(2), Bits::none(4));
        let mut reserved = Reserved { start, end, machines, then_off };
        let mut horizon = Horizon::default();
        for (then_off, expected) in [(0, 30.0), (1, 20.0 + 40.0 / 3.0), (2, 40.0)] {
            reserved.then_off = reserved.machines.lowest(then_off);
            horizon.renew(&plan, Some(&reserved), 100_000_000);
            assert!((horizon.value_s - expected).abs() < 1e-9);
        }
    }
}
