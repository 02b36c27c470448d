//! `wattbook feeds disagreements`: where sources disagree now, as whoever composes the agendas found it.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use grid_feeds::agreement::SourceValue;
use planner::decimal::format_millionths;

use crate::cli::Failure;
use crate::config::{Overrides, Settings};
use crate::service::Services;

/// Arguments of `wattbook feeds disagreements`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    overrides: Overrides,
}

pub async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::load_for_feeds(&arguments.overrides)?;
    let database = crate::cli::open_or_make(&settings.database, false).await?;
    let services = Services::new(settings, database);
    let all = services.feeds.disagreements().await.map_err(anyhow::Error::from)?;
    services.close().await;
    if all.is_empty() {
        let nothing = "no quantity has several sources in the settings, so that nothing is compared; see docs/FEEDS.md";
        crate::cli::print(nothing)?;
        return Ok(());
    }
    for agreement in all {
        let word = agreement.quantity.word();
        let Some(since) = agreement.since else {
            crate::cli::print(format!("{word}: the sources agree"))?;
            continue;
        };
        crate::cli::print(format!("{word}: told since {since}"))?;
        let mut table = Table::new();
        table.load_style(NOTHING).set_header(["span", "furthest apart", "values", "taken"]);
        for it in &agreement.found {
            let values: Vec<String> = it.values.iter().map(told).collect();
            let taken = it.taken.as_ref().map_or("nothing".to_owned(), told);
            let (span, widest) = (it.span.to_string(), it.widest.to_string());
            table.add_row([span, widest, values.join(", "), taken]);
        }
        crate::cli::print(table)?;
    }
    Ok(())
}

/// The value, and whose it is.
fn told(said: &SourceValue) -> String {
    let value = format_millionths(said.value);
    let source = if said.source.is_empty() { "the site" } else { &*said.source };
    format!("{source} {value}")
}
