//! Estimates of what operations of parallel programs take: time, energy, cost and CO2 of checkpoints, restarts, broadcasts,
//! scatters, gathers and all-gathers, in each version that there is (SESAMES, sections III-B and III-C).
//!
//! An estimate rests on a [`ServiceCalibration`]: what a node draws when it idles, what each activity adds, and how fast
//! its memory, disk and network are. Estimates are `f64`: nothing is booked by them. `docs/ESTIMATES.md` has the
//! formulas with their sources, a worked example and the limits of the model.

mod all_gather;
mod amounts;
mod broadcast;
mod calibration;
mod checkpoint;
mod links;
mod operation;
mod protocol;
mod renewal;
mod restart;
mod scatter;
mod version;

pub use amounts::{ByMeasure, EstimateRates, EstimatedAmounts, EstimatedPhase, Measure};
pub use calibration::{AddedPower, Channel, DiskCalibration, ServiceCalibration};
pub use operation::{
    CheckpointRequest, MAX_NODES, Operation, OperationRequest, Processes, RestartRequest,
};
pub use version::{
    CheckpointEstimate, IntervalEstimate, OperationEstimate, Segments, Version, VersionEstimate,
    VersionLeftOut,
};

/// Estimates each version of an operation, and names the version that takes the least.
pub fn estimate(request: &OperationRequest) -> OperationEstimate {
    let OperationRequest { calibration, processes, operation, rates } = request;
    match operation {
        Operation::Checkpoint(asked) => checkpoint::estimate(calibration, *processes, asked, rates),
        Operation::Restart(asked) => restart::estimate(calibration, *processes, asked, rates),
        Operation::Broadcast { bytes, segment_bytes } => {
            broadcast::estimate(calibration, *processes, *bytes, *segment_bytes, rates)
        }
        Operation::Scatter { bytes_per_process } | Operation::Gather { bytes_per_process } => {
            scatter::estimate(calibration, *processes, *bytes_per_process, rates)
        }
        Operation::AllGather { bytes_per_process } => {
            all_gather::estimate(calibration, *processes, *bytes_per_process, rates)
        }
    }
}

#[cfg(test)]
mod tests;
