//! How good predictions are on a trace.

use std::path::Path;

use batch::policy::Policy;
use batch::start_prediction::{ObservedJob, PredictionScore, score};

use super::Arguments;
use crate::cli::Failure;
use crate::cli::batch::files::{bad_input, open_unseen};
use crate::start_prediction::predictor;

/// Predicts for the jobs of a trace as they are submitted.
pub(super) fn score_trace(file: &Path, arguments: &Arguments) -> Result<PredictionScore, Failure> {
    let mut reader = swf::Reader::new(open_unseen(file)?);
    let mut jobs = Vec::new();
    while let Some(record) = reader.next_record().map_err(|error| bad_input(file, error))? {
        jobs.extend(ObservedJob::of_record(&record));
    }
    jobs.sort_by_key(|job| job.submitted);
    let number = |key| reader.header().number(key).and_then(|number| u32::try_from(number).ok());
    let machines = arguments.machines.or_else(|| number("MaxProcs")).or_else(|| number("MaxNodes"));
    let machines = machines.ok_or_else(|| {
        bad_input(file, "its header has neither MaxProcs nor MaxNodes; say --machines")
    })?;
    let mut predictor = predictor(machines, arguments.policy.unwrap_or(Policy::Easy))
        .map_err(|error| Failure::BadInput(vec![error.to_string()]))?;
    if arguments.played {
        predictor.play(&mut jobs);
    }
    Ok(score(&mut predictor, &jobs, arguments.every))
}
