//! Checkpoints: what one takes, what work takes with them and with failures, and how often they are best.

use super::amounts::{ByMeasure, EstimateRates, EstimatedPhase, Measure};
use super::calibration::ServiceCalibration;
use super::operation::{CheckpointRequest, Processes};
use super::protocol::{PROTOCOLS, Protocol, coordination_s, coordination_w};
use super::renewal::{Renewal, Stage, Weight, daly_s, young_s};
use super::version::{
    CheckpointEstimate, IntervalEstimate, OperationEstimate, Version, VersionEstimate,
    VersionLeftOut,
};

/// A version that is estimated, with all that its estimate takes.
struct Protected<'a> {
    asked: &'a CheckpointRequest,
    rates: &'a EstimateRates,
    protocol: Protocol,
    renewal: Renewal,
}

/// Estimates work with checkpoints.
pub(super) fn estimate(
    calibration: &ServiceCalibration,
    processes: Processes,
    asked: &CheckpointRequest,
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
        let estimated = protocol.and_then(|protocol| {
            let renewal = renewal(&protocol, calibration, processes, asked);
            Protected { asked, rates, protocol, renewal }.estimate(version)
        });
        match estimated {
            Ok(estimate) => versions.push(estimate),
            Err(why) => left_out.push(why),
        }
    }
    let computing = calibration.part(calibration.added.computing, processes.per_node);
    let work_w = f64::from(processes.nodes) * (calibration.idle.as_watts() + computing);
    let estimates = OperationEstimate::by(versions, left_out, |version, measure| {
        match (&version.checkpoint, asked.interval_s) {
            (Some(checkpoint), None) => {
                checkpoint.best.get(measure).and_then(|best| best.amounts.by(measure))
            }
            _ => version.amounts.by(measure),
        }
    });
    OperationEstimate {
        work: Some(rates.amounts(asked.work_s, asked.work_s * work_w)),
        ..estimates
    }
}

/// How a job under a protocol fails and goes on.
fn renewal(
    protocol: &Protocol,
    calibration: &ServiceCalibration,
    processes: Processes,
    asked: &CheckpointRequest,
) -> Renewal {
    let nodes = f64::from(processes.nodes);
    let mut checkpoint = Vec::with_capacity(2);
    if protocol.together {
        let power_w = coordination_w(calibration, processes);
        let length_s = coordination_s(calibration, processes, asked.skew_s);
        checkpoint.push(Stage {
            name: "coordination",
            length_s,
            first_w: power_w,
            again_w: power_w,
        });
    }
    checkpoint.push(Stage {
        name: "writing",
        length_s: protocol.writing_s,
        first_w: protocol.writing_w,
        again_w: protocol.writing_again_w,
    });
    let after = |name, length_s, power_w| Stage { name, length_s, first_w: 0.0, again_w: power_w };
    let rate = 1.0 / asked.node_mtbf_s;
    Renewal {
        groups: if protocol.together { 1.0 } else { nodes },
        rate: if protocol.together { nodes * rate } else { rate },
        again_w: protocol.again_w,
        checkpoint,
        downtime: after("downtime", asked.downtime_s, protocol.idle_w),
        reading: after("reading", protocol.reading_s, protocol.reading_w),
    }
}

impl Protected<'_> {
    fn estimate(&self, version: Version) -> Result<VersionEstimate, VersionLeftOut> {
        let Self { renewal, rates, asked, .. } = self;
        let (checkpoint_s, mtbf_s) = (renewal.checkpoint_s(), renewal.mtbf_s());
        let hopeless = || VersionLeftOut {
            version,
            because: format!(
                "the work would not end: a checkpoint takes {checkpoint_s:.0} s, and the job fails every {mtbf_s:.0} s",
            ),
        };
        let best_by = |weight| {
            let interval_s = renewal.best_interval_s(weight)?;
            let amounts = rates.sum(&self.work_phases(interval_s));
            amounts.is_finite().then_some(IntervalEstimate { interval_s, amounts })
        };
        let time = best_by(Weight::Time).ok_or_else(hopeless)?;
        let energy = best_by(Weight::Energy);
        // At a flat rate cost and CO2 are in proportion to energy.
        let best = ByMeasure::from_fn(|measure| match measure {
            Measure::Time => Some(time),
            _ if rates.falls_with_energy(measure) => energy,
            _ => None,
        });
        let interval_s =
            asked.interval_s.or(energy.map(|it| it.interval_s)).unwrap_or(time.interval_s);
        let work = version.in_phases(self.work_phases(interval_s), rates);
        if !work.amounts.is_finite() {
            return Err(hopeless());
        }
        let stages = renewal.checkpoint.iter();
        let one_phases: Vec<_> =
            stages.map(|it| EstimatedPhase::at(it.name, it.length_s, it.first_w)).collect();
        let checkpoint = CheckpointEstimate {
            one: rates.sum(&one_phases),
            one_phases,
            interval_s,
            best,
            young_s: young_s(checkpoint_s, mtbf_s),
            daly_s: daly_s(checkpoint_s, mtbf_s),
            failures: self.intervals(interval_s) * renewal.means(interval_s).failures,
        };
        Ok(VersionEstimate { checkpoint: Some(checkpoint), ..work })
    }

    /// How many intervals the work with its logging has.
    fn intervals(&self, interval_s: f64) -> f64 {
        self.asked.work_s * (1.0 + self.protocol.logging) / interval_s
    }

    /// All that is done until the work is done, with checkpoints every `interval_s`.
    fn work_phases(&self, interval_s: f64) -> Vec<EstimatedPhase> {
        let Self { asked, protocol, renewal, .. } = self;
        let logging_s = asked.work_s * protocol.logging;
        let count = self.intervals(interval_s);
        let mut phases = vec![EstimatedPhase::at("computing", asked.work_s, protocol.computing_w)];
        if !protocol.together {
            phases.push(EstimatedPhase::at("logging", logging_s, protocol.logging_w));
        }
        for stage in &renewal.checkpoint {
            let once = EstimatedPhase::at(stage.name, stage.length_s, stage.first_w);
            phases.push(once.times(count));
        }
        let means = renewal.means(interval_s);
        for (name, spent) in
            [("again", means.again), ("downtime", means.downtime), ("reading", means.reading)]
        {
            let once = EstimatedPhase { name, time_s: spent.time_s, energy_j: spent.energy_j };
            phases.push(once.times(count));
        }
        phases
    }
}
