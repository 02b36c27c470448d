//! `wattbook webhook`: who is told events, and how far, from the database of the settings.

use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;

use super::{Failure, ListFormat};
use crate::config::{Overrides, Settings};
use crate::http::v1::webhooks::WebhookDocument;
use crate::service::webhooks::WebhookStatus;

/// Arguments of `wattbook webhook`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the webhooks of the settings with their state
    List {
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        overrides: Overrides,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Command::List { format, overrides } = &arguments.command;
    super::block_on(async { Ok(list(*format, overrides).await?) })
}

async fn list(format: ListFormat, overrides: &Overrides) -> anyhow::Result<()> {
    let webhooks = Settings::webhooks_to_list(overrides)?;
    let database = super::open(overrides).await?;
    let states = database.webhooks().await?;
    database.close().await;
    let document = |settings| WebhookDocument::from(WebhookStatus::of(settings, &states));
    let documents: Vec<WebhookDocument> = webhooks.iter().map(document).collect();
    if let ListFormat::Json = format {
        return super::print(serde_json::to_string_pretty(&documents)?);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "STATUS", "TOLD", "GIVEN UP", "NEXT", "ERROR"]);
    for it in documents {
        table.add_row([
            it.id,
            it.status.to_owned(),
            it.delivered.to_string(),
            it.given_up.to_string(),
            it.next_attempt_at.map(|at| at.to_string()).unwrap_or_default(),
            it.last_error.map(|error| error.detail).unwrap_or_default(),
        ]);
    }
    super::print(table)
}
