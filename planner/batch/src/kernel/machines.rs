//! The machines: which are free, off and being switched, and what all of them draw.

use std::collections::BTreeMap;

use planner::node_set::NodeSet;
use planner::power_states::Draws;
use planner::quantity::{Energy, Power};

use super::{Cluster, Totals};
use crate::energy::{Change, Happening, Meter, MeterReading};
use crate::job::{Job, Utilisation, Work};
use crate::platform::Activity;
use crate::scheduler::{PowerOrder, PowerTarget};
use crate::time::Time;

/// The state of all machines.
#[derive(Debug)]
pub(super) struct Machines<'a> {
    cluster: Cluster<'a>,
    free: u32,
    /// Which machines are on and have no job, where places are kept.
    idle: NodeSet,
    off: NodeSet,
    /// Machines in each computing state; empty for the one that they begin in.
    altered: Vec<NodeSet>,
    /// Ends of switches: when, after how many others; which machines, and whether they are on then.
    switching: BTreeMap<(Time, u64), (NodeSet, bool)>,
    meter: Option<Meter<'a>>,
    orders: u64,
    switches: u64,
}

/// A state that machines enter, with the platform's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// They begin to be switched on.
    SwitchingOn,
    /// They begin to be switched off.
    SwitchingOff,
    /// They are on, in this state.
    On(u16),
    /// They are off.
    Off(u16),
    /// They go from one state of computing to this one.
    Other(u16),
}

impl Entered {
    /// The state as a number in Batsim's tables: -1 is being switched on, -2 being switched off.
    pub const fn number(self) -> i64 {
        match self {
            Self::SwitchingOn => -1,
            Self::SwitchingOff => -2,
            Self::On(number) | Self::Off(number) | Self::Other(number) => number as i64,
        }
    }
}

/// What is told of machines that enter a state.
#[derive(Debug)]
pub(super) struct News {
    pub(super) machines: NodeSet,
    pub(super) state: Entered,
    pub(super) reading: Option<MeterReading>,
}

impl<'a> Machines<'a> {
    pub(super) fn new(cluster: Cluster<'a>) -> Self {
        let platform = cluster.platform;
        let all = 0..platform.machines();
        let idle = if cluster.places { NodeSet::from_ranges(vec![all]) } else { NodeSet::new() };
        let meter = |idle| Meter::new(platform.machines(), idle, cluster.tables);
        let meter = platform.idle().map(meter);
        Self {
            cluster,
            free: platform.machines(),
            idle,
            off: NodeSet::new(),
            altered: vec![NodeSet::new(); platform.state_numbers().count()],
            switching: BTreeMap::new(),
            meter,
            orders: 0,
            switches: 0,
        }
    }

    /// Which machines are on and have no job.
    pub(super) const fn idle(&self) -> &NodeSet {
        &self.idle
    }

    /// Which machines are off.
    pub(super) const fn off(&self) -> &NodeSet {
        &self.off
    }

    /// Takes machines for a job: these, or the lowest that are free. None where that cannot be.
    pub(super) fn take(&mut self, nodes: u32, machines: Option<NodeSet>) -> Option<NodeSet> {
        if nodes > self.free {
            return None;
        }
        if !self.cluster.places {
            self.free -= nodes;
            return Some(NodeSet::new());
        }
        let machines = machines.or_else(|| self.idle.lowest(nodes))?;
        if machines.count() != nodes {
            return None;
        }
        self.idle = without(&self.idle, &machines)?;
        self.free -= nodes;
        Some(machines)
    }

    /// The speed of the slowest of these machines.
    pub(super) fn slowest(&self, machines: &NodeSet) -> f64 {
        let platform = self.cluster.platform;
        let parts = self.by_state(machines);
        if parts.is_empty() {
            return platform.slowest(machines, platform.initial());
        }
        let speeds = parts.iter().map(|(part, state)| platform.slowest(part, *state));
        speeds.reduce(f64::min).unwrap_or(1.0)
    }

    /// A job begins on machines that were taken; where what it draws follows from loads, it has none yet.
    pub(super) fn begin(
        &mut self,
        now: Time,
        job: &Job,
        machines: &NodeSet,
        by_load: bool,
    ) -> Option<MeterReading> {
        let (idle, busy) = self.draws_with(job, machines)?;
        let busy = if by_load { Power::ZERO } else { busy };
        let (from, to) = ((Activity::Idle, idle), (Activity::Computing, busy));
        let change = Change { machines: job.nodes, from, to };
        self.meter.as_mut().map(|meter| meter.change(now, Happening::Start, &change))
    }

    /// A job that began at `started` ends: the reading, and what its machines consumed. Where that follows from loads,
    /// it is said, with what they drew last.
    pub(super) fn end(
        &mut self,
        now: Time,
        started: Time,
        job: &Job,
        machines: &NodeSet,
        by_load: Option<(Power, Energy)>,
    ) -> Option<(MeterReading, Energy)> {
        self.free += job.nodes;
        if self.cluster.places {
            self.idle = self.idle.union(machines);
        }
        let (idle, busy) = self.draws_with(job, machines)?;
        let (busy, energy) = by_load.unwrap_or_else(|| (busy, (busy * (now - started)).whole()));
        let (from, to) = ((Activity::Computing, busy), (Activity::Idle, idle));
        let change = Change { machines: job.nodes, from, to };
        self.meter.as_mut().map(|meter| (meter.change(now, Happening::End, &change), energy))
    }

    /// What jobs draw that follows from loads goes from one power to another.
    pub(super) fn load(&mut self, now: Time, before: Power, after: Power) -> Option<MeterReading> {
        let (from, to) = ((Activity::Computing, before), (Activity::Computing, after));
        let change = Change { machines: 0, from, to };
        self.meter.as_mut().map(|meter| meter.change(now, Happening::Load, &change))
    }

    /// Each of these machines, with its computing state.
    pub(super) fn states(&self, machines: &NodeSet) -> Vec<(u32, usize)> {
        let initial = self.cluster.platform.initial();
        let mut states: Vec<(u32, usize)> =
            machines.positions().map(|machine| (machine, initial)).collect();
        for (part, state) in self.by_state(machines) {
            for of in states.iter_mut().filter(|(machine, _)| part.contains(*machine)) {
                of.1 = state;
            }
        }
        states
    }

    /// Carries out an order. An error says what is wrong with it.
    pub(super) fn order(&mut self, now: Time, order: PowerOrder) -> Result<News, &'static str> {
        let PowerOrder { machines, to } = order;
        if !self.cluster.places {
            return Err("switches machines where it is not kept which they are:");
        }
        match to {
            PowerTarget::State(state) => self.set_state(now, machines, state),
            PowerTarget::Off => {
                if !self.cluster.platform.sleeps() {
                    return Err("switches off machines that cannot be:");
                }
                let left = without(&self.idle, &machines);
                self.idle = left.ok_or("switches off machines that are not idle:")?;
                self.free -= machines.count();
                Ok(self.switch(now, machines, false))
            }
            PowerTarget::On => {
                let left = without(&self.off, &machines);
                self.off = left.ok_or("switches on machines that are not off:")?;
                Ok(self.switch(now, machines, true))
            }
        }
    }

    fn switch(&mut self, now: Time, machines: NodeSet, on: bool) -> News {
        self.orders += 1;
        self.switches += u64::from(machines.count());
        for (part, time) in self.cluster.platform.switching_times(&machines, on) {
            self.switching.insert((now + time, self.orders), (part, on));
        }
        let (idle, [off, switching_off, switching_on]) = self.draws_around(&machines);
        let (from, to, state) = if on {
            let from = (Activity::Off, off);
            (from, (Activity::SwitchingOn, switching_on), Entered::SwitchingOn)
        } else {
            let from = (Activity::Idle, idle);
            (from, (Activity::SwitchingOff, switching_off), Entered::SwitchingOff)
        };
        let change = Change { machines: machines.count(), from, to };
        let reading = self.meter.as_mut().map(|meter| {
            let reading = meter.change(now, Happening::State, &change);
            meter.change_least(from.1, to.1);
            reading
        });
        News { machines, state, reading }
    }

    /// When the next switch ends.
    pub(super) fn next_switch(&self) -> Option<Time> {
        self.switching.first_key_value().map(|((at, _), _)| *at)
    }

    /// Ends the next switch that ends at `now`; whether its machines are on.
    pub(super) fn end_switch(&mut self, now: Time) -> Option<(News, bool)> {
        let entry = self.switching.first_entry().filter(|entry| entry.key().0 == now)?;
        let (machines, on) = entry.remove();
        let (idle, [off, switching_off, switching_on]) = self.draws_around(&machines);
        let (from, to) = if on {
            self.free += machines.count();
            self.idle = self.idle.union(&machines);
            ((Activity::SwitchingOn, switching_on), (Activity::Idle, idle))
        } else {
            self.off = self.off.union(&machines);
            ((Activity::SwitchingOff, switching_off), (Activity::Off, off))
        };
        let change = Change { machines: machines.count(), from, to };
        let reading = self.meter.as_mut().map(|meter| {
            meter.change_least(from.1, to.1);
            meter.change(now, Happening::State, &change)
        });
        let platform = self.cluster.platform;
        let state = if on {
            Entered::On(self.state_number(&machines).unwrap_or_default())
        } else {
            Entered::Off(platform.off_number().unwrap_or_default())
        };
        Some((News { machines, state, reading }, on))
    }

    /// Idle machines go to another computing state, at once.
    fn set_state(
        &mut self,
        now: Time,
        machines: NodeSet,
        state: usize,
    ) -> Result<News, &'static str> {
        let platform = self.cluster.platform;
        let Some(number) = platform.state_numbers().nth(state) else {
            return Err("chooses a power state that there is not, for machines");
        };
        if !machines.difference(&self.idle).is_empty() {
            return Err("changes the power state of machines that are not idle:");
        }
        let before = self.idle_draw(&machines);
        for altered in &mut self.altered {
            *altered = altered.difference(&machines);
        }
        if state != platform.initial() {
            self.altered[state] = self.altered[state].union(&machines);
        }
        let after = self.idle_draw(&machines);
        let (from, to) = ((Activity::Idle, before), (Activity::Idle, after));
        let change = Change { machines: machines.count(), from, to };
        let reading = self.meter.as_mut().map(|meter| {
            meter.change_least(before, after);
            meter.change(now, Happening::State, &change)
        });
        Ok(News { machines, state: Entered::Other(number), reading })
    }

    /// Energy consumed by all machines until `now`.
    pub(super) fn consumed(&self, now: Time) -> Option<Energy> {
        self.meter.as_ref().map(|meter| meter.consumed(now))
    }

    /// What became of all machines.
    pub(super) fn totals(&self) -> Option<Totals> {
        let consumption = self.meter.as_ref()?.consumption();
        Some(Totals { consumption, orders: self.orders, switches: self.switches })
    }

    /// Parts of a set by computing state; none where all are in the one that they began in.
    fn by_state(&self, machines: &NodeSet) -> Vec<(NodeSet, usize)> {
        let one = self.altered.len() == 1;
        if one || self.altered.iter().all(|altered| !altered.intersects(machines)) {
            return Vec::new();
        }
        let mut rest = machines.clone();
        let mut parts = Vec::new();
        for (state, altered) in self.altered.iter().enumerate() {
            let part = rest.intersection(altered);
            rest = rest.difference(&part);
            parts.push((part, state));
        }
        parts.push((rest, self.cluster.platform.initial()));
        parts.retain(|(part, _)| !part.is_empty());
        parts
    }

    /// The computing state of the first of these machines.
    fn state_number(&self, machines: &NodeSet) -> Option<u16> {
        let first = machines.lowest(1)?;
        let of = |(_, state): &(NodeSet, usize)| *state;
        let state = self.by_state(&first).first().map_or(self.cluster.platform.initial(), of);
        self.cluster.platform.state_numbers().nth(state)
    }

    fn draws(&self, machines: &NodeSet) -> Option<Draws> {
        let platform = self.cluster.platform;
        let parts = self.by_state(machines);
        if parts.is_empty() {
            return platform.draws(machines, platform.initial());
        }
        let draws = parts.iter().map(|(part, state)| platform.draws(part, *state));
        draws.reduce(|sum, part| {
            let (sum, part) = (sum?, part?);
            let (idle, computing) = (sum.idle + part.idle, sum.computing + part.computing);
            Some(Draws { idle, computing })
        })?
    }

    /// What machines draw without and with this job.
    pub(super) fn draws_with(&self, job: &Job, machines: &NodeSet) -> Option<(Power, Power)> {
        self.meter.as_ref()?;
        let Draws { idle, computing } = self.draws(machines)?;
        let computes = !matches!(job.work, Work::Delay(_)) || self.cluster.delays_compute;
        let otherwise = if computes { Utilisation::FULL } else { Utilisation::NONE };
        Some((idle, job.utilisation.unwrap_or(otherwise).draws(idle, computing)))
    }

    fn idle_draw(&self, machines: &NodeSet) -> Power {
        self.draws(machines).map_or(Power::ZERO, |draws| draws.idle)
    }

    /// What machines draw that are idle; off, being switched off and being switched on.
    fn draws_around(&self, machines: &NodeSet) -> (Power, [Power; 3]) {
        let off = self.cluster.platform.draws_off(machines);
        (self.idle_draw(machines), off.unwrap_or_default())
    }
}

/// What is left of a set without some of its members; none where others are among them.
fn without(all: &NodeSet, some: &NodeSet) -> Option<NodeSet> {
    let left = all.difference(some);
    (left.count() + some.count() == all.count()).then_some(left)
}
