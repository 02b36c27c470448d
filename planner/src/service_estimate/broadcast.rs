//! Broadcasts: pipelined segments (Open MPI), scatter and all-gather (MPICH2), binomial trees, and each of them with
//! one process for each node whose threads share memory.

use super::amounts::EstimateRates;
use super::calibration::ServiceCalibration;
use super::links::{Links, Movement};
use super::operation::{Processes, rounds};
use super::version::{OperationEstimate, Segments, Version, VersionEstimate};

/// Estimates a broadcast of `bytes`.
pub(super) fn estimate(
    calibration: &ServiceCalibration,
    processes: Processes,
    bytes: u64,
    segment_bytes: Option<u64>,
    rates: &EstimateRates,
) -> OperationEstimate {
    let links = Links::new(calibration, processes);
    let data = bytes as f64;
    let all = [Version::Pipelined, Version::ScatterAllGather, Version::Binomial];
    let hybrid =
        [Version::HybridPipelined, Version::HybridScatterAllGather, Version::HybridBinomial];
    let mut versions = Vec::with_capacity(6);
    for ([pipelined, blocks, tree], threads) in [(all, 0), (hybrid, processes.per_node)] {
        let links = if threads == 0 { links } else { links.of_one_each() };
        // The threads of a node are told by rounds through memory that the data are there.
        let told = Movement {
            time_s: rounds(threads.into()) * calibration.memory.latency_s,
            ..Movement::default()
        };
        let of = |version, movement: Movement| -> VersionEstimate {
            links.estimate(version, movement + told, links.per_node, rates)
        };
        let count = match segment_bytes {
            Some(size) => bytes.div_ceil(size).max(1),
            None => best_count(links, bytes),
        };
        let segments = Segments { count, bytes: data / count as f64 };
        let piped = of(pipelined, chain(links, data, count));
        versions.push(VersionEstimate { segments: Some(segments), ..piped });
        versions.push(of(blocks, scatter_all_gather(links, data)));
        versions.push(of(tree, binomial(links, data)));
    }
    OperationEstimate::new(versions, vec![])
}

/// A chain of all processes through which `count` segments go, each following the one before it.
///
/// The last segment arrives after the first went through every hop and the others left the slowest hop. On one kind
/// of hop, that is `(p - 2 + count) (latency + bytes / count / bandwidth)`.
fn chain(links: Links<'_>, bytes: f64, count: u64) -> Movement {
    let (nodes, per_node) = (f64::from(links.nodes), f64::from(links.per_node));
    let segment = bytes / count as f64;
    let (messages, copies) = (nodes - 1.0, nodes * (per_node - 1.0));
    // With several segments under way, all copies within a node run at the same time.
    let sharing = if count == 1 { 1.0 } else { per_node - 1.0 };
    let sending_s = if messages > 0.0 { links.message_s(segment, 1.0) } else { 0.0 };
    let copying_s = if copies > 0.0 { links.copy_s(segment, sharing) } else { 0.0 };
    let first_s = messages * sending_s + copies * copying_s;
    Movement {
        time_s: first_s + (count - 1) as f64 * sending_s.max(copying_s),
        network_bytes: messages * bytes,
        memory_bytes: copies * bytes,
    }
}

/// The number of segments by which a chain takes the least time. More segments move as many bytes, so that the least
/// time is the least energy, too.
fn best_count(links: Links<'_>, bytes: u64) -> u64 {
    let time = |count: u64| chain(links, bytes as f64, count).time_s;
    // From two segments on, the time is the larger of two functions `a + b / count + c * count`, so it is convex.
    let (mut low, mut high) = (2.min(bytes), bytes);
    while low < high {
        let middle = low + (high - low) / 2;
        if time(middle) <= time(middle + 1) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if time(1) <= time(low) { 1 } else { low }
}

/// A binomial scatter of the data in `p` blocks, and an all-gather of them on a ring (van de Geijn).
fn scatter_all_gather(links: Links<'_>, bytes: f64) -> Movement {
    let block = bytes / links.processes();
    links.binomial_blocks(block) + links.ring(block)
}

/// A binomial tree: first to all nodes, then within all of them at the same time.
fn binomial(links: Links<'_>, bytes: f64) -> Movement {
    let (nodes, per_node) = (f64::from(links.nodes), f64::from(links.per_node));
    let memory = &links.calibration.memory;
    // Over all rounds, each process but the first is copied to once, and copies share the memory.
    let within = rounds(links.per_node.into()) * memory.latency_s
        + (per_node - 1.0) * bytes * memory.seconds_per_byte;
    Movement {
        time_s: rounds(links.nodes.into()) * links.message_s(bytes, 1.0) + within,
        network_bytes: (nodes - 1.0) * bytes,
        memory_bytes: nodes * (per_node - 1.0) * bytes,
    }
}
