//! What data movements of a collective operation take on nodes with several processes each.
//!
//! Between nodes go messages, within a node copies. A node's link carries one message in each direction at its full
//! bandwidth, and several share it; all copies of a node share its memory's bandwidth.

use super::amounts::EstimateRates;
use super::calibration::ServiceCalibration;
use super::operation::{Processes, rounds};
use super::version::{Version, VersionEstimate};

/// What an algorithm moves, and how long it takes to do so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Movement {
    /// Seconds.
    pub time_s: f64,
    /// Bytes between nodes, once for each time that they are sent.
    pub network_bytes: f64,
    /// Bytes copied within nodes.
    pub memory_bytes: f64,
}

/// The links of a job's nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links<'a> {
    /// The powers and speeds of a node.
    pub calibration: &'a ServiceCalibration,
    /// Nodes.
    pub nodes: u32,
    /// Processes of each node that take part.
    pub per_node: u32,
}

impl<'a> Links<'a> {
    /// The links of all processes.
    pub fn new(calibration: &'a ServiceCalibration, processes: Processes) -> Self {
        Self { calibration, nodes: processes.nodes, per_node: processes.per_node }
    }

    /// The links of one process for each node.
    pub fn of_one_each(self) -> Self {
        Self { per_node: 1, ..self }
    }

    /// All processes that take part.
    pub fn processes(self) -> f64 {
        f64::from(self.nodes) * f64::from(self.per_node)
    }

    /// Seconds until a message of `bytes` has come from another node, beside `shared` in all on each link.
    pub fn message_s(self, bytes: f64, shared: f64) -> f64 {
        let network = &self.calibration.network;
        network.latency_s + shared * bytes * network.seconds_per_byte
    }

    /// Seconds until `bytes` are copied within a node, while `shared` such copies run there.
    pub fn copy_s(self, bytes: f64, shared: f64) -> f64 {
        let memory = &self.calibration.memory;
        memory.latency_s + shared * bytes * memory.seconds_per_byte
    }

    /// An all-gather on a ring of all processes, by which each gets the `block_bytes` of each other: in `p - 1` steps
    /// each process passes on the block that it got last.
    pub fn ring(self, block_bytes: f64) -> Movement {
        let (nodes, per_node) = (f64::from(self.nodes), f64::from(self.per_node));
        let steps = self.processes() - 1.0;
        // The ring leaves each node once, and comes back within it where there is no other node.
        let copies = if self.nodes == 1 { per_node } else { per_node - 1.0 };
        let messages = if self.nodes == 1 { 0.0 } else { 1.0 };
        let mut longest_s = 0.0_f64;
        if messages > 0.0 {
            longest_s = self.message_s(block_bytes, 1.0);
        }
        if copies > 0.0 {
            longest_s = longest_s.max(self.copy_s(block_bytes, copies));
        }
        Movement {
            time_s: steps * longest_s,
            network_bytes: steps * nodes * messages * block_bytes,
            memory_bytes: steps * nodes * copies * block_bytes,
        }
    }

    /// A scatter, or backwards a gather, by a binomial tree: first between nodes, then within them.
    pub fn binomial_blocks(self, block_bytes: f64) -> Movement {
        let (nodes, per_node) = (f64::from(self.nodes), f64::from(self.per_node));
        let (network, memory) = (&self.calibration.network, &self.calibration.memory);
        let node_bytes = per_node * block_bytes;
        let copied = passed_on(self.per_node.into()) * block_bytes;
        let between = rounds(self.nodes.into()) * network.latency_s
            + (nodes - 1.0) * node_bytes * network.seconds_per_byte;
        let within =
            rounds(self.per_node.into()) * memory.latency_s + copied * memory.seconds_per_byte;
        Movement {
            time_s: between + within,
            network_bytes: passed_on(self.nodes.into()) * node_bytes,
            memory_bytes: nodes * copied,
        }
    }

    /// What a movement takes in which `polling` processes of each node poll until it is over.
    pub fn estimate(
        self,
        version: Version,
        movement: Movement,
        polling: u32,
        rates: &EstimateRates,
    ) -> VersionEstimate {
        let Self { calibration, nodes, .. } = self;
        let added = &calibration.added;
        let node_w = calibration.idle.as_watts() + calibration.part(added.polling, polling);
        // Each message keeps two links busy, its sender's and its receiver's.
        let network_s = 2.0 * movement.network_bytes * calibration.network.seconds_per_byte;
        let memory_s = movement.memory_bytes * calibration.memory.seconds_per_byte;
        let energy_j = f64::from(nodes) * node_w * movement.time_s
            + network_s * added.network.as_watts()
            + memory_s * added.memory.as_watts();
        let amounts = rates.amounts(movement.time_s, energy_j);
        VersionEstimate { version, amounts, phases: vec![], segments: None, checkpoint: None }
    }
}

impl std::ops::Add for Movement {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            time_s: self.time_s + other.time_s,
            network_bytes: self.network_bytes + other.network_bytes,
            memory_bytes: self.memory_bytes + other.memory_bytes,
        }
    }
}

/// How often blocks are sent in a binomial scatter over `members`, whose first has a block for each: the block of member
/// `r` as often as `r` has binary ones.
fn passed_on(members: u64) -> f64 {
    let ones = |bit: u32| {
        let (half, period) = (1_u64 << bit, 2_u64 << bit);
        let rest = (members % period).saturating_sub(half);
        (members / period * half + rest) as f64
    };
    (0..u64::BITS - members.leading_zeros()).map(ones).sum()
}

#[cfg(test)]
mod tests {
    use super::passed_on;

    #[test]
    fn blocks_are_passed_on_as_often_as_their_rank_has_ones() {
        for members in 1..300_u64 {
            let ones: u32 = (0..members).map(u64::count_ones).sum();
            assert_eq!(passed_on(members).to_bits(), f64::from(ones).to_bits(), "{members}");
        }
    }
}
