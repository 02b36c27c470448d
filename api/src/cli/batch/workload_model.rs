//! The models that synthetic workloads are drawn from.

use batch::job::Job;
use batch::workload::{LIGHT_ESP_JOBS, LIGHT_ESP_MACHINES, light_esp, simbatch, weibull};
use clap::ValueEnum;

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

    /// The number of machines that the model's jobs are for.
    pub const fn usual_machines(self) -> u32 {
        match self {
            Self::Simbatch => 7,
            Self::Weibull => 32,
            Self::LightEsp => LIGHT_ESP_MACHINES,
        }
    }

    /// Draws so many jobs under a seed; `machines` are what Light-ESP's jobs share.
    pub fn jobs(self, count: u32, machines: u32, seed: u64) -> Vec<Job> {
        match self {
            Self::Simbatch => simbatch(count, seed).collect(),
            Self::Weibull => weibull(count, seed).collect(),
            Self::LightEsp => light_esp(count, machines, seed).collect(),
        }
    }

    /// The source of its laws, in words.
    pub const fn source(self) -> &'static str {
        match self {
            Self::Simbatch => "Simbatch's laws",
            Self::Weibull => "the laws of the Batsim thesis, section 4.7.2",
            Self::LightEsp => "Light-ESP",
        }
    }
}
