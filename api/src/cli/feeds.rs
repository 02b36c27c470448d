//! `wattbook feeds`: try the configured sources, back-fill what they said, judge forecasts and sources.

mod agreement;
mod backtest;
mod disagreements;

use anyhow::{Context, anyhow, bail};
use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use grid_feeds::feed::{FeedError, Revision};
use grid_feeds::http::Http;
use planner::time::{Seconds, Span, Timestamp};
use serde::Serialize;

use super::Failure;
use super::back_fill::{ask_role, back_fill};
use crate::config::feeds::Source;
use crate::config::{Overrides, Settings};
use crate::service::Services;
use crate::service::feeds::{PARTLY_READ, class};

/// Arguments of `wattbook feeds`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Try the sources of the settings once and say in words what is wrong; nothing is kept
    Check {
        /// Only these sources, by id
        ids: Vec<String>,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Back-fill: ask sources for a span of the past and keep their answers, in parts as long as each supplier permits
    Fetch {
        /// From this instant, RFC 3339, or the beginning of this day, UTC
        #[arg(long, value_parser = instant)]
        from: Timestamp,
        /// To this instant, RFC 3339, or the beginning of this day, UTC
        #[arg(long, value_parser = instant)]
        to: Timestamp,
        /// Only these sources, by id
        ids: Vec<String>,
        /// Make the database, or its tables, where there are none yet
        #[arg(long)]
        create_database: bool,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Say how good forecasts would have been, beside the simplest rules: of a series in a file, or over the last weeks that
    /// are kept
    Backtest(Box<backtest::Arguments>),
    /// Say where sources of one quantity disagree now, and whose value is taken
    Disagreements(disagreements::Arguments),
    /// Say which source of a quantity was right: by what each had said when the time came, and what came true
    Agreement(agreement::Arguments),
}

/// An instant, or the first one of a day such as 2026-03-01.
fn instant(text: &str) -> Result<Timestamp, String> {
    let day = Timestamp::parse(&format!("{text}T00:00:00Z"));
    day.or_else(|_| Timestamp::parse(text)).map_err(|error| error.to_string())
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    super::block_on(async {
        match &arguments.command {
            Command::Check { ids, overrides } => {
                check(&Settings::load_for_feeds(overrides)?, ids).await
            }
            Command::Fetch { from, to, ids, create_database, overrides } => {
                let span = Span::new(*from, *to);
                let span = span.ok_or_else(|| usage("--to must be after --from"))?;
                let settings = Settings::load_for_feeds(overrides)?;
                let database = super::open_or_make(&settings.database, *create_database).await?;
                Ok(fetch(Services::new(settings, database), span, ids).await?)
            }
            Command::Backtest(arguments) => backtest::run(arguments).await,
            Command::Disagreements(arguments) => disagreements::run(arguments).await,
            Command::Agreement(arguments) => agreement::run(arguments).await,
        }
    })
}

/// Rows as CSV, with a head.
fn csv_of(rows: &[impl Serialize]) -> anyhow::Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    for row in rows {
        table.serialize(row)?;
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}

fn usage(message: &str) -> Failure {
    Failure::BadInput(vec![message.to_owned()])
}

/// The sources of these ids; all without any.
fn chosen<'a>(settings: &'a Settings, ids: &[String]) -> anyhow::Result<Vec<&'a Source>> {
    let feeds = &settings.feeds;
    if feeds.sources.is_empty() {
        bail!("the settings have no [[feeds]]; see docs/FEEDS.md");
    }
    if ids.is_empty() {
        return Ok(feeds.sources.iter().collect());
    }
    let find = |id: &String| feeds.source(id).with_context(|| format!("there is no feed {id:?}"));
    ids.iter().map(find).collect()
}

/// A row for each source; fails where any does.
async fn check(settings: &Settings, ids: &[String]) -> Result<(), Failure> {
    let now = settings.clock.now();
    let day = Seconds::new(86_400);
    let window = Span::new(now - day, now + day + day).context("the clock is out of range")?;
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["feed", "quantity", "result", "in words"]);
    let mut failed = 0_usize;
    for source in chosen(settings, ids)? {
        let (result, words) = match ask(source, window, now).await {
            Ok(Some(revision)) => match revision.doubt.told() {
                None => ("ok", told(&revision)),
                Some(doubt) => {
                    failed += 1;
                    (PARTLY_READ, format!("{}; {doubt}", told(&revision)))
                }
            },
            Ok(None) => ("ok", "nothing new".to_owned()),
            Err(error) => {
                // What is not published yet is nothing that anybody could mend.
                failed += usize::from(!matches!(error, FeedError::NotPublished { .. }));
                (class(&error), error.to_string())
            }
        };
        table.add_row([&source.id, source.quantity.word(), result, &words]);
    }
    super::print(table)?;
    match failed {
        0 => Ok(()),
        1 => Err(anyhow!("one source failed").into()),
        count => Err(anyhow!("{count} sources failed").into()),
    }
}

async fn ask(source: &Source, window: Span, now: Timestamp) -> Result<Option<Revision>, FeedError> {
    let http = Http::new(source.timeouts)?;
    let role = source.provider.connect(&source.id, source.quantity, &http)?;
    ask_role(&role, window, now).await
}

fn told(revision: &Revision) -> String {
    let series = &revision.series;
    let count = series.agenda.pieces().len();
    let span = series.span().map_or_else(|| "no values".to_owned(), |span| span.to_string());
    let notes = match series.notes.as_slice() {
        [] => String::new(),
        notes => format!("; {}", notes.join("; ")),
    };
    format!("{} of {}: {count} values, {span}{notes}", series.kind, revision.zone)
}

/// Fetches a span of each source, part by part, and keeps what is said.
async fn fetch(services: Services, span: Span, ids: &[String]) -> anyhow::Result<()> {
    let mut missing = Vec::new();
    for source in chosen(&services.shared.settings, ids)? {
        missing.extend(back_fill(&services, source, span).await?);
    }
    services.close().await;
    match missing.as_slice() {
        [] => Ok(()),
        missing => bail!(
            "{} parts are missing:\n  {}\nGive the same command again: what is kept is not asked for again.",
            missing.len(),
            missing.join("\n  ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight() {
        assert_eq!(instant("2026-03-01"), instant("2026-03-01T00:00:00Z"));
        assert!(instant("2026-03").is_err());
    }
}
