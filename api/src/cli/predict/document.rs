//! Predictions as a document.

use anyhow::Context;
use batch::start_prediction::{Expected, Shape, StartPrediction, StartPredictor};
use batch::time::Time;
use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// When a job would start and end, by its shape.
#[derive(Serialize)]
pub(super) struct PredictionsDocument {
    /// The instant of the queue's state.
    #[serde(serialize_with = "written")]
    pub now: Timestamp,
    /// Jobs that run then.
    pub running: usize,
    /// Jobs that wait then.
    pub waiting: usize,
    /// In the order in which they were asked for.
    pub shapes: Vec<ShapeDocument>,
}

/// When a job of a shape would start and end.
#[derive(Serialize)]
pub(super) struct ShapeDocument {
    pub nodes: u32,
    pub walltime_s: f64,
    pub start: ExpectedDocument,
    pub end: ExpectedDocument,
}

/// An instant that is not known yet: its median, and the instants that it comes before and after in one case of twenty.
#[derive(Serialize)]
pub(super) struct ExpectedDocument {
    #[serde(serialize_with = "written")]
    pub expected: Timestamp,
    #[serde(serialize_with = "written")]
    pub p05: Timestamp,
    #[serde(serialize_with = "written")]
    pub p95: Timestamp,
}

impl PredictionsDocument {
    pub fn new(
        now: Time,
        predictor: &StartPredictor,
        predictions: &[(Shape, StartPrediction)],
    ) -> anyhow::Result<Self> {
        let shape = |(shape, prediction): &(Shape, StartPrediction)| {
            anyhow::Ok(ShapeDocument {
                nodes: shape.nodes,
                walltime_s: shape.walltime.as_seconds(),
                start: ExpectedDocument::new(prediction.start)?,
                end: ExpectedDocument::new(prediction.end)?,
            })
        };
        Ok(Self {
            now: timestamp(now)?,
            running: predictor.running(),
            waiting: predictor.waiting(),
            shapes: predictions.iter().map(shape).collect::<Result<_, _>>()?,
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
fn written<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(at)
}

/// To the nearest second.
fn timestamp(time: Time) -> anyhow::Result<Timestamp> {
    let seconds = (time.as_micros() + 500_000).div_euclid(1_000_000);
    Timestamp::from_second(seconds).context("an instant is beyond the year 9999")
}
