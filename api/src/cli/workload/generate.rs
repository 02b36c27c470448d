//! `wattbook workload generate`: a synthetic workload.

use std::path::PathBuf;

use batch::job::Job;
use batch::workload::{LIGHT_ESP_JOBS, LIGHT_ESP_MACHINES, light_esp, simbatch, weibull};
use clap::ValueEnum;

use super::convert::{Written, write};
use crate::cli::Failure;

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

/// The laws that jobs are drawn from.
#[derive(Clone, Copy, Default, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Model {
    /// Submissions 300 s apart (Poisson), 1 to 7 machines, 600 to 1800 s, walltimes 1.1 to 3 times as
    /// long (uniform); 100 jobs
    #[default]
    Simbatch,
    /// The Batsim thesis's: submissions 13.3 s apart (Weibull), 1 to 32 machines in powers of two
    /// (log-normal), 1 to 600 s; 800 jobs
    Weibull,
    /// The benchmark: 14 types of jobs, 230 in all. By its fractions of the machines they fill them for 935 s;
    /// on 180 machines, where sizes are rounded up to nodes of twelve, for 1,486 s
    LightEsp,
}

impl Model {
    /// The number of jobs that the model's source draws.
    pub const fn usual_jobs(self) -> u32 {
        match self {
            Self::Simbatch => 100,
            Self::Weibull => 800,
            Self::LightEsp => LIGHT_ESP_JOBS,
        }
    }

    /// For so many machines.
    pub const fn usual_machines(self) -> u32 {
        match self {
            Self::Simbatch => 7,
            Self::Weibull => 32,
            Self::LightEsp => LIGHT_ESP_MACHINES,
        }
    }

    /// So many jobs under a seed; `machines` are what Light-ESP's jobs share.
    pub fn jobs(self, count: u32, machines: u32, seed: u64) -> Vec<Job> {
        match self {
            Self::Simbatch => simbatch(count, seed).collect(),
            Self::Weibull => weibull(count, seed).collect(),
            Self::LightEsp => light_esp(count, machines, seed).collect(),
        }
    }

    const fn source(self) -> &'static str {
        match self {
            Self::Simbatch => "Simbatch's laws",
            Self::Weibull => "the laws of the Batsim thesis, section 4.7.2",
            Self::LightEsp => "Light-ESP",
        }
    }
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
