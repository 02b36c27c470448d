//! What users used and are to use, hour by hour, and how they stand by it: as the service reckons it.

use planner::fair_share::{Account, AccountError, ShareFactor, UsagePeriods, fair_shares};
use planner::time::Seconds;

use super::SharingParameters;

const DAY: Seconds = Seconds::new(86_400);
const HOUR_S: f64 = 3600.0;

/// Which rule of shares a month is played under.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareRule {
    /// Usage is divided by this before it counts.
    pub damping: f64,
    /// Usage so many days older counts half.
    pub half_life_d: u32,
}

/// What is booked by users.
#[derive(Clone, Debug)]
pub(super) struct BookedUsage {
    damping: f64,
    /// What a day counts, by its age.
    weights: Vec<f64>,
    /// Joules that there were to use, decayed.
    available: f64,
    /// By user: the first hour, that after the last, and watts.
    booked: Vec<Vec<(u32, u32, f64)>>,
}

impl BookedUsage {
    /// Nobody has booked anything yet.
    pub(super) fn new(parameters: &SharingParameters, rule: ShareRule) -> Self {
        let half_life = Seconds::new(DAY.get() * i64::from(rule.half_life_d));
        let periods = UsagePeriods::with_half_life(DAY, Some(half_life));
        // As the service has it: older days count less than a thousandth.
        let days = 10 * rule.half_life_d + 1;
        let watts = f64::from(parameters.nodes) * f64::from(parameters.node_max_w);
        Self {
            damping: rule.damping,
            weights: (0..days).map(|age| periods.weight(age)).collect(),
            available: periods.available(watts, days),
            booked: vec![Vec::new(); parameters.users as usize],
        }
    }

    /// A user books so many watts from an hour until another.
    pub(super) fn book(&mut self, user: usize, start: u32, end: u32, watts: f64) {
        self.booked[user].push((start, end, watts));
    }

    /// A user gives back what they booked from an hour on.
    pub(super) fn give_back(&mut self, user: usize, start: u32, end: u32) {
        let booked = &mut self.booked[user];
        if let Some(at) = booked.iter().position(|it| (it.0, it.1) == (start, end)) {
            booked.swap_remove(at);
        }
    }

    /// How all users stand at the beginning of an hour. What is booked from then on counts in whole.
    pub(super) fn factors(&self, now: u32) -> Result<Vec<ShareFactor>, AccountError> {
        let account = |booked: &Vec<(u32, u32, f64)>| Account {
            parent: None,
            share: 1.0,
            used: booked.iter().map(|&it| self.used(it, now)).sum(),
        };
        let accounts: Vec<Account> = self.booked.iter().map(account).collect();
        let told = fair_shares(&accounts, self.available, self.damping)?;
        Ok(told.iter().map(|it| ShareFactor::nearest(it.factor)).collect())
    }

    /// Joules of a booking, decayed by the age of its days before an hour.
    fn used(&self, (start, end, watts): (u32, u32, f64), now: u32) -> f64 {
        let mut counted_h = f64::from(end.saturating_sub(start.max(now)));
        let mut until = end.min(now);
        while until > start {
            let age = (now - until) / 24;
            let Some(weight) = self.weights.get(age as usize) else { break };
            let from = now.saturating_sub((age + 1) * 24).max(start);
            counted_h += weight * f64::from(until - from);
            until = from;
        }
        watts * HOUR_S * counted_h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two users of 10 nodes of 100 W: 1000 W x 86,400 s x (1 + 1/2 + ... + 2^-10) = 172,715,625 J. The first booked 400 W from
    /// hour 12 to 36. At hour 0 all of it counts: 400 W x 86,400 s. At hour 36 the newest day has it whole. At hour 42 18 h
    /// are of the newest day and 6 h of the one before: 18 + 3 h. Its share is a half.
    #[test]
    fn bookings_count_at_once_and_grow_old_by_days() {
        let parameters = SharingParameters {
            users: 2,
            nodes: 10,
            node_max_w: 100,
            ..SharingParameters::default()
        };
        let mut usage = BookedUsage::new(&parameters, ShareRule { damping: 1.0, half_life_d: 1 });
        usage.book(0, 12, 36, 400.0);
        let near = |usage: &BookedUsage, now, hours: f64| {
            let used = 400.0 * 3600.0 * hours / (86_400_000.0 * (2.0 - 2.0_f64.powi(-10)));
            let factor = ShareFactor::nearest((-used / 0.5).exp2());
            assert_eq!(usage.factors(now).unwrap(), [factor, ShareFactor::BEST], "{now}");
        };
        near(&usage, 0, 24.0);
        near(&usage, 20, 24.0);
        near(&usage, 36, 24.0);
        near(&usage, 42, 21.0);
        near(&usage, 60, 12.0);
        usage.give_back(0, 12, 36);
        near(&usage, 36, 0.0);
    }
}
