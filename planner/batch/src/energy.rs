//! What machines consume: power over time, exactly.
//!
//! A machine draws what its state draws. Computing machines draw their computing power, or, where their job
//! says at which utilisation they compute, so much of the way from idle to computing power; a job that only
//! occupies machines leaves them at either, as the caller says (Batsim's `delay` profiles draw idle power).
//! What a job draws is a whole number of microwatts over all of its machines. Energies are exact: whole
//! microwatts over whole microseconds. An event costs the same however many machines there are.

use planner::quantity::{Energy, Power};

use crate::platform::Activity;
use crate::quantity::{ExactEnergy, TotalTime};
use crate::supplier_tables::{Account, Bill, SupplierTables};
use crate::time::Time;

/// What machines in one activity draw now, and consumed so far.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    machines: u32,
    drawn: Power,
    consumed: ExactEnergy,
    time: TotalTime,
}

/// The energy of a cluster as its machines change.
#[derive(Debug)]
pub struct Meter<'a> {
    /// What energy costs and emits, where that is known.
    tables: Option<&'a SupplierTables>,
    billed: Account,
    shares: [Share; Activity::ALL.len()],
    /// What machines would draw without their jobs.
    least: Power,
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
    /// The load of machines changes: that of a job that communicates.
    Load,
}

/// What the meter shows after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeterReading {
    /// When it was read.
    pub now: Time,
    /// What happened then.
    pub happening: Happening,
    /// What was consumed until then.
    pub consumed: Energy,
    /// What machines would draw without their jobs; before the change where states begin to change.
    pub least: Power,
    /// What was drawn since the reading before; none if that was at the same instant.
    pub drawn: Option<Power>,
}

/// Machines that go from one activity to another.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The number of machines.
    pub machines: u32,
    /// What they did, and drew together.
    pub from: (Activity, Power),
    /// What they do now, and draw together.
    pub to: (Activity, Power),
}

/// What machines did, over all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Consumption {
    /// The energy of all machines.
    pub total: Energy,
    /// Energy and machine-time by activity, in the order of [`Activity::ALL`].
    pub by_activity: [(Energy, TotalTime); Activity::ALL.len()],
    /// What the energy came to.
    pub bill: Bill,
    /// When the meter was read last; it began at instant 0.
    pub until: Time,
}

impl Consumption {
    /// Energy in an activity, J.
    pub fn joules(&self, activity: Activity) -> f64 {
        self.by_activity[activity as usize].0.as_joules()
    }

    /// Machine-seconds in an activity.
    pub fn machine_seconds(&self, activity: Activity) -> f64 {
        self.by_activity[activity as usize].1.as_seconds()
    }
}

impl<'a> Meter<'a> {
    /// A meter from instant 0 on of machines that are idle and draw so much together.
    pub fn new(machines: u32, idle: Power, tables: Option<&'a SupplierTables>) -> Self {
        let mut shares = [Share::default(); Activity::ALL.len()];
        shares[Activity::Idle as usize] = Share { machines, drawn: idle, ..Share::default() };
        let tables = tables.filter(|tables| tables.bills());
        Self { tables, billed: Account::default(), shares, least: idle, read: Time::ZERO }
    }

    /// Energy consumed until `now`.
    pub fn consumed(&self, now: Time) -> Energy {
        let elapsed = (now - self.read).max(Time::ZERO);
        self.shares
            .iter()
            .map(|share| share.consumed + share.drawn * elapsed)
            .sum::<ExactEnergy>()
            .whole()
    }

    /// What all machines draw now.
    fn drawn(&self) -> Power {
        self.shares.iter().map(|share| share.drawn).sum()
    }

    /// What every activity consumed until the last event.
    pub fn consumption(&self) -> Consumption {
        let by_activity = self.shares.each_ref().map(|share| (share.consumed.whole(), share.time));
        let consumed = self.shares.iter().map(|share| share.consumed).sum();
        let bill = self.tables.map(|tables| tables.bill(self.billed, consumed));
        let (total, bill) = (self.consumed(self.read), bill.unwrap_or_default());
        Consumption { total, by_activity, bill, until: self.read }
    }

    /// What would be drawn without jobs changes from one power to another.
    pub fn change_least(&mut self, from: Power, to: Power) {
        self.least = self.least + to - from;
    }

    /// Machines change what they do.
    pub fn change(&mut self, now: Time, happening: Happening, change: &Change) -> MeterReading {
        let elapsed = (now - self.read).max(Time::ZERO);
        let drawn = (elapsed > Time::ZERO).then(|| self.drawn());
        if let Some(drawn) = drawn {
            if let Some(tables) = self.tables {
                tables.charge(&mut self.billed, self.read, now, drawn);
            }
            for share in &mut self.shares {
                share.consumed += share.drawn * elapsed;
                share.time += elapsed * share.machines;
            }
            self.read = now;
        }
        let Change { machines, from, to } = *change;
        let share = &mut self.shares[from.0 as usize];
        share.machines -= machines;
        share.drawn = share.drawn - from.1;
        let share = &mut self.shares[to.0 as usize];
        share.machines += machines;
        share.drawn = share.drawn + to.1;
        let consumed = self.consumed(now);
        MeterReading { now, happening, consumed, least: self.least, drawn }
    }
}
