//! Nodes: from slurmrestd's documents to values.

use planner::resource_manager::{ManagedNode, NodePower, Unavailable, UnavailableCause};
use planner::time::Timestamp;
use serde::Deserialize;

use crate::document::{Number, Words, text};

/// What is read of a node.
#[derive(Debug, Deserialize)]
pub(crate) struct NodeDocument {
    name: String,
    #[serde(default, deserialize_with = "text")]
    address: String,
    #[serde(default, deserialize_with = "text")]
    hostname: String,
    #[serde(default)]
    port: Number,
    #[serde(default)]
    partitions: Words,
    #[serde(default)]
    features: Words,
    #[serde(default)]
    cpus: Number,
    #[serde(default)]
    real_memory: Number,
    #[serde(default, deserialize_with = "text")]
    gres: String,
    /// The base state and, from v0.0.39 on, the flags.
    #[serde(default)]
    state: Words,
    /// The flags in v0.0.38.
    #[serde(default)]
    state_flags: Words,
    #[serde(default, deserialize_with = "text")]
    reason: String,
    #[serde(default)]
    boot_time: Number,
    /// Some versions leave it out, or say `null`, where there is no energy plugin.
    #[serde(default)]
    energy: Option<EnergyDocument>,
}

/// What the energy plugin measured, in watts and joules.
#[derive(Debug, Deserialize)]
struct EnergyDocument {
    #[serde(default)]
    current_watts: Number,
    #[serde(default)]
    consumed_energy: Number,
    #[serde(default)]
    last_collected: Number,
}

/// What Slurm's energy plugin measured of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeEnergy {
    /// The node.
    pub name: Box<str>,
    /// Its power, watts; `None` where there is none.
    pub current_w: Option<i64>,
    /// The energy that it consumed since its slurmd or it was started, joules; `None` where there is none, or one below
    /// zero: the plugin's own counter fell meanwhile.
    pub consumed_j: Option<i64>,
    /// When that was measured; `None` where it never was.
    pub collected: Option<Timestamp>,
}

impl From<NodeDocument> for NodeEnergy {
    fn from(node: NodeDocument) -> Self {
        let energy = node.energy.as_ref();
        // Without a plugin Slurm writes zeros, and never says when it measured.
        let collected = energy.and_then(|it| it.last_collected.instant());
        let of = |number: fn(&EnergyDocument) -> Number| {
            energy.filter(|_| collected.is_some()).and_then(|it| number(it).amount())
        };
        Self {
            current_w: of(|it| it.current_watts),
            consumed_j: of(|it| it.consumed_energy),
            collected,
            name: node.name.into(),
        }
    }
}

impl From<NodeDocument> for ManagedNode {
    fn from(node: NodeDocument) -> Self {
        let address = if node.address.is_empty() { &node.hostname } else { &node.address };
        // Several slurmd of one host are told apart by their ports.
        let address = match node.port.positive() {
            Some(port) => format!("{address}:{port}"),
            None => address.clone(),
        };
        let states = Words(node.state.0.into_iter().chain(node.state_flags.0).collect());
        let cause = cause(&states);
        Self {
            name: node.name.into(),
            address: address.into(),
            partitions: boxed(node.partitions),
            features: boxed(node.features),
            cpus: u32::try_from(node.cpus.positive().unwrap_or(0)).unwrap_or(u32::MAX),
            memory_mib: u64::try_from(node.real_memory.positive().unwrap_or(0)).unwrap_or(0),
            generic_resources: node.gres.into(),
            unavailable: cause.map(|cause| Unavailable { cause, reason: node.reason }),
            power: power(&states),
            booted: node.boot_time.instant(),
        }
    }
}

fn boxed(words: Words) -> Vec<Box<str>> {
    words.0.into_iter().map(String::into_boxed_str).collect()
}

/// Why a node runs no jobs. Being switched off, or on its way, is no reason: jobs wake it.
fn cause(states: &Words) -> Option<UnavailableCause> {
    let is_switching =
        states.has_any(&["POWERED_DOWN", "POWERING_DOWN", "POWER_DOWN", "POWERING_UP", "POWER_UP"]);
    // A controller that has just begun has yet to hear of its nodes: who does not answer is down later.
    let is_awaited = is_switching || states.has_any(&["UNKNOWN"]);
    if states.has_any(&["DOWN", "ERROR", "FUTURE"]) {
        Some(UnavailableCause::Down)
    } else if states.has_any(&["FAIL", "FAILING"]) {
        Some(UnavailableCause::Failing)
    } else if states.has_any(&["DRAIN", "DRAINED", "DRAINING"])
        // Drained only to be switched off.
        && !states.has_any(&["POWER_DRAIN"])
    {
        Some(UnavailableCause::Drained)
    } else if states.has_any(&["MAINT", "MAINTENANCE"]) {
        Some(UnavailableCause::Maintenance)
    } else if states.has_any(&["NOT_RESPONDING", "NO_RESPOND"]) && !is_awaited {
        Some(UnavailableCause::NotResponding)
    } else {
        None
    }
}

fn power(states: &Words) -> NodePower {
    if states.has_any(&["POWERING_UP", "POWER_UP"]) {
        NodePower::PoweringUp
    } else if states.has_any(&["POWERED_DOWN"]) {
        NodePower::Off
    } else if states.has_any(&["POWERING_DOWN", "POWER_DOWN"]) {
        NodePower::PoweringDown
    } else {
        NodePower::On
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the spellings of v0.0.39, of v0.0.43, and of nodes without a plugin.
    #[test]
    fn energy_is_what_was_measured_and_nothing_where_nothing_was() {
        for (energy, current_w, consumed_j, collected) in [
            (
                r#"{"average_watts": 90, "base_consumed_energy": 5, "consumed_energy": 123456,
                    "current_watts": 95, "last_collected": 1767225600}"#,
                Some(95),
                Some(123_456),
                Some(1_767_225_600),
            ),
            (
                r#"{"consumed_energy": 0, "last_collected": 1767225600,
                    "current_watts": {"set": true, "infinite": false, "number": 0}}"#,
                Some(0),
                Some(0),
                Some(1_767_225_600),
            ),
            (
                r#"{"consumed_energy": 7, "last_collected": 1767225600,
                    "current_watts": {"set": false, "infinite": false, "number": 0}}"#,
                None,
                Some(7),
                Some(1_767_225_600),
            ),
            (
                r#"{"consumed_energy": 0, "current_watts": 4294967294, "last_collected": 0}"#,
                None,
                None,
                None,
            ),
            // As 26.05 answers: of a node that measures, of one whose plugin's counter fell, and of one without.
            (
                r#"{"average_watts": 248, "base_consumed_energy": 1000000, "consumed_energy": 3180,
                    "current_watts": {"set": true, "infinite": false, "number": 320},
                    "previous_consumed_energy": 1003180, "last_collected": 1795644264}"#,
                Some(320),
                Some(3180),
                Some(1_795_644_264),
            ),
            (
                r#"{"average_watts": 279, "base_consumed_energy": 1000000, "consumed_energy": -999500,
                    "current_watts": {"set": true, "infinite": false, "number": 320},
                    "previous_consumed_energy": 500, "last_collected": 1795644288}"#,
                Some(320),
                None,
                Some(1_795_644_288),
            ),
            (
                r#"{"average_watts": 0, "base_consumed_energy": 0, "consumed_energy": 0,
                    "current_watts": {"set": false, "infinite": false, "number": 0},
                    "previous_consumed_energy": 0, "last_collected": 0}"#,
                None,
                None,
                None,
            ),
            ("null", None, None, None),
        ] {
            let text = format!(r#"{{"name": "n1", "energy": {energy}}}"#);
            let node: NodeDocument = serde_json::from_str(&text).unwrap();
            let collected = collected.map(Timestamp::from_unix_seconds);
            let read = NodeEnergy { name: "n1".into(), current_w, consumed_j, collected };
            assert_eq!(NodeEnergy::from(node), read, "{energy}");
        }
    }

    /// In the words of the table of states: `~` is switched off, `#` on its way up, `%` on its way down.
    #[test]
    fn states_say_why_a_node_runs_no_jobs_and_whether_it_is_on() {
        use NodePower::{Off, On, PoweringDown, PoweringUp};
        use UnavailableCause::{Down, Drained, Failing, Maintenance, NotResponding};
        for (states, unavailable, on) in [
            ("IDLE", None, On),
            ("idle,RESERVED", None, On),
            ("ALLOCATED,PLANNED", None, On),
            ("IDLE,POWERED_DOWN", None, Off),
            ("IDLE,POWERED_DOWN,NOT_RESPONDING", None, Off),
            ("IDLE,POWERING_DOWN", None, PoweringDown),
            ("IDLE,DRAIN,POWER_DRAIN,POWERING_DOWN", None, PoweringDown),
            ("MIXED,POWERING_UP,NOT_RESPONDING", None, PoweringUp),
            ("IDLE,POWERED_DOWN,POWER_UP", None, PoweringUp),
            ("DOWN,POWERED_DOWN", Some(Down), Off),
            ("down,NOT_RESPONDING", Some(Down), On),
            ("IDLE,DRAIN", Some(Drained), On),
            ("IDLE,DRAIN,POWERED_DOWN", Some(Drained), Off),
            ("MIXED,FAIL,DRAIN", Some(Failing), On),
            ("IDLE,MAINTENANCE,RESERVED", Some(Maintenance), On),
            ("IDLE,NOT_RESPONDING", Some(NotResponding), On),
            ("UNKNOWN", None, On),
            ("UNKNOWN,NOT_RESPONDING", None, On),
        ] {
            let words = Words(states.split(',').map(str::to_owned).collect());
            assert_eq!((cause(&words), power(&words)), (unavailable, on), "{states}");
        }
    }
}
