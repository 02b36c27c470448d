//! Restarts: what one failure of a node takes until the job is where it was.

use super::amounts::{EstimateRates, EstimatedPhase};
use super::calibration::ServiceCalibration;
use super::operation::{Processes, RestartRequest};
use super::protocol::{PROTOCOLS, Protocol};
use super::version::OperationEstimate;

/// Estimates a restart: the downtime, reading the last checkpoint, and doing again what is lost.
pub(super) fn estimate(
    calibration: &ServiceCalibration,
    processes: Processes,
    asked: &RestartRequest,
    rates: &EstimateRates,
) -> OperationEstimate {
    let (mut versions, mut left_out) = (vec![], vec![]);
    for version in PROTOCOLS {
        let protocol = Protocol::new(
            version,
            calibration,
            processes,
            asked.bytes_per_process,
            asked.message_bytes_per_s,
        );
        match protocol {
            Ok(protocol) => versions.push(version.in_phases(phases(&protocol, asked), rates)),
            Err(why) => left_out.push(why),
        }
    }
    OperationEstimate::new(versions, left_out)
}

fn phases(protocol: &Protocol, asked: &RestartRequest) -> Vec<EstimatedPhase> {
    // What is computed again is logged again.
    let again_s = asked.lost_s * (1.0 + protocol.logging);
    vec![
        EstimatedPhase::at("downtime", asked.downtime_s, protocol.idle_w),
        EstimatedPhase::at("reading", protocol.reading_s, protocol.reading_w),
        EstimatedPhase::at("again", again_s, protocol.again_w),
    ]
}
