//! `wattbook feeds agreement`: which source of a quantity was right, by the revisions that the service keeps.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use grid_feeds::agreement::AgreementReport;
use planner::time::{Seconds, Span, Timestamp};
use storage::Quantity;

use super::backtest::TableFormat;
use super::{csv_of, instant, usage};
use crate::cli::Failure;
use crate::config::{Overrides, Settings};
use crate::http::v1::agendas::agreement::SourceRecordDocument;
use crate::service::Services;
use crate::service::feeds::LONGEST_JUDGED;

const HOUR_S: i64 = 3600;

/// Arguments of `wattbook feeds agreement`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Whose sources are judged: price, co2 or power-cap
    #[arg(long, value_parser = quantity)]
    quantity: Quantity,
    /// From this instant, RFC 3339, or the beginning of this day, UTC; a week before --to unless given
    #[arg(long, value_parser = instant)]
    from: Option<Timestamp>,
    /// To this instant, or to the beginning of this day, at most 62 days after --from; now unless given
    #[arg(long, value_parser = instant)]
    to: Option<Timestamp>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
    #[command(flatten)]
    overrides: Overrides,
}

fn quantity(text: &str) -> Result<Quantity, String> {
    match text {
        "price" => Ok(Quantity::Price),
        "co2" => Ok(Quantity::Co2),
        "power-cap" => Ok(Quantity::PowerCap),
        _ => Err("is price, co2 or power-cap".to_owned()),
    }
}

pub async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::load_for_feeds(&arguments.overrides)?;
    let to = arguments.to.unwrap_or_else(|| settings.clock.now());
    let week = Seconds::new(7 * 86_400);
    let from = arguments.from.unwrap_or_else(|| (to - week).max(Timestamp::MIN));
    let span = Span::new(from, to).ok_or_else(|| usage("--to must be after --from"))?;
    if span.length() > LONGEST_JUDGED {
        return Err(usage("--to must be at most 62 days after --from"));
    }
    let database = crate::cli::open_or_make(&settings.database, false).await?;
    let services = Services::new(settings, database);
    let report = services.feeds.agreement(arguments.quantity, span).await;
    let report = report.map_err(anyhow::Error::from)?;
    services.close().await;
    let word = arguments.quantity.word();
    let report = report.ok_or_else(|| {
        usage(&format!("the settings have no [[feeds]] of {word}; see docs/FEEDS.md"))
    })?;
    Ok(show(arguments, report)?)
}

fn show(arguments: &Arguments, report: AgreementReport) -> anyhow::Result<()> {
    let (span, judged) = (report.span, hours(report.judged));
    let (count, apart) = (report.disagreements, hours(report.apart));
    let sources = report.sources.into_iter();
    let rows: Vec<SourceRecordDocument> = sources.map(SourceRecordDocument::from).collect();
    match arguments.format {
        TableFormat::Json => crate::cli::print(serde_json::to_string_pretty(&rows)?),
        TableFormat::Csv => crate::cli::print(csv_of(&rows)?.trim_end()),
        TableFormat::Table => {
            crate::cli::print(format!(
                "{span}: {judged} h judged; {count} disagreements over {apart} h"
            ))?;
            crate::cli::print(table_of(&rows))
        }
    }
}

fn table_of(rows: &[SourceRecordDocument]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "source",
        "hours judged",
        "of these itself true",
        "mean error",
        "bias",
        "disagreements",
        "nearest",
        "mean error in them",
        "usual ratio",
    ]);
    for row in rows {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |it| format!("{it:.2}"));
        table.add_row([
            row.source.clone(),
            hours(Seconds::new(row.judged_s)),
            hours(Seconds::new(row.referee_s)),
            number(row.mae),
            row.bias.map_or("-".to_owned(), |it| format!("{it:+.2}")),
            row.disagreements.to_string(),
            row.nearest.to_string(),
            number(row.mae_apart),
            number(row.usual_ratio),
        ]);
    }
    table
}

/// In tenths of an hour.
fn hours(length: Seconds) -> String {
    let tenths = length.get() * 10 / HOUR_S;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_told_in_tenths_of_an_hour() {
        assert_eq!(hours(Seconds::new(5400)), "1.5");
        assert_eq!(hours(Seconds::new(359)), "0.0");
        assert_eq!(hours(Seconds::new(36_360)), "10.1");
    }

    #[test]
    fn a_quantity_is_named_as_in_the_settings() {
        assert_eq!(quantity("power-cap"), Ok(Quantity::PowerCap));
        assert!(quantity("power_cap").is_err());
    }
}
