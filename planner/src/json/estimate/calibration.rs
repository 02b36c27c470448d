//! The calibration of a node for estimates of operations.

use serde_json::value::RawValue;

use super::super::reader::Reader;
use super::{amount, count};
use crate::quantity::MILLION;
use crate::service_estimate::{AddedPower, Channel, DiskCalibration, ServiceCalibration};

const FIELDS: [&str; 7] = [
    "idle_power_w",
    "added_power_w",
    "cores_per_node",
    "memory",
    "network",
    "disk",
    "synchronisation_us",
];

/// Microseconds in a second, and bytes in a megabyte.
const PER_UNIT: f64 = MILLION as f64;

/// The calibration's object.
pub(super) fn calibration(reader: &mut Reader, raw: &RawValue) -> Option<ServiceCalibration> {
    let object = reader.object(raw, &FIELDS)?;
    let idle = reader.required(&object, "idle_power_w", Reader::power);
    let added = reader.required(&object, "added_power_w", added_power);
    let cores_per_node =
        reader.required(&object, "cores_per_node", |reader, raw| count(reader, raw, 1_000_000));
    let memory = reader.required(&object, "memory", channel);
    let network = reader.required(&object, "network", channel);
    let disk = reader.required(&object, "disk", disk);
    let synchronisation_us = reader.optional(&object, "synchronisation_us", amount);
    Some(ServiceCalibration {
        idle: idle?,
        added: added?,
        cores_per_node: cores_per_node?,
        memory: memory?,
        network: network?,
        disk: disk?,
        synchronisation_s: synchronisation_us?.map(|it| it / PER_UNIT),
    })
}

fn added_power(reader: &mut Reader, raw: &RawValue) -> Option<AddedPower> {
    let fields = ["computing", "polling", "memory", "disk", "network"];
    let object = reader.object(raw, &fields)?;
    let [computing, polling, memory, disk, network] =
        fields.map(|field| reader.required(&object, field, Reader::power));
    Some(AddedPower {
        computing: computing?,
        polling: polling?,
        memory: memory?,
        disk: disk?,
        network: network?,
    })
}

fn channel(reader: &mut Reader, raw: &RawValue) -> Option<Channel> {
    let object = reader.object(raw, &["latency_us", "bandwidth_mb_per_s"])?;
    let latency_us = reader.required(&object, "latency_us", amount);
    let bandwidth = reader.required(&object, "bandwidth_mb_per_s", seconds_per_byte);
    Some(Channel { latency_s: latency_us? / PER_UNIT, seconds_per_byte: bandwidth? })
}

fn disk(reader: &mut Reader, raw: &RawValue) -> Option<DiskCalibration> {
    let object = reader.object(raw, &["write_mb_per_s", "read_mb_per_s", "shared"])?;
    let write = reader.required(&object, "write_mb_per_s", seconds_per_byte);
    let read = reader.required(&object, "read_mb_per_s", seconds_per_byte);
    let shared = reader.required(&object, "shared", Reader::boolean);
    Some(DiskCalibration {
        write_seconds_per_byte: write?,
        read_seconds_per_byte: read?,
        shared: shared?,
    })
}

/// A bandwidth in megabytes (10^6 bytes) per second, above 0, as seconds for each byte.
fn seconds_per_byte(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let bytes_per_s = reader.millionths(raw)?;
    if bytes_per_s <= 0 {
        reader.error("must be above 0");
        return None;
    }
    // Millionths of a megabyte are bytes.
    Some(1.0 / bytes_per_s as f64)
}
