//! Arguments of `wattbook simulate`: an experiment file, and what goes before it.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde_json::{Number, Value};
use simulator::experiment::Experiment;
use simulator::policy::Policy;

use super::shares::ShareStudy;
use super::values::{named, value_of};
use crate::cli::Failure;
use crate::cli::engine::EngineArguments;
use crate::cli::parts::PartArguments;

/// Arguments of `wattbook simulate`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// A month of requests under policies
    #[command(flatten)]
    Month(MonthCommand),
    /// Play months in which users with fair shares compete for power and some draw less or more: what each gains and loses
    Shares(Box<ShareStudy>),
}

#[derive(Subcommand)]
pub enum MonthCommand {
    /// Play the evaluation of the SESAMES paper, section VI, or your own month beside it
    Sesames(Box<Settings>),
    /// Play an experiment file (TOML or JSON); arguments override what it says
    Experiment {
        /// The file; paths in it are relative to it
        file: PathBuf,
        #[command(flatten)]
        settings: Box<Settings>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Format {
    Table,
    Json,
}

/// What goes before the experiment file and the defaults.
#[derive(clap::Args)]
pub struct Settings {
    /// Nodes of the cluster [default: 1000000]
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// Requests in each run [default: 100]
    #[arg(long, value_name = "R")]
    requests: Option<u32>,
    /// Runs, each with its own draws [default: 10]
    #[arg(long, value_name = "K")]
    runs: Option<u32>,
    /// Length of the month [default: 30]
    #[arg(long)]
    days: Option<u32>,
    /// Length of a time slot, seconds [default: 900]
    #[arg(long)]
    slot_s: Option<u32>,
    /// How much later than its earliest start a request may start, hours [default: 24]
    #[arg(long, value_name = "H")]
    max_delay_h: Option<f64>,
    /// Mean power cap, per cent of the peak of all nodes [default: 100]
    #[arg(long)]
    cap_mean_percent: Option<f64>,
    /// Standard deviation of the power cap, points of that per cent [default: 5]
    #[arg(long)]
    cap_standard_deviation_percent: Option<f64>,
    /// What all draws derive from [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// When the month begins, RFC 3339 [default: 2013-01-01T00:00:00Z]
    #[arg(long)]
    start: Option<String>,
    /// Any parameter or file by its name, as in an experiment file; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = named)]
    set: Vec<(String, String)>,
    /// A parameter or file and its values, separated by commas: every combination is played
    #[arg(long = "vary", value_name = "NAME=VALUE,..", value_parser = named)]
    vary: Vec<(String, String)>,
    /// Policies, separated by commas: asap_first, asap_least, knee, mixed, a ranking
    /// (energy_cost_co2, energy_co2_cost, cost_energy_co2, cost_co2_energy, co2_energy_cost or
    /// co2_cost_energy), or a ranking with a tolerance in per cent such as cost_co2_energy~5 [default:
    /// asap_first,asap_least,cost_co2_energy,co2_cost_energy]
    #[arg(long, value_delimiter = ',')]
    policies: Option<Vec<Policy>>,
    /// Requests to play instead of drawn ones: a CSV table with the columns nodes, duration_s,
    /// earliest_start, latest_start and optionally utilisation
    #[arg(long, value_name = "FILE", conflicts_with = "swf_file")]
    requests_file: Option<String>,
    /// A workload trace in the Standard Workload Format to derive requests from; as every file here,
    /// compressed by gzip or not
    #[arg(long, value_name = "FILE")]
    swf_file: Option<String>,
    /// Nodes instead of drawn ones: a CSV table with the columns name, idle_power_w, max_power_w
    /// and alpha
    #[arg(long, value_name = "FILE")]
    nodes_file: Option<String>,
    /// Prices instead of drawn ones: a CSV table with the columns start, end and price_per_mwh
    #[arg(long, value_name = "FILE")]
    price_file: Option<String>,
    /// The currency of the prices in --price-file [default: EUR]
    #[arg(long)]
    currency: Option<String>,
    /// CO2 intensities instead of drawn ones: a CSV table with the columns start, end and
    /// intensity_g_per_kwh
    #[arg(long, value_name = "FILE")]
    co2_file: Option<String>,
    /// Power caps instead of drawn ones: a CSV table with the columns start, end and cap_w
    #[arg(long, value_name = "FILE")]
    power_cap_file: Option<String>,
    /// Price forecasts to plan by: the columns of --price-file and issued_at
    #[arg(long, value_name = "FILE")]
    price_forecast_file: Option<String>,
    /// CO2 forecasts to plan by: the columns of --co2-file and issued_at
    #[arg(long, value_name = "FILE")]
    co2_forecast_file: Option<String>,
    /// Play although given prices, CO2 intensities or power caps do not cover what requests could use:
    /// such requests are placed where there are values, or not served, and the summary says how many
    /// are covered (covered_share)
    #[arg(long)]
    allow_uncovered: bool,
    /// Where results are written: summary.json, runs.csv, requests.csv, curves.csv, report.html and
    /// timing.json. What is finished is kept when interrupted, and the same command goes on from it. A folder, or a store by
    /// S3 as s3://BUCKET/PREFIX, which the variables of AWS in the environment say how to reach
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the results that are in --out
    #[arg(long, requires = "out")]
    pub force: bool,
    #[command(flatten)]
    pub part: PartArguments,
    #[command(flatten)]
    pub engine: EngineArguments,
    /// Threads to play on [default: all cores]
    #[arg(long)]
    pub threads: Option<std::num::NonZeroUsize>,
    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

impl MonthCommand {
    /// The experiment, with what the command line says before what the file says.
    pub fn experiment(&self) -> Result<Experiment, Failure> {
        let (mut experiment, settings) = match self {
            Self::Sesames(settings) => (Experiment::default(), settings),
            Self::Experiment { file, settings } => (read(file)?, settings),
        };
        settings.go_before(&mut experiment);
        Ok(experiment)
    }

    /// The experiment file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Sesames(_) => None,
            Self::Experiment { file, .. } => Some(file),
        }
    }

    pub const fn settings(&self) -> &Settings {
        match self {
            Self::Sesames(settings) | Self::Experiment { settings, .. } => settings,
        }
    }
}

impl Settings {
    fn go_before(&self, experiment: &mut Experiment) {
        let whole = |value: Option<u32>| value.map(Value::from);
        // What is no number in documents is refused there by name.
        let real = |value: Option<f64>| {
            value.map(|value| Number::from_f64(value).map_or(Value::Null, Value::Number))
        };
        let text = |value: &Option<String>| value.clone().map(Value::from);
        let named = [
            ("nodes", whole(self.nodes)),
            ("requests", whole(self.requests)),
            ("runs", whole(self.runs)),
            ("days", whole(self.days)),
            ("slot_s", whole(self.slot_s)),
            ("max_delay_h", real(self.max_delay_h)),
            ("cap_mean_percent", real(self.cap_mean_percent)),
            ("cap_standard_deviation_percent", real(self.cap_standard_deviation_percent)),
            ("seed", self.seed.map(Value::from)),
            ("start", text(&self.start)),
            ("requests_file", text(&self.requests_file)),
            ("swf_file", text(&self.swf_file)),
            ("nodes_file", text(&self.nodes_file)),
            ("price_file", text(&self.price_file)),
            ("currency", text(&self.currency)),
            ("co2_file", text(&self.co2_file)),
            ("power_cap_file", text(&self.power_cap_file)),
            ("price_forecast_file", text(&self.price_forecast_file)),
            ("co2_forecast_file", text(&self.co2_forecast_file)),
            ("allow_uncovered", self.allow_uncovered.then_some(Value::Bool(true))),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                experiment.vary.shift_remove(name);
                experiment.set(name, value);
            }
        }
        for (name, value) in &self.set {
            experiment.vary.shift_remove(name.as_str());
            experiment.set(name, value_of(value));
        }
        for (name, values) in &self.vary {
            let values = values.split(',').map(value_of).collect();
            experiment.vary.insert(name.clone(), Value::Array(values));
        }
        if let Some(policies) = &self.policies {
            experiment.policies.clone_from(policies);
        }
    }
}

/// Reads an experiment; its paths are made relative to where the command runs.
fn read(file: &Path) -> Result<Experiment, Failure> {
    let place = file.display();
    let bad = |error: String| Failure::BadInput(vec![error]);
    let text = std::fs::read_to_string(file)
        .map_err(|error| bad(format!("cannot read {place}: {error}")))?;
    let json = file.extension().is_some_and(|extension| extension == "json");
    let mut experiment: Experiment = if json {
        serde_json::from_str(&text).map_err(|error| bad(format!("{place}: {error}")))?
    } else {
        toml::from_str(&text).map_err(|error| bad(format!("{place}: {error}")))?
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    let beside = |value: &mut Value| {
        if let Some(path) = value.as_str() {
            *value = Value::from(folder.join(path).to_string_lossy());
        }
    };
    let paths = |(name, _): &(&String, &mut Value)| name.ends_with("_file");
    for (_, value) in experiment.files.iter_mut().filter(paths) {
        beside(value);
    }
    for (_, values) in experiment.vary.iter_mut().filter(paths) {
        values.as_array_mut().into_iter().flatten().for_each(beside);
    }
    Ok(experiment)
}
