//! `wattbook batch estimates`: the same workload on a system with one way to estimate durations after another.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use batch::dispatch::simulation::UnitSimulation;
use batch::dispatch::{
    ComparedEstimate, EstimatePart, EstimateTable, UnitBackfillPart, UnitFitPart, UnitObserver,
    UnitOrderPart, UnitPlayed, UnitSupply,
};
use batch::policy::PartKind;
use jiff::tz::TimeZone;

use super::arguments::named as option;
use super::files::Pending;
use super::nodes::Services;
use super::parts::named;
use super::system::{self, PlayedFile};
use super::system_arguments::{factor, zone};
use super::system_source;
use super::system_supply::Ended;
use crate::cli::{Failure, out};

/// One workload, several estimates.
#[derive(clap::Args)]
pub struct Arguments {
    /// A system of several resources: TOML, slurm.conf, what sinfo printed, AccaSim's JSON, or nodes
    #[arg(long, value_name = "FILE")]
    system: PathBuf,
    /// A table of jobs (CSV), a trace in the Standard Workload Format or Slurm's accounting; compressed by gzip or not
    #[arg(long, value_name = "FILE")]
    workload: PathBuf,
    /// Of times that sacct printed without an offset, such as Europe/Paris
    #[arg(long, value_name = "NAME", default_value = "UTC", value_parser = zone)]
    sacct_time_zone: TimeZone,
    /// Which waiting job is the first
    #[arg(long, value_name = "ORDER", default_value = "fcfs", value_parser = named::<UnitOrderPart>())]
    order: &'static UnitOrderPart,
    /// Who may start before it
    #[arg(long, value_name = "BACKFILLING", default_value = "easy", value_parser = named::<UnitBackfillPart>())]
    backfill: &'static UnitBackfillPart,
    /// Which nodes a job takes
    #[arg(long, value_name = "FIT", default_value = "first_fit", value_parser = named::<UnitFitPart>())]
    fit: &'static UnitFitPart,
    /// Which estimates are played, separated by commas [default: all]
    #[arg(long, value_name = "ESTIMATE", value_delimiter = ',', value_parser = named::<EstimatePart>())]
    estimate: Vec<&'static EstimatePart>,
    /// Who is given which share, for orders by shares
    #[arg(long, value_name = "FILE")]
    shares: Option<PathBuf>,
    /// What the energy of a user's jobs is multiplied by; may be repeated
    #[arg(long, value_name = "USER=FACTOR", value_parser = factor)]
    user_energy_factor: Vec<(String, f64)>,
    /// An option of a part; may be repeated. One that only some estimates have is given to these
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
    /// Where estimates.csv and estimates.json are written; otherwise the table is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// With --out: replace the results that are there
    #[arg(long, requires = "out")]
    force: bool,
}

/// Nobody looks at single jobs.
struct Unseen;

impl UnitObserver for Unseen {
    fn played(&mut self, _: &UnitPlayed<'_>) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let system = system_source::read(&arguments.system, Services::Refused)?.system();
    let shares = arguments.shares.as_deref().map(system::read_shares).transpose()?;
    let energy_factors: BTreeMap<String, f64> =
        arguments.user_energy_factor.iter().cloned().collect();
    let estimates = if arguments.estimate.is_empty() {
        EstimatePart::ALL
    } else {
        arguments.estimate.as_slice()
    };
    let options: Vec<Vec<(String, String)>> =
        estimates.iter().map(|it| own_options(&arguments.options, it, estimates)).collect();
    let simulations = estimates.iter().zip(&options).map(|(estimate, options)| UnitSimulation {
        system: &system,
        order: arguments.order,
        backfill: arguments.backfill.backfill,
        fit: arguments.fit,
        estimate,
        shares: shares.as_ref(),
        energy_factors: &energy_factors,
        options,
    });
    let simulations: Vec<UnitSimulation<'_>> = simulations.collect();
    for simulation in &simulations {
        simulation.check().map_err(Failure::BadInput)?;
    }
    if let Some(folder) = &arguments.out {
        out::check(&folder.into(), arguments.force)?;
    }
    let mut compared = Vec::new();
    for simulation in &simulations {
        let supply = UnitSupply::default();
        let workload =
            PlayedFile { file: &arguments.workload, zone: &arguments.sacct_time_zone, watch: None };
        let played = system::play(&workload, simulation, &supply, &mut Unseen);
        let (results, _) = played.map_err(Ended::failure)?;
        compared.push(ComparedEstimate { estimate: simulation.estimate.about.name, results });
    }
    write(arguments, &compared)
}

/// The options for an estimate: all but those that only others have.
fn own_options(
    said: &[(String, String)],
    estimate: &EstimatePart,
    estimates: &[&EstimatePart],
) -> Vec<(String, String)> {
    let has = |estimate: &EstimatePart, name: &str| {
        estimate.about.options.iter().any(|option| option.name == name)
    };
    let of_others = |name: &str| estimates.iter().any(|other| has(other, name));
    let own = said.iter().filter(|(name, _)| has(estimate, name) || !of_others(name));
    own.cloned().collect()
}

fn write(arguments: &Arguments, compared: &[ComparedEstimate]) -> Result<(), Failure> {
    let Some(folder) = &arguments.out else {
        let mut table = Vec::new();
        EstimateTable::write(&mut table, compared)?;
        return Ok(crate::cli::print(String::from_utf8_lossy(&table).trim_end())?);
    };
    if arguments.force {
        out::clear(&folder.into())?;
    }
    let (pending, file) = Pending::create(folder, "estimates.csv")?;
    EstimateTable::write(file, compared)?;
    pending.keep()?;
    let (pending, mut file) = Pending::create(folder, "estimates.json")?;
    writeln!(file, "{}", serde_json::to_string_pretty(compared)?)?;
    file.flush()?;
    pending.keep()?;
    out::tell_written(&folder.into());
    Ok(())
}
