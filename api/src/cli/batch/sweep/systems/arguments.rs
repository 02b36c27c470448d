//! A sweep on systems by arguments alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use batch::dispatch::jobs::EuroraSpan;
use batch::dispatch::{
    EstimatePart, PowerEstimatePart, UnitBackfillPart, UnitFitPart, UnitOrderPart,
};
use batch::policy::PartKind;

use super::super::super::system_arguments::factor;
use super::super::file::stem;
use super::file::{AskedSweep, SweptSystem, SweptUnits, UnitSource};
use super::policies::{OptionValues, PartLists, combinations};
use super::supplies::SupplyArguments;
use crate::cli::Failure;

/// What is combined with what, where no file says it. Values of one argument are separated by commas; all stands for every part.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SystemSweepArguments {
    /// Without SWEEP: systems of several resources (TOML, as for batch run), or eurora
    #[arg(
        long,
        value_name = "FILE",
        value_delimiter = ',',
        conflicts_with = "file",
        requires = "workload"
    )]
    system: Vec<String>,
    /// With --system: workloads, tables or traces as for batch run, or a model that is drawn for each seed: eurora, or one of its months, which
    /// workload generate names
    #[arg(long, value_name = "FILE", value_delimiter = ',', requires = "system")]
    workload: Vec<String>,
    /// With --system: how many of eurora's jobs are drawn [default: all of its span, 372320 in a year]
    #[arg(long, value_name = "N", requires = "system", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// With --system: seeds of drawn workloads
    #[arg(long, value_name = "S", value_delimiter = ',', requires = "system", default_value = "1")]
    seed: Vec<u64>,
    /// With --system: orders, or all
    #[arg(long, value_name = "ORDER", value_delimiter = ',', requires = "system", value_parser = part::<UnitOrderPart>, default_value = "fcfs")]
    order: Vec<Parts<UnitOrderPart>>,
    /// With --system: ways of backfilling, or all
    #[arg(long, value_name = "BACKFILLING", value_delimiter = ',', requires = "system", value_parser = part::<UnitBackfillPart>, default_value = "none")]
    backfill: Vec<Parts<UnitBackfillPart>>,
    /// With --system: fits, or all
    #[arg(long, value_name = "FIT", value_delimiter = ',', requires = "system", value_parser = part::<UnitFitPart>, default_value = "first_fit")]
    fit: Vec<Parts<UnitFitPart>>,
    /// With --system: estimates, or all
    #[arg(long, value_name = "ESTIMATE", value_delimiter = ',', requires = "system", value_parser = part::<EstimatePart>, default_value = "walltime")]
    estimate: Vec<Parts<EstimatePart>>,
    /// With --system: what jobs are taken to draw, or all
    #[arg(long, value_name = "ESTIMATE", value_delimiter = ',', requires = "system", value_parser = part::<PowerEstimatePart>, default_value = "full")]
    power_estimate: Vec<Parts<PowerEstimatePart>>,
    #[command(flatten)]
    supply: SupplyArguments,
    /// With --system: an option of parts; several values of one name are combined with all else, where a part has it
    #[arg(long = "option", value_name = "KEY=VALUE", requires = "system", value_parser = option)]
    options: Vec<(String, String)>,
    /// With --system: who is given which share, as for batch run
    #[arg(long, value_name = "FILE", requires = "system")]
    shares: Option<PathBuf>,
    /// With --system: each is a run of its own, beside one without; its stretches are compared with that one's
    #[arg(long, value_name = "USER=FACTOR", requires = "system", value_parser = factor)]
    user_energy_factor: Vec<(String, f64)>,
}

/// One part, or all of its kind.
#[derive(Debug)]
struct Parts<P: 'static>(&'static [&'static P], Option<&'static P>);

// A derive would ask for parts that are copied.
impl<P> Clone for Parts<P> {
    fn clone(&self) -> Self {
        Self(self.0, self.1)
    }
}

impl<P> Parts<P> {
    fn each(&self) -> Vec<&'static P> {
        self.1.map_or_else(|| self.0.to_vec(), |one| vec![one])
    }
}

fn part<P: PartKind>(text: &str) -> Result<Parts<P>, String> {
    if text == "all" {
        return Ok(Parts(P::ALL, None));
    }
    P::named(text).map(|part| Parts(P::ALL, Some(part))).map_err(|error| format!("{error}, all"))
}

fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be KEY=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn every<P>(said: &[Parts<P>]) -> Vec<&'static P> {
    let mut all: Vec<&'static P> = Vec::new();
    for part in said.iter().flat_map(Parts::each) {
        if !all.iter().any(|known| std::ptr::eq(*known, part)) {
            all.push(part);
        }
    }
    all
}

impl SystemSweepArguments {
    /// What they say.
    pub fn asked(&self) -> Result<AskedSweep, Failure> {
        let workload = |text: &String| {
            let source = match EuroraSpan::named(text) {
                Some(span) => UnitSource::Eurora(span, self.jobs.unwrap_or(span.jobs)),
                None => UnitSource::File(PathBuf::from(text)),
            };
            SweptUnits { line: None, name: stem(Path::new(text)), source }
        };
        let system = |text: &String| {
            let file = (text != "eurora").then(|| PathBuf::from(text));
            SweptSystem { line: None, name: stem(Path::new(text)), file }
        };
        let mut options: Vec<OptionValues> = Vec::new();
        for (name, value) in &self.options {
            match options.iter_mut().find(|known| known.name == *name) {
                Some(known) => known.values.push(value.clone()),
                None => options.push(OptionValues {
                    name: name.clone(),
                    values: vec![value.clone()],
                    line: None,
                }),
            }
        }
        let lists = PartLists {
            line: None,
            orders: every(&self.order),
            backfills: every(&self.backfill),
            fits: every(&self.fit),
            estimates: every(&self.estimate),
            power_estimates: every(&self.power_estimate),
        };
        let place = |line: Option<usize>, what: String| match line {
            Some(line) => format!("line {line}: {what}"),
            None => what,
        };
        let policies = combinations(&lists, &options, &[])
            .map_err(|(line, what)| Failure::BadInput(vec![place(line, what)]))?;
        let with = |(user, factor): &(String, f64)| BTreeMap::from([(user.clone(), *factor)]);
        let factors = self.user_energy_factor.iter().map(with);
        let workloads: Vec<SweptUnits> = self.workload.iter().map(workload).collect();
        if self.jobs.is_some() && !self.workload.iter().any(|it| EuroraSpan::named(it).is_some()) {
            return Err(Failure::BadInput(vec![
                "--jobs: only eurora's jobs are drawn: --workload eurora".to_owned(),
            ]));
        }
        Ok(AskedSweep {
            path: None,
            workloads,
            systems: self.system.iter().map(system).collect(),
            supplies: vec![self.supply.supply()],
            policies,
            factors: std::iter::once(BTreeMap::new()).chain(factors).collect(),
            seeds: self.seed.clone(),
            shares: self.shares.clone(),
        })
    }
}
