//! Worked examples of every formula, and the orders that the literature reports.

mod checkpoints;
mod collectives;
mod intervals;
mod orders;
mod ranks;

use crate::quantity::{CarbonIntensity, Currency, EnergyPrice, Power};

use super::*;

fn watts(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

/// Round numbers for arithmetic by hand: a node idles at 100 W; 4 cores; messages take 10 us and 10 ns a byte, copies 1 us
/// and 1 ns a byte; a local disk writes 50 MB/s and reads 100 MB/s.
fn calibration() -> ServiceCalibration {
    ServiceCalibration {
        idle: watts(100.0),
        added: AddedPower {
            computing: watts(100.0),
            polling: watts(80.0),
            memory: watts(40.0),
            disk: watts(10.0),
            network: watts(20.0),
        },
        cores_per_node: 4,
        memory: Channel { latency_s: 1e-6, seconds_per_byte: 1e-9 },
        network: Channel { latency_s: 1e-5, seconds_per_byte: 1e-8 },
        disk: DiskCalibration {
            write_seconds_per_byte: 2e-8,
            read_seconds_per_byte: 1e-8,
            shared: false,
        },
        synchronisation_s: None,
    }
}

/// 90 EUR/MWh and 72 g/kWh: a joule costs 2.5e-8 EUR and emits 2e-5 g.
fn rates() -> EstimateRates {
    EstimateRates {
        price: EnergyPrice::from_millionths_per_mwh(90_000_000).map(|it| (it, Currency::EUR)),
        intensity: CarbonIntensity::from_millionths_g_per_kwh(72_000_000),
    }
}

fn request(nodes: u32, per_node: u32, operation: Operation) -> OperationRequest {
    let processes = Processes { nodes, per_node };
    OperationRequest { calibration: calibration(), processes, operation, rates: rates() }
}

fn version(estimates: &OperationEstimate, version: Version) -> &VersionEstimate {
    estimates.versions.iter().find(|it| it.version == version).unwrap()
}

#[track_caller]
fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{value} is not {expected}");
}

/// Time and energy of a version.
#[track_caller]
fn assert_takes(estimates: &OperationEstimate, of: Version, time_s: f64, energy_j: f64) {
    let amounts = version(estimates, of).amounts;
    assert_near(amounts.time_s, time_s);
    assert_near(amounts.energy_j, energy_j);
    assert_near(amounts.cost.unwrap(), energy_j * 2.5e-8);
    assert_near(amounts.co2_g.unwrap(), energy_j * 2e-5);
}
