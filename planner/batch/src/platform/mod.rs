//! Platforms: how fast machines compute, what they draw, and how they are switched.
//!
//! A machine has one or more *computing states*, in each of which it idles at one power and computes
//! at another, and may have a state in which it is off; switching off and on takes time and power of
//! its own (the Batsim thesis, 2.3 and 4.5). Machines are numbered in the order of the platform, and
//! all have the same states, in which they may differ.

mod document;
mod groups;
mod machine;
mod network_section;
mod of_each;
mod xml;

use std::time::Duration;

use planner::node_set::NodeSet;
use planner::power_states::{Draws, PowerStates, Sleep};
use planner::quantity::{MAX_POWER_MICROWATTS, Power};

use crate::time::Time;
pub use document::{KnownMachine, MachineClass, PlatformDocument};
pub use groups::Groups;
pub use machine::{Activity, Machine, Naming};
pub use network_section::{LinkSharing, NetworkSection, NetworkTopology, StorageSection};
use of_each::{PowerOfEach, ValueOfEach};
pub use xml::{PlatformXmlError, read_xml};

/// Why machines are no platform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// There is no machine.
    #[error("a platform needs at least one machine")]
    Empty,
    /// There are too many machines.
    #[error("a platform has at most 10000000 machines")]
    Large,
    /// The machines would draw more together than can be reckoned with.
    #[error("all machines of a platform together draw at most 1e11 W; powers are in watts")]
    TooMuchPower,
    /// More machines are asked for than there are.
    #[error("{asked} machines are asked for, and the platform has {there}")]
    Few {
        /// The number that is asked for.
        asked: u32,
        /// The number of machines that there are.
        there: u32,
    },
    /// Powers of some machines only, or of some states.
    #[error("some machines or states have powers and others have none")]
    SomePowers,
    /// Groups of some machines only.
    #[error("some machines have a group and others have none")]
    SomeGroups,
    /// Groups said twice, or of nothing.
    #[error("machines have either a group or a group_size from 1 on")]
    Groups,
    /// Neither how many nor which, or both.
    #[error("machines have either a count, or nodes that have powers of their own")]
    Counted,
    /// Machines with other states than the first one.
    #[error("machines differ in the numbers of their power states")]
    States,
    /// A speed that is none.
    #[error("a machine's speed must be a number above nothing, not {0}")]
    Speed(String),
    /// A power that is none.
    #[error("a power must be a number of watts from 0 on, not {0}")]
    Power(String),
    /// A switching time that is none.
    #[error("a switching time must be a number of seconds from 0 to a year, not {0}")]
    SwitchingTime(String),
}

/// The machines of a cluster.
#[derive(Clone, Debug)]
pub struct Platform {
    machines: u32,
    states: Vec<StateOfAll>,
    initial: usize,
    sleep: Option<SleepOfAll>,
    groups: Option<Groups>,
    /// The names of machines; empty where no machine has one.
    namings: Vec<Naming>,
}

/// The most that any machine draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// Idle.
    pub idle: Power,
    /// Computing.
    pub computing: Power,
    /// Being switched off and on, where machines can be.
    pub switching: Option<[Power; 2]>,
}

/// A computing state of all machines.
#[derive(Clone, Debug)]
struct StateOfAll {
    number: u16,
    speeds: ValueOfEach<f64>,
    /// Idle and computing.
    draws: Option<(PowerOfEach, PowerOfEach)>,
}

/// Being off, of all machines.
#[derive(Clone, Debug)]
struct SleepOfAll {
    number: u16,
    off: PowerOfEach,
    switching_off: PowerOfEach,
    switching_on: PowerOfEach,
    off_times: ValueOfEach<Time>,
    on_times: ValueOfEach<Time>,
}

/// The most machines of a platform.
const MOST: usize = 10_000_000;

impl Platform {
    /// `machines` machines of unit speed of which nobody knows what they draw.
    pub fn of_machines(machines: u32) -> Self {
        let state = StateOfAll { number: 0, speeds: ValueOfEach::Same(1.0), draws: None };
        Self {
            machines,
            states: vec![state],
            initial: 0,
            sleep: None,
            groups: None,
            namings: Vec::new(),
        }
    }

    /// These machines, in this order.
    ///
    /// # Errors
    /// None, too many, too much power, speeds that are none, powers or states of some only.
    pub fn new(machines: &[Machine]) -> Result<Self, PlatformError> {
        let first = machines.first().ok_or(PlatformError::Empty)?;
        let count = u32::try_from(machines.len()).ok().filter(|_| machines.len() <= MOST);
        let count = count.ok_or(PlatformError::Large)?;
        machines.iter().try_for_each(|machine| machine.check(first))?;
        check_power(
            machines.iter().map(|machine| i128::from(machine.most().as_microwatts())).sum(),
        )?;
        let PowerStates { computing, initial, sleep } = &first.power_states;
        let states = (0..computing.len()).map(|state| StateOfAll::of(machines, state)).collect();
        let sleep = sleep.map(|sleep| SleepOfAll::of(machines, sleep));
        let groups: Option<Vec<_>> =
            machines.iter().map(|machine| machine.group.as_ref()).collect();
        let groups = groups.map(|names| Groups::of(names.into_iter()));
        let namings = machines.iter().map(|machine| &machine.naming);
        let named = namings.clone().any(|naming| *naming != Naming::default());
        let namings = if named { namings.cloned().collect() } else { Vec::new() };
        Ok(Self { machines: count, states, initial: *initial, sleep, groups, namings })
    }

    /// How many machines there are.
    pub const fn machines(&self) -> u32 {
        self.machines
    }

    /// What a machine is called, where machines have names or properties.
    pub fn naming(&self, machine: u32) -> Option<&Naming> {
        self.namings.get(machine as usize)
    }

    /// Which machines are near each other, where that is known.
    pub const fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// Whether all machines are equally fast in each computing state.
    pub fn one_speed(&self) -> bool {
        self.states.iter().all(|state| matches!(state.speeds, ValueOfEach::Same(_)))
    }

    /// Whether it is known what machines draw.
    pub fn has_draws(&self) -> bool {
        self.states[self.initial].draws.is_some()
    }

    /// Whether machines can be switched off.
    pub const fn sleeps(&self) -> bool {
        self.sleep.is_some()
    }

    /// The computing state that machines begin in: a position.
    pub const fn initial(&self) -> usize {
        self.initial
    }

    /// The numbers of the computing states, in their order.
    pub fn state_numbers(&self) -> impl Iterator<Item = u16> + '_ {
        self.states.iter().map(|state| state.number)
    }

    /// The number of the state of machines that are off.
    pub fn off_number(&self) -> Option<u16> {
        self.sleep.as_ref().map(|sleep| sleep.number)
    }

    /// The speed of the slowest of `machines` in a computing state. One step a machine where speeds
    /// differ.
    pub fn slowest(&self, machines: &NodeSet, state: usize) -> f64 {
        match &self.states[state].speeds {
            ValueOfEach::Same(speed) => *speed,
            ValueOfEach::Own(speeds) => {
                let of = |position: u32| speeds.get(position as usize).copied();
                machines.positions().filter_map(of).reduce(f64::min).unwrap_or(1.0)
            }
        }
    }

    /// The speed of a machine in a computing state.
    pub fn speed(&self, machine: u32, state: usize) -> f64 {
        match &self.states[state].speeds {
            ValueOfEach::Same(speed) => *speed,
            ValueOfEach::Own(speeds) => speeds.get(machine as usize).copied().unwrap_or(1.0),
        }
    }

    /// How long it takes to switch these machines off or on: parts that take equally long.
    pub fn switching_times(&self, machines: &NodeSet, on: bool) -> Vec<(NodeSet, Time)> {
        let Some(sleep) = &self.sleep else { return Vec::new() };
        let times = if on { &sleep.on_times } else { &sleep.off_times };
        let times = match times {
            ValueOfEach::Same(time) => return vec![(machines.clone(), *time)],
            ValueOfEach::Own(times) => times,
        };
        let mut parts = std::collections::BTreeMap::<Time, Vec<u32>>::new();
        for position in machines.positions() {
            parts.entry(times[position as usize]).or_default().push(position);
        }
        let set = |(time, part): (Time, Vec<u32>)| (NodeSet::from_positions(part), time);
        parts.into_iter().map(set).collect()
    }

    /// The longest that any machine takes to be switched on, or off.
    pub fn longest_switch(&self, on: bool) -> Option<Time> {
        let sleep = self.sleep.as_ref()?;
        let times = if on { &sleep.on_times } else { &sleep.off_times };
        match times {
            ValueOfEach::Same(time) => Some(*time),
            ValueOfEach::Own(times) => times.iter().copied().max(),
        }
    }

    /// The most that any machine draws in the state that it begins in, and while it is switched.
    pub fn most(&self) -> Option<Most> {
        let (idle, computing) = self.states[self.initial].draws.as_ref()?;
        let switching = self
            .sleep
            .as_ref()
            .map(|sleep| [&sleep.switching_off, &sleep.switching_on].map(PowerOfEach::most));
        Some(Most { idle: idle.most(), computing: computing.most(), switching })
    }

    /// What all machines draw when idle.
    pub fn idle(&self) -> Option<Power> {
        let (idle, _) = self.states[self.initial].draws.as_ref()?;
        Some(idle.of_all(self.machines))
    }

    /// What `machines` draw in a computing state. One step a range.
    pub fn draws(&self, machines: &NodeSet, state: usize) -> Option<Draws> {
        let (idle, computing) = self.states[state].draws.as_ref()?;
        Some(Draws { idle: idle.over(machines), computing: computing.over(machines) })
    }

    /// What `machines` draw that are off, being switched off and being switched on. One step a range.
    pub fn draws_off(&self, machines: &NodeSet) -> Option<[Power; 3]> {
        let sleep = self.sleep.as_ref()?;
        Some(
            [&sleep.off, &sleep.switching_off, &sleep.switching_on]
                .map(|power| power.over(machines)),
        )
    }
}

impl StateOfAll {
    fn of(machines: &[Machine], state: usize) -> Self {
        let draws = |power: fn(&Draws) -> Power| {
            let of =
                |machine: &Machine| machine.power_states.computing[state].draws.as_ref().map(power);
            let powers: Option<Vec<Power>> = machines.iter().map(of).collect();
            powers.map(|powers| PowerOfEach::of(&powers))
        };
        let (idle, computing) = (draws(|draws| draws.idle), draws(|draws| draws.computing));
        Self {
            number: machines[0].power_states.computing[state].number,
            speeds: ValueOfEach::of(
                machines.iter().map(|machine| machine.power_states.computing[state].speed),
            ),
            draws: idle.zip(computing),
        }
    }
}

impl SleepOfAll {
    fn of(machines: &[Machine], first: Sleep) -> Self {
        let sleeps = || machines.iter().map(|machine| machine.power_states.sleep.unwrap_or(first));
        let powers =
            |power: fn(Sleep) -> Power| PowerOfEach::of(&sleeps().map(power).collect::<Vec<_>>());
        Self {
            number: first.number,
            off: powers(|sleep| sleep.off),
            switching_off: powers(|sleep| sleep.switching_off.power),
            switching_on: powers(|sleep| sleep.switching_on.power),
            off_times: ValueOfEach::of(sleeps().map(|sleep| sleep.switching_off.time.into())),
            on_times: ValueOfEach::of(sleeps().map(|sleep| sleep.switching_on.time.into())),
        }
    }
}

/// That machines which together draw so many microwatts are no more than can be reckoned with.
///
/// # Errors
/// They draw more.
pub fn check_power(microwatts: i128) -> Result<(), PlatformError> {
    if microwatts <= i128::from(MAX_POWER_MICROWATTS) {
        return Ok(());
    }
    Err(PlatformError::TooMuchPower)
}

/// A power from 0 to a megawatt.
fn power(watts: f64) -> Result<Power, PlatformError> {
    let inside = (0.0..=1e6).contains(&watts);
    let power = Power::from_watts(watts).filter(|_| inside);
    power.ok_or_else(|| PlatformError::Power(watts.to_string()))
}

/// A length of time from 0 to a year.
fn switching_time(seconds: f64) -> Result<Duration, PlatformError> {
    let inside = (0.0..=366.0 * 86_400.0).contains(&seconds);
    let time = Time::from_seconds_f64(seconds).filter(|_| inside);
    time.and_then(|time| time.try_into().ok())
        .ok_or_else(|| PlatformError::SwitchingTime(seconds.to_string()))
}
