//! `wattbook workload info`: a workload in figures.

use std::convert::Infallible;
use std::path::PathBuf;

use batch::job::Job;
use batch::workload::{Cleaning, Description, describe};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cli::Failure;
use crate::cli::batch::inputs::all_jobs;

/// Which workload, and on what.
#[derive(clap::Args)]
pub struct Arguments {
    /// A trace in the Standard Workload Format or Batsim's JSON, compressed by gzip or not
    file: PathBuf,
    /// Machines: for the load, and to leave larger jobs out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    machines: Option<u32>,
    /// What a machine computes, for jobs of JSON workloads that compute
    #[arg(long, value_name = "FLOPS", default_value_t = 1.0, value_parser = super::speed)]
    speed_flops: f64,
    /// Describe the workload as it is: drop, clip and shift nothing
    #[arg(long)]
    raw: bool,
    /// Keep jobs that share an id as jobs of their own; otherwise they are an error
    #[arg(long)]
    keep_duplicates: bool,
}

#[derive(Serialize)]
struct Info {
    header: Map<String, Value>,
    workload: Cleaning,
    #[serde(flatten)]
    description: Description,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (read, workload) =
        all_jobs(&arguments.file, arguments.machines, arguments.raw, arguments.keep_duplicates)?;
    let jobs = read.jobs.into_iter().map(Ok::<Job, Infallible>);
    let Ok(description) = describe(jobs, arguments.machines, arguments.speed_flops);
    let header = workload.header().iter();
    let header = header.map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect();
    let info = Info { header, workload: read.cleaning, description };
    Ok(crate::cli::print(serde_json::to_string_pretty(&info)?)?)
}
