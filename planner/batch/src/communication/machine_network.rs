//! The network of a platform's machines: which host each is, and what it draws under a load.

use std::collections::HashMap;

use network::platform::{Host, HostId, Network};
use network::xml::{NetworkXmlError, read_network};
use planner::node_set::NodeSet;
use planner::power_states::Draws;
use planner::quantity::Power;

use crate::platform::{NetworkSection, Platform};

/// Why a description gives no network for a platform's machines.
#[derive(Debug, thiserror::Error)]
pub enum MachineNetworkError {
    /// It cannot be read.
    #[error(transparent)]
    Xml(#[from] NetworkXmlError),
    /// A machine is not on it.
    #[error("machine {0} is no host of the network")]
    NoHost(String),
}

/// Why a task finds no storage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// None has this name.
    #[error("the platform has no storage {0:?} (a host with the role \"storage\")")]
    Unknown(Box<str>),
    /// There is none, or several, and none is named.
    #[error("it names no storage, and the platform has {0} (hosts with the role \"storage\")")]
    Unnamed(usize),
}

/// What a machine draws in one of its states, in microwatts.
#[derive(Clone, Copy, Debug)]
struct LoadDraws {
    idle: f64,
    /// At nearly no load.
    low: f64,
    full: f64,
}

/// A network, and the machines and storages on it.
#[derive(Debug)]
pub struct MachineNetwork {
    network: Network,
    /// By machine.
    hosts: Vec<HostId>,
    storages: Vec<HostId>,
    /// By machine and computing state; empty where it is not known what machines draw.
    draws: Vec<LoadDraws>,
    states: usize,
}

impl MachineNetwork {
    /// The network of a description in `SimGrid`'s XML whose first hosts the platform's machines are; `None` where it
    /// has no link.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn read(text: &str, platform: &Platform) -> Result<Option<Self>, MachineNetworkError> {
        let network = read_network(text)?;
        if network.links().is_empty() {
            return Ok(None);
        }
        Self::of(network, platform).map(Some)
    }

    /// The network that a platform's document says.
    ///
    /// # Errors
    /// A shape that is none, or for another number of machines.
    pub fn of_section(
        section: &NetworkSection,
        platform: &Platform,
    ) -> Result<Self, MachineNetworkError> {
        let network = read_network(&section.xml(platform.machines()))?;
        let hosts = (0..platform.machines()).map(HostId).collect();
        Ok(Self::with_hosts(network, hosts, platform))
    }

    /// A network whose hosts have the names of the platform's machines.
    fn of(network: Network, platform: &Platform) -> Result<Self, MachineNetworkError> {
        let by_name: HashMap<&str, HostId> =
            network.hosts().iter().map(|host| &*host.name).zip((0..).map(HostId)).collect();
        let host = |machine: u32| {
            let name = platform.naming(machine).and_then(|naming| naming.name.as_deref());
            let host = name.and_then(|name| by_name.get(name).copied());
            let unknown = || name.map_or_else(|| machine.to_string(), str::to_owned);
            host.ok_or_else(|| MachineNetworkError::NoHost(unknown()))
        };
        let hosts = (0..platform.machines()).map(host).collect::<Result<Vec<HostId>, _>>()?;
        Ok(Self::with_hosts(network, hosts, platform))
    }

    fn with_hosts(network: Network, hosts: Vec<HostId>, platform: &Platform) -> Self {
        let stores = |host: &Host| {
            let roles = host.properties.get("role");
            roles.is_some_and(|roles| roles.split(',').any(|role| role.trim() == "storage"))
        };
        let storages = network.hosts().iter().zip((0..).map(HostId));
        let storages = storages.filter(|(host, _)| stores(host)).map(|(_, id)| id).collect();
        let states = platform.state_numbers().count();
        let draws = draws(&network, platform, &hosts);
        Self { network, hosts, storages, draws, states }
    }

    /// Hosts, links and routes.
    pub const fn network(&self) -> &Network {
        &self.network
    }

    /// The host that a machine is.
    pub fn host(&self, machine: u32) -> HostId {
        self.hosts[machine as usize]
    }

    /// The storages, in the order of the description.
    pub fn storages(&self) -> &[HostId] {
        &self.storages
    }

    /// A storage by its name; the only one where none is named.
    ///
    /// # Errors
    /// There is none, or none is named and there are several.
    pub fn storage(&self, name: Option<&str>) -> Result<HostId, StorageError> {
        let Some(name) = name else {
            let [only] = self.storages.as_slice() else {
                return Err(StorageError::Unnamed(self.storages.len()));
            };
            return Ok(*only);
        };
        let is = |host: &&HostId| &*self.network.hosts()[host.0 as usize].name == name;
        let found = self.storages.iter().find(is).copied();
        found.ok_or_else(|| StorageError::Unknown(name.into()))
    }

    /// What a machine draws in a computing state under a load from 0 to 1 (the thesis, 4.5), in microwatts.
    pub(crate) fn draw(&self, machine: u32, state: usize, load: f64) -> f64 {
        let draws = self.draws.get(machine as usize * self.states + state);
        draws.map_or(
            0.0,
            |LoadDraws { idle, low, full }| {
                if load > 0.0 { low + (full - low) * load.min(1.0) } else { *idle }
            },
        )
    }
}

/// What each machine draws in each of its states.
fn draws(network: &Network, platform: &Platform, hosts: &[HostId]) -> Vec<LoadDraws> {
    let numbers: Vec<u16> = platform.state_numbers().collect();
    let mut all = Vec::new();
    for (machine, host) in (0..).zip(hosts) {
        let alone = NodeSet::from_positions([machine]);
        let properties = &network.hosts()[host.0 as usize].properties;
        let written = ["wattage_per_state", "watt_per_state"];
        let written = written.iter().find_map(|name| properties.get(*name));
        for (state, number) in numbers.iter().enumerate() {
            let Some(Draws { idle, computing }) = platform.draws(&alone, state) else {
                return Vec::new();
            };
            let low = written.and_then(|text| nearly_idle(text, *number)).unwrap_or(idle);
            let [idle, low, full] =
                [idle, low, computing].map(|power| power.as_microwatts() as f64);
            all.push(LoadDraws { idle, low, full });
        }
    }
    all
}

/// The middle of `idle:epsilon:full`, for a state: the power at nearly no load.
fn nearly_idle(text: &str, state: u16) -> Option<Power> {
    let of_state = text.split(',').nth(usize::from(state))?;
    let mut parts = of_state.split(':').map(str::trim);
    let (Some(_), Some(low), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    Power::from_watts(low.parse().ok()?)
}
