//! `wattbook workload generate`: a synthetic workload.

use std::io::Write;
use std::path::{Path, PathBuf};

use batch::dispatch::jobs::{EURORA_SYSTEM, EuroraSpan, UnitJob, UnitJobWriter, dealt, eurora};
use batch::dispatch::system::System;
use batch::job::Job;
use batch::time::Time;
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
    /// Eurora's jobs in a span
    Eurora(&'static EuroraSpan),
}

/// Reads the name of a model, which help texts list.
fn model() -> impl TypedValueParser<Value = DrawnModel> {
    let of_machines = Model::value_variants().iter().filter_map(Model::to_possible_value);
    let of_units = EuroraSpan::ALL.iter().map(|it| PossibleValue::new(it.name).help(it.meaning));
    PossibleValuesParser::new(of_machines.chain(of_units)).try_map(|name| {
        match EuroraSpan::named(&name) {
            Some(span) => Ok(DrawnModel::Eurora(span)),
            None => Model::from_str(&name, false).map(DrawnModel::Machines),
        }
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
    /// How often jobs are submitted, over the model's times [default: 1]
    #[arg(long, value_name = "F", value_parser = rate)]
    rate: Option<f64>,
    /// Deal the jobs of a model other than eurora to user1, user2 and so on, in parts of these weights, such as 1,1,1: jobs of the same
    /// size and length in turn. --out is then a table of units (CSV)
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1000))]
    users: Vec<u32>,
    /// What all draws derive from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The file to write: its name ends in .swf or .json, or these and .gz; with eurora or --users in .csv
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// With eurora or --users: where the system that the jobs are for is written (TOML)
    #[arg(long, value_name = "FILE")]
    system_out: Option<PathBuf>,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    if (1e-3..=1e3).contains(&rate) {
        Ok(rate)
    } else {
        Err("the rate must be from 0.001 to 1000".to_owned())
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let model = match arguments.model {
        DrawnModel::Machines(model) => model,
        DrawnModel::Eurora(span) => return run_eurora(arguments, span),
    };
    if arguments.system_out.is_some() && arguments.users.is_empty() {
        return Err(Failure::BadInput(vec![
            "--system-out: only jobs of eurora and of --users are for a system".to_owned(),
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
    let mut jobs = model.jobs(count, machines, arguments.seed);
    if let Some(rate) = arguments.rate {
        submit_at_rate(&mut jobs, rate);
    }
    if !arguments.users.is_empty() {
        let system = format!("[[nodes]]\ncount = 1\ncores = {machines}\n");
        let jobs = dealt(jobs.into_iter(), &arguments.users, arguments.seed);
        return write_units(arguments, &system, count, jobs);
    }
    let rate = arguments.rate.map_or(String::new(), |rate| format!(", {rate} times as often"));
    let note = format!("{}{rate}, seed {}", model.source(), arguments.seed);
    let header = [("Note".to_owned(), note)];
    let written = Written { machines, header: &header, speed_flops: None, bytes_per_s: 0.0 };
    write(&arguments.out, &jobs, &written)
}

/// Has jobs submitted `rate` times as often.
fn submit_at_rate(jobs: &mut [Job], rate: f64) {
    for job in jobs {
        let submitted = job.submitted.as_seconds() / rate;
        job.submitted = Time::from_seconds_f64(submitted).unwrap_or(job.submitted);
    }
}

/// Writes Eurora's jobs as a table, and its system.
fn run_eurora(arguments: &Arguments, span: &'static EuroraSpan) -> Result<(), Failure> {
    for (said, name) in [
        (arguments.machines.is_some(), "--machines: only light_esp's jobs depend on the machines"),
        (arguments.rate.is_some(), "--rate: eurora's jobs come as its series do"),
        (!arguments.users.is_empty(), "--users: eurora's jobs have users of their own"),
    ] {
        if said {
            return Err(Failure::BadInput(vec![name.to_owned()]));
        }
    }
    let count = arguments.jobs.unwrap_or(span.jobs);
    write_units(arguments, EURORA_SYSTEM, count, eurora(span, count, arguments.seed))
}

/// Writes jobs of units as a table, and the system that they are for.
fn write_units(
    arguments: &Arguments,
    system: &str,
    count: u32,
    jobs: impl Iterator<Item = UnitJob>,
) -> Result<(), Failure> {
    let name = arguments.out.to_string_lossy();
    let plain = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    if plain.extension().is_none_or(|extension| extension != "csv") {
        let error = format!(
            "--out {name}: jobs of units are a table, its name must end in .csv or .csv.gz"
        );
        return Err(Failure::BadInput(vec![error]));
    }
    let parsed = System::parse(system)?;
    let (pending, out) = Pending::create_at(&arguments.out)?;
    let mut writer = UnitJobWriter::new(out, &parsed)?;
    for job in jobs {
        writer.write(&job)?;
    }
    writer.finish()?.finish()?;
    pending.keep()?;
    tell(format!("wrote {name}: {count} jobs"));
    arguments.system_out.as_deref().map_or(Ok(()), |file| write_system(file, system))
}

fn write_system(file: &Path, system: &str) -> Result<(), Failure> {
    let (pending, mut out) = Pending::create_at(file)?;
    out.write_all(system.as_bytes())?;
    out.finish()?;
    pending.keep()?;
    tell(format!("wrote {}", file.display()));
    Ok(())
}
