//! How somebody can stand better: found, and not only said.

use super::periods::UsagePeriods;
use super::prospect::Prospect;
use super::standing::ShareFactor;
use crate::time::{Seconds, Timestamp};

/// What one can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advice {
    /// Use nothing until then.
    Wait {
        /// Until when.
        until: Timestamp,
        /// In how many days that is.
        days: u32,
        /// The factor then.
        factor: f64,
    },
    /// Take another offer.
    LeastUsed {
        /// The position of the offer that uses the least.
        offer: usize,
        /// The position of the one that one would look at first.
        instead_of: usize,
        /// The factor after it.
        factor: f64,
        /// How much more that is than after the other.
        gain: f64,
    },
    /// Use no more than that.
    UntilHalf {
        /// In what usage is counted in.
        left: f64,
    },
}

/// What advice rests on.
#[derive(Clone, Copy, Debug)]
pub struct AdviceRules {
    /// Now.
    pub now: Timestamp,
    /// Until when usage is known as it was.
    pub known_to: Timestamp,
    /// Days, with what they count.
    pub periods: UsagePeriods,
    /// After so many days usage counts next to nothing.
    pub most_days: u32,
}

/// What an account can do whatever it books: wait until its factor is a half again, or, where it is more, until half of what
/// it lacks of the best is gone; and what it may use until it is a half.
pub fn advise(prospect: &Prospect, rules: &AdviceRules) -> Vec<Advice> {
    let now = prospect.factor();
    let wanted = if now < ShareFactor::HALF.as_f64() {
        ShareFactor::HALF
    } else {
        ShareFactor::nearest(f64::midpoint(now, 1.0))
    };
    let AdviceRules { periods, known_to, most_days, .. } = *rules;
    let days = prospect.days_until(wanted, periods, known_to, most_days).filter(|days| *days > 0);
    let wait = days.map(|days| Advice::Wait {
        until: rules.now + Seconds::new(i64::from(days) * 86_400),
        days,
        factor: prospect.factor_in(days, periods, known_to),
    });
    let left = prospect.until(ShareFactor::HALF.as_f64()).filter(|left| *left > 0.0);
    wait.into_iter().chain(left.map(|left| Advice::UntilHalf { left })).collect()
}

/// Which of some offers, by what each uses, leaves the highest factor, where that is not the first.
pub fn advise_on_offers(prospect: &Prospect, uses: &[f64]) -> Option<Advice> {
    let first = *uses.first()?;
    let (offer, least) = uses.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let factor = prospect.factor_with(least);
    let gain = factor - prospect.factor_with(first);
    (gain > 0.0).then_some(Advice::LeastUsed { offer, instead_of: 0, factor, gain })
}

#[cfg(test)]
mod tests {
    use super::super::{Account, PlannedUsage, Prospects};
    use super::*;

    const DAY: Seconds = Seconds::new(86_400);

    fn used(used: f64) -> Prospect {
        let account = Account { parent: None, share: 1.0, used };
        let none = [PlannedUsage::default()];
        Prospects::new(&[account], &none, 100.0, 1.0).unwrap().0.of(0).unwrap()
    }

    fn rules() -> AdviceRules {
        AdviceRules {
            now: Timestamp::from_unix_seconds(3600),
            known_to: Timestamp::from_unix_seconds(0),
            periods: UsagePeriods::with_half_life(DAY, Some(DAY)),
            most_days: 11,
        }
    }

    /// 400 of 100 are 2^-4. After two half-lives it is 100 of 100, a half. There is nothing left until a half.
    #[test]
    fn who_used_too_much_waits_until_a_half() {
        let until = rules().now + Seconds::new(2 * 86_400);
        assert_eq!(advise(&used(400.0), &rules()), [Advice::Wait { until, days: 2, factor: 0.5 }]);
    }

    /// 50 of 100 are 2^-0.5 = 0.7071, of which 1 is 0.2929 away: 0.8536 is wanted. After a day it is 2^-0.25 = 0.8409, after
    /// two 2^-0.125 = 0.9170. Until a half there are 50 left.
    #[test]
    fn who_stands_well_is_told_what_is_left() {
        let told = advise(&used(50.0), &rules());
        let until = rules().now + Seconds::new(2 * 86_400);
        assert_eq!(told[0], Advice::Wait { until, days: 2, factor: (-0.125_f64).exp2() });
        assert!(matches!(told[1], Advice::UntilHalf { left } if (left - 50.0).abs() < 1e-9));
        assert_eq!(told.len(), 2);
    }

    /// Who used nothing has nothing to wait for, and all of their share left.
    #[test]
    fn who_used_nothing_need_not_wait() {
        assert_eq!(advise(&used(0.0), &rules()), [Advice::UntilHalf { left: 100.0 }]);
    }

    /// After 50 and 30 more of 100 it is 2^-0.8 = 0.5743; with 10 2^-0.6 = 0.6598.
    #[test]
    fn the_offer_that_uses_least_is_named_where_it_is_not_the_first() {
        let told = advise_on_offers(&used(50.0), &[30.0, 40.0, 10.0, 10.0]);
        let Some(Advice::LeastUsed { offer: 2, instead_of: 0, factor, gain }) = told else {
            panic!("{told:?}")
        };
        assert!((factor - (-0.6_f64).exp2()).abs() < 1e-12);
        assert!((gain - ((-0.6_f64).exp2() - (-0.8_f64).exp2())).abs() < 1e-12);
        assert_eq!(advise_on_offers(&used(50.0), &[10.0, 10.0, 20.0]), None);
        assert_eq!(advise_on_offers(&used(50.0), &[]), None);
    }
}
