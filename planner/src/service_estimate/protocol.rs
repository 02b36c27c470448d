//! The protocols that keep a job from starting anew after a failure, with what they draw.

use super::calibration::ServiceCalibration;
use super::operation::{Processes, rounds};
use super::version::{Version, VersionLeftOut};

/// The protocols, in the order in which they are told.
pub(super) const PROTOCOLS: [Version; 3] =
    [Version::Coordinated, Version::UncoordinatedMemory, Version::UncoordinatedDisk];

/// What nodes draw in a protocol, and its speeds. Powers are watts of all nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Protocol {
    /// Seconds of logging for each second of computing.
    pub logging: f64,
    /// All nodes compute.
    pub computing_w: f64,
    /// All nodes write logs.
    pub logging_w: f64,
    /// What was lost is computed and logged again.
    pub again_w: f64,
    /// All nodes write their checkpoints.
    pub writing_w: f64,
    /// Those that go back write their checkpoints again.
    pub writing_again_w: f64,
    /// Those that go back read their checkpoints.
    pub reading_w: f64,
    /// All nodes idle.
    pub idle_w: f64,
    /// Seconds in which all nodes write their checkpoints.
    pub writing_s: f64,
    /// Seconds in which those that go back read their checkpoints.
    pub reading_s: f64,
    /// Whether all nodes go back after a failure.
    pub together: bool,
}

/// Where a protocol logs messages.
struct Log {
    /// What logging adds at a node, watts.
    added_w: f64,
    write_s_per_byte: f64,
    read_s_per_byte: f64,
}

impl Protocol {
    /// A version's protocol; why there is none where messages are not known.
    pub fn new(
        version: Version,
        calibration: &ServiceCalibration,
        processes: Processes,
        bytes_per_process: u64,
        message_bytes_per_s: Option<f64>,
    ) -> Result<Self, VersionLeftOut> {
        let log = Log::of(version, calibration, processes.nodes);
        let unknown = || VersionLeftOut {
            version,
            because: "needs message_bytes_per_s, from which follows what is logged".to_owned(),
        };
        let bytes_per_s = match &log {
            None => 0.0,
            Some(_) => message_bytes_per_s.ok_or_else(unknown)?,
        } * f64::from(processes.per_node);
        let log = log.unwrap_or(Log { added_w: 0.0, write_s_per_byte: 0.0, read_s_per_byte: 0.0 });
        let (nodes, idle_w) = (f64::from(processes.nodes), calibration.idle.as_watts());
        let together = version == Version::Coordinated;
        let back = if together { processes.nodes } else { 1 };
        let job_w =
            |nodes_that_act: u32, added: f64| nodes * idle_w + f64::from(nodes_that_act) * added;
        let computing = calibration.part(calibration.added.computing, processes.per_node);
        let logging = bytes_per_s * log.write_s_per_byte;
        // Logs are read while one computes again: the time is that of computing and of logging.
        let again = (computing + (logging + bytes_per_s * log.read_s_per_byte) * log.added_w)
            / (1.0 + logging);
        let node_bytes = f64::from(processes.per_node) * bytes_per_process as f64;
        let storing = calibration.storing_w();
        Ok(Self {
            logging,
            computing_w: job_w(processes.nodes, computing),
            logging_w: job_w(processes.nodes, log.added_w),
            again_w: job_w(back, again),
            writing_w: job_w(processes.nodes, storing),
            writing_again_w: job_w(back, storing),
            reading_w: job_w(back, storing),
            idle_w: job_w(0, 0.0),
            writing_s: calibration.writing_s(processes.nodes, node_bytes),
            reading_s: calibration.reading_s(back, node_bytes),
            together,
        })
    }
}

impl Log {
    /// A version's log; none where messages are not logged.
    fn of(version: Version, calibration: &ServiceCalibration, nodes: u32) -> Option<Self> {
        let per_byte = calibration.memory.seconds_per_byte;
        match version {
            Version::UncoordinatedMemory => Some(Self {
                added_w: calibration.added.memory.as_watts(),
                write_s_per_byte: per_byte,
                read_s_per_byte: per_byte,
            }),
            Version::UncoordinatedDisk => Some(Self {
                added_w: calibration.storing_w(),
                write_s_per_byte: calibration.writing_s(nodes, 1.0),
                read_s_per_byte: calibration.reading_s(1, 1.0),
            }),
            _ => None,
        }
    }
}

/// Seconds of a coordination: rounds in which all processes are synchronised, after the last one has come.
pub(super) fn coordination_s(
    calibration: &ServiceCalibration,
    processes: Processes,
    skew_s: f64,
) -> f64 {
    let round = calibration.synchronisation_s.unwrap_or(calibration.network.latency_s);
    skew_s + rounds(processes.count()) * round
}

/// Watts of all nodes in a coordination, in which all processes poll.
pub(super) fn coordination_w(calibration: &ServiceCalibration, processes: Processes) -> f64 {
    let polling = calibration.part(calibration.added.polling, processes.per_node);
    f64::from(processes.nodes) * (calibration.idle.as_watts() + polling)
}
