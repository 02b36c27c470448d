//! Estimates as documents.

use serde::{Deserialize, Serialize};

use crate::quantity::{MILLION, Rate};
use crate::service_estimate::{
    CheckpointEstimate, EstimatedAmounts, EstimatedPhase, IntervalEstimate, OperationEstimate,
    OperationRequest, Version, VersionEstimate,
};

/// The estimates of an operation, version by version.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OperationEstimateDocument {
    /// `checkpoint`, `restart`, `broadcast`, `scatter`, `gather` or `all-gather`.
    #[cfg_attr(feature = "openapi", schema(example = "broadcast"))]
    pub operation: String,
    /// Nodes of the job.
    #[cfg_attr(feature = "openapi", schema(example = 64))]
    pub nodes: u32,
    /// Processes of each node.
    #[cfg_attr(feature = "openapi", schema(example = 24))]
    pub processes_per_node: u32,
    /// What electricity costs and emits.
    pub rates: RatesDocument,
    /// What the work takes without checkpoints and failures; null for other operations than checkpoints.
    pub work: Option<EstimatedAmountsDocument>,
    /// Each version with what it takes.
    pub versions: Vec<VersionDocument>,
    /// Versions that cannot be estimated, and why.
    pub left_out: Vec<LeftOutDocument>,
    /// The version that takes the least; of checkpoints each at its best interval, unless the request says one.
    pub least: LeastDocument,
}

/// Flat rates of electricity; null where not known.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RatesDocument {
    /// Currency per MWh.
    #[cfg_attr(feature = "openapi", schema(example = 76.3))]
    pub price_per_mwh: Option<f64>,
    /// The currency of the price and of costs (ISO 4217).
    #[cfg_attr(feature = "openapi", schema(example = "EUR"))]
    pub currency: Option<String>,
    /// Grams of CO2 per kWh.
    #[cfg_attr(feature = "openapi", schema(example = 56.0))]
    pub intensity_g_per_kwh: Option<f64>,
}

/// What something takes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EstimatedAmountsDocument {
    /// Seconds.
    pub time_s: f64,
    /// Joules of all nodes, their idle power among them.
    pub energy_j: f64,
    /// Units of the currency; null where no price is known.
    pub cost: Option<f64>,
    /// Grams of CO2; null where no intensity is known.
    pub co2_g: Option<f64>,
}

/// A version of an operation: of checkpoints, what the work takes with them and with failures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VersionDocument {
    /// The version's name.
    #[cfg_attr(feature = "openapi", schema(example = "pipelined"))]
    pub version: String,
    /// Seconds.
    pub time_s: f64,
    /// Joules of all nodes, their idle power among them.
    pub energy_j: f64,
    /// Units of the currency; null where no price is known.
    pub cost: Option<f64>,
    /// Grams of CO2; null where no intensity is known.
    pub co2_g: Option<f64>,
    /// The parts of this, of checkpoints and restarts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseDocument>,
    /// How a pipelined broadcast cuts the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<SegmentsDocument>,
    /// More of checkpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointDocument>,
}

/// A part of an estimate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PhaseDocument {
    /// `computing`, `logging`, `coordination`, `writing`, `again` (what was lost is done again), `downtime` or `reading`.
    #[cfg_attr(feature = "openapi", schema(example = "writing"))]
    pub phase: String,
    /// Seconds.
    pub time_s: f64,
    /// Joules of all nodes.
    pub energy_j: f64,
}

/// How data are cut for a pipeline.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SegmentsDocument {
    /// How many segments.
    pub count: u64,
    /// Bytes of each, in the mean.
    pub bytes: f64,
}

/// More of a version of checkpoints.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CheckpointDocument {
    /// One checkpoint.
    pub one: EstimatedAmountsDocument,
    /// The parts of one checkpoint.
    pub one_phases: Vec<PhaseDocument>,
    /// Seconds between checkpoints by which the work is estimated: the request's, else the best by energy.
    pub interval_s: f64,
    /// Failures to be expected until the work is done.
    pub failures: f64,
    /// The best intervals.
    pub best: IntervalsDocument,
    /// Young's interval (1974), seconds.
    pub young_s: f64,
    /// Daly's interval of higher order (2006), seconds.
    pub daly_s: f64,
}

/// The interval between checkpoints that is best by each measure; null where less energy is not less.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IntervalsDocument {
    /// By time.
    pub time: Option<BestIntervalDocument>,
    /// By energy.
    pub energy: Option<BestIntervalDocument>,
    /// By cost: at a flat price as by energy.
    pub cost: Option<BestIntervalDocument>,
    /// By CO2: at a flat intensity as by energy.
    pub co2: Option<BestIntervalDocument>,
}

/// An interval, and what the work takes then.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BestIntervalDocument {
    /// Seconds between checkpoints.
    pub interval_s: f64,
    /// What all of the work takes.
    pub work: EstimatedAmountsDocument,
}

/// A version that is not estimated.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeftOutDocument {
    /// The version's name.
    #[cfg_attr(feature = "openapi", schema(example = "recursive_doubling"))]
    pub version: String,
    /// Why, in words.
    pub because: String,
}

/// The version that takes the least by each measure; null where the measure is not known.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeastDocument {
    /// By time.
    pub time: Option<String>,
    /// By energy.
    pub energy: Option<String>,
    /// By cost.
    pub cost: Option<String>,
    /// By CO2.
    pub co2: Option<String>,
}

impl OperationEstimateDocument {
    /// The estimates of what was asked for.
    pub fn new(request: &OperationRequest, estimate: &OperationEstimate) -> Self {
        let rate = |millionths: i64| millionths as f64 / MILLION as f64;
        let rates = &request.rates;
        let name = |version: Option<Version>| version.map(|version| version.name().to_owned());
        let least = &estimate.least;
        Self {
            operation: request.operation.name().to_owned(),
            nodes: request.processes.nodes,
            processes_per_node: request.processes.per_node,
            rates: RatesDocument {
                price_per_mwh: rates.price.map(|(price, _)| rate(price.as_millionths())),
                currency: rates.price.map(|(_, currency)| currency.code().to_owned()),
                intensity_g_per_kwh: rates.intensity.map(|it| rate(it.as_millionths())),
            },
            work: estimate.work.map(Into::into),
            versions: estimate.versions.iter().map(VersionDocument::new).collect(),
            left_out: estimate
                .left_out
                .iter()
                .map(|it| LeftOutDocument {
                    version: it.version.name().to_owned(),
                    because: it.because.clone(),
                })
                .collect(),
            least: LeastDocument {
                time: name(least.time),
                energy: name(least.energy),
                cost: name(least.cost),
                co2: name(least.co2),
            },
        }
    }
}

impl VersionDocument {
    fn new(estimate: &VersionEstimate) -> Self {
        let EstimatedAmounts { time_s, energy_j, cost, co2_g } = estimate.amounts;
        Self {
            version: estimate.version.name().to_owned(),
            time_s,
            energy_j,
            cost,
            co2_g,
            phases: phases(&estimate.phases),
            segments: estimate
                .segments
                .map(|it| SegmentsDocument { count: it.count, bytes: it.bytes }),
            checkpoint: estimate.checkpoint.as_ref().map(CheckpointDocument::new),
        }
    }
}

impl CheckpointDocument {
    fn new(estimate: &CheckpointEstimate) -> Self {
        let best = |interval: &Option<IntervalEstimate>| {
            interval.map(|IntervalEstimate { interval_s, amounts }| BestIntervalDocument {
                interval_s,
                work: amounts.into(),
            })
        };
        Self {
            one: estimate.one.into(),
            one_phases: phases(&estimate.one_phases),
            interval_s: estimate.interval_s,
            failures: estimate.failures,
            best: IntervalsDocument {
                time: best(&estimate.best.time),
                energy: best(&estimate.best.energy),
                cost: best(&estimate.best.cost),
                co2: best(&estimate.best.co2),
            },
            young_s: estimate.young_s,
            daly_s: estimate.daly_s,
        }
    }
}

impl From<EstimatedAmounts> for EstimatedAmountsDocument {
    fn from(amounts: EstimatedAmounts) -> Self {
        let EstimatedAmounts { time_s, energy_j, cost, co2_g } = amounts;
        Self { time_s, energy_j, cost, co2_g }
    }
}

fn phases(phases: &[EstimatedPhase]) -> Vec<PhaseDocument> {
    let document = |phase: &EstimatedPhase| PhaseDocument {
        phase: phase.name.to_owned(),
        time_s: phase.time_s,
        energy_j: phase.energy_j,
    };
    phases.iter().map(document).collect()
}
