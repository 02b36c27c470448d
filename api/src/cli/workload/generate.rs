//! `wattbook workload generate`: a synthetic workload.

use std::path::PathBuf;

use super::convert::{Written, write};
use crate::cli::Failure;
use crate::cli::batch::workload_model::Model;

/// Which jobs, to which file.
#[derive(clap::Args)]
pub struct Arguments {
    /// The laws that jobs are drawn from
    #[arg(long, value_enum, default_value_t)]
    model: Model,
    /// How many jobs [default: as in the model's source]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Machines that Light-ESP's jobs share [default: 180]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    machines: Option<u32>,
    /// What all draws derive from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The file to write: its name ends in .swf or .json, or these and .gz
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let model = arguments.model;
    let machines = match (arguments.machines, model) {
        (Some(machines), Model::LightEsp) => machines,
        (None, _) => model.usual_machines(),
        (Some(_), _) => {
            let error = "--machines: only light_esp's jobs depend on the machines".to_owned();
            return Err(Failure::BadInput(vec![error]));
        }
    };
    let count = arguments.jobs.unwrap_or(model.usual_jobs());
    let jobs = model.jobs(count, machines, arguments.seed);
    let note = format!("{}, seed {}", model.source(), arguments.seed);
    let header = [("Note".to_owned(), note)];
    write(&arguments.out, &jobs, &Written { machines, header: &header, speed_flops: None })
}
