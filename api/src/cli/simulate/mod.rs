//! `wattbook simulate`: a month of requests played against agendas under policies.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use grid_feeds::table::{self, TableError};
use indicatif::{ProgressBar, ProgressStyle};
use planner::agenda::RateAgenda;
use planner::quantity::Currency;
use planner::time::Timestamp;
use simulator::policy::Policy;
use simulator::sesames::{
    self, Inputs, Measures, Parameters, PolicySummary, SesamesError, Source, Summary, Tariff,
};

use super::Failure;

/// Arguments of `wattbook simulate`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// The evaluation of the SESAMES paper, section VI
    Sesames(Box<SesamesArguments>),
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Table,
    Json,
}

#[derive(clap::Args)]
struct SesamesArguments {
    /// Nodes of the cluster
    #[arg(long, value_name = "N", default_value_t = Parameters::default().nodes)]
    nodes: u32,
    /// Requests in each run
    #[arg(long, value_name = "R", default_value_t = Parameters::default().requests)]
    requests: u32,
    /// Runs, each with its own draws
    #[arg(long, value_name = "K", default_value_t = Parameters::default().runs)]
    runs: u32,
    /// Length of the month
    #[arg(long, default_value_t = Parameters::default().days)]
    days: u32,
    /// Length of a time slot, seconds
    #[arg(long, default_value_t = Parameters::default().slot_s)]
    slot_s: u32,
    /// How much later than its earliest start a request may start, hours
    #[arg(long, value_name = "H", default_value_t = Parameters::default().max_delay_h)]
    max_delay_h: f64,
    /// Mean power cap, per cent of the peak of all nodes
    #[arg(long, default_value_t = Parameters::default().cap_mean_percent)]
    cap_mean_percent: f64,
    /// Standard deviation of the power cap, points of that per cent
    #[arg(long, default_value_t = Parameters::default().cap_standard_deviation_percent)]
    cap_standard_deviation_percent: f64,
    /// Policies, separated by commas: asap_first, asap_least or a ranking such as cost_co2_energy
    #[arg(long, value_delimiter = ',', default_values_t = Policy::SESAMES)]
    policies: Vec<Policy>,
    /// What all draws derive from
    #[arg(long, value_name = "S", default_value_t = Parameters::default().seed)]
    seed: u64,
    /// When the month begins, RFC 3339 [default: 2013-01-01T00:00:00Z]
    #[arg(long, value_parser = Timestamp::parse)]
    start: Option<Timestamp>,
    /// Requests to play instead of drawn ones: a CSV table with the columns nodes, duration_s,
    /// earliest_start, latest_start and optionally utilisation
    #[arg(long, value_name = "FILE")]
    requests_file: Option<PathBuf>,
    /// Nodes instead of drawn ones: a CSV table with the columns name, idle_power_w, max_power_w
    /// and alpha
    #[arg(long, value_name = "FILE")]
    nodes_file: Option<PathBuf>,
    /// Prices instead of drawn ones: a CSV table with the columns start, end and price_per_mwh
    #[arg(long, value_name = "FILE")]
    price_file: Option<PathBuf>,
    /// The currency of the prices in --price-file
    #[arg(long, value_parser = Currency::parse, default_value = "EUR")]
    currency: Currency,
    /// CO2 intensities instead of drawn ones: a CSV table with the columns start, end and
    /// intensity_g_per_kwh
    #[arg(long, value_name = "FILE")]
    co2_file: Option<PathBuf>,
    /// Power caps instead of drawn ones: a CSV table with the columns start, end and cap_w
    #[arg(long, value_name = "FILE")]
    power_cap_file: Option<PathBuf>,
    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Experiment::Sesames(arguments) = &arguments.experiment;
    let (parameters, inputs) = inputs(arguments)?;
    let progress = progress_bar();
    let results = sesames::run(
        &parameters,
        &inputs,
        &arguments.policies,
        &mut |done| {
            progress.set_length(done.to_place);
            progress.set_position(done.placed);
        },
        &|| false,
    );
    progress.finish_and_clear();
    let results = results.map_err(|error| match error {
        SesamesError::Parameters(errors) => bad_input(&errors),
        SesamesError::Inputs(errors) => bad_input(&errors),
        error => bad_input(&[error]),
    })?;
    match arguments.format {
        Format::Json => super::print(serde_json::to_string_pretty(&results.summary)?)?,
        Format::Table => super::print(comparison(&results.summary, arguments.currency))?,
    }
    Ok(())
}

fn inputs(arguments: &SesamesArguments) -> Result<(Parameters, Inputs), Failure> {
    let mut errors = Vec::new();
    let mut inputs = Inputs::default();
    if let Some(nodes) = read(arguments.nodes_file.as_deref(), table::nodes, &mut errors) {
        inputs.nodes = Source::Given(nodes.as_slice().to_vec());
    }
    if let Some(price) = read(arguments.price_file.as_deref(), table::price_agenda, &mut errors) {
        let price = RateAgenda::new(price);
        inputs.tariff = Source::Given(Tariff { currency: arguments.currency, price });
    }
    if let Some(co2) = read(arguments.co2_file.as_deref(), table::co2_agenda, &mut errors) {
        inputs.co2 = Source::Given(RateAgenda::new(co2));
    }
    let cap_file = arguments.power_cap_file.as_deref();
    if let Some(cap) = read(cap_file, table::power_cap_agenda, &mut errors) {
        inputs.power_cap = Source::Given(Some(cap));
    }
    if let Some(requests) = read(arguments.requests_file.as_deref(), table::requests, &mut errors) {
        inputs.requests = Source::Given(requests);
    }
    if !errors.is_empty() {
        return Err(Failure::BadInput(errors));
    }
    let count = |source: usize| u32::try_from(source).unwrap_or(u32::MAX);
    let defaults = Parameters::default();
    let parameters = Parameters {
        nodes: match &inputs.nodes {
            Source::Given(nodes) => count(nodes.len()),
            Source::Drawn => arguments.nodes,
        },
        requests: match &inputs.requests {
            Source::Given(requests) => count(requests.len()),
            Source::Drawn => arguments.requests,
        },
        runs: arguments.runs,
        days: arguments.days,
        slot_s: arguments.slot_s,
        max_delay_h: arguments.max_delay_h,
        cap_mean_percent: arguments.cap_mean_percent,
        cap_standard_deviation_percent: arguments.cap_standard_deviation_percent,
        seed: arguments.seed,
        start: arguments.start.unwrap_or(defaults.start),
        ..defaults
    };
    Ok((parameters, inputs))
}

/// Reads a table, noting its errors with the file's name.
fn read<T>(
    path: Option<&Path>,
    table: impl FnOnce(&str) -> Result<T, Vec<TableError>>,
    errors: &mut Vec<String>,
) -> Option<T> {
    let path = path?;
    let place = path.display();
    match fs::read_to_string(path) {
        Err(error) => errors.push(format!("cannot read {place}: {error}")),
        Ok(text) => match table(&text) {
            Ok(value) => return Some(value),
            Err(found) => errors.extend(found.iter().map(|error| format!("{place}, {error}"))),
        },
    }
    None
}

fn bad_input<E: std::fmt::Display>(errors: &[E]) -> Failure {
    Failure::BadInput(errors.iter().map(E::to_string).collect())
}

fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} requests, {eta} left");
    let bar =
        ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The comparison as people read it: a row for each policy.
fn comparison(summary: &Summary, currency: Currency) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "POLICY".to_owned(),
        "ENERGY kWh".to_owned(),
        format!("COST {currency}"),
        "CO2 kg".to_owned(),
        "LAG min".to_owned(),
        "NO NODES %".to_owned(),
        "NO POWER %".to_owned(),
        "NO AGENDA %".to_owned(),
        "OCCUPANCY %".to_owned(),
        "SAVES energy/cost/CO2 %".to_owned(),
    ]);
    for (policy, measured) in &summary.policies {
        table.add_row(row(&policy.to_string(), measured));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn row(policy: &str, measured: &PolicySummary) -> [String; 10] {
    let number = |value: Option<f64>, unit: f64, decimals: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{:.decimals$}", value / unit))
    };
    let percent = |rate: f64| format!("{:.2}", rate * 100.0);
    let Measures {
        energy_j,
        cost,
        co2_g,
        start_lag_s,
        unsuccessful_nodes,
        unsuccessful_power_cap,
        unsuccessful_agenda_gap,
        occupancy,
    } = measured.means;
    let savings = measured.savings_vs_asap_first.map_or_else(String::new, |saved| {
        [saved.energy_j, saved.cost, saved.co2_g].map(|saved| number(saved, 0.01, 2)).join(" / ")
    });
    [
        policy.to_owned(),
        number(energy_j, 3.6e6, 1),
        number(cost, 1.0, 2),
        number(co2_g, 1e3, 2),
        number(start_lag_s, 60.0, 1),
        percent(unsuccessful_nodes),
        percent(unsuccessful_power_cap),
        percent(unsuccessful_agenda_gap),
        percent(occupancy),
        savings,
    ]
}
