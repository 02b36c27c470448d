//! Predictions as a document.

use anyhow::Context;
use batch::start_prediction::{Expected, Shape, StartPrediction};
use batch::time::Time;
use planner::time::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::PredictedStarts;

/// When jobs would start and end.
#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = Predictions)]
pub struct PredictionsDocument {
    /// The instant of the queue's state, RFC 3339.
    #[serde(deserialize_with = "written")]
    #[schema(value_type = String, format = DateTime)]
    pub now: Timestamp,
    /// Jobs that run then.
    pub running: usize,
    /// Jobs that wait then.
    pub waiting: usize,
    /// By shape in the order in which they were asked for, and by partition for each; those that are too large for a
    /// partition are left out there.
    pub shapes: Vec<PredictedShapeDocument>,
    /// Jobs that wait, where they were asked for: in the order in which they are served, at most a hundred of a partition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<PredictedJobDocument>>,
}

/// When a job of a shape would start and end that is submitted now.
#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = PredictedShape)]
pub struct PredictedShapeDocument {
    /// Its nodes.
    pub nodes: u32,
    /// Its walltime, seconds.
    pub walltime_s: f64,
    /// The partition, where there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Box<str>>,
    /// When it would start.
    pub start: ExpectedDocument,
    /// When it would end.
    pub end: ExpectedDocument,
}

/// When a job that waits will start and end.
#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = PredictedJob)]
pub struct PredictedJobDocument {
    /// What it is called.
    pub id: Box<str>,
    /// The partition, where there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Box<str>>,
    /// Its nodes.
    pub nodes: u32,
    /// Its walltime, seconds.
    pub walltime_s: f64,
    /// When it will start.
    pub start: ExpectedDocument,
    /// When it will end.
    pub end: ExpectedDocument,
}

/// An instant that is not known yet.
#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = ExpectedInstant)]
pub struct ExpectedDocument {
    /// The median, RFC 3339: as likely earlier as later.
    #[serde(deserialize_with = "written")]
    #[schema(value_type = String, format = DateTime)]
    pub expected: Timestamp,
    /// One in twenty comes before, RFC 3339.
    #[serde(deserialize_with = "written")]
    #[schema(value_type = String, format = DateTime)]
    pub p05: Timestamp,
    /// One in twenty comes after, RFC 3339.
    #[serde(deserialize_with = "written")]
    #[schema(value_type = String, format = DateTime)]
    pub p95: Timestamp,
}

impl PredictionsDocument {
    /// An answer as a document; with the jobs that wait where `waiting`.
    ///
    /// # Errors
    /// An instant that cannot be written.
    pub fn new(answer: &PredictedStarts, waiting: bool) -> anyhow::Result<Self> {
        let named = |name: &str| (!name.is_empty()).then(|| Box::from(name));
        let shape = |(shape, partition, it): &(Shape, Box<str>, StartPrediction)| {
            anyhow::Ok(PredictedShapeDocument {
                nodes: shape.nodes,
                walltime_s: shape.walltime.as_seconds(),
                partition: named(partition),
                start: ExpectedDocument::new(it.start)?,
                end: ExpectedDocument::new(it.end)?,
            })
        };
        let job = |(id, partition, shape, it): &(Box<str>, Box<str>, Shape, StartPrediction)| {
            anyhow::Ok(PredictedJobDocument {
                id: id.clone(),
                partition: named(partition),
                nodes: shape.nodes,
                walltime_s: shape.walltime.as_seconds(),
                start: ExpectedDocument::new(it.start)?,
                end: ExpectedDocument::new(it.end)?,
            })
        };
        let jobs = || answer.jobs.iter().map(job).collect::<anyhow::Result<_>>();
        Ok(Self {
            now: timestamp(answer.now)?,
            running: answer.running,
            waiting: answer.waiting,
            shapes: answer.shapes.iter().map(shape).collect::<Result<_, _>>()?,
            jobs: waiting.then(jobs).transpose()?,
        })
    }
}

impl ExpectedDocument {
    fn new(expected: Expected) -> anyhow::Result<Self> {
        let Expected { expected, p05, p95 } = expected;
        Ok(Self { expected: timestamp(expected)?, p05: timestamp(p05)?, p95: timestamp(p95)? })
    }
}

/// As RFC 3339 has it.
fn written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    Timestamp::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// To the nearest second.
fn timestamp(time: Time) -> anyhow::Result<Timestamp> {
    let seconds = (time.as_micros() + 500_000).div_euclid(1_000_000);
    let at = Timestamp::from_unix_seconds(seconds);
    (at <= Timestamp::MAX).then_some(at).context("an instant is beyond the year 9999")
}
