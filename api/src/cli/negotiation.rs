//! `wattbook negotiation`: the dialogue with the supplier, from the database of the settings.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use anyhow::bail;
use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::identity::NegotiationId;
use storage::{NegotiationFilter, NegotiationKind};
use uuid::Uuid;

use super::{Failure, ListFormat};
use crate::clock::Clock;
use crate::config::Overrides;
use crate::http::v1::grants::GrantDocument;
use crate::http::v1::negotiations::document::{MessageDocument, NegotiationDocument};

/// The most that is listed.
const MOST: u16 = 1000;

/// Arguments of `wattbook negotiation`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List negotiations, newest first
    List {
        /// extra_power, planned_consumption, low_consumption, actual_consumption or notice
        #[arg(long, value_parser = kind)]
        kind: Option<NegotiationKind>,
        /// Only those that are open
        #[arg(long)]
        open: bool,
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Show a negotiation, message by message
    Show {
        /// Its id, as listed
        id: Uuid,
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// List extra power that has yet to end
    Grants {
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        overrides: Overrides,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    super::block_on(async {
        match &arguments.command {
            Command::List { kind, open, format, overrides } => {
                let filter = NegotiationFilter { kind: *kind, open: open.then_some(true) };
                list(filter, *format, overrides).await?;
            }
            Command::Show { id, format, overrides } => show(*id, *format, overrides).await?,
            Command::Grants { format, overrides } => grants(*format, overrides).await?,
        }
        Ok(())
    })
}

fn kind(word: &str) -> Result<NegotiationKind, String> {
    NegotiationKind::from_word(word).ok_or_else(|| "is no kind of negotiation".to_owned())
}

/// Says that there may be more than what is shown, where as much is shown as may be.
fn tell_limit(shown: usize, what: &str) {
    if shown >= usize::from(MOST) {
        super::tell(format_args!(
            "note: these are the newest {MOST} {what}; GET /api/v1/negotiations reads all, page by page"
        ));
    }
}

async fn list(
    filter: NegotiationFilter,
    format: ListFormat,
    overrides: &Overrides,
) -> anyhow::Result<()> {
    let database = super::open(overrides).await?;
    let found = database.negotiations(filter, None, MOST).await?;
    database.close().await;
    tell_limit(found.len(), "negotiations");
    let documents: Vec<NegotiationDocument> =
        found.iter().map(NegotiationDocument::of).collect::<Result<_, _>>()?;
    if let ListFormat::Json = format {
        return super::print(serde_json::to_string_pretty(&documents)?);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "KIND", "STATE", "OPENED", "DEADLINE"]);
    for it in documents {
        table.add_row([
            it.id.to_string(),
            it.kind.to_owned(),
            it.outcome.unwrap_or(it.state).to_owned(),
            it.opened_at.to_string(),
            it.deadline.map(|at| at.to_string()).unwrap_or_default(),
        ]);
    }
    super::print(table)
}

async fn show(id: Uuid, format: ListFormat, overrides: &Overrides) -> anyhow::Result<()> {
    let database = super::open(overrides).await?;
    let id = NegotiationId::new(id);
    let Some(found) = database.negotiation(id).await? else {
        bail!("there is no negotiation {id}")
    };
    let messages = database.newest_messages(id, MOST).await?;
    database.close().await;
    tell_limit(messages.len(), "messages of the negotiation");
    let messages: Vec<MessageDocument> =
        messages.iter().map(MessageDocument::of).collect::<Result<_, _>>()?;
    if let ListFormat::Json = format {
        let told = serde_json::json!({
            "negotiation": NegotiationDocument::of(&found)?,
            "messages": messages,
        });
        return super::print(serde_json::to_string_pretty(&told)?);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["SAID", "BY", "KIND", "DELIVERY", "WHAT"]);
    for it in messages {
        let by = if it.direction == "to_supplier" { "site" } else { "supplier" };
        let delivery = match &it.error {
            Some(error) => format!("{}: {error}", it.delivery),
            None => it.delivery.to_owned(),
        };
        let what = it.document.to_string();
        let what: String = what.chars().take(120).collect();
        table.add_row([it.said_at.to_string(), by.to_owned(), it.kind, delivery, what]);
    }
    super::print(table)
}

async fn grants(format: ListFormat, overrides: &Overrides) -> anyhow::Result<()> {
    let database = super::open(overrides).await?;
    let found = database.grants(Clock::default().now()).await?;
    database.close().await;
    let documents: Vec<GrantDocument> = found.iter().map(Into::into).collect();
    if let ListFormat::Json = format {
        return super::print(serde_json::to_string_pretty(&documents)?);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "STANDING", "START", "END", "POWER_W", "FEE"]);
    for it in documents {
        table.add_row([
            it.grant_id.to_string(),
            it.standing.to_owned(),
            it.start.to_string(),
            it.end.to_string(),
            it.power_w.to_string(),
            it.fee.to_string(),
        ]);
    }
    super::print(table)
}
