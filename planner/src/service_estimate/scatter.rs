//! Scatters and gathers: one after another, and by a binomial tree. A gather is a scatter backwards and takes as much.

use super::amounts::EstimateRates;
use super::calibration::ServiceCalibration;
use super::links::{Links, Movement};
use super::operation::Processes;
use super::version::{OperationEstimate, Version};

/// Estimates a scatter or a gather of `bytes` for each process.
pub(super) fn estimate(
    calibration: &ServiceCalibration,
    processes: Processes,
    bytes: u64,
    rates: &EstimateRates,
) -> OperationEstimate {
    let links = Links::new(calibration, processes);
    let block = bytes as f64;
    let of = |version, movement| links.estimate(version, movement, processes.per_node, rates);
    let versions = vec![
        of(Version::Binomial, links.binomial_blocks(block)),
        of(Version::Linear, linear(links, block)),
    ];
    OperationEstimate::new(versions, vec![])
}

/// The root sends each other process its block, or receives it, one after another.
fn linear(links: Links<'_>, block: f64) -> Movement {
    let per_node = f64::from(links.per_node);
    let (messages, copies) = (links.processes() - per_node, per_node - 1.0);
    Movement {
        time_s: messages * links.message_s(block, 1.0) + copies * links.copy_s(block, 1.0),
        network_bytes: messages * block,
        memory_bytes: copies * block,
    }
}
