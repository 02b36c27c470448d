//! The priority rule (5.2.3): jobs go by how much longer they wait than is expected in their queue, then the smaller one. Jobs
//! behind one that does not fit are tried too.
//!
//! Equation 5.1: `rank = -max(ewt) x wait / ewt of the queue`, to the microsecond. Equation 5.2, where that is equal: `estimate x
//! units x sum of what a unit asks for`. A job whose queue is not listed waits as in the queue with the longest expected wait.

use super::{QueueOrder, UnitOrderPart, Waiting};
use crate::dispatch::unit::UnitRequests;
use crate::policy::About;
use crate::time::Time;

/// The priority rule.
pub(super) const ORDER: UnitOrderPart = UnitOrderPart {
    about: About {
        name: "priority_rule",
        meaning: "by the wait over that expected in the queue; who does not fit holds up nobody",
        options: &[],
    },
    build: |setting, _| {
        let expected: Vec<i64> =
            setting.system.queues.iter().map(|it| it.expected_wait.as_micros().max(1)).collect();
        let longest = expected.iter().copied().max().unwrap_or(1);
        let weights = expected.iter().map(|expected| reduced(longest, *expected)).collect();
        Box::new(PriorityRule { weights })
    },
};

#[derive(Debug)]
struct PriorityRule {
    /// `max(ewt)` and `ewt` by queue, as small as they can be: most ranks are then found in 64 bits.
    weights: Vec<(i64, i64)>,
}

/// A fraction in lowest terms.
const fn reduced(numerator: i64, denominator: i64) -> (i64, i64) {
    let (mut common, mut rest) = (numerator, denominator);
    while rest != 0 {
        (common, rest) = (rest, common % rest);
    }
    (numerator / common, denominator / common)
}

impl PriorityRule {
    /// Equation 5.1 without its sign.
    fn tardiness(&self, job: &Waiting, now: Time) -> i64 {
        let wait = (now - job.submitted).as_micros();
        let (longest, expected) =
            job.queue.map_or((1, 1), |queue| self.weights[usize::from(queue)]);
        match longest.checked_mul(wait) {
            Some(product) if expected == 1 => product,
            Some(product) => product / expected,
            None => within(i128::from(longest) * i128::from(wait) / i128::from(expected)),
        }
    }
}

fn within(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl QueueOrder for PriorityRule {
    fn rank(&self, job: &Waiting, units: &UnitRequests, now: Time) -> (i64, i64) {
        let size = i128::from(units.get(job.unit).sum_of_all(job.units));
        let geometry = i128::from(job.estimate.told.as_micros()) * size;
        (-self.tardiness(job, now), within(geometry))
    }

    fn rank_again(&self, job: &Waiting, _: &UnitRequests, now: Time) -> (i64, i64) {
        (-self.tardiness(job, now), job.rank.1)
    }

    /// Who waits is late by at least as much as it waits.
    fn newcomers_are_last(&self) -> bool {
        true
    }

    fn changes(&self) -> bool {
        true
    }

    fn goes_on(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::estimate::Estimate;
    use crate::dispatch::order::OrderSetting;
    use crate::dispatch::system::System;
    use crate::dispatch::unit::UnitRequest;
    use crate::policy::Options;

    const SYSTEM: &str = "[[nodes]]\ncount = 1\ncores = 16\ngpu = 2\n\
                          [[queues]]\nname = \"debug\"\nexpected_wait_s = 3600\n\
                          [[queues]]\nname = \"longpar\"\nexpected_wait_s = 86400\n";

    /// After 600 s a job in debug is 86,400 x 600 / 3,600 = 14,400 s late, one in longpar that waits 10,000 s only 10,000 s: debug
    /// goes first. Of two that wait the same, 100 s x 2 units x (4 cores + 1 GPU) = 1,000 goes before 300 x 1 x 4 = 1,200.
    #[test]
    fn the_later_and_then_the_smaller_goes_first() {
        let system = System::parse(SYSTEM).unwrap();
        let setting = OrderSetting { system: &system, shares: None };
        let order = (ORDER.build)(&setting, &mut Options::new(&[]));
        let mut units = UnitRequests::default();
        let now = Time::from_seconds(10_000);
        let mut rank = |submitted_s, estimate_s, count, amounts: [u32; 2], queue| {
            let job = Waiting {
                key: 0,
                arrival: 0,
                submitted: Time::from_seconds(submitted_s),
                estimate: Estimate::of(Time::from_seconds(estimate_s)),
                limit: Time::FOREVER,
                unit: units.id(&UnitRequest::of(&amounts, 2)),
                units: count,
                user: 0,
                queue,
                rank: (0, 0),
            };
            order.rank(&job, &units, now)
        };
        let debug = rank(9_400, 100, 2, [4, 1], Some(0));
        assert_eq!(debug, (-14_400_000_000, 1_000_000_000));
        let longpar = rank(0, 100, 2, [4, 1], Some(1));
        assert_eq!(longpar.0, -10_000_000_000);
        assert!(debug < longpar && debug < rank(9_400, 300, 1, [4, 0], Some(0)));
        assert_eq!(rank(0, 100, 2, [4, 1], None), longpar);
        assert!(order.goes_on());
    }
}
