//! `wattbook workload generate`: a synthetic workload.

use std::io::Write;
use std::path::{Path, PathBuf};

use batch::dispatch::jobs::{EURORA_JOBS, EURORA_SYSTEM, UnitJobWriter, eurora};
use batch::dispatch::system::System;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::convert::{Written, write};
use crate::cli::batch::files::Pending;
use crate::cli::batch::workload_model::Model;
use crate::cli::{Failure, tell};

/// The laws of jobs that count machines, or of jobs of units.
#[derive(Clone, Copy)]
enum DrawnModel {
    Machines(Model),
    /// A year of Eurora's jobs
    Eurora,
}

/// The name of Eurora's workload.
const EURORA: &str = "eurora";

/// Reads the name of a model, which help texts list.
fn model() -> impl TypedValueParser<Value = DrawnModel> {
    let of_machines = Model::value_variants().iter().filter_map(Model::to_possible_value);
    let help =
        "Eurora's jobs in a year, for batch run --system: cores, memory, GPUs and MICs (CSV)";
    let eurora = PossibleValue::new(EURORA).help(help);
    PossibleValuesParser::new(of_machines.chain([eurora])).try_map(|name| match name.as_str() {
        EURORA => Ok(DrawnModel::Eurora),
        name => Model::from_str(name, false).map(DrawnModel::Machines),
    })
}

/// Which jobs, to which file.
#[derive(clap::Args)]
pub struct Arguments {
    /// The laws that jobs are drawn from
    #[arg(long, value_parser = model(), default_value = "simbatch")]
    model: DrawnModel,
    /// How many jobs [default: as in the model's source]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Machines that Light-ESP's jobs share [default: 180]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    machines: Option<u32>,
    /// What all draws derive from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The file to write: its name ends in .swf or .json, or these and .gz; with eurora in .csv
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// With eurora: where the system that its jobs are for is written (TOML)
    #[arg(long, value_name = "FILE")]
    system_out: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let model = match arguments.model {
        DrawnModel::Machines(model) => model,
        DrawnModel::Eurora => return run_eurora(arguments),
    };
    if arguments.system_out.is_some() {
        return Err(Failure::BadInput(vec![
            "--system-out: only eurora's jobs are for a system".to_owned(),
        ]));
    }
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

/// Writes Eurora's jobs as a table, and its system.
fn run_eurora(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.out.to_string_lossy();
    let plain = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    if plain.extension().is_none_or(|extension| extension != "csv") {
        let error = format!(
            "--out {name}: jobs of units are a table, its name must end in .csv or .csv.gz"
        );
        return Err(Failure::BadInput(vec![error]));
    }
    if arguments.machines.is_some() {
        return Err(Failure::BadInput(vec![
            "--machines: only light_esp's jobs depend on the machines".to_owned(),
        ]));
    }
    let system = System::parse(EURORA_SYSTEM)?;
    let count = arguments.jobs.unwrap_or(EURORA_JOBS);
    let (pending, out) = Pending::create_at(&arguments.out)?;
    let mut writer = UnitJobWriter::new(out, &system)?;
    for job in eurora(count, arguments.seed) {
        writer.write(&job)?;
    }
    writer.finish()?.finish()?;
    pending.keep()?;
    tell(format!("wrote {name}: {count} jobs"));
    arguments.system_out.as_deref().map_or(Ok(()), write_system)
}

fn write_system(file: &Path) -> Result<(), Failure> {
    let (pending, mut out) = Pending::create_at(file)?;
    out.write_all(EURORA_SYSTEM.as_bytes())?;
    out.finish()?;
    pending.keep()?;
    tell(format!("wrote {}", file.display()));
    Ok(())
}
