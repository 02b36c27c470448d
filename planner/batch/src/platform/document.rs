//! A platform as a document: classes of equal machines, in order.

use std::collections::BTreeMap;

use planner::power_states::{ComputingState, Draws, PowerStates, Sleep, Transition};
use planner::quantity::Power;
use serde::Deserialize;

use super::{Machine, Naming, NetworkSection, PlatformError, power, switching_time};

/// The document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformDocument {
    /// The classes, machine 0 in the first.
    pub machines: Vec<MachineClass>,
    /// What they communicate over, where that takes time.
    pub network: Option<NetworkSection>,
}

/// Machines that are equal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineClass {
    /// The number of machines in the class.
    pub count: Option<u32>,
    /// Or which: what tells of machines with names and powers of their own.
    pub nodes: Option<String>,
    /// What they share, such as a switch: one group with other classes of this name.
    pub group: Option<String>,
    /// Or in groups of so many, in order.
    pub group_size: Option<u32>,
    /// Floating-point operations a second; 1 unless said.
    #[serde(default = "unit")]
    pub speed_flops: f64,
    /// What each draws without a job, W.
    pub idle_power_w: Option<f64>,
    /// What each draws while it computes, W.
    pub computing_power_w: Option<f64>,
    /// Computing states beside this one, which is state 0: numbered from 1 on.
    #[serde(default)]
    pub further_states: Vec<FurtherState>,
    /// How it is switched off and on, where it can be.
    pub sleep: Option<SleepClass>,
}

/// A machine of which it is known what it is called and draws.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownMachine {
    /// Its name.
    pub name: Box<str>,
    /// What it draws in each of its states, and how it is switched.
    pub power_states: PowerStates,
}

impl KnownMachine {
    /// The machine in a platform of its own kind.
    pub fn machine(self) -> Machine {
        let naming = Naming { name: Some(self.name), ..Naming::default() };
        Machine { naming, ..Machine::of(self.power_states) }
    }
}

/// A computing state beside the first.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FurtherState {
    /// Floating-point operations a second.
    pub speed_flops: f64,
    /// What a machine draws without a job, W.
    pub idle_power_w: Option<f64>,
    /// What a machine draws while it computes, W.
    pub computing_power_w: Option<f64>,
}

/// Being off, and the ways there and back (table 6.1 of the thesis).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SleepClass {
    /// What a machine draws when it is off, W.
    pub off_power_w: f64,
    /// While it is being switched off, W.
    pub switching_off_power_w: f64,
    /// While it is being switched on, W.
    pub switching_on_power_w: f64,
    /// How long it takes to switch it off, s.
    pub switching_off_s: f64,
    /// How long it takes to switch it on, s.
    pub switching_on_s: f64,
}

const fn unit() -> f64 {
    1.0
}

impl PlatformDocument {
    /// Its machines, at most ten million and one, with what is known of those that classes name by `nodes`.
    ///
    /// # Errors
    /// Powers that are none; one power without the other.
    pub fn machines(
        &self,
        known: &BTreeMap<String, Vec<KnownMachine>>,
    ) -> Result<Vec<Machine>, PlatformError> {
        let mut machines: Vec<Machine> = Vec::new();
        for (number, class) in self.machines.iter().enumerate() {
            let first = machines.len();
            let room = (super::MOST + 1).saturating_sub(first);
            let machine = class.machine()?;
            match (class.count, &class.nodes) {
                (Some(count), None) => {
                    machines.extend(std::iter::repeat_n(machine, room.min(count as usize)));
                }
                (None, Some(nodes)) if class.says_no_power() => {
                    let known = known.get(nodes).into_iter().flatten().take(room);
                    machines.extend(known.map(|known| class.known(&machine, known)));
                }
                _ => return Err(PlatformError::Counted),
            }
            match (&class.group, class.group_size) {
                (_, None) => {}
                (None, Some(size @ 1..)) => {
                    for (place, machine) in machines[first..].iter_mut().enumerate() {
                        // No name that a class has can be such.
                        let group = format!("{number}\n{}", place / size as usize);
                        machine.group = Some(group.into());
                    }
                }
                _ => return Err(PlatformError::Groups),
            }
        }
        Ok(machines)
    }
}

impl MachineClass {
    const fn says_no_power(&self) -> bool {
        let said = self.idle_power_w.is_some() || self.computing_power_w.is_some();
        !said && self.further_states.is_empty()
    }

    /// The class's machine with a name and powers of its own.
    fn known(&self, machine: &Machine, known: &KnownMachine) -> Machine {
        let mut own = known.clone().machine();
        for state in &mut own.power_states.computing {
            state.speed = self.speed_flops;
        }
        own.power_states.sleep = own.power_states.sleep.or(machine.power_states.sleep);
        Machine { group: machine.group.clone(), ..own }
    }

    fn machine(&self) -> Result<Machine, PlatformError> {
        let mut computing =
            vec![state(0, self.speed_flops, self.idle_power_w, self.computing_power_w)?];
        for (number, further) in (1..).zip(&self.further_states) {
            let FurtherState { speed_flops, idle_power_w, computing_power_w } = *further;
            computing.push(state(number, speed_flops, idle_power_w, computing_power_w)?);
        }
        let off = u16::try_from(computing.len()).map_err(|_| PlatformError::States)?;
        let sleep = self.sleep.map(|sleep| sleep.read(off)).transpose()?;
        let group = self.group.as_deref().map(Into::into);
        Ok(Machine { group, ..Machine::of(PowerStates { computing, initial: 0, sleep }) })
    }
}

fn state(
    number: u16,
    speed: f64,
    idle_power_w: Option<f64>,
    computing_power_w: Option<f64>,
) -> Result<ComputingState, PlatformError> {
    let powers: [Option<Result<Power, _>>; 2] =
        [idle_power_w, computing_power_w].map(|watts| watts.map(power));
    let draws = match powers {
        [None, None] => None,
        [Some(idle), Some(computing)] => Some(Draws { idle: idle?, computing: computing? }),
        _ => return Err(PlatformError::SomePowers),
    };
    Ok(ComputingState { number, speed, draws })
}

impl SleepClass {
    /// The state of this number.
    fn read(self, number: u16) -> Result<Sleep, PlatformError> {
        let transition = |watts, seconds| {
            Ok(Transition { power: power(watts)?, time: switching_time(seconds)? })
        };
        Ok(Sleep {
            number,
            off: power(self.off_power_w)?,
            switching_off: transition(self.switching_off_power_w, self.switching_off_s)?,
            switching_on: transition(self.switching_on_power_w, self.switching_on_s)?,
        })
    }
}
