//! All-gathers: on a ring, by recursive doubling, and Bruck's.

use super::amounts::EstimateRates;
use super::calibration::ServiceCalibration;
use super::links::{Links, Movement};
use super::operation::Processes;
use super::version::{OperationEstimate, Version, VersionLeftOut};

/// Estimates an all-gather of `bytes` from each process.
pub(super) fn estimate(
    calibration: &ServiceCalibration,
    processes: Processes,
    bytes: u64,
    rates: &EstimateRates,
) -> OperationEstimate {
    let links = Links::new(calibration, processes);
    let block = bytes as f64;
    let of = |version, movement| links.estimate(version, movement, processes.per_node, rates);
    let mut versions = vec![of(Version::Ring, links.ring(block))];
    let mut left_out = vec![];
    let count = processes.count();
    if count.is_power_of_two() {
        versions.push(of(Version::RecursiveDoubling, doubling(links, count, block)));
    } else {
        let because = format!("needs a number of processes that is a power of two, not {count}");
        left_out.push(VersionLeftOut { version: Version::RecursiveDoubling, because });
    }
    versions.push(of(Version::Bruck, bruck(links, count, block)));
    OperationEstimate::new(versions, left_out)
}

/// Processes at the distances 1, 2, 4, ... exchange all that they have. With neighbours on one node, the first exchanges
/// stay within nodes; in the others all processes of a node share its link.
fn doubling(links: Links<'_>, count: u64, block: f64) -> Movement {
    let exchanges = doubled(count).map(|distance| {
        let leaving = if distance < links.per_node.into() { 0 } else { links.per_node };
        exchange(links, leaving, distance as f64 * block)
    });
    exchanges.fold(Movement::default(), std::ops::Add::add)
}

/// Each process sends what it has to the one at the distance 1, 2, 4, ... before it, at the last distance only what is
/// missing there. At the end each process puts its blocks in order, which copies all of them once.
fn bruck(links: Links<'_>, count: u64, block: f64) -> Movement {
    let exchanges = doubled(count).map(|distance| {
        // What is missing at the last distance is as much as lies between both ranks the other way round the ring.
        let nearest = distance.min(count - distance);
        // The messages of so many ranks leave a node as lie between sender and receiver.
        let leaving = u32::try_from(nearest).unwrap_or(u32::MAX).min(links.per_node);
        exchange(links, if links.nodes == 1 { 0 } else { leaving }, nearest as f64 * block)
    });
    let all = count as f64 * block;
    let order = Movement {
        time_s: if count == 1 { 0.0 } else { links.copy_s(all, f64::from(links.per_node)) },
        memory_bytes: if count == 1 { 0.0 } else { count as f64 * all },
        ..Movement::default()
    };
    exchanges.fold(order, std::ops::Add::add)
}

/// The powers of two below `count`.
fn doubled(count: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(1_u64), |distance| Some(distance * 2))
        .take_while(move |distance| *distance < count)
}

/// All processes send `bytes` to another one, `leaving` of each node to another node.
fn exchange(links: Links<'_>, leaving: u32, bytes: f64) -> Movement {
    let (nodes, messages) = (f64::from(links.nodes), f64::from(leaving));
    let copies = f64::from(links.per_node - leaving);
    let sending_s = if messages > 0.0 { links.message_s(bytes, messages) } else { 0.0 };
    let copying_s = if copies > 0.0 { links.copy_s(bytes, copies) } else { 0.0 };
    Movement {
        time_s: sending_s.max(copying_s),
        network_bytes: nodes * messages * bytes,
        memory_bytes: nodes * copies * bytes,
    }
}
