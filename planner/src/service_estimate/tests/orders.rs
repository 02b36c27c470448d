//! The orders of versions that the literature reports hold (docs/ESTIMATES.md has the sources).

use super::*;

fn broadcast(nodes: u32, per_node: u32, bytes: u64) -> OperationEstimate {
    estimate(&request(nodes, per_node, Operation::Broadcast { bytes, segment_bytes: None }))
}

fn time(estimates: &OperationEstimate, of: Version) -> f64 {
    version(estimates, of).amounts.time_s
}

fn energy(estimates: &OperationEstimate, of: Version) -> f64 {
    version(estimates, of).amounts.energy_j
}

/// Thakur and others (2005): a binomial tree for short messages, scatter and all-gather for long ones. SESAMES, section
/// III-B: large volumes are pipelined by Open MPI, which moves the data once where scatter and all-gather move it twice.
#[test]
fn broadcasts_of_short_and_long_messages() {
    let short = broadcast(64, 1, 64);
    assert_eq!(short.least.time, Some(Version::Binomial));
    assert!(time(&short, Version::Binomial) < time(&short, Version::ScatterAllGather));
    let long = broadcast(64, 1, 1_000_000_000);
    assert!(time(&long, Version::ScatterAllGather) < time(&long, Version::Binomial));
    assert!(time(&long, Version::Pipelined) < time(&long, Version::ScatterAllGather));
    assert!(energy(&long, Version::Pipelined) < energy(&long, Version::ScatterAllGather));
    let twice = time(&long, Version::ScatterAllGather) / time(&long, Version::Pipelined);
    assert!((1.8..2.1).contains(&twice), "{twice}");
}

/// SESAMES, section III-B, after Rabenseifner and others (2009): hybrid programs are promising, as the processes of a node
/// neither copy nor poll.
#[test]
fn hybrid_broadcasts_take_less_energy() {
    for (nodes, bytes) in [(2, 64), (16, 100_000), (64, 1_000_000_000)] {
        let estimates = broadcast(nodes, 4, bytes);
        for (one_each, threads) in [
            (Version::Pipelined, Version::HybridPipelined),
            (Version::ScatterAllGather, Version::HybridScatterAllGather),
            (Version::Binomial, Version::HybridBinomial),
        ] {
            assert!(energy(&estimates, threads) < energy(&estimates, one_each), "{nodes} {bytes}");
        }
    }
}

/// Thakur and others (2005): recursive doubling and Bruck's algorithm for short messages, the ring for long ones, where
/// processes of a node share its link.
#[test]
fn all_gathers_of_short_and_long_messages() {
    let all = |nodes, per_node, bytes_per_process| {
        estimate(&request(nodes, per_node, Operation::AllGather { bytes_per_process }))
    };
    let short = all(64, 1, 8);
    assert_eq!(short.least.time, Some(Version::RecursiveDoubling));
    assert!(time(&short, Version::Bruck) < time(&short, Version::Ring));
    let odd = all(63, 1, 8);
    assert_eq!(odd.least.time, Some(Version::Bruck));
    assert_eq!(all(64, 4, 1_000_000).least.time, Some(Version::Ring));
}

/// Thakur and others (2005): a binomial scatter saves latencies of short messages.
#[test]
fn scatters_of_short_messages() {
    let short = estimate(&request(64, 1, Operation::Scatter { bytes_per_process: 8 }));
    assert_eq!(short.least.time, Some(Version::Binomial));
    assert_eq!(short.least.energy, Some(Version::Binomial));
}

fn checkpoints(nodes: u32, message_bytes_per_s: f64) -> OperationEstimate {
    let asked = CheckpointRequest {
        bytes_per_process: 250_000_000,
        work_s: 864_000.0,
        node_mtbf_s: 31_536_000.0,
        interval_s: None,
        downtime_s: 60.0,
        skew_s: 2.0,
        message_bytes_per_s: Some(message_bytes_per_s),
    };
    estimate(&request(nodes, 4, Operation::Checkpoint(asked)))
}

/// Diouri and others (2012): by energy, message logging for applications that exchange small volumes of data, coordination
/// for applications of few processes.
#[test]
fn logging_for_few_messages_and_coordination_for_few_processes() {
    assert_eq!(checkpoints(1_000, 1_000.0).least.energy, Some(Version::UncoordinatedMemory));
    assert_eq!(checkpoints(1_000, 10_000_000.0).least.energy, Some(Version::Coordinated));
    let volume = 500_000.0;
    assert_eq!(checkpoints(2, volume).least.energy, Some(Version::Coordinated));
    assert_eq!(checkpoints(10_000, volume).least.energy, Some(Version::UncoordinatedMemory));
}

/// Diouri and others (2012): coordination and memory draw more power than disks, and yet logs on disk take more energy,
/// as a byte takes longer there.
#[test]
fn what_draws_more_power_takes_less_energy() {
    let estimates = checkpoints(100, 100_000.0);
    let logging =
        |of| *version(&estimates, of).phases.iter().find(|it| it.name == "logging").unwrap();
    let (memory, disk) =
        (logging(Version::UncoordinatedMemory), logging(Version::UncoordinatedDisk));
    assert!(memory.energy_j / memory.time_s > disk.energy_j / disk.time_s);
    assert!(memory.energy_j < disk.energy_j);
    let checkpoint = version(&estimates, Version::Coordinated).checkpoint.as_ref().unwrap();
    let [coordination, writing] = checkpoint.one_phases[..] else { panic!() };
    assert!(coordination.energy_j / coordination.time_s > writing.energy_j / writing.time_s);
}

/// Morán and others (2024): with uncoordinated checkpoints not all processes compute again after a failure, which saves
/// energy. Logging costs energy while nothing fails.
#[test]
fn logging_costs_without_failures_and_saves_with_them() {
    let estimates = checkpoints(100, 100_000.0);
    let of = |version: Version, names: &[&str]| -> f64 {
        let phases = &super::version(&estimates, version).phases;
        phases.iter().filter(|it| names.contains(&it.name)).map(|it| it.energy_j).sum()
    };
    let (all, one) = (Version::Coordinated, Version::UncoordinatedMemory);
    assert!(of(all, &["computing", "logging"]) < of(one, &["computing", "logging"]));
    let recovery = ["again", "downtime", "reading"];
    assert!(of(one, &recovery) < of(all, &recovery));
}

/// Aupy and others (2013): where writing draws more than computing, the interval that is best by energy is longer than the
/// one that is best by time; where it draws less, shorter. Balaprakash and others (2014): where both draw alike,
/// both intervals are similar.
#[test]
fn the_best_interval_by_energy_goes_with_the_power_of_writing() {
    let ratio = |disk_w: f64| {
        let asked = CheckpointRequest {
            bytes_per_process: 250_000_000,
            work_s: 864_000.0,
            node_mtbf_s: 31_536_000.0,
            interval_s: None,
            downtime_s: 0.0,
            skew_s: 0.0,
            message_bytes_per_s: None,
        };
        let mut asked = request(100, 4, Operation::Checkpoint(asked));
        asked.calibration.added.disk = watts(disk_w);
        let estimates = estimate(&asked);
        let best = version(&estimates, Version::Coordinated).checkpoint.as_ref().unwrap().best;
        let (time, energy) = (best.time.unwrap(), best.energy.unwrap());
        assert!(energy.amounts.energy_j <= time.amounts.energy_j);
        assert!(time.amounts.time_s <= energy.amounts.time_s);
        energy.interval_s / time.interval_s
    };
    // Computing draws 200 W. To first order the ratio is the root of that of the powers: sqrt(1100 / 200) = 2.35.
    assert!((ratio(1_000.0) - 2.35).abs() < 0.05, "{}", ratio(1_000.0));
    assert!((ratio(100.0) - 1.0).abs() < 0.001, "{}", ratio(100.0));
    assert!(ratio(10.0) < 0.8, "{}", ratio(10.0));
}
