//! Draw above plan: when it is told, and when it is over.

use crate::quantity::{MILLION, Power};
use crate::time::{Seconds, Timestamp};

/// When draw above plan is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExcessRule {
    /// So much above plan is still within it: millionths of the plan.
    pub tolerance_millionths: u32,
    /// It is told once it has lasted this long.
    pub after: Seconds,
}

/// Draw above plan, at every look since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// When it was seen first.
    pub since: Timestamp,
    /// Whether it was told.
    pub is_told: bool,
}

/// What is told of draw above plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcessNews {
    /// It has lasted too long.
    Exceeded,
    /// What had been told is over.
    WithinPlan,
}

impl ExcessRule {
    /// Whether nodes draw more than was planned of them.
    pub fn is_above(&self, measured: Power, planned: Power) -> bool {
        let whole = i128::from(MILLION) + i128::from(self.tolerance_millionths);
        i128::from(measured.as_microwatts()) * i128::from(MILLION)
            > i128::from(planned.as_microwatts()) * whole
    }

    /// How draw above plan stands after another look, and what is told of it. `is_above` is `None` where nothing is
    /// measured: what was told stays so until it is seen to be over, and what was not told begins anew.
    pub fn look(
        &self,
        before: Option<Excess>,
        now: Timestamp,
        is_above: Option<bool>,
    ) -> (Option<Excess>, Option<ExcessNews>) {
        let told = before.filter(|excess| excess.is_told);
        match is_above {
            None => (told, None),
            Some(false) => (None, told.map(|_| ExcessNews::WithinPlan)),
            Some(true) if told.is_some() => (told, None),
            Some(true) => {
                let since = before.map_or(now, |excess| excess.since);
                let is_told = now - since >= self.after;
                (Some(Excess { since, is_told }), is_told.then_some(ExcessNews::Exceeded))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: ExcessRule = ExcessRule { tolerance_millionths: 100_000, after: Seconds::new(300) };

    fn watts(watts: i64) -> Power {
        Power::from_microwatts(watts * MILLION)
    }

    /// 10 % above 1,000 W is 1,100 W, which is still within it.
    #[test]
    fn what_lies_within_the_tolerance_is_not_above() {
        assert!(!RULE.is_above(watts(1100), watts(1000)));
        assert!(RULE.is_above(Power::from_microwatts(1_100_000_001), watts(1000)));
        assert!(RULE.is_above(watts(1), Power::ZERO) && !RULE.is_above(Power::ZERO, Power::ZERO));
        let most = Power::from_microwatts(i64::MAX);
        assert!(!RULE.is_above(most, most), "nothing overflows");
    }

    /// Looks, 100 s apart, and what each of them tells.
    fn told(looks: &[Option<bool>]) -> Vec<Option<ExcessNews>> {
        let mut excess = None;
        let look = |(at, is_above): (i64, &Option<bool>)| {
            let (after, news) =
                RULE.look(excess, Timestamp::from_unix_seconds(at * 100), *is_above);
            excess = after;
            news
        };
        (0..).zip(looks).map(look).collect()
    }

    #[test]
    fn it_is_told_once_and_once_that_it_is_over() {
        use ExcessNews::{Exceeded, WithinPlan};
        let (above, within) = (Some(true), Some(false));
        assert_eq!(
            told(&[above, above, above, above, above, within, within]),
            [None, None, None, Some(Exceeded), None, Some(WithinPlan), None]
        );
    }

    #[test]
    fn what_is_shorter_is_not_told() {
        let (above, within) = (Some(true), Some(false));
        let looks = [above, above, above, within, above, above, above, within];
        assert_eq!(told(&looks), [None; 8]);
    }

    #[test]
    fn a_time_in_which_nothing_was_measured_does_not_count() {
        use ExcessNews::{Exceeded, WithinPlan};
        let (above, within) = (Some(true), Some(false));
        assert_eq!(told(&[above, above, above, None, above, above, above]), [None; 7]);
        assert_eq!(
            told(&[above, above, above, above, None, None, above, None, within]),
            [None, None, None, Some(Exceeded), None, None, None, None, Some(WithinPlan)],
            "nor is it over"
        );
    }
}
