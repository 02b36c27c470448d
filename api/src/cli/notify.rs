//! `wattbook notify`: what one is told by mail and by a webhook, by the API of a service.

use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::booking::server::{Connection, Server};
use super::{Failure, ListFormat, block_on, print, tell};
use crate::http::v1::notifications::NotificationDocument;

/// Arguments of `wattbook notify`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what you are told by mail and by a webhook, and where
    Show {
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        connection: Connection,
    },
    /// Change what you are told by mail and by a webhook; what is not named stays as it is
    Set(Set),
    /// Confirm your address by the code that was sent there
    Confirm {
        /// As it stands in the mail
        code: String,
        #[command(flatten)]
        connection: Connection,
    },
    /// Be told nothing any more, and have your address and your webhook forgotten
    Off {
        #[command(flatten)]
        connection: Connection,
    },
}

#[derive(clap::Args)]
struct Set {
    /// Your mail address; a code is sent there, by which you confirm it
    #[arg(long, value_name = "ADDRESS")]
    address: Option<String>,
    /// What to be told of by mail, separated by commas: offered, confirmed, moved, degraded, `begins_soon`, ended,
    /// `month_report`
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Option<Vec<String>>,
    /// How many minutes before a reservation begins to be told by mail
    #[arg(long, value_name = "MINUTES")]
    begins_soon_min: Option<i64>,
    /// A webhook that is told everything that becomes of your reservations; its secret is shown this once
    #[arg(long, value_name = "URL", conflicts_with = "no_webhook")]
    webhook_url: Option<String>,
    /// Have no webhook any more
    #[arg(long)]
    no_webhook: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Shows or changes what one is told.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Show { format, connection } => {
            let server = connection.open()?;
            block_on(async {
                let document: NotificationDocument = server.get("notifications").await?;
                if let ListFormat::Json = format {
                    return Ok(print(serde_json::to_string_pretty(&document)?)?);
                }
                Ok(show(&document)?)
            })
        }
        Command::Set(wanted) => {
            let server = wanted.connection.open()?;
            block_on(set(&server, wanted))
        }
        Command::Confirm { code, connection } => {
            let server = connection.open()?;
            block_on(async {
                let body = Map::from_iter([("code".to_owned(), json!(code))]);
                let document: NotificationDocument =
                    server.post("notifications/confirm", body).await?;
                Ok(show(&document)?)
            })
        }
        Command::Off { connection } => {
            let server = connection.open()?;
            block_on(async {
                let nothing =
                    [("address", Value::Null), ("kinds", json!([])), ("webhook_url", Value::Null)];
                let nothing = nothing.map(|(name, value)| (name.to_owned(), value));
                let nothing = Map::from_iter(nothing);
                let _: NotificationDocument =
                    server.put("notifications", Value::Object(nothing)).await?;
                tell("you are told nothing any more");
                Ok(())
            })
        }
    }
}

async fn set(server: &Server, wanted: &Set) -> Result<(), Failure> {
    let mut body = Map::new();
    if let Some(address) = &wanted.address {
        body.insert("address".to_owned(), json!(address));
    }
    if let Some(kinds) = &wanted.kinds {
        // `--kinds ""` names none.
        let kinds: Vec<&str> =
            kinds.iter().map(|it| it.trim()).filter(|it| !it.is_empty()).collect();
        body.insert("kinds".to_owned(), json!(kinds));
    }
    if let Some(minutes) = wanted.begins_soon_min {
        body.insert("begins_soon_min".to_owned(), json!(minutes));
    }
    if wanted.no_webhook || wanted.webhook_url.is_some() {
        body.insert("webhook_url".to_owned(), json!(wanted.webhook_url));
    }
    let body = Value::Object(body);
    let document: NotificationDocument = server.put("notifications", body).await?;
    Ok(show(&document)?)
}

/// For people: a line for each thing to know.
fn show(document: &NotificationDocument) -> anyhow::Result<()> {
    if !document.sends_mails {
        tell("this site sends no mails: its settings have no [mail]");
    }
    print(format_args!("address      {}", document.address.as_deref().unwrap_or("none")))?;
    if let Some(pending) = &document.pending_address {
        print(format_args!(
            "to confirm   {pending}: enter the code that was sent there by `wattbook notify confirm CODE`"
        ))?;
    }
    let kinds = document.kinds.join(", ");
    print(format_args!("told of      {}", if kinds.is_empty() { "nothing" } else { &kinds }))?;
    print(format_args!("begins soon  {} minutes before", document.begins_soon_min))?;
    if let (Some(url), Some(status)) = (&document.webhook_url, &document.webhook_status) {
        print(format_args!("webhook      {url} ({status})"))?;
    }
    if let Some(secret) = &document.webhook_secret {
        tell("messages are signed with this secret; it is not shown again:");
        print(secret)?;
    }
    Ok(())
}
