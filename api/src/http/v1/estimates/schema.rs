//! Schemas of the body of estimates, for the OpenAPI document. Nothing is deserialised into these types.

use utoipa::ToSchema;

use crate::http::v1::schema::Duration;

/// What is to be estimated. Which fields there are depends on the operation.
#[derive(ToSchema)]
pub struct EstimateRequest {
    /// `checkpoint`, `restart`, `broadcast`, `scatter`, `gather` or `all-gather`.
    #[schema(example = "checkpoint")]
    pub operation: String,
    /// Powers and speeds of a node.
    pub calibration: ServiceCalibrationDocument,
    /// Nodes of the job.
    #[schema(example = 64, minimum = 1, maximum = 10_000_000)]
    pub nodes: u32,
    /// Processes of each node, at most its cores; as many unless given.
    #[schema(example = 24, minimum = 1)]
    pub processes_per_node: Option<u32>,
    /// Currency per MWh while the operation runs. Without it, and where `at` gives none, costs are null.
    #[schema(example = 76.3)]
    pub price_per_mwh: Option<f64>,
    /// The price's currency; the site's unless given.
    #[schema(example = "EUR")]
    pub currency: Option<String>,
    /// CO2 per kWh while the operation runs. Without it, and where `at` gives none, CO2 is null.
    #[schema(example = 56.0, minimum = 0)]
    pub intensity_g_per_kwh: Option<f64>,
    /// The instant, RFC 3339, whose price and intensity in the site's agendas count where the request says none.
    pub at: Option<String>,
    /// Of a broadcast: bytes that each process receives.
    #[schema(minimum = 1, maximum = 9_223_372_036_854_u64)]
    pub bytes: Option<u64>,
    /// Of a broadcast: bytes of a segment of the pipelined versions; what takes the least time unless given.
    #[schema(minimum = 1, maximum = 9_223_372_036_854_u64)]
    pub segment_bytes: Option<u64>,
    /// Of the other operations: bytes of a process's state, or that it sends or receives.
    #[schema(example = 1_000_000_000, minimum = 1, maximum = 9_223_372_036_854_u64)]
    pub bytes_per_process: Option<u64>,
    /// Of checkpoints: how long the work takes without failures and checkpoints.
    pub work_s: Option<Duration>,
    /// Of checkpoints: the mean time between failures of one node.
    pub node_mtbf_s: Option<Duration>,
    /// Of checkpoints: the time from one to the next; what is best unless given. Of a restart instead of `lost_s`: twice
    /// that.
    pub interval_s: Option<Duration>,
    /// Of a restart: computing since the last checkpoint, which is lost.
    pub lost_s: Option<Duration>,
    /// Of checkpoints and restarts: until a node that failed is back or replaced; 0 unless given.
    pub downtime_s: Option<Duration>,
    /// Of checkpoints: seconds between the first and the last process that reaches a coordinated one; 0 unless given.
    #[schema(minimum = 0)]
    pub skew_s: Option<f64>,
    /// Of checkpoints and restarts: bytes that a process sends to other nodes in a second of computing. Versions that log
    /// messages are left out without it.
    #[schema(minimum = 0)]
    pub message_bytes_per_s: Option<f64>,
}

/// Powers and speeds of a node, on which estimates of operations rest.
#[derive(ToSchema)]
pub struct ServiceCalibrationDocument {
    /// Watts of a node that runs nothing.
    #[schema(example = 95.0, minimum = 0)]
    pub idle_power_w: f64,
    /// What activities add to that.
    pub added_power_w: AddedPowerDocument,
    /// Cores of a node.
    #[schema(example = 24, minimum = 1)]
    pub cores_per_node: u32,
    /// Copies between processes of a node.
    pub memory: ChannelDocument,
    /// Messages between nodes.
    pub network: ChannelDocument,
    /// Where checkpoints go.
    pub disk: DiskCalibrationDocument,
    /// Microseconds of one of the rounds in which processes are synchronised; the network's latency unless given.
    #[schema(minimum = 0)]
    pub synchronisation_us: Option<f64>,
}

/// What activities add to a node's idle power, watts.
#[derive(ToSchema)]
pub struct AddedPowerDocument {
    /// All cores compute.
    #[schema(example = 95.0, minimum = 0)]
    pub computing: f64,
    /// All cores poll for messages.
    #[schema(example = 80.0, minimum = 0)]
    pub polling: f64,
    /// The memory copies at its full bandwidth.
    #[schema(example = 30.0, minimum = 0)]
    pub memory: f64,
    /// The disk reads or writes at its full bandwidth.
    #[schema(example = 8.0, minimum = 0)]
    pub disk: f64,
    /// The network's link sends or receives at its full bandwidth.
    #[schema(example = 12.0, minimum = 0)]
    pub network: f64,
}

/// A way that messages go.
#[derive(ToSchema)]
pub struct ChannelDocument {
    /// Microseconds before the first byte arrives.
    #[schema(example = 20.0, minimum = 0)]
    pub latency_us: f64,
    /// Megabytes (10^6 bytes) per second.
    #[schema(example = 117.0, exclusive_minimum = 0)]
    pub bandwidth_mb_per_s: f64,
}

/// Where checkpoints go.
#[derive(ToSchema)]
pub struct DiskCalibrationDocument {
    /// Megabytes (10^6 bytes) written per second.
    #[schema(example = 90.0, exclusive_minimum = 0)]
    pub write_mb_per_s: f64,
    /// Megabytes (10^6 bytes) read per second.
    #[schema(example = 110.0, exclusive_minimum = 0)]
    pub read_mb_per_s: f64,
    /// Whether all nodes share these bandwidths, as with a parallel file system.
    #[schema(example = false)]
    pub shared: bool,
}
