//! `wattbook feeds backtest`: how good forecasts would have been, of a series in a file or of what the service keeps.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use grid_feeds::feed::{Accounting, Factors, Kind, Quantity};
use grid_feeds::forecast::{
    Backtest, BacktestOptions, ForecastInput, HorizonReport, KnownFrom, Model, TestedForecast,
    ValuesAhead, backtest,
};
use grid_feeds::table;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use serde::Serialize;

use super::{csv_of, instant, usage};
use crate::cli::Failure;
use crate::cli::plan::read_text;
use crate::config::feeds::AgendaRules;
use crate::config::{Overrides, Settings};
use crate::service::Services;
use crate::service::feeds::past_inputs;

const DAY: Seconds = Seconds::new(86_400);

/// A series in a file is learnt from its beginning: this is beyond all that there are.
const ALL_WEEKS: usize = 5200;

/// Why there is no result.
const NOTHING_TESTED: &str = "nothing can be tested in this span; two weeks of values before a forecast are needed, and what came after it";

/// Hours beyond which nothing is forecast: two weeks.
const FURTHEST_H: u16 = 336;

/// Arguments of `wattbook feeds backtest`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A series in CSV, its time in the column `start` or else the first one, in UTC where it has no offset; without it, what
    /// the service keeps is tested, by its settings. `-` is standard input
    #[arg(long, requires = "quantity")]
    series: Option<PathBuf>,
    /// The column of the series that has the values, where there are several
    #[arg(long, requires = "series")]
    column: Option<String>,
    /// The clock by which days of the series begin
    #[arg(long, default_value = "UTC", requires = "series")]
    time_zone: String,
    /// Whose public holidays count, such as france; none unless given
    #[arg(long, requires = "series")]
    holidays: Option<String>,
    /// A series that forecasts know ahead of time, such as load or temperature: a file in CSV, and after a colon the column of the
    /// values, where there are several. May be repeated
    #[arg(long, value_name = "FILE[:COLUMN]", requires = "series")]
    input: Vec<String>,
    /// Values of inputs are known so many hours before they hold
    #[arg(long, default_value_t = 24, requires = "input")]
    input_ahead_h: u16,
    /// What the values are: price, co2 or power-cap; without a series, only the agenda of this quantity
    #[arg(long)]
    quantity: Option<String>,
    /// Forecast from each day from this instant on, RFC 3339, or from the beginning of this day, UTC; what comes before is
    /// learnt from
    #[arg(long, value_parser = instant)]
    from: Option<Timestamp>,
    /// To this instant, or to the beginning of this day
    #[arg(long, value_parser = instant)]
    to: Option<Timestamp>,
    /// Hours ahead: 24 tests the first day, 72 the third
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=i64::from(FURTHEST_H)))]
    horizon_h: Vec<u16>,
    /// Test each hour ahead by itself, all of them up to the furthest
    #[arg(long)]
    by_hour: bool,
    /// Days ahead, where no hours are named
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=i64::from(FURTHEST_H / 24)))]
    days: u16,
    /// From so many past days, where no instant is named and no series
    #[arg(long, default_value_t = 28)]
    origins: u16,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
    /// Write every forecast that was tested to this file, in CSV: `made_at,start,end,value,p10,p90`
    #[arg(long)]
    out: Option<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
}

/// How a table is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// In columns, for people
    Table,
    /// A list of objects
    Json,
    /// Comma-separated, with a header
    Csv,
}

/// A row of the result.
#[derive(Serialize)]
struct HorizonRow {
    horizon_h: usize,
    mae: f64,
    mae_yesterday: f64,
    mae_last_week: f64,
    mae_mean_of_both: f64,
    rmse: f64,
    skill: f64,
    coverage_80: f64,
    width_80: f64,
    samples: usize,
}

/// A row of `--out`.
#[derive(Serialize)]
struct ForecastRow {
    made_at: Timestamp,
    start: Timestamp,
    end: Timestamp,
    value: f64,
    p10: f64,
    p90: f64,
}

pub async fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.series {
        Some(path) => of_series(arguments, path),
        None => of_settings(arguments).await,
    }
}

impl Arguments {
    fn options(&self, kind: Kind, span: Span) -> BacktestOptions {
        let days = (1..=usize::from(self.days)).map(|day| 24 * day);
        let named: Vec<usize> = self.horizon_h.iter().map(|&hours| hours.into()).collect();
        let horizons_h = if named.is_empty() { days.collect() } else { named };
        let lists_forecasts = self.out.is_some();
        BacktestOptions { kind, span, horizons_h, by_hour: self.by_hour, lists_forecasts }
    }

    /// The series that are known ahead of time.
    fn inputs(&self) -> Result<Vec<ForecastInput>, Failure> {
        self.input.iter().map(|named| input(named, self.input_ahead_h)).collect()
    }

    /// The quantity, if one is named.
    fn quantity(&self) -> Result<Option<Quantity>, Failure> {
        let Some(word) = &self.quantity else { return Ok(None) };
        let all = [Quantity::Price, Quantity::Co2, Quantity::PowerCap];
        let quantity = all.into_iter().find(|it| it.word() == word);
        let unknown = || usage(&format!("--quantity {word}: is price, co2 or power-cap"));
        quantity.map(Some).ok_or_else(unknown)
    }
}

/// A series that is known so many hours ahead: `FILE` or `FILE:COLUMN`.
fn input(named: &str, ahead_h: u16) -> Result<ForecastInput, Failure> {
    let whole = (named, None);
    let (path, column) = match named.rsplit_once(':') {
        Some((path, column)) if !Path::new(named).exists() => (path, Some(column)),
        _ => whole,
    };
    let text = read_text(Path::new(path)).map_err(|error| usage(&error))?;
    let values = table::series(&text, column).map_err(|errors| {
        Failure::BadInput(errors.iter().map(|it| format!("{path}: {it}")).collect())
    })?;
    let known = KnownFrom::Before(Seconds::new(3600 * i64::from(ahead_h)));
    Ok(ForecastInput { name: named.into(), values: vec![ValuesAhead { known, values }] })
}

/// The kind matters only for what values can be.
fn kind(quantity: Quantity, currency: Currency) -> Kind {
    match quantity {
        Quantity::Price => Kind::Price { currency },
        Quantity::Co2 => Kind::Co2 { accounting: Accounting::Average, factors: Factors::Lifecycle },
        Quantity::PowerCap => Kind::PowerCap,
    }
}

fn of_series(arguments: &Arguments, path: &Path) -> Result<(), Failure> {
    let quantity = arguments.quantity()?.ok_or_else(|| usage("--series needs --quantity"))?;
    let text = read_text(path).map_err(|error| usage(&error))?;
    let of_file = |error: String| format!("{}: {error}", path.display());
    let history = table::series(&text, arguments.column.as_deref()).map_err(|errors| {
        Failure::BadInput(errors.iter().map(|it| of_file(it.to_string())).collect())
    })?;
    let (Some(first), Some(last)) = (history.pieces().first(), history.pieces().last()) else {
        return Err(usage(&of_file("has no value".to_owned())));
    };
    let model = Model::new(&arguments.time_zone, table::usual_length(&history), ALL_WEEKS);
    let model = model.map_err(|error| usage(&of_file(error.to_string())))?;
    let holidays = arguments.holidays.as_deref().unwrap_or("none");
    let model = model.with_holidays(holidays);
    let model = model.map_err(|error| usage(&format!("--holidays: {error}")))?;
    let inputs = arguments.inputs()?;
    let start = arguments.from.unwrap_or_else(|| model.day_start(first.span.start()));
    let end = arguments.to.unwrap_or(last.span.end());
    let options = arguments.options(kind(quantity, Currency::EUR), span_of(arguments, start, end)?);
    show(arguments, &backtest(&model, &history, &inputs, &options), inputs.len())
}

/// The span in which forecasts are made.
fn span_of(arguments: &Arguments, start: Timestamp, end: Timestamp) -> Result<Span, Failure> {
    let whole = arguments.from.is_none() && arguments.to.is_none();
    let error = if whole { NOTHING_TESTED } else { "--to must be after --from" };
    Span::new(start, end).ok_or_else(|| usage(error))
}

/// A table for each agenda that is forecast.
async fn of_settings(arguments: &Arguments) -> Result<(), Failure> {
    let named = arguments.quantity()?;
    let settings = Settings::load_for_feeds(&arguments.overrides)?;
    let database = crate::cli::open_or_make(&settings.database, false).await?;
    let services = Services::new(settings, database);
    let of_name = |rules: &&AgendaRules| named.is_none_or(|it| rules.quantity == it);
    let agendas = &services.shared.settings.feeds.agendas;
    let forecast = |rules: &AgendaRules| Some((rules.clone(), rules.forecast.clone()?));
    let models: Vec<(AgendaRules, Model)> =
        agendas.iter().filter(of_name).filter_map(forecast).collect();
    let is_for_people = arguments.format == TableFormat::Table && arguments.out.is_none();
    match models.as_slice() {
        [] => return Err(usage("no agenda of the settings has a forecast; see docs/FEEDS.md")),
        [_, _, ..] if !is_for_people => {
            return Err(usage("several agendas have forecasts: name one with --quantity"));
        }
        _ => {}
    }
    for (rules, model) in models {
        let word = rules.quantity.word();
        let Some(found) = of_agenda(arguments, &services, &rules, &model).await? else {
            let nothing =
                format!("{word}: nothing is kept yet; `wattbook feeds fetch` keeps the past");
            if is_for_people {
                crate::cli::print(nothing)?;
                continue;
            }
            return Err(usage(&nothing));
        };
        if is_for_people {
            crate::cli::print(format!("{word}: from {} past days", found.origins))?;
        }
        show(arguments, &found, rules.inputs.len())?;
    }
    services.close().await;
    Ok(())
}

/// From the last days of what is kept, unless the span is named; `None` where nothing is kept.
async fn of_agenda(
    arguments: &Arguments,
    services: &Services,
    rules: &AgendaRules,
    model: &Model,
) -> Result<Option<Backtest>, Failure> {
    let now = services.shared.now();
    let from = |end: Timestamp| {
        let origins = Seconds::new(DAY.get() * i64::from(arguments.origins));
        arguments.from.unwrap_or(end - origins)
    };
    let tested = usize::try_from((now - from(now)).get().max(0) / DAY.get()).unwrap_or(0);
    let history = services.feeds.past_values(rules, now, model.history_days() + tested).await?;
    let Some(history) = history else { return Ok(None) };
    let Some(end) = history.pieces().last().map(|it| it.span.end()) else { return Ok(None) };
    let span = span_of(arguments, from(end), arguments.to.unwrap_or(end))?;
    let kind = kind(rules.quantity, services.shared.settings.currency);
    let whole = history.pieces().first().and_then(|it| Span::new(it.span.start(), end));
    let (inputs, missing) = past_inputs(rules, whole.unwrap_or(span), now).await;
    for message in missing {
        crate::cli::tell(message);
    }
    Ok(Some(backtest(model, &history, &inputs, &arguments.options(kind, span))))
}

fn show(arguments: &Arguments, found: &Backtest, inputs: usize) -> Result<(), Failure> {
    if found.horizons.is_empty() {
        return Err(usage(NOTHING_TESTED));
    }
    if inputs > 0 && arguments.format == TableFormat::Table {
        let (by_inputs, all) =
            (found.by_inputs, found.horizons.iter().map(|it| it.samples).sum::<usize>());
        crate::cli::print(format!(
            "{by_inputs} of {all} values were forecast by inputs, the others without"
        ))?;
    }
    Ok(show_found(arguments, found)?)
}

fn show_found(arguments: &Arguments, found: &Backtest) -> anyhow::Result<()> {
    if let Some(path) = &arguments.out {
        let rows: Vec<ForecastRow> =
            found.forecasts.iter().copied().map(ForecastRow::from).collect();
        fs::write(path, csv_of(&rows)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let rows: Vec<HorizonRow> = found.horizons.iter().map(HorizonRow::from).collect();
    match arguments.format {
        TableFormat::Json => crate::cli::print(serde_json::to_string_pretty(&rows)?),
        TableFormat::Csv => crate::cli::print(csv_of(&rows)?.trim_end()),
        TableFormat::Table => crate::cli::print(table_of(&found.horizons)),
    }
}

fn table_of(horizons: &[HorizonReport]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "hours ahead",
        "values",
        "mean error",
        "as yesterday",
        "as last week",
        "mean of both",
        "rmse",
        "bias",
        "skill",
        "inside",
        "band",
    ]);
    for report in horizons {
        let number = |value: f64| format!("{value:.2}");
        table.add_row([
            report.horizon_h.to_string(),
            report.samples.to_string(),
            number(report.mae),
            number(report.mae_yesterday),
            number(report.mae_last_week),
            number(report.mae_mean_of_both),
            number(report.rmse),
            format!("{:+.2}", report.bias),
            format!("{:.1} %", report.skill() * 100.0),
            format!("{:.0} %", report.coverage_80 * 100.0),
            number(report.width_80),
        ]);
    }
    table
}

/// To the millionth, as values are kept.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

impl From<&HorizonReport> for HorizonRow {
    fn from(report: &HorizonReport) -> Self {
        Self {
            horizon_h: report.horizon_h,
            mae: rounded(report.mae),
            mae_yesterday: rounded(report.mae_yesterday),
            mae_last_week: rounded(report.mae_last_week),
            mae_mean_of_both: rounded(report.mae_mean_of_both),
            rmse: rounded(report.rmse),
            skill: rounded(report.skill()),
            coverage_80: rounded(report.coverage_80),
            width_80: rounded(report.width_80),
            samples: report.samples,
        }
    }
}

impl From<TestedForecast> for ForecastRow {
    fn from(forecast: TestedForecast) -> Self {
        Self {
            made_at: forecast.made_at,
            start: forecast.span.start(),
            end: forecast.span.end(),
            value: rounded(forecast.value),
            p10: rounded(forecast.p10),
            p90: rounded(forecast.p90),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_a_file_and_perhaps_a_column() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("both:here.csv").display().to_string();
        std::fs::write(&path, "start,load,wind\n2026-03-01T00:00:00Z,51000,4000\n").unwrap();
        let first = |named: &str| {
            let input = input(named, 24).ok()?;
            Some(input.values[0].values.pieces()[0].value)
        };
        assert_eq!(first(&format!("{path}:load")), Some(51_000_000_000));
        assert_eq!(first(&format!("{path}:wind")), Some(4_000_000_000));
        assert_eq!(first(&path), None, "which column?");
        assert_eq!(first(&format!("{path}:sun")), None);
    }
}
