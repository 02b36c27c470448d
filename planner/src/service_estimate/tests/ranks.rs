//! What algorithms move, against their messages sent rank by rank.

use std::ops::Range;

use super::*;

/// Blocks between nodes and within them.
type Blocks = (u64, u64);

/// What a version moves between nodes and within them, bytes: the energy where nothing else draws power.
fn moved(processes: Processes, operation: &Operation, of: Version) -> Blocks {
    let joules = |network_w: f64, memory_w: f64| {
        let mut asked = request(processes.nodes, processes.per_node, operation.clone());
        asked.calibration.idle = watts(0.0);
        asked.calibration.added = AddedPower {
            computing: watts(0.0),
            polling: watts(0.0),
            memory: watts(memory_w),
            disk: watts(0.0),
            network: watts(network_w),
        };
        version(&estimate(&asked), of).amounts.energy_j
    };
    // Each byte keeps two links busy for 10 ns, and the memory for 1 ns.
    let bytes = |joules: f64| format!("{joules:.0}").parse().unwrap();
    (bytes(joules(1.0, 0.0) / 2e-8), bytes(joules(0.0, 1.0) / 1e-9))
}

/// Adds up messages `(from, to, blocks)` by whether they leave their node.
fn sent(per_node: u64, messages: impl Iterator<Item = (u64, u64, u64)>) -> Blocks {
    messages.fold((0, 0), |(between, within), (from, to, blocks)| {
        if from / per_node == to / per_node {
            (between, within + blocks)
        } else {
            (between + blocks, within)
        }
    })
}

fn shapes() -> impl Iterator<Item = Processes> {
    (1..=9).flat_map(|nodes| (1..=4).map(move |per_node| Processes { nodes, per_node }))
}

fn distances(count: u64) -> impl Iterator<Item = u64> + Clone {
    (0..64).map(|round| 1_u64 << round).take_while(move |distance| *distance < count)
}

#[test]
fn all_gathers_move_what_their_messages_move() {
    let operation = Operation::AllGather { bytes_per_process: 1 };
    for processes in shapes() {
        let (count, per_node) = (processes.count(), u64::from(processes.per_node));
        let ranks: Range<u64> = 0..count;
        let steps = (1..count).flat_map(|_| ranks.clone());
        let ring = sent(per_node, steps.map(|rank| (rank, (rank + 1) % count, 1)));
        assert_eq!(moved(processes, &operation, Version::Ring), ring, "{processes:?}");
        let exchanges = distances(count).flat_map(|d| ranks.clone().map(move |rank| (d, rank)));
        let bruck =
            exchanges.clone().map(|(d, rank)| (rank, (rank + count - d) % count, d.min(count - d)));
        let (between, within) = sent(per_node, bruck);
        // At the end each process copies all blocks into their order.
        let copied = if count == 1 { 0 } else { count * count };
        let expected = (between, within + copied);
        assert_eq!(moved(processes, &operation, Version::Bruck), expected, "{processes:?}");
        if count.is_power_of_two() {
            let doubling = sent(per_node, exchanges.map(|(d, rank)| (rank, rank ^ d, d)));
            let told = moved(processes, &operation, Version::RecursiveDoubling);
            assert_eq!(told, doubling, "{processes:?}");
        }
    }
}

/// The hops of a block from rank 0 to `rank` in a binomial tree: the ones of the rank, the highest first.
fn hops(rank: u64) -> impl Iterator<Item = (u64, u64)> {
    let ones = (0..64).rev().map(|bit| 1_u64 << bit).filter(move |one| rank & one != 0);
    ones.scan(0, |at, one| {
        let from = *at;
        *at += one;
        Some((from, *at))
    })
}

/// Trees over ranks are trees over nodes and trees within them where a node has a power of two of processes.
#[test]
fn trees_move_what_their_messages_move() {
    for processes in shapes().filter(|it| it.per_node.is_power_of_two()) {
        let (count, per_node) = (processes.count(), u64::from(processes.per_node));
        let blocks = (0..count).flat_map(hops).map(|(from, to)| (from, to, 1));
        let scatter = Operation::Scatter { bytes_per_process: 1 };
        let told = moved(processes, &scatter, Version::Binomial);
        assert_eq!(told, sent(per_node, blocks), "{processes:?}");
        let last = (1..count).filter_map(|rank| hops(rank).last());
        let broadcast = Operation::Broadcast { bytes: 1, segment_bytes: None };
        let told = moved(processes, &broadcast, Version::Binomial);
        assert_eq!(told, sent(per_node, last.map(|(from, to)| (from, to, 1))), "{processes:?}");
    }
}

#[test]
fn chains_and_lines_move_what_their_messages_move() {
    for processes in shapes() {
        let (count, per_node) = (processes.count(), u64::from(processes.per_node));
        let scatter = Operation::Scatter { bytes_per_process: 1 };
        let line = sent(per_node, (1..count).map(|rank| (0, rank, 1)));
        assert_eq!(moved(processes, &scatter, Version::Linear), line, "{processes:?}");
        let broadcast = Operation::Broadcast { bytes: 1, segment_bytes: None };
        let chain = sent(per_node, (1..count).map(|rank| (rank - 1, rank, 1)));
        assert_eq!(moved(processes, &broadcast, Version::Pipelined), chain, "{processes:?}");
    }
}
