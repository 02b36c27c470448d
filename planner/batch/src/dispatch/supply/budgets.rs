//! How much of their budgets users have taken, period by period.
//!
//! A job counts whole in the period in which it starts: first by what is expected of it, when it has ended by what it took. What is
//! expected is its estimated power for as long as it is taken to last, at the prices and intensities of that time.

use std::collections::BTreeMap;

use planner::quantity::{Energy, Power, Rate};
use planner::quota::QuotaPeriod;
use planner::time::{Seconds, Timestamp};

use super::budget_file::{BudgetFile, Whose};
use crate::quantity::ExactEnergy;
use crate::steps::Steps;
use crate::supplier_tables::SupplierTables;
use crate::time::Time;

/// Energy, cost and CO2 in the units of budgets.
type Amounts = [i128; 3];

/// What a job is expected to take.
#[derive(Clone, Copy, Debug)]
pub(in crate::dispatch) struct Demand {
    /// The number of its user.
    pub user: u32,
    /// What it is taken to draw; nothing where nobody says it.
    pub power: Power,
    /// How long it is taken to last.
    pub length: Time,
}

/// A budget of a period: the rule by position, the user where each has its own, and when the period begins.
type Key = (usize, u32, Time);

/// What a job that runs is counted by.
#[derive(Clone, Debug)]
pub(in crate::dispatch) struct Charge {
    keys: Vec<Key>,
    expected: Amounts,
}

/// What was taken of a budget in a period.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// By jobs that wait for nothing but room.
    reserved: Amounts,
    /// By jobs that run.
    expected: Amounts,
    /// By jobs that have ended.
    used: Amounts,
    running: u32,
    overspent: bool,
}

/// All budgets, as time passes.
#[derive(Debug)]
pub(in crate::dispatch) struct Budgets<'a> {
    file: &'a BudgetFile,
    tables: &'a SupplierTables,
    /// By rule: the period now, or none.
    periods: Vec<Option<(Time, Time)>>,
    /// When the first of them changes.
    turns: Time,
    /// By user: the rules that limit energy, cost and CO2, and all that count what it takes.
    of_users: BTreeMap<u32, ([Option<usize>; 3], Vec<usize>)>,
    taken: BTreeMap<Key, Taken>,
    overspent: u64,
}

/// No user: all together.
const ALL: u32 = u32::MAX;

impl<'a> Budgets<'a> {
    pub fn new(file: &'a BudgetFile, tables: &'a SupplierTables) -> Self {
        Self {
            file,
            tables,
            periods: vec![None; file.rules.len()],
            turns: Time::from_micros(i64::MIN),
            of_users: BTreeMap::new(),
            taken: BTreeMap::new(),
            overspent: 0,
        }
    }

    /// Whether anything counts what a user takes.
    pub fn concern(&mut self, user: u32, name: &str) -> bool {
        let file = self.file;
        let rules = || {
            let counts = |whose: &Whose| match whose {
                Whose::User(user) => **user == *name,
                Whose::All | Whose::Each => true,
            };
            let all = file.rules.iter().enumerate();
            let counting = all.filter(|(_, rule)| counts(&rule.whose)).map(|(at, _)| at).collect();
            (file.of_user(name), counting)
        };
        !self.of_users.entry(user).or_insert_with(rules).1.is_empty()
    }

    /// Whether a job takes more than there is, whenever it starts: of energy, or at the lowest price or intensity of the tables. A
    /// budget that counts once can be waited for.
    pub fn never_hold(&self, demand: &Demand) -> bool {
        let Some((limits, _)) = self.of_users.get(&demand.user) else { return false };
        let energy = (demand.power * demand.length).as_picojoules();
        let least =
            [Some(1), least_rate(self.tables.price.as_ref()), least_rate(self.tables.co2.as_ref())];
        limits.iter().zip(least).enumerate().any(|(measure, (limit, least))| {
            let Some((rule, least)) = limit.map(|at| &self.file.rules[at]).zip(least) else {
                return false;
            };
            let recurs = !matches!(rule.per, QuotaPeriod::Fixed { .. });
            let asked = energy.saturating_mul(i128::from(least));
            recurs && rule.most[measure].is_some_and(|most| asked > most)
        })
    }

    /// Time has passed until `now`: nobody has reserved anything.
    pub fn turn(&mut self, now: Time) {
        self.taken.values_mut().for_each(|it| it.reserved = Amounts::default());
        if now < self.turns {
            return;
        }
        let origin = self.file.origin;
        let clock = origin + Seconds::new(now.as_micros().div_euclid(1_000_000));
        let since =
            |at: Timestamp| Time::from_seconds(at.as_unix_seconds() - origin.as_unix_seconds());
        self.turns = Time::FOREVER;
        for (rule, period) in self.file.rules.iter().zip(&mut self.periods) {
            let span = rule.per.around(clock, &self.file.zone);
            let span = span.map(|span| (since(span.start()), since(span.end())));
            *period = span.filter(|(from, until)| *from <= now && now < *until);
            let next =
                span.and_then(|(from, until)| [from, until].into_iter().find(|it| *it > now));
            self.turns = self.turns.min(next.unwrap_or(Time::FOREVER));
        }
        let periods = &self.periods;
        self.taken.retain(|(rule, _, from), taken| {
            taken.running > 0 || periods[*rule].is_some_and(|it| it.0 == *from)
        });
    }

    /// When a job that waits for a budget may have it without that another ends: when a period begins, or a price or an intensity
    /// that counts changes.
    pub fn next_change(&self, now: Time) -> Time {
        let [_, cost, co2] = self.file.measures();
        let price = self.tables.price.as_ref().filter(|_| cost).map(|it| it.from(now).1);
        let intensity = self.tables.co2.as_ref().filter(|_| co2).map(|it| it.from(now).1);
        [price, intensity].into_iter().flatten().fold(self.turns, Time::min)
    }

    /// Reserves what a job takes that starts now, if its user's budgets hold it.
    pub fn reserve(&mut self, now: Time, demand: &Demand) -> bool {
        let asked = self.expected(now, demand);
        let Some((limits, _)) = self.of_users.get(&demand.user) else { return true };
        for (measure, limit) in limits.iter().enumerate() {
            let Some((rule, key)) = limit.and_then(|at| Some((at, self.key(at, demand.user)?)))
            else {
                continue;
            };
            let taken = self.taken.get(&key).copied().unwrap_or_default();
            let all = taken.reserved[measure] + taken.expected[measure] + taken.used[measure];
            let most = self.file.rules[rule].most[measure].unwrap_or(i128::MAX);
            if all.saturating_add(asked[measure]) > most {
                return false;
            }
        }
        for key in self.keys(demand.user) {
            add(&mut self.taken.entry(key).or_default().reserved, asked);
        }
        true
    }

    /// A job starts.
    pub fn started(&mut self, now: Time, demand: &Demand) -> Charge {
        let charge = Charge { keys: self.keys(demand.user), expected: self.expected(now, demand) };
        for key in &charge.keys {
            let taken = self.taken.entry(*key).or_default();
            taken.running += 1;
            add(&mut taken.expected, charge.expected);
            // It had reserved as much, or more, or less: who reserves next sees what it is expected to take.
        }
        charge
    }

    /// A job ended that ran from one instant to another; where nobody says what it consumed, what was expected counts.
    pub fn ended(&mut self, charge: &Charge, from: Time, until: Time, energy: Option<Energy>) {
        let power = energy.map(|it| ExactEnergy::from(it).over(until - from));
        let took = power.map_or(charge.expected, |power| self.amounts(from, until - from, power));
        for key in &charge.keys {
            let Some(taken) = self.taken.get_mut(key) else { continue };
            taken.running -= 1;
            add(&mut taken.expected, charge.expected.map(|it| -it));
            add(&mut taken.used, took);
            let most = self.file.rules[key.0].most;
            let above = (0..3).any(|it| most[it].is_some_and(|most| taken.used[it] > most));
            self.overspent += u64::from(above && !taken.overspent);
            taken.overspent |= above;
        }
    }

    /// Budgets of a period of which more was used than there was.
    pub const fn overspent(&self) -> u64 {
        self.overspent
    }

    fn keys(&self, user: u32) -> Vec<Key> {
        let counting = self.of_users.get(&user).map(|it| it.1.as_slice()).unwrap_or_default();
        counting.iter().filter_map(|rule| self.key(*rule, user)).collect()
    }

    /// The budget of a rule now.
    fn key(&self, rule: usize, user: u32) -> Option<Key> {
        let owner = if self.file.rules[rule].whose == Whose::All { ALL } else { user };
        Some((rule, owner, self.periods[rule]?.0))
    }

    fn expected(&self, now: Time, demand: &Demand) -> Amounts {
        self.amounts(now, demand.length, demand.power)
    }

    fn amounts(&self, from: Time, length: Time, power: Power) -> Amounts {
        let until = from + length;
        let times = |millionth_micros: i128| {
            millionth_micros.saturating_mul(i128::from(power.as_microwatts()))
        };
        let price = self.tables.price.as_ref().map(|it| it.integral(from, until).millionth_micros);
        let co2 = self.tables.co2.as_ref().map(|it| it.integral(from, until).millionth_micros);
        [(power * length).as_picojoules(), times(price.unwrap_or(0)), times(co2.unwrap_or(0))]
    }
}

fn add(amounts: &mut Amounts, more: Amounts) {
    for (sum, more) in amounts.iter_mut().zip(more) {
        *sum = sum.saturating_add(more);
    }
}

/// The least rate of a table, in millionths.
fn least_rate<R: Rate>(steps: Option<&Steps<R>>) -> Option<i64> {
    steps?.pieces().map(|(_, _, rate)| rate.as_millionths()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Days begin at 08:00 of the simulation's first. Ada has 1 kWh a day: 1 kW for half an hour is 0.5 kWh. Two such reserve all, and a
    /// third waits for midnight, 16 h on. One starts and takes 0.7 kWh: with the other reserved 1.2 are above 1, alone 0.7 + 0.5 too;
    /// 0.3 kWh (300 W for an hour) fit beside it. On the next day all is there again, and what still runs counts in the day before.
    #[test]
    fn what_is_taken_counts_in_the_period_of_the_start() {
        let text = "[[budgets]]\nuser = \"ada\"\nenergy_kwh = 1\nper = \"day\"\n";
        let file = BudgetFile::parse(text, Timestamp::from_unix_seconds(8 * 3600)).unwrap();
        let tables = SupplierTables::default();
        let mut budgets = Budgets::new(&file, &tables);
        assert!(budgets.concern(0, "ada") && !budgets.concern(1, "eve"));
        let demand = |watts: i64, seconds: i64| Demand {
            user: 0,
            power: Power::from_microwatts(watts * 1_000_000),
            length: Time::from_seconds(seconds),
        };
        let half = demand(1000, 1800);
        let s = Time::from_seconds;
        budgets.turn(s(60));
        assert!(budgets.reserve(s(60), &half) && budgets.reserve(s(60), &half));
        assert!(!budgets.reserve(s(60), &half));
        assert_eq!(budgets.next_change(s(60)), s(16 * 3600));
        let charge = budgets.started(s(60), &half);
        budgets.turn(s(100));
        assert!(budgets.reserve(s(100), &half) && !budgets.reserve(s(100), &demand(1, 1)));
        budgets.ended(&charge, s(60), s(1860), Energy::from_joules(2_520_000.0));
        budgets.turn(s(1860));
        assert!(!budgets.reserve(s(1860), &half) && budgets.reserve(s(1860), &demand(300, 3600)));
        let late = budgets.started(s(50_000), &demand(300, 3600));
        budgets.turn(s(16 * 3600));
        assert!(budgets.reserve(s(16 * 3600), &half) && budgets.reserve(s(16 * 3600), &half));
        assert_eq!(budgets.overspent(), 0);
        budgets.ended(&late, s(50_000), s(60_000), Energy::from_joules(3_600_000.0));
        assert_eq!(budgets.overspent(), 1);
        assert!(
            budgets.never_hold(&demand(1001, 3600)) && !budgets.never_hold(&demand(1000, 3600))
        );
    }
}
