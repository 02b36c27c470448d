//! What jobs used of their walltimes.

use std::collections::VecDeque;

use super::last_values::LastValues;
use crate::time::Time;

/// How many jobs of a user are remembered, and of all users.
const OF_USER: usize = 32;
const OF_ALL: usize = 256;

/// Below so many jobs of a user, the jobs of all users tell more.
const ENOUGH: usize = 5;

/// The shares of their walltimes for which the last jobs ran.
#[derive(Clone, Debug)]
pub(super) struct WalltimeUse(LastValues);

impl Default for WalltimeUse {
    fn default() -> Self {
        Self(LastValues::new(OF_USER, OF_ALL))
    }
}

impl WalltimeUse {
    /// A job of `user` ended.
    pub fn learn(&mut self, user: &str, walltime: Time, ran: Time) {
        if walltime != Time::ZERO {
            self.0.learn(user, ran.as_seconds() / walltime.as_seconds());
        }
    }

    /// How long a job of `user` that has run for `elapsed` goes on, where `drawn`, from 0 to 1, says which of those that ran for longer
    /// than that it is like. A job about which nobody tells anything ends at its walltime; one beyond its walltime at once.
    pub fn remaining(&self, user: &str, walltime: Time, elapsed: Time, drawn: f64) -> Time {
        let passed = if elapsed == Time::ZERO {
            -1.0
        } else {
            elapsed.as_seconds() / walltime.as_seconds().max(1.0)
        };
        let of_user = self.0.of_user(user).filter(|shares| shares.len() >= ENOUGH);
        let longer = |shares: &VecDeque<f64>| {
            let longer = || shares.iter().filter(|share| **share > passed);
            longer().nth(place(drawn, longer().count())).copied()
        };
        let share = of_user.and_then(longer).or_else(|| longer(self.0.of_all())).unwrap_or(1.0);
        let time = Time::from_seconds_f64(share * walltime.as_seconds()).unwrap_or(walltime);
        Time::from_micros((time - elapsed).as_micros().max(0))
    }
}

/// Which of so many.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to count")]
fn place(drawn: f64, count: usize) -> usize {
    (drawn * count as f64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ada's jobs of 100 s ran for 10, 20, 30, 40 and 50 s. A job of hers of 200 s is drawn from 20, 40, 60, 80 and 100 s. After 70 s
    /// only the last two are possible, with 10 and 30 s to go; after 120 s none, and the walltime is left: 80 s.
    #[test]
    fn a_job_that_runs_is_like_those_that_ran_longer() {
        let s = Time::from_seconds;
        let mut used = WalltimeUse::default();
        assert_eq!(used.remaining("ada", s(200), s(50), 0.3), s(150));
        for ran in [10, 20, 30, 40, 50] {
            used.learn("ada", s(100), s(ran));
        }
        let remaining = |elapsed, drawn| used.remaining("ada", s(200), s(elapsed), drawn);
        assert_eq!([0.0, 0.2, 0.99].map(|drawn| remaining(0, drawn)), [s(20), s(40), s(100)]);
        assert_eq!([0.0, 0.6].map(|drawn| remaining(70, drawn)), [s(10), s(30)]);
        assert_eq!(remaining(120, 0.5), s(80));
        assert_eq!(remaining(250, 0.5), Time::ZERO);
        assert_eq!(used.remaining("bob", s(200), s(0), 0.0), s(20));
    }
}
