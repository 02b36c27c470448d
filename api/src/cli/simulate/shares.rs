//! `wattbook simulate shares`: what users gain and lose by drawing less or more, where shares decide.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use planner::time::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use simulator::sharing::{
    SHARING_COLUMNS, SharedRequest, SharingCell, SharingEffect, SharingMeasure, SharingParameters,
    SharingStudy, csv_rows,
};

use super::output::file;
use super::values::{named, value_of};
use crate::cli::batch::files;
use crate::cli::{Failure, out};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// Every effect, with a header
    Csv,
    /// Everything
    Json,
}

/// What goes before the defaults.
#[derive(clap::Args)]
pub struct ShareStudy {
    /// Users u1, u2, ..., with the same share each [default: 20]
    #[arg(long, value_name = "N")]
    users: Option<u32>,
    /// By how much of what others draw a user draws, such as u7=0.7; may be repeated [default: u7=0.7
    /// and u14=1.3]
    #[arg(long = "user-energy-factor", value_name = "USER=FACTOR", value_parser = named)]
    user_energy_factors: Vec<(String, String)>,
    /// Months, each with its own draws [default: 200]
    #[arg(long, value_name = "K")]
    runs: Option<u32>,
    /// Length of the month [default: 30]
    #[arg(long)]
    days: Option<u32>,
    /// What all draws derive from [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Dampings to compare, separated by commas [default: 0.5,1,2,4]
    #[arg(long, value_delimiter = ',', value_name = "D,..")]
    damping: Vec<f64>,
    /// Half-lives to compare, days, separated by commas [default: 1,7,30]
    #[arg(long, value_delimiter = ',', value_name = "DAYS,..")]
    half_life_d: Vec<u32>,
    /// Any parameter of docs/SHARES.md by its name; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = named)]
    set: Vec<(String, String)>,
    /// Requests to play instead of drawn ones: a CSV table with the columns user, nodes, duration_s,
    /// earliest_start, latest_start, and optionally sent (else earliest_start) and priority. Names of users
    /// are those of --user-energy-factor; whole hours are played
    #[arg(long, value_name = "FILE")]
    requests_file: Option<PathBuf>,
    /// Where study.json, effects.csv and report.txt are written
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the results that are in --out
    #[arg(long, requires = "out")]
    force: bool,
    /// How the results are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// Plays the study and tells what it found.
pub fn run(arguments: &ShareStudy) -> Result<(), Failure> {
    let mut parameters = arguments.parameters()?;
    if let Some(folder) = &arguments.out {
        out::ready(&folder.into(), arguments.force)?;
    }
    let given = match &arguments.requests_file {
        Some(path) => Some(requests(path, &mut parameters)?),
        None => None,
    };
    let listed = |errors: Vec<simulator::sharing::SharingError>| {
        Failure::BadInput(errors.iter().map(ToString::to_string).collect())
    };
    let study = SharingStudy::play(parameters, given.as_deref()).map_err(listed)?;
    let csv = csv(&study)?;
    if let Some(folder) = &arguments.out {
        write(folder, &study, &csv)?;
    }
    match arguments.format {
        Format::Table => crate::cli::print(report(&study).trim_end())?,
        Format::Csv => crate::cli::print(csv.trim_end())?,
        Format::Json => crate::cli::print(serde_json::to_string_pretty(&study)?)?,
    }
    if let Some(folder) = &arguments.out {
        out::tell_written(&folder.into());
    }
    Ok(())
}

impl ShareStudy {
    fn parameters(&self) -> Result<SharingParameters, Failure> {
        let mut said = Map::new();
        let whole = |value: Option<u32>| value.map(Value::from);
        let list = |empty: bool, value: Value| (!empty).then_some(value);
        for (name, value) in [
            ("users", whole(self.users)),
            ("runs", whole(self.runs)),
            ("days", whole(self.days)),
            ("seed", self.seed.map(Value::from)),
            ("dampings", list(self.damping.is_empty(), json!(self.damping))),
            ("half_lives_d", list(self.half_life_d.is_empty(), json!(self.half_life_d))),
        ] {
            said.extend(value.map(|value| (name.to_owned(), value)));
        }
        if !self.user_energy_factors.is_empty() {
            let factors = self.user_energy_factors.iter();
            let factors: Map<String, Value> =
                factors.map(|(name, value)| (name.clone(), value_of(value))).collect();
            said.insert("user_energy_factors".to_owned(), factors.into());
        }
        said.extend(self.set.iter().map(|(name, value)| (name.clone(), value_of(value))));
        let read = SharingParameters::deserialize(Value::Object(said));
        read.map_err(|error| Failure::BadInput(vec![error.to_string()]))
    }
}

/// A line of the table of requests.
#[derive(Deserialize)]
struct RequestLine {
    user: String,
    nodes: u32,
    duration_s: u32,
    earliest_start: String,
    latest_start: String,
    sent: Option<String>,
    priority: Option<i64>,
}

/// The requests of a file. Its users, the first is `u1`, take the place of the parameters' names.
fn requests(
    path: &Path,
    parameters: &mut SharingParameters,
) -> Result<Vec<SharedRequest>, Failure> {
    let bad = |error: String| Failure::BadInput(vec![format!("{}: {error}", path.display())]);
    let text = files::text(path).map_err(|error| bad(error.to_string()))?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let lines: Result<Vec<RequestLine>, _> = reader.deserialize().collect();
    let lines = lines.map_err(|error| bad(error.to_string()))?;
    let mut users: Vec<&str> = lines.iter().map(|it| it.user.as_str()).collect();
    users.sort_unstable();
    users.dedup();
    let factors = std::mem::take(&mut parameters.user_energy_factors);
    for (name, factor) in factors {
        let Some(at) = users.iter().position(|it| *it == name) else {
            return Err(bad(format!("has no request of {name}; --user-energy-factor names one")));
        };
        parameters.user_energy_factors.insert(format!("u{}", at + 1), factor);
    }
    parameters.users = u32::try_from(users.len()).unwrap_or(u32::MAX);
    let request = |(number, it): (usize, &RequestLine)| {
        let wrong = |problem: &str| bad(format!("request {}: {problem}", number + 1));
        let hour = |text: &str| {
            let at = Timestamp::parse(text).map_err(|error| wrong(&error.to_string()))?;
            let since = (at - parameters.start).get().max(-1);
            u32::try_from(since.div_euclid(3600)).map_err(|_| {
                wrong(&format!(
                    "{text} lies before {}; --set start=... says another",
                    parameters.start
                ))
            })
        };
        let wished = hour(&it.earliest_start)?;
        let user = users.binary_search(&it.user.as_str());
        Ok(SharedRequest {
            user: user.map_err(|_| wrong("has no user"))?,
            sent: it.sent.as_deref().map_or(Ok(wished), &hour)?,
            wished,
            last: hour(&it.latest_start)?,
            nodes: it.nodes,
            hours: it.duration_s.div_ceil(3600),
            draw_w: 0.0,
            priority: it.priority.unwrap_or(0),
        })
    };
    lines.iter().enumerate().map(request).collect()
}

fn csv(study: &SharingStudy) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(SHARING_COLUMNS)?;
    for row in csv_rows(study) {
        writer.write_record(row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn write(folder: &Path, study: &SharingStudy, csv: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    std::fs::create_dir_all(folder)?;
    let json = serde_json::to_string_pretty(study)?;
    for (name, text) in
        [("study.json", json.as_str()), ("effects.csv", csv), ("report.txt", &report(study))]
    {
        file(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// What was played and what it showed, for people.
fn report(study: &SharingStudy) -> String {
    let it = &study.parameters;
    let mut text = format!(
        "{} users, {} nodes of {} W at most under {} % of their power, lowered {} times to {} %; {} months of {} days \
         (seed {}).\nEach month is played twice, with all drawing alike and as said; below is what the second differs by, and \
         half of the 95 % confidence interval of that.\n\n",
        it.users,
        it.nodes,
        it.node_max_w,
        it.cap_percent,
        it.lowerings,
        it.lowered_percent,
        it.runs,
        it.days,
        it.seed,
    );
    _ = writeln!(text, "{}", table(&study.cells));
    text
}

fn table(cells: &[SharingCell]) -> Table {
    let mut table = Table::new();
    let mut head = ["HALF_LIFE_D", "DAMPING", "USER", "DRAWS"].map(str::to_owned).to_vec();
    head.extend(SharingMeasure::ALL.map(|it| it.word().to_uppercase()));
    table.load_style(NOTHING).set_header(head);
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for cell in cells {
        for user in &cell.users {
            let mut row = vec![
                cell.half_life_d.to_string(),
                cell.damping.to_string(),
                user.user.clone(),
                format!("{} %", 100.0 * user.energy_factor),
            ];
            row.extend(user.effects.iter().map(change));
            table.add_row(row);
        }
    }
    table
}

/// The change and half of its interval.
fn change(it: &SharingEffect) -> String {
    let SharingEffect { change, half_width, .. } = *it;
    match it.measure {
        SharingMeasure::RefusedShare => {
            format!("{:+.2} ± {:.2} %", 100.0 * change, 100.0 * half_width)
        }
        SharingMeasure::Factor => format!("{change:+.4} ± {half_width:.4}"),
        SharingMeasure::EnergyKwh => format!("{change:+.0} ± {half_width:.0}"),
        SharingMeasure::DelayH | SharingMeasure::GaveWay | SharingMeasure::Cost => {
            format!("{change:+.2} ± {half_width:.2}")
        }
    }
}
