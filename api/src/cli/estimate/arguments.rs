//! Arguments of `wattbook estimate`. Values stay text until the request that they become is read.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::ListFormat;

/// Arguments of `wattbook estimate`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    operation: OperationCommand,
}

#[derive(Subcommand)]
enum OperationCommand {
    /// Work with checkpoints and failures, and how often checkpoints are best
    Checkpoint(Checkpoint),
    /// One failure, until the job is where it was
    Restart(Restart),
    /// One process sends the same bytes to all others
    Broadcast(Broadcast),
    /// One process sends each other process bytes of its own
    Scatter(Blocks),
    /// One process receives from each other process bytes of its own
    Gather(Blocks),
    /// Each process receives the bytes of all others
    AllGather(Blocks),
}

/// Options of every operation.
#[derive(Args)]
pub(super) struct Common {
    /// Powers and speeds of a node as JSON (docs/ESTIMATES.md), or - for standard input
    #[arg(long, value_name = "FILE")]
    pub calibration: PathBuf,
    /// Nodes of the job
    #[arg(long, value_name = "NUMBER")]
    nodes: String,
    /// Processes of each node [default: one for each core]
    #[arg(long, value_name = "NUMBER")]
    processes_per_node: Option<String>,
    /// Price of electricity per MWh; without it costs are unknown
    #[arg(long, value_name = "PRICE", allow_negative_numbers = true)]
    price_per_mwh: Option<String>,
    /// Currency of the price [default: EUR]
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
    /// CO2 intensity of electricity, grams per kWh; without it CO2 is unknown
    #[arg(long, value_name = "GRAMS", allow_negative_numbers = true)]
    intensity_g_per_kwh: Option<String>,
    #[arg(long, default_value = "table")]
    pub format: ListFormat,
}

#[derive(Args)]
struct Checkpoint {
    #[command(flatten)]
    common: Common,
    /// Bytes of a process's state
    #[arg(long, value_name = "BYTES")]
    bytes_per_process: String,
    /// How long the work takes without failures and checkpoints: seconds, or such as PT24H
    #[arg(long, value_name = "TIME")]
    work_s: String,
    /// The mean time between failures of one node: seconds, or such as P365D
    #[arg(long, value_name = "TIME")]
    node_mtbf_s: String,
    /// The time from one checkpoint to the next [default: what is best]
    #[arg(long, value_name = "TIME")]
    interval_s: Option<String>,
    /// The time until a node that failed is back or replaced [default: 0]
    #[arg(long, value_name = "TIME")]
    downtime_s: Option<String>,
    /// Seconds between the first and the last process that reaches a coordinated checkpoint [default: 0]
    #[arg(long, value_name = "SECONDS")]
    skew_s: Option<String>,
    /// Bytes that a process sends to other nodes in a second of computing; versions that log messages need it
    #[arg(long, value_name = "BYTES")]
    message_bytes_per_s: Option<String>,
}

#[derive(Args)]
struct Restart {
    #[command(flatten)]
    common: Common,
    /// Bytes of a process's state
    #[arg(long, value_name = "BYTES")]
    bytes_per_process: String,
    /// Computing since the last checkpoint, which is lost: seconds, or such as PT30M
    #[arg(long, value_name = "TIME", required_unless_present = "interval_s")]
    lost_s: Option<String>,
    /// The time from one checkpoint to the next, of which half is lost in the mean
    #[arg(long, value_name = "TIME")]
    interval_s: Option<String>,
    /// The time until the node that failed is back or replaced [default: 0]
    #[arg(long, value_name = "TIME")]
    downtime_s: Option<String>,
    /// Bytes that a process sends to other nodes in a second of computing; versions that log messages need it
    #[arg(long, value_name = "BYTES")]
    message_bytes_per_s: Option<String>,
}

#[derive(Args)]
struct Broadcast {
    #[command(flatten)]
    common: Common,
    /// Bytes that each process receives
    #[arg(long, value_name = "BYTES")]
    bytes: String,
    /// Bytes of a segment of the pipelined versions [default: what takes the least time]
    #[arg(long, value_name = "BYTES")]
    segment_bytes: Option<String>,
}

#[derive(Args)]
struct Blocks {
    #[command(flatten)]
    common: Common,
    /// Bytes of each process
    #[arg(long, value_name = "BYTES")]
    bytes_per_process: String,
}

/// Fields of the request, with what was given for them.
pub(super) type Fields = Vec<(&'static str, Option<String>)>;

impl Arguments {
    /// The operation, the options of every operation, and the fields of this one.
    pub(super) fn request(&self) -> (&'static str, &Common, Fields) {
        match &self.operation {
            OperationCommand::Checkpoint(it) => ("checkpoint", &it.common, it.fields()),
            OperationCommand::Restart(it) => ("restart", &it.common, it.fields()),
            OperationCommand::Broadcast(it) => (
                "broadcast",
                &it.common,
                vec![
                    ("bytes", Some(it.bytes.clone())),
                    ("segment_bytes", it.segment_bytes.clone()),
                ],
            ),
            OperationCommand::Scatter(it) => ("scatter", &it.common, it.fields()),
            OperationCommand::Gather(it) => ("gather", &it.common, it.fields()),
            OperationCommand::AllGather(it) => ("all-gather", &it.common, it.fields()),
        }
    }
}

impl Common {
    pub(super) fn fields(&self) -> Fields {
        vec![
            ("nodes", Some(self.nodes.clone())),
            ("processes_per_node", self.processes_per_node.clone()),
            ("price_per_mwh", self.price_per_mwh.clone()),
            ("currency", self.currency.clone()),
            ("intensity_g_per_kwh", self.intensity_g_per_kwh.clone()),
        ]
    }
}

impl Checkpoint {
    fn fields(&self) -> Fields {
        vec![
            ("bytes_per_process", Some(self.bytes_per_process.clone())),
            ("work_s", Some(self.work_s.clone())),
            ("node_mtbf_s", Some(self.node_mtbf_s.clone())),
            ("interval_s", self.interval_s.clone()),
            ("downtime_s", self.downtime_s.clone()),
            ("skew_s", self.skew_s.clone()),
            ("message_bytes_per_s", self.message_bytes_per_s.clone()),
        ]
    }
}

impl Restart {
    fn fields(&self) -> Fields {
        vec![
            ("bytes_per_process", Some(self.bytes_per_process.clone())),
            ("lost_s", self.lost_s.clone()),
            ("interval_s", self.interval_s.clone()),
            ("downtime_s", self.downtime_s.clone()),
            ("message_bytes_per_s", self.message_bytes_per_s.clone()),
        ]
    }
}

impl Blocks {
    fn fields(&self) -> Fields {
        vec![("bytes_per_process", Some(self.bytes_per_process.clone()))]
    }
}
