//! The planner (5.2.4): the first jobs by the priority rule are planned together at each decision, and those start that are planned
//! for now and that the fit finds room for.
//!
//! A second of waiting weighs what equation 5.6 says, `max(ewt) / ewt of the queue`. The equation has a minus before that, with which
//! its minimum would be the plan in which all wait longest: it is left out, as the thesis's text means.

use super::priority_rule;
use super::{OrderSetting, QueueOrder, UnitOrderPart, Waiting};
use crate::dispatch::plan::PlanSettings;
use crate::dispatch::unit::UnitRequests;
use crate::policy::{About, Options, option};
use crate::time::Time;

/// The planner.
pub(super) const ORDER: UnitOrderPart = UnitOrderPart {
    about: About {
        name: "plan",
        meaning: "a plan of the first jobs by priority_rule, made anew at each decision; with --backfill none",
        options: &[
            option("plan_jobs", "100", "how many of the first jobs are planned"),
            option("plan_steps", "300", "steps of the search after which the best plan is taken"),
            option(
                "most_plan_steps",
                "100000",
                "steps, which double until there is a plan, at most",
            ),
        ],
    },
    build,
};

/// Weights are whole numbers up to this one, which keeps sums within what the solver can count.
const MOST_WEIGHT: f64 = 1000.0;

fn build(setting: &OrderSetting<'_>, options: &mut Options<'_>) -> Box<dyn QueueOrder> {
    let mut count = |name, default: u64, most: u64| {
        let read = |text: &str| text.parse().ok().filter(|it| (1..=most).contains(it));
        let what = format!("a whole number from 1 to {most}");
        options.read(name, &what, read).unwrap_or(default)
    };
    let jobs = usize::try_from(count("plan_jobs", 100, 1000)).unwrap_or(100);
    let steps = count("plan_steps", 300, u64::MAX);
    let most_steps = count("most_plan_steps", 100_000, u64::MAX).max(steps);
    let expected = setting.system.queues.iter().map(|it| it.expected_wait.as_seconds());
    let weights = weights(&expected.collect::<Vec<f64>>());
    let rule = (priority_rule::ORDER.build)(setting, options);
    let other_weight = weights.iter().copied().min().unwrap_or(1);
    let plan = PlanSettings { jobs, steps, most_steps, weights, other_weight };
    Box::new(Planned { rule, plan })
}

/// What a second of waiting weighs, by queue: the longest expected wait over that of the queue; in sixteenths if these are no
/// whole numbers.
fn weights(expected_s: &[f64]) -> Vec<u32> {
    let longest = expected_s.iter().copied().fold(0.0, f64::max);
    let ratio = |expected: &f64| (longest / expected.max(1e-6)).min(MOST_WEIGHT);
    let whole = expected_s.iter().all(|it| (ratio(it) - ratio(it).round()).abs() < 1e-9);
    let by = if whole { 1.0 } else { 16.0 };
    let weight = |expected| (ratio(expected) * by).round().clamp(1.0, MOST_WEIGHT);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 1000")]
    expected_s.iter().map(|it| weight(it) as u32).collect()
}

#[derive(Debug)]
struct Planned {
    rule: Box<dyn QueueOrder>,
    plan: PlanSettings,
}

impl QueueOrder for Planned {
    fn rank(&self, job: &Waiting, units: &UnitRequests, now: Time) -> (i64, i64) {
        self.rule.rank(job, units, now)
    }

    fn changes(&self) -> bool {
        true
    }

    fn plan(&self) -> Option<PlanSettings> {
        Some(self.plan.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eurora's queues: 24 h over 1, 6 and 24 h. 3 h over 2 and 3 h are 1.5 and 1: 24 and 16 sixteenths.
    #[test]
    fn weights_are_the_longest_expected_wait_over_that_of_the_queue() {
        assert_eq!(weights(&[3600.0, 21_600.0, 86_400.0]), [24, 4, 1]);
        assert_eq!(weights(&[7200.0, 10_800.0]), [24, 16]);
        assert_eq!(weights(&[0.0, 10_800.0]), [1000, 1]);
    }
}
