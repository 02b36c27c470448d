//! Schemas of the body of predictions, for the OpenAPI document. Nothing is deserialised into these types.

use utoipa::ToSchema;

use crate::http::v1::schema::Duration;

/// What is asked of a queue.
#[derive(ToSchema)]
pub struct PredictionRequest {
    /// Jobs that might be submitted; may be missing with `waiting`.
    #[schema(max_items = 32)]
    pub shapes: Option<Vec<AskedShape>>,
    /// Whose they would be, as the queue calls users; who asks unless given.
    #[schema(example = "ada")]
    pub user: Option<String>,
    /// In which partition; each shape is answered for all of them unless given.
    pub partition: Option<String>,
    /// By which policy of `wattbook batch policies` the queue is played on; `easy` unless given.
    #[schema(example = "easy")]
    pub policy: Option<String>,
    /// Whether jobs that wait are told of, too.
    pub waiting: Option<bool>,
    /// The state of a queue, in place of Slurm's.
    pub state: Option<QueueStateRequest>,
}

/// A job that might be submitted.
#[derive(ToSchema)]
pub struct AskedShape {
    /// Its nodes.
    #[schema(example = 8, minimum = 1)]
    pub nodes: u32,
    /// Its walltime.
    pub walltime_s: Duration,
}

/// The state of a queue.
#[derive(ToSchema)]
pub struct QueueStateRequest {
    /// Its instant, RFC 3339.
    #[schema(example = "2026-11-30T08:00:00Z")]
    pub now: String,
    /// Nodes that are there for jobs, where there are no partitions.
    #[schema(minimum = 1)]
    pub nodes: Option<u32>,
    /// Partitions that share no nodes.
    pub partitions: Option<Vec<QueuePartition>>,
    /// By which policy it is served.
    pub policy: Option<String>,
    /// Jobs that wait, run and have ended.
    pub jobs: Vec<QueueJob>,
}

/// A partition of a queue.
#[derive(ToSchema)]
pub struct QueuePartition {
    /// Its name.
    pub name: String,
    /// Nodes that are there for jobs.
    #[schema(minimum = 1)]
    pub nodes: u32,
}

/// A job of a queue. Without `started` it waits, without `ended` it runs.
#[derive(ToSchema)]
pub struct QueueJob {
    /// What it is called.
    pub id: Option<String>,
    /// Whose it is.
    pub user: Option<String>,
    /// Its partition, where there are some.
    pub partition: Option<String>,
    /// Its nodes.
    #[schema(minimum = 1)]
    pub nodes: u32,
    /// Its walltime, seconds.
    #[schema(example = 7200.0)]
    pub walltime_s: f64,
    /// RFC 3339.
    pub submitted: String,
    /// RFC 3339.
    pub started: Option<String>,
    /// RFC 3339.
    pub ended: Option<String>,
}
