//! What is to be estimated of an operation, and the estimates (`docs/ESTIMATES.md`).

mod calibration;
mod document;

pub use document::{
    BestIntervalDocument, CheckpointDocument, EstimatedAmountsDocument, IntervalsDocument,
    LeastDocument, LeftOutDocument, OperationEstimateDocument, PhaseDocument, RatesDocument,
    SegmentsDocument, VersionDocument,
};

use serde_json::value::RawValue;

use super::reader::{Object, Reader};
use crate::quantity::{CarbonIntensity, Currency, EnergyPrice, MILLION};
use crate::service_estimate::{
    CheckpointRequest, EstimateRates, MAX_NODES, Operation, OperationRequest, Processes,
    RestartRequest,
};
use crate::time::Timestamp;

/// What each operation's request may say.
const OPERATIONS: [(&str, &[&str]); 6] = [
    (
        "checkpoint",
        &[
            "bytes_per_process",
            "work_s",
            "node_mtbf_s",
            "interval_s",
            "downtime_s",
            "skew_s",
            "message_bytes_per_s",
        ],
    ),
    (
        "restart",
        &["bytes_per_process", "lost_s", "interval_s", "downtime_s", "message_bytes_per_s"],
    ),
    ("broadcast", &["bytes", "segment_bytes"]),
    ("scatter", &["bytes_per_process"]),
    ("gather", &["bytes_per_process"]),
    ("all-gather", &["bytes_per_process"]),
];

/// What the request of every operation may say.
const COMMON: [&str; 8] = [
    "operation",
    "calibration",
    "nodes",
    "processes_per_node",
    "price_per_mwh",
    "currency",
    "intensity_g_per_kwh",
    "at",
];

/// A request as it is read.
#[derive(Clone, Debug)]
pub struct EstimateInput {
    /// What is to be estimated, with the rates that the request says.
    pub request: OperationRequest,
    /// The instant whose price and intensity count where the request says none.
    pub at: Option<Timestamp>,
}

/// Reads what is to be estimated. A price without a currency is in `currency`.
pub fn estimate(reader: &mut Reader, raw: &RawValue, currency: Currency) -> Option<EstimateInput> {
    let every = || OPERATIONS.iter().flat_map(|(_, fields)| fields.iter().copied());
    let all: Vec<&str> = COMMON.into_iter().chain(every()).collect();
    // Which fields are known depends on the operation, so it is read first; what is wrong with it is told below.
    let name = Reader::default()
        .object(raw, &all)
        .and_then(|object| serde_json::from_str::<String>(object.get("operation")?.get()).ok());
    let fields = OPERATIONS.iter().find(|(operation, _)| Some(*operation) == name.as_deref());
    let known = match fields {
        Some((_, fields)) => COMMON.iter().chain(fields.iter()).copied().collect(),
        None => all,
    };
    let object = reader.object(raw, &known)?;
    let calibration = reader.required(&object, "calibration", calibration::calibration);
    let cores = calibration.as_ref().map(|it| it.cores_per_node);
    let nodes = reader.required(&object, "nodes", |reader, raw| count(reader, raw, MAX_NODES));
    let per_node = reader.optional(&object, "processes_per_node", |reader, raw| {
        let per_node = count(reader, raw, u32::MAX)?;
        if cores.is_some_and(|cores| per_node > cores) {
            reader.error("is more than calibration.cores_per_node");
            return None;
        }
        Some(per_node)
    });
    let operation = reader.required(&object, "operation", |reader, raw| {
        let name = reader.string(raw)?;
        let names: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
        let index = names.iter().position(|known| *known == name);
        reader.accept(index.map(|_| name).ok_or(format!("must be one of {}", names.join(", "))))
    });
    let operation = operation.and_then(|name| self::operation(reader, &object, &name));
    let rates = rates(reader, &object, currency);
    let at = reader.optional(&object, "at", Reader::timestamp);
    let processes = Processes { nodes: nodes?, per_node: per_node?.or(cores)? };
    let request = OperationRequest {
        calibration: calibration?,
        processes,
        operation: operation?,
        rates: rates?,
    };
    Some(EstimateInput { request, at: at? })
}

fn operation(reader: &mut Reader, object: &Object<'_>, name: &str) -> Option<Operation> {
    match name {
        "checkpoint" => checkpoint(reader, object).map(Operation::Checkpoint),
        "restart" => restart(reader, object).map(Operation::Restart),
        "broadcast" => {
            let bytes = reader.required(object, "bytes", bytes);
            let segment_bytes = reader.optional(object, "segment_bytes", self::bytes);
            Some(Operation::Broadcast { bytes: bytes?, segment_bytes: segment_bytes? })
        }
        collective => {
            let bytes_per_process = reader.required(object, "bytes_per_process", bytes)?;
            Some(match collective {
                "scatter" => Operation::Scatter { bytes_per_process },
                "gather" => Operation::Gather { bytes_per_process },
                _ => Operation::AllGather { bytes_per_process },
            })
        }
    }
}

fn checkpoint(reader: &mut Reader, object: &Object<'_>) -> Option<CheckpointRequest> {
    let bytes_per_process = reader.required(object, "bytes_per_process", bytes);
    let work_s = reader.required(object, "work_s", seconds_above_zero);
    let node_mtbf_s = reader.required(object, "node_mtbf_s", seconds_above_zero);
    let interval_s = reader.optional(object, "interval_s", seconds_above_zero);
    let downtime_s = reader.optional(object, "downtime_s", seconds);
    let skew_s = reader.optional(object, "skew_s", amount);
    let message_bytes_per_s = reader.optional(object, "message_bytes_per_s", amount);
    Some(CheckpointRequest {
        bytes_per_process: bytes_per_process?,
        work_s: work_s?,
        node_mtbf_s: node_mtbf_s?,
        interval_s: interval_s?,
        downtime_s: downtime_s?.unwrap_or(0.0),
        skew_s: skew_s?.unwrap_or(0.0),
        message_bytes_per_s: message_bytes_per_s?,
    })
}

fn restart(reader: &mut Reader, object: &Object<'_>) -> Option<RestartRequest> {
    let bytes_per_process = reader.required(object, "bytes_per_process", bytes);
    let lost_s = reader.optional(object, "lost_s", seconds);
    let interval_s = reader.optional(object, "interval_s", seconds_above_zero);
    let downtime_s = reader.optional(object, "downtime_s", seconds);
    let message_bytes_per_s = reader.optional(object, "message_bytes_per_s", amount);
    let lost_s = match (lost_s?, interval_s?) {
        (Some(lost_s), None) => lost_s,
        // A failure comes at any time of an interval, in the mean after half of it.
        (None, Some(interval_s)) => interval_s / 2.0,
        (None, None) => {
            reader.error_at("lost_s", "is missing; interval_s may be said instead");
            return None;
        }
        (Some(_), Some(_)) => {
            reader.error_at("interval_s", "cannot be said beside lost_s");
            return None;
        }
    };
    Some(RestartRequest {
        bytes_per_process: bytes_per_process?,
        lost_s,
        downtime_s: downtime_s?.unwrap_or(0.0),
        message_bytes_per_s: message_bytes_per_s?,
    })
}

fn rates(reader: &mut Reader, object: &Object<'_>, default: Currency) -> Option<EstimateRates> {
    let price = reader.optional(object, "price_per_mwh", |reader, raw| {
        let price = EnergyPrice::from_millionths_per_mwh(reader.millionths(raw)?);
        reader.accept(price.ok_or("must lie between -1e6 and 1e6 per MWh"))
    });
    let currency = reader.optional(object, "currency", |reader, raw| {
        let code = reader.string(raw)?;
        reader.accept(Currency::parse(&code))
    });
    let intensity = reader.optional(object, "intensity_g_per_kwh", |reader, raw| {
        let millionths = reader.millionths(raw)?;
        let intensity =
            CarbonIntensity::from_millionths_g_per_kwh(millionths).filter(|_| millionths >= 0);
        reader.accept(intensity.ok_or("must lie between 0 and 1e6 g/kWh"))
    });
    if let (Some(None), Some(Some(_))) = (price, currency) {
        reader.error_at("currency", "says nothing without price_per_mwh");
        return None;
    }
    let currency = currency?.unwrap_or(default);
    Some(EstimateRates { price: price?.map(|price| (price, currency)), intensity: intensity? })
}

/// A whole number from 1 to `most`.
fn count(reader: &mut Reader, raw: &RawValue, most: u32) -> Option<u32> {
    let number = reader.whole_number(raw)?;
    let count = u32::try_from(number).ok().filter(|count| (1..=most).contains(count));
    reader.accept(count.ok_or_else(|| format!("must lie between 1 and {most}")))
}

/// A number of bytes of at least 1.
fn bytes(reader: &mut Reader, raw: &RawValue) -> Option<u64> {
    let number = reader.whole_number(raw)?;
    let bytes = u64::try_from(number).ok().filter(|bytes| *bytes > 0);
    reader.accept(bytes.ok_or("must be at least 1"))
}

/// A length of time of whole seconds, at least 0.
fn seconds(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let seconds = reader.duration(raw)?.get();
    reader.accept(if seconds >= 0 { Ok(seconds as f64) } else { Err("must be at least 0") })
}

fn seconds_above_zero(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let seconds = reader.duration(raw)?.get();
    reader.accept(if seconds >= 1 { Ok(seconds as f64) } else { Err("must be at least 1 s") })
}

/// A number of at least 0 with at most six decimals.
fn amount(reader: &mut Reader, raw: &RawValue) -> Option<f64> {
    let millionths = reader.millionths(raw)?;
    let amount = millionths as f64 / MILLION as f64;
    reader.accept(if millionths >= 0 { Ok(amount) } else { Err("must be at least 0") })
}

#[cfg(test)]
mod tests;
