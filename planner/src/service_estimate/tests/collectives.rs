//! Broadcasts, scatters, gathers and all-gathers by hand.

use proptest::prelude::*;

use super::*;

fn broadcast(
    nodes: u32,
    per_node: u32,
    bytes: u64,
    segment_bytes: Option<u64>,
) -> OperationEstimate {
    estimate(&request(nodes, per_node, Operation::Broadcast { bytes, segment_bytes }))
}

/// 1 MB to 4 nodes with one process each, which poll on one core of 4: 4 x (100 + 20) = 480 W. A message of 1 MB takes
/// 0.01 ms + 10 ms, and keeps two links busy for 10 ms at 20 W: 0.4 J.
///
/// - Binomial: 2 rounds of 10.01 ms = 20.02 ms; 480 x 0.02002 + 3 x 0.4 = 10.8096 J.
/// - Scatter and all-gather: 2 x 0.01 + 7.5 = 7.52 ms, and 3 x (0.01 + 2.5) = 7.53 ms: 15.05 ms, which Thakur and others
///   write as (lg p + p - 1) a + 2 (p - 1) / p n b. The scatter moves 4 blocks of 250 kB (ranks 1 and 2 once, 3 twice),
///   the ring 12: 4 MB; 480 x 0.01505 + 4 x 0.4 = 8.824 J.
/// - Pipelined in segments of 100 kB: (4 - 2 + 10) x (0.01 + 1) = 12.12 ms; 480 x 0.01212 + 3 x 0.4 = 7.0176 J.
#[test]
fn broadcasts_of_a_process_for_each_node() {
    let estimates = broadcast(4, 1, 1_000_000, Some(100_000));
    assert_takes(&estimates, Version::Binomial, 0.020_02, 10.809_6);
    assert_takes(&estimates, Version::ScatterAllGather, 0.015_05, 8.824);
    assert_takes(&estimates, Version::Pipelined, 0.012_12, 7.017_6);
    let segments = version(&estimates, Version::Pipelined).segments;
    assert_eq!(segments, Some(Segments { count: 10, bytes: 100_000.0 }));
    assert_eq!(estimates.least, ByMeasure::from_fn(|_| Some(Version::Pipelined)));
}

/// The best number of segments is near sqrt((p - 2) n b / a) = sqrt(2 x 10 / 0.01) = 44.7, and
/// (2 + 45) x (0.01 + 10 / 45) = 10.9144 ms.
#[test]
fn the_best_segments_of_a_pipeline() {
    let estimates = broadcast(4, 1, 1_000_000, None);
    let pipelined = version(&estimates, Version::Pipelined);
    assert_eq!(pipelined.segments.unwrap().count, 45);
    assert_near(pipelined.amounts.time_s, 47.0 * (1e-5 + 0.01 / 45.0));
}

/// 1 MB to 2 nodes with 2 processes each: 2 x (100 + 40) = 280 W. Binomial: one message of 10.01 ms, then in both nodes a
/// copy of 0.001 + 1 ms: 11.011 ms; 280 x 0.011011 + 0.4 (links) + 2 x 0.001 x 40 (copies) = 3.56308 J. Hybrid: one
/// message, and 0.001 ms until the thread is told: 10.011 ms; 2 x 120 x 0.010011 + 0.4 = 2.80264 J.
#[test]
fn threads_share_what_processes_copy() {
    let estimates = broadcast(2, 2, 1_000_000, None);
    assert_takes(&estimates, Version::Binomial, 0.011_011, 3.563_08);
    assert_takes(&estimates, Version::HybridBinomial, 0.010_011, 2.802_64);
}

/// 1 MB for each of 4 nodes with one process: links as above.
///
/// - Binomial: 2 x 0.01 + 3 x 10 = 30.02 ms; 4 MB are moved: 480 x 0.03002 + 4 x 0.4 = 16.0096 J.
/// - Linear: 3 x 10.01 = 30.03 ms; 3 MB: 480 x 0.03003 + 3 x 0.4 = 15.6144 J.
///
/// So the tree takes less time, and one message after another less energy.
#[test]
fn scatters_and_gathers() {
    let bytes_per_process = 1_000_000;
    let scatter = estimate(&request(4, 1, Operation::Scatter { bytes_per_process }));
    assert_takes(&scatter, Version::Binomial, 0.030_02, 16.009_6);
    assert_takes(&scatter, Version::Linear, 0.030_03, 15.614_4);
    assert_eq!(scatter.least.time, Some(Version::Binomial));
    assert_eq!(scatter.least.energy, Some(Version::Linear));
    let gather = estimate(&request(4, 1, Operation::Gather { bytes_per_process }));
    assert_eq!(gather, scatter);
}

/// 1 MB for each of 2 nodes with 2 processes. Binomial: 0.01 + 2 x 10 ms between nodes, then 0.001 + 1 ms within both:
/// 21.011 ms; 2 MB between nodes, 2 MB copied: 280 x 0.021011 + 2 x 0.4 + 0.002 x 40 = 6.76308 J. Linear:
/// 2 x 10.01 + 1.001 = 21.021 ms; 2 MB, 1 MB copied: 280 x 0.021021 + 0.8 + 0.04 = 6.72588 J.
#[test]
fn scatters_within_nodes_copy() {
    let scatter = estimate(&request(2, 2, Operation::Scatter { bytes_per_process: 1_000_000 }));
    assert_takes(&scatter, Version::Binomial, 0.021_011, 6.763_08);
    assert_takes(&scatter, Version::Linear, 0.021_021, 6.725_88);
}

/// 1 MB of each of 4 nodes with one process; each of 4 receives 3 MB: 12 x 0.4 = 4.8 J of links.
///
/// - Ring: 3 x 10.01 = 30.03 ms; 480 x 0.03003 + 4.8 = 19.2144 J.
/// - Recursive doubling: 10.01 + 20.01 = 30.02 ms; 480 x 0.03002 + 4.8 = 19.2096 J.
/// - Bruck: as much, and at the end 0.001 + 4 ms for a copy of 4 MB, which takes 4 x 0.004 x 40 = 0.64 J: 34.021 ms;
///   480 x 0.034021 + 4.8 + 0.64 = 21.77008 J.
#[test]
fn all_gathers_of_a_process_for_each_node() {
    let all = estimate(&request(4, 1, Operation::AllGather { bytes_per_process: 1_000_000 }));
    assert_takes(&all, Version::Ring, 0.030_03, 19.214_4);
    assert_takes(&all, Version::RecursiveDoubling, 0.030_02, 19.209_6);
    assert_takes(&all, Version::Bruck, 0.034_021, 21.770_08);
    assert!(all.left_out.is_empty());
}

/// Three processes: Bruck sends 1 MB at the distances 1 and 2, as only one block is missing then: 2 x 10.01 ms, and a copy
/// of 3 MB in 3.001 ms. Recursive doubling does not exist.
#[test]
fn all_gathers_of_a_number_that_is_no_power_of_two() {
    let all = estimate(&request(3, 1, Operation::AllGather { bytes_per_process: 1_000_000 }));
    assert_near(version(&all, Version::Bruck).amounts.time_s, 0.023_021);
    let left_out: Vec<_> = all.left_out.iter().map(|it| (it.version, &*it.because)).collect();
    let because = "needs a number of processes that is a power of two, not 3";
    assert_eq!(left_out, [(Version::RecursiveDoubling, because)]);
}

/// 2 nodes with 2 processes, 1 MB each. Recursive doubling: two copies share the memory, 0.001 + 2 ms; then both processes of
/// a node send 2 MB over one link, 0.01 + 40 ms: 42.011 ms. Ring: 3 steps of one message, 30.03 ms.
#[test]
fn processes_of_a_node_share_its_link() {
    let all = estimate(&request(2, 2, Operation::AllGather { bytes_per_process: 1_000_000 }));
    assert_near(version(&all, Version::RecursiveDoubling).amounts.time_s, 0.042_011);
    assert_near(version(&all, Version::Ring).amounts.time_s, 0.030_03);
}

/// Without rates cost and CO2 are unknown, which is not zero.
#[test]
fn unknown_rates_make_unknown_costs() {
    let mut asked = request(2, 1, Operation::Broadcast { bytes: 8, segment_bytes: None });
    asked.rates = EstimateRates::default();
    let estimates = estimate(&asked);
    assert!(estimates.versions.iter().all(|it| it.amounts.cost.is_none()));
    assert!(estimates.versions.iter().all(|it| it.amounts.co2_g.is_none()));
    assert_eq!((estimates.least.cost, estimates.least.co2), (None, None));
    assert!(estimates.least.energy.is_some());
}

/// A job of one process has nobody to talk to.
#[test]
fn one_process_takes_nothing() {
    for operation in [
        Operation::Broadcast { bytes: 1_000_000, segment_bytes: None },
        Operation::Scatter { bytes_per_process: 1_000_000 },
        Operation::AllGather { bytes_per_process: 1_000_000 },
    ] {
        for it in estimate(&request(1, 1, operation)).versions {
            assert_eq!((it.amounts.time_s, it.amounts.energy_j), (0.0, 0.0), "{:?}", it.version);
        }
    }
}

proptest! {
    /// No other number of segments is faster, or takes less energy, than the one that is chosen.
    #[test]
    fn no_other_segments_are_better(
        nodes in 1_u32..40,
        per_node in 1_u32..=4,
        bytes in 1_u64..100_000,
        divisor in 1_u64..100_000,
    ) {
        let best = broadcast(nodes, per_node, bytes, None);
        let other = broadcast(nodes, per_node, bytes, Some(bytes.div_ceil(divisor)));
        for pipelined in [Version::Pipelined, Version::HybridPipelined] {
            let (best, other) = (version(&best, pipelined).amounts, version(&other, pipelined).amounts);
            prop_assert!(best.time_s <= other.time_s * (1.0 + 1e-12));
            prop_assert!(best.energy_j <= other.energy_j * (1.0 + 1e-12));
        }
    }
}
