//! What estimates of operations rest on: the powers and the speeds of one node.

use crate::quantity::Power;

/// The calibration of a node for estimates of operations. All nodes of a job are taken to be alike.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceCalibration {
    /// What a node draws when it runs nothing but its operating system.
    pub idle: Power,
    /// What each activity adds to the idle power.
    pub added: AddedPower,
    /// The cores of a node; at least 1.
    pub cores_per_node: u32,
    /// Copies between processes of a node. All copies of a node share the bandwidth.
    pub memory: Channel,
    /// Messages between nodes: one node's link, which sends and receives at the same time.
    pub network: Channel,
    /// Where checkpoints and logs on disk go.
    pub disk: DiskCalibration,
    /// Seconds of one of the `ceil(lg p)` rounds in which `p` processes are synchronised, where measured.
    /// The network's latency otherwise.
    pub synchronisation_s: Option<f64>,
}

/// What activities add to a node's idle power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedPower {
    /// All cores compute.
    pub computing: Power,
    /// All cores wait for messages and poll for them, as MPI's processes do.
    pub polling: Power,
    /// The memory copies at its full bandwidth.
    pub memory: Power,
    /// The disk reads or writes at its full bandwidth; of a shared file system, this node's part of it.
    pub disk: Power,
    /// The network's link sends or receives at its full bandwidth.
    pub network: Power,
}

/// A way that messages go, by Hockney's model: `n` bytes take `latency + n * seconds_per_byte`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Seconds before the first byte arrives; at least 0.
    pub latency_s: f64,
    /// Seconds for each byte, the inverse of the bandwidth; above 0.
    pub seconds_per_byte: f64,
}

/// Where checkpoints are written to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskCalibration {
    /// Seconds for each byte written; above 0.
    pub write_seconds_per_byte: f64,
    /// Seconds for each byte read; above 0.
    pub read_seconds_per_byte: f64,
    /// Whether all nodes share these bandwidths, as with a parallel file system. Data go there over the network.
    pub shared: bool,
}

impl ServiceCalibration {
    /// What is added while `processes` of a node's cores do what adds `power` when all cores do it, watts.
    pub(super) fn part(&self, power: Power, processes: u32) -> f64 {
        power.as_watts() * f64::from(processes) / f64::from(self.cores_per_node)
    }

    /// What reading or writing a checkpoint adds at a node, watts.
    pub(super) fn storing_w(&self) -> f64 {
        let disk = self.added.disk.as_watts();
        if self.disk.shared { disk + self.added.network.as_watts() } else { disk }
    }

    /// Seconds in which `nodes` nodes write `bytes` each at the same time.
    pub(super) fn writing_s(&self, nodes: u32, bytes: f64) -> f64 {
        self.storing_s(self.disk.write_seconds_per_byte, nodes, bytes)
    }

    /// Seconds in which `nodes` nodes read `bytes` each at the same time.
    pub(super) fn reading_s(&self, nodes: u32, bytes: f64) -> f64 {
        self.storing_s(self.disk.read_seconds_per_byte, nodes, bytes)
    }

    /// A shared file system gives each node its part, and no node more than its link carries.
    fn storing_s(&self, seconds_per_byte: f64, nodes: u32, bytes: f64) -> f64 {
        if !self.disk.shared {
            return bytes * seconds_per_byte;
        }
        (bytes * f64::from(nodes) * seconds_per_byte).max(bytes * self.network.seconds_per_byte)
    }
}
