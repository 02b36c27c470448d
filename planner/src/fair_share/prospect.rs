//! What more usage, or the passing of time, would do to how an account stands.
//!
//! What a booking of an account uses counts for the account and for all that it is a part of. Of these the effective usage
//! counts by weights that sum to one, `(1 - S / S')` of the account itself, and of what is left likewise to the top: so a
//! booking raises the account's effective usage by what it uses of what there was, wherever in the tree it is. With the sums
//! kept, nothing else need be looked at.

use super::periods::UsagePeriods;
use super::standing::ShareFactor;
use super::tree::{Account, AccountError, FairShare, factor, fair_shares, given_by_parent};
use crate::time::{Seconds, Timestamp};

/// A part of what an account used itself that does not grow old yet: what is booked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlannedUsage {
    /// How much of [`Account::used`].
    pub used: f64,
    /// The end of the last of it.
    pub until: Option<Timestamp>,
}

/// Accounts as they stand, with what is needed to say what would change it.
#[derive(Clone, Debug, Default)]
pub struct Prospects {
    accounts: Vec<Prospect>,
    /// What those with the same parent are given together, by the parent's position; last those at the top.
    given: Vec<f64>,
    available: f64,
    damping: f64,
}

/// How an account stands, and what would change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// Its share of everything.
    share: f64,
    /// Its effective usage.
    usage: f64,
    /// The part of it that is planned.
    planned: f64,
    /// The end of the last that is planned by anybody in its group at the top.
    planned_until: Option<Timestamp>,
    available: f64,
    damping: f64,
}

impl Prospects {
    /// Of accounts, each with what of its usage is planned. `O(accounts)`.
    ///
    /// # Errors
    /// The accounts make no tree.
    pub fn new(
        accounts: &[Account],
        planned: &[PlannedUsage],
        available: f64,
        damping: f64,
    ) -> Result<(Self, Vec<FairShare>), AccountError> {
        let told = fair_shares(accounts, available, damping)?;
        let part = |(account, part): (&Account, &PlannedUsage)| Account {
            used: part.used,
            ..account.clone()
        };
        let parts: Vec<Account> = accounts.iter().zip(planned).map(part).collect();
        let of_planned = fair_shares(&parts, available, damping)?;
        let until = planned_until(accounts, planned);
        let prospect = |at: usize| Prospect {
            share: told[at].share,
            usage: told[at].effective_usage,
            planned: of_planned[at].effective_usage,
            planned_until: until[top(accounts, at)],
            available,
            damping,
        };
        let accounts_ahead = (0..parts.len()).map(prospect).collect();
        let given = given_by_parent(accounts);
        Ok((Self { accounts: accounts_ahead, given, available, damping }, told))
    }

    /// Of the account at a position; `None` where there is none.
    pub fn of(&self, at: usize) -> Option<Prospect> {
        self.accounts.get(at).copied()
    }

    /// Of an account that is not there yet, with what it is a part of and is not there either: what each would be given, from
    /// the top, below a position or at the top.
    pub fn of_new(&self, below: Option<usize>, given: impl IntoIterator<Item = f64>) -> Prospect {
        let nothing = Prospect {
            share: 1.0,
            usage: 0.0,
            planned: 0.0,
            planned_until: None,
            available: self.available,
            damping: self.damping,
        };
        let mut above = below.and_then(|at| self.of(at)).unwrap_or(nothing);
        let siblings = self.given.get(below.unwrap_or(self.accounts.len()));
        let mut siblings = siblings.copied().unwrap_or_default();
        for share in given {
            let of_siblings = if share + siblings > 0.0 { share / (share + siblings) } else { 0.0 };
            above.share *= of_siblings;
            above.usage *= of_siblings;
            above.planned *= of_siblings;
            // Nobody else is below what is new.
            siblings = 0.0;
        }
        above
    }
}

impl Prospect {
    /// Its factor now.
    pub fn factor(&self) -> f64 {
        factor(self.usage, self.share, self.damping)
    }

    /// The factor with so much more usage.
    pub fn factor_with(&self, more: f64) -> f64 {
        let own = if self.available > 0.0 { more / self.available } else { 0.0 };
        factor(self.usage + own, self.share, self.damping)
    }

    /// How much more may be used until the factor is as low as that, above 0; nothing where it is as low already, `None` where
    /// nothing counts since there was nothing to use.
    pub fn until(&self, lowest: f64) -> Option<f64> {
        let most = -lowest.log2() * self.share * self.damping;
        (self.available > 0.0).then(|| ((most - self.usage) * self.available).max(0.0))
    }

    /// The factor in so many days, if nobody in its group uses or books anything more. What is planned counts in whole until
    /// all of it has ended, of which usage is `known_to` an instant; so it is not less.
    pub fn factor_in(&self, days: u32, periods: UsagePeriods, known_to: Timestamp) -> f64 {
        let planned_days = self.planned_until.map_or(days, |until| {
            let since = known_to + Seconds::new(i64::from(days) * DAY_S) - until;
            u32::try_from(since.get().div_euclid(DAY_S)).unwrap_or_default().min(days)
        });
        let settled = (self.usage - self.planned) * periods.weight(days);
        let planned = self.planned * periods.weight(planned_days);
        factor(settled + planned, self.share, self.damping)
    }

    /// In how many days the factor is at least so high, as [`Self::factor_in`] has it; `None` where it takes longer than
    /// `most_days`. `periods` are days.
    pub fn days_until(
        &self,
        least: ShareFactor,
        periods: UsagePeriods,
        known_to: Timestamp,
        most_days: u32,
    ) -> Option<u32> {
        let reaches = |days| self.factor_in(days, periods, known_to) >= least.as_f64();
        // It never falls while nothing is added.
        let (mut low, mut high) = (0, most_days);
        if !reaches(high) {
            return None;
        }
        while low < high {
            let middle = u32::midpoint(low, high);
            if reaches(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(high)
    }
}

const DAY_S: i64 = 86_400;

/// The position of what an account is a part of at the top.
fn top(accounts: &[Account], at: usize) -> usize {
    std::iter::successors(Some(at), |&it| accounts[it].parent).last().unwrap_or(at)
}

/// The end of the last that is planned, by the position of the account at the top.
fn planned_until(accounts: &[Account], planned: &[PlannedUsage]) -> Vec<Option<Timestamp>> {
    let mut until = vec![None; accounts.len()];
    for (at, part) in planned.iter().enumerate().take(accounts.len()) {
        let top = top(accounts, at);
        until[top] = until[top].max(part.until);
    }
    until
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: Seconds = Seconds::new(DAY_S);

    fn at(day: i64) -> Timestamp {
        Timestamp::from_unix_seconds(day * DAY_S)
    }

    fn account(parent: Option<usize>, share: f64, used: f64) -> Account {
        Account { parent, share, used }
    }

    /// Two users with half each. In EUR: what there was is 100, the first used 25, which is a half of its share of 0.5:
    /// 2^-0.5 = 0.7071 (equation 4). A booking of 12.50 raises its usage to 0.375: 2^-0.75 = 0.5946. Until a half it may use
    /// 0.5 - 0.25 of 100: 25 more.
    #[test]
    fn a_booking_counts_by_its_cost() {
        let accounts = [account(None, 1.0, 25.0), account(None, 1.0, 0.0)];
        let none = [PlannedUsage::default(); 2];
        let (ahead, told) = Prospects::new(&accounts, &none, 100.0, 1.0).unwrap();
        let first = ahead.of(0).unwrap();
        assert!((told[0].factor - (-0.5_f64).exp2()).abs() < 1e-12);
        assert!((first.factor_with(12.5) - (-0.75_f64).exp2()).abs() < 1e-12);
        assert!((first.until(0.5).unwrap() - 25.0).abs() < 1e-9);
        assert!((first.factor_with(25.0) - 0.5).abs() < 1e-12);
        assert_eq!(ahead.of(2), None);
    }

    /// Without anything to use nothing counts, and nothing can be used up.
    #[test]
    fn without_anything_to_use_nothing_counts() {
        let accounts = [account(None, 1.0, 25.0)];
        let none = [PlannedUsage::default()];
        let (ahead, _) = Prospects::new(&accounts, &none, 0.0, 1.0).unwrap();
        let only = ahead.of(0).unwrap();
        assert_eq!((only.factor_with(1e9), only.until(0.5)), (1.0, None));
    }

    /// All used 0.5 of what there was with a share of 1: 2^-0.5. With a half-life of a day, after a day 0.25: 2^-0.25 = 0.841,
    /// after two 2^-0.125 = 0.917. Where 0.3 of it is planned until the end of day 1, and usage is known to day 0, it counts
    /// in whole on day 1: 0.1 + 0.3 = 0.4, and half on day 2: 0.05 + 0.15 = 0.2.
    #[test]
    fn usage_that_has_been_grows_old_and_what_is_planned_does_not() {
        let periods = UsagePeriods::with_half_life(DAY, Some(DAY));
        let accounts = [account(None, 1.0, 0.5)];
        let with = |used, until| {
            let planned = [PlannedUsage { used, until }];
            Prospects::new(&accounts, &planned, 1.0, 1.0).unwrap().0.of(0).unwrap()
        };
        let near = |told: f64, exponent: f64| assert!((told - exponent.exp2()).abs() < 1e-12);
        let settled = with(0.0, None);
        near(settled.factor_in(1, periods, at(0)), -0.25);
        near(settled.factor_in(2, periods, at(0)), -0.125);
        let planned = with(0.3, Some(at(1)));
        near(planned.factor_in(1, periods, at(0)), -0.4);
        near(planned.factor_in(2, periods, at(0)), -0.2);
        let least = ShareFactor::nearest(0.9);
        assert_eq!(settled.days_until(least, periods, at(0), 10), Some(2));
        assert_eq!(planned.days_until(least, periods, at(0), 10), Some(3));
        assert_eq!(planned.days_until(least, periods, at(0), 2), None);
    }

    /// Trees in which each account's parent comes before it.
    fn trees() -> impl Strategy<Value = Vec<Account>> {
        let one = (any::<prop::sample::Index>(), any::<bool>(), 0.0..5.0_f64, 0.0..50.0_f64);
        prop::collection::vec(one, 1..30).prop_map(|all| {
            let account = |(at, (index, top, share, used)): (
                usize,
                (prop::sample::Index, bool, f64, f64),
            )| {
                let parent = (at > 0 && !top).then(|| index.index(at));
                account(parent, if share < 0.5 { 0.0 } else { share }, used)
            };
            all.into_iter().enumerate().map(account).collect()
        })
    }

    proptest! {
        #[test]
        fn a_booking_changes_what_all_reckoned_anew_would_say(
            accounts in trees(),
            which in any::<prop::sample::Index>(),
            more in 0.0..100.0_f64,
            available in 1.0..1000.0_f64,
            damping in 0.1..10.0_f64,
        ) {
            let which = which.index(accounts.len());
            let none = vec![PlannedUsage::default(); accounts.len()];
            let (ahead, _) = Prospects::new(&accounts, &none, available, damping).unwrap();
            let mut after = accounts;
            after[which].used += more;
            let anew = fair_shares(&after, available, damping).unwrap()[which];
            let told = ahead.of(which).unwrap();
            prop_assert!((told.factor_with(more) - anew.factor).abs() < 1e-9);
            if let Some(left) = told.until(0.5).filter(|left| *left > 0.0) {
                prop_assert!((told.factor_with(left) - 0.5).abs() < 1e-9);
            }
        }

        #[test]
        fn a_newcomer_stands_as_all_reckoned_anew_would_say(
            accounts in trees(),
            below in proptest::option::of(any::<prop::sample::Index>()),
            given in prop::collection::vec(0.5..5.0_f64, 1..4),
            more in 0.0..100.0_f64,
        ) {
            let below = below.map(|it| it.index(accounts.len()));
            let none = vec![PlannedUsage::default(); accounts.len()];
            let (ahead, _) = Prospects::new(&accounts, &none, 500.0, 1.0).unwrap();
            let mut after = accounts;
            let mut parent = below;
            for share in &given {
                after.push(account(parent, *share, 0.0));
                parent = Some(after.len() - 1);
            }
            let told = ahead.of_new(below, given);
            let last = after.len() - 1;
            let anew = fair_shares(&after, 500.0, 1.0).unwrap()[last];
            prop_assert!((told.factor() - anew.factor).abs() < 1e-9);
            after[last].used = more;
            let anew = fair_shares(&after, 500.0, 1.0).unwrap()[last];
            prop_assert!((told.factor_with(more) - anew.factor).abs() < 1e-9);
        }
    }
}
