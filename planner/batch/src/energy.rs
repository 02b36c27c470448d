//! What machines consume: power over time, exactly.
//!
//! A machine draws what its state draws. Computing machines draw their computing power, or, where their job
//! says how hard it drives them, so much of the way from idle to computing power; a job that only
//! occupies machines leaves them at either, as the caller says (Batsim's `delay` profiles draw idle power).
//! What a job draws is a whole number of microwatts over all of its machines. Powers are whole microwatts and times whole microseconds: energies are whole
//! picojoules. An event costs the same however many machines there are.

use planner::quantity::Energy;

use crate::platform::Activity;
use crate::tariff::{Bill, Sum, Tariff};
use crate::time::Time;

/// Picojoules in a microjoule.
const PICO: i128 = 1_000_000;

/// What machines in one activity draw now, and consumed so far.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    machines: i64,
    drawn_uw: i64,
    consumed_pj: i128,
    time_us: i128,
}

/// The energy of a cluster as its machines change.
#[derive(Debug)]
pub struct Meter<'a> {
    /// What energy costs and emits, where that is known.
    tariff: Option<&'a Tariff>,
    /// As [`Tariff::of`].
    billed: [Sum; 2],
    accounts: [Account; Activity::ALL.len()],
    /// What machines would draw without their jobs, uW.
    least_uw: i64,
    read: Time,
}

/// What happened when a meter was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A job started.
    Start,
    /// A job ended.
    End,
    /// Machines change their power state, or have changed it.
    State,
}

/// What the meter shows after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// When.
    pub now: Time,
    /// At what.
    pub happening: Happening,
    /// Consumed until now.
    pub consumed: Energy,
    /// What machines would draw without their jobs, W; before the change where states begin to change.
    pub least_w: f64,
    /// Mean power since the reading before; none if that was now.
    pub mean_w: Option<f64>,
}

/// Machines that go from one activity to another.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// How many.
    pub machines: u32,
    /// What they did, and drew, uW.
    pub from: (Activity, i64),
    /// What they do now, and draw, uW.
    pub to: (Activity, i64),
}

/// What machines did, over all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Consumption {
    /// All of it.
    pub total: Energy,
    /// Energy and machine-time by activity, in the order of [`Activity::ALL`].
    pub by_activity: [(Energy, i128); Activity::ALL.len()],
    /// What it came to.
    pub bill: Bill,
    /// When the meter was read last: it began at 0.
    pub until: Time,
}

impl Consumption {
    /// Energy in an activity, J.
    pub fn joules(&self, activity: Activity) -> f64 {
        self.by_activity[activity as usize].0.as_joules()
    }

    /// Machine-seconds in an activity.
    pub fn machine_seconds(&self, activity: Activity) -> f64 {
        self.by_activity[activity as usize].1 as f64 / 1e6
    }
}

impl<'a> Meter<'a> {
    /// A meter from instant 0 on of machines that are idle and draw so much together.
    pub fn new(machines: u32, idle_uw: i64, tariff: Option<&'a Tariff>) -> Self {
        let mut accounts = [Account::default(); Activity::ALL.len()];
        let idle = &mut accounts[Activity::Idle as usize];
        (idle.machines, idle.drawn_uw) = (i64::from(machines), idle_uw);
        let tariff = tariff.filter(|tariff| tariff.bills());
        Self { tariff, billed: [Sum::default(); 2], accounts, least_uw: idle_uw, read: Time::ZERO }
    }

    /// Energy consumed until `now`.
    pub fn consumed(&self, now: Time) -> Energy {
        let elapsed = (now - self.read).as_micros().max(0);
        let consumed: i128 = self.accounts.iter().map(|account| account.until(elapsed).0).sum();
        Energy::from_microjoules(consumed / PICO)
    }

    /// What all machines draw now, uW.
    pub fn drawn_uw(&self) -> i64 {
        self.accounts.iter().map(|account| account.drawn_uw).sum()
    }

    /// What every activity consumed until the last event.
    pub fn consumption(&self) -> Consumption {
        let of = |account: &Account| (account.consumed_pj / PICO, account.time_us);
        let by_activity = self.accounts.each_ref().map(of);
        let by_activity = by_activity.map(|(uj, us)| (Energy::from_microjoules(uj), us));
        let consumed_pj = self.accounts.iter().map(|account| account.consumed_pj).sum();
        let bill = self.tariff.map(|tariff| tariff.bill(self.billed, consumed_pj));
        let (total, bill) = (self.consumed(self.read), bill.unwrap_or_default());
        Consumption { total, by_activity, bill, until: self.read }
    }

    /// What would be drawn without jobs changes.
    pub fn change_least(&mut self, more_uw: i64) {
        self.least_uw += more_uw;
    }

    /// Adds to the bill what was drawn until `now`.
    fn bill(&mut self, now: Time) {
        if let Some(tariff) = self.tariff {
            let more = tariff.of(self.read, now, self.drawn_uw());
            self.billed[0] += more[0];
            self.billed[1] += more[1];
        }
    }

    /// Machines change what they do.
    pub fn change(&mut self, now: Time, happening: Happening, change: &Change) -> Reading {
        let elapsed = (now - self.read).as_micros().max(0);
        let mean_w = (elapsed > 0).then(|| self.drawn_uw() as f64 / 1e6);
        if elapsed > 0 {
            self.bill(now);
            for account in &mut self.accounts {
                (account.consumed_pj, account.time_us) = account.until(elapsed);
            }
            self.read = now;
        }
        let Change { machines, from, to } = *change;
        let account = &mut self.accounts[from.0 as usize];
        account.machines -= i64::from(machines);
        account.drawn_uw -= from.1;
        let account = &mut self.accounts[to.0 as usize];
        account.machines += i64::from(machines);
        account.drawn_uw += to.1;
        let consumed = self.consumed(now);
        Reading { now, happening, consumed, least_w: self.least_uw as f64 / 1e6, mean_w }
    }
}

impl Account {
    /// Consumption and machine-time after so many microseconds more.
    fn until(&self, elapsed: i64) -> (i128, i128) {
        let elapsed = i128::from(elapsed);
        (
            self.consumed_pj + i128::from(self.drawn_uw) * elapsed,
            self.time_us + i128::from(self.machines) * elapsed,
        )
    }
}
