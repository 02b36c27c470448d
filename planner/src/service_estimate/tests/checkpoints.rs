//! Checkpoints and restarts by hand.

use super::*;

/// 4 nodes with 4 processes of 250 MB each.
fn asked() -> CheckpointRequest {
    CheckpointRequest {
        bytes_per_process: 250_000_000,
        work_s: 864_000.0,
        node_mtbf_s: 400_000.0,
        interval_s: None,
        downtime_s: 0.0,
        skew_s: 2.0,
        message_bytes_per_s: None,
    }
}

fn checkpoints(asked: CheckpointRequest) -> OperationEstimate {
    estimate(&request(4, 4, Operation::Checkpoint(asked)))
}

fn phase(phases: &[EstimatedPhase], name: &str) -> EstimatedPhase {
    *phases.iter().find(|it| it.name == name).unwrap()
}

/// Coordination: 2 s until the last process comes, and 4 rounds of 10 us for 16 processes, at 4 x (100 + 80) = 720 W:
/// 2.00004 s, 1440.0288 J. Writing: 1 GB of a node at 50 MB/s is 20 s, at 4 x (100 + 10) = 440 W 8800 J.
#[test]
fn one_coordinated_checkpoint() {
    let estimates = checkpoints(asked());
    let checkpoint = version(&estimates, Version::Coordinated).checkpoint.as_ref().unwrap();
    let coordination = phase(&checkpoint.one_phases, "coordination");
    assert_near(coordination.time_s, 2.000_04);
    assert_near(coordination.energy_j, 1_440.028_8);
    let writing = phase(&checkpoint.one_phases, "writing");
    assert_near(writing.time_s, 20.0);
    assert_near(writing.energy_j, 8_800.0);
    assert_near(checkpoint.one.energy_j, 10_240.028_8);
}

/// Uncoordinated checkpoints only write; what they log is not known here.
#[test]
fn logs_need_messages() {
    let estimates = checkpoints(asked());
    let left_out: Vec<_> = estimates.left_out.iter().map(|it| it.version).collect();
    assert_eq!(left_out, [Version::UncoordinatedMemory, Version::UncoordinatedDisk]);
    assert_eq!(estimates.least.time, Some(Version::Coordinated));
    let known = CheckpointRequest { message_bytes_per_s: Some(0.0), ..asked() };
    let estimates = checkpoints(known);
    let memory = version(&estimates, Version::UncoordinatedMemory).checkpoint.as_ref().unwrap();
    assert_near(memory.one.time_s, 20.0);
    assert_near(memory.one.energy_j, 8_800.0);
}

/// 16 processes that send 2.5 MB/s each are 10 MB/s at each node. In memory at 1 GB/s that is 0.01 s for each second, on disk
/// at 50 MB/s 0.2 s. In 864,000 s that is 8640 s at 4 x 140 = 560 W, 4.8384 MJ; or 172,800 s at 440 W, 76.032 MJ. So a
/// second of logging in memory draws more, and a byte takes less: 560 x 1e-9 / 4 against 440 x 2e-8 / 4 J.
#[test]
fn logs_in_memory_and_on_disk() {
    let asked = CheckpointRequest { message_bytes_per_s: Some(2_500_000.0), ..asked() };
    let estimates = checkpoints(asked);
    let logging = |of| phase(&version(&estimates, of).phases, "logging");
    let memory = logging(Version::UncoordinatedMemory);
    assert_near(memory.time_s, 8_640.0);
    assert_near(memory.energy_j, 4_838_400.0);
    let disk = logging(Version::UncoordinatedDisk);
    assert_near(disk.time_s, 172_800.0);
    assert_near(disk.energy_j, 76_032_000.0);
}

/// Daly's complete model (2006): M exp(R / M) (exp((t + C) / M) - 1) W / t. Here M = 400,000 / 4 = 100,000 s, C = 22.00004 s,
/// R = 1 GB at 100 MB/s = 10 s, W = 864,000 s, t = 3600 s.
#[test]
fn the_time_of_coordinated_checkpoints_is_dalys() {
    let estimates = checkpoints(CheckpointRequest { interval_s: Some(3_600.0), ..asked() });
    let coordinated = version(&estimates, Version::Coordinated);
    let mtbf = 100_000.0_f64;
    let daly = mtbf * (10.0 / mtbf).exp() * (3_622.000_04 / mtbf).exp_m1() * 864_000.0 / 3_600.0;
    assert_near(coordinated.amounts.time_s, daly);
    let total: f64 = coordinated.phases.iter().map(|it| it.time_s).sum();
    assert_near(total, daly);
    // 864,000 s of computing at 4 x 200 W.
    assert_near(estimates.work.unwrap().energy_j, 691_200_000.0);
    assert_near(phase(&coordinated.phases, "computing").energy_j, 691_200_000.0);
}

/// A failure after 1800 s of computing since the last checkpoint, and a node back after 60 s.
///
/// - Coordinated: 60 s at 400 W, 10 s at 440 W, 1800 s at 800 W: 24,000 + 4400 + 1,440,000 = 1,468,400 J in 1870 s.
/// - Logged in memory, 10 MB/s at the node: 60 s at 400 W, 10 s at 410 W. Then 1800 s of computing and 18 s of logging, in
///   which others read as much: 1818 s at 400 W, 1800 s at 100 W, and 36 s at 40 W. That is 24,000 + 4100 + 727,200 +
///   180,000 + 1440 = 936,740 J in 1888 s.
#[test]
fn a_restart_of_all_nodes_or_of_one() {
    let restart = RestartRequest {
        bytes_per_process: 250_000_000,
        lost_s: 1_800.0,
        downtime_s: 60.0,
        message_bytes_per_s: Some(2_500_000.0),
    };
    let estimates = estimate(&request(4, 4, Operation::Restart(restart)));
    assert_takes(&estimates, Version::Coordinated, 1_870.0, 1_468_400.0);
    assert_takes(&estimates, Version::UncoordinatedMemory, 1_888.0, 936_740.0);
    assert_eq!(estimates.least.time, Some(Version::Coordinated));
    assert_eq!(estimates.least.energy, Some(Version::UncoordinatedMemory));
}

/// A parallel file system of 100 MB/s for all: 4 nodes write 1 GB each in 40 s, and one reads 1 GB in 10 s at 100 MB/s of its
/// link. Nodes that write draw the network's 20 W, too: 4 x 130 = 520 W.
#[test]
fn a_shared_file_system_is_shared() {
    let mut shared = request(4, 4, Operation::Checkpoint(asked()));
    shared.calibration.disk =
        DiskCalibration { write_seconds_per_byte: 1e-8, read_seconds_per_byte: 1e-9, shared: true };
    let estimates = estimate(&shared);
    let one = version(&estimates, Version::Coordinated).checkpoint.as_ref().unwrap();
    let writing = phase(&one.one_phases, "writing");
    assert_near(writing.time_s, 40.0);
    assert_near(writing.energy_j, 20_800.0);
    let restart = RestartRequest {
        bytes_per_process: 250_000_000,
        lost_s: 0.0,
        downtime_s: 0.0,
        message_bytes_per_s: Some(0.0),
    };
    shared.operation = Operation::Restart(restart);
    let estimates = estimate(&shared);
    // All read 4 GB at 1 GB/s in 4 s, which no link of 100 MB/s carries: 10 s. One node does not read faster than that.
    assert_near(version(&estimates, Version::Coordinated).amounts.time_s, 10.0);
    assert_near(version(&estimates, Version::UncoordinatedMemory).amounts.time_s, 10.0);
}

/// A checkpoint that takes far longer than failures let it: the work never ends, and no number is made up.
#[test]
fn work_that_would_not_end_is_told() {
    let estimates = checkpoints(CheckpointRequest { node_mtbf_s: 0.1, ..asked() });
    assert!(estimates.versions.is_empty());
    assert_eq!(estimates.least.time, None);
    let because = &estimates.left_out[0].because;
    assert_eq!(
        because,
        "the work would not end: a checkpoint takes 22 s, and the job fails every 0 s"
    );
}

/// Where energy is paid for, no interval is best by cost, and none is where nothing is paid or known.
#[test]
fn intervals_by_cost_need_a_price_above_zero() {
    let mut asked = request(4, 4, Operation::Checkpoint(asked()));
    let best = |asked: &OperationRequest| {
        let estimates = estimate(asked);
        version(&estimates, Version::Coordinated).checkpoint.as_ref().unwrap().best
    };
    assert_eq!(best(&asked).cost, best(&asked).energy);
    assert_eq!(best(&asked).co2, best(&asked).energy);
    asked.rates.price =
        EnergyPrice::from_millionths_per_mwh(-1_000_000).map(|it| (it, Currency::EUR));
    asked.rates.intensity = None;
    assert_eq!((best(&asked).cost, best(&asked).co2), (None, None));
    assert!(best(&asked).energy.is_some());
}
