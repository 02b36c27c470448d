//! `wattbook user`: who signs in at an issuer, whom the site lets in no more, and what is kept of people.

mod data;

use anyhow::Context;
use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::time::Timestamp;
use storage::Database;

use super::Failure;
use super::audit::CommandRecord;
use crate::clock::Clock;
use crate::config::Overrides;

/// Arguments of `wattbook user`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List everybody who ever signed in
    List {
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Refuse the access tokens that somebody has by now; the issuer may give them others
    SignOut(Named),
    /// Refuse all tokens of somebody, API tokens too, whenever they sign in
    Block(Named),
    /// Let somebody in again who is blocked
    Unblock(Named),
    /// Write what is kept of somebody's bookings as JSON: who they are at issuers, tokens, reservations, sums of the ledger,
    /// audit records; without mail address, webhook, calendar, projects and simulations
    Export(Named),
    /// Put a pseudonym in place of somebody's name wherever it is kept, and revoke their tokens; for good
    Erase(Named),
}

#[derive(clap::Args)]
struct Named {
    /// The user, as listed
    name: String,
    #[command(flatten)]
    overrides: Overrides,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    super::block_on(async {
        match &arguments.command {
            Command::List { overrides } => list(overrides).await?,
            Command::SignOut(named) => sign_out(named).await?,
            Command::Block(named) => block(named, true).await?,
            Command::Unblock(named) => block(named, false).await?,
            Command::Export(named) => data::export(named).await?,
            Command::Erase(named) => data::erase(named).await?,
        }
        Ok(())
    })
}

async fn list(overrides: &Overrides) -> anyhow::Result<()> {
    let database = super::open(overrides).await?;
    let instant = |at: Option<Timestamp>| at.map(|it| it.to_string()).unwrap_or_default();
    let mut table = Table::new();
    let header = ["NAME", "ISSUER", "SUBJECT", "FIRST SEEN", "SIGNED OUT", "BLOCKED"];
    table.load_style(NOTHING).set_header(header);
    for person in database.people().await? {
        table.add_row([
            person.name,
            person.issuer,
            person.subject,
            person.first_seen.to_string(),
            instant(person.tokens_from),
            instant(person.blocked),
        ]);
    }
    super::print(table)?;
    database.close().await;
    Ok(())
}

/// Tokens say to the second when they were issued: one of this second may have been before, and is refused, too.
async fn sign_out(named: &Named) -> anyhow::Result<()> {
    let database = super::open(&named.overrides).await?;
    let from = Timestamp::from_unix_seconds(Clock::default().now().as_unix_seconds() + 1);
    let known = database.end_sessions(&named.name, from).await?;
    record(&database, "user.sign_out", &named.name, known).await?;
    database.close().await;
    is_somebody(known, &named.name)
}

async fn block(named: &Named, is_blocked: bool) -> anyhow::Result<()> {
    let database = super::open(&named.overrides).await?;
    let now = Clock::default().now();
    let known = database.block_person(&named.name, is_blocked, now).await?;
    let action = if is_blocked { "user.block" } else { "user.unblock" };
    record(&database, action, &named.name, known).await?;
    database.close().await;
    is_somebody(known, &named.name)
}

async fn record(
    database: &Database,
    action: &'static str,
    name: &str,
    known: bool,
) -> anyhow::Result<()> {
    let outcome = if known { "done" } else { "not_found" };
    let done = CommandRecord { action, object: format!("users/{name}"), owner: name, outcome };
    done.write(database).await
}

fn is_somebody(known: bool, name: &str) -> anyhow::Result<()> {
    known.then_some(()).with_context(|| {
        format!("nobody has signed in as {name:?}; `wattbook user list` lists who has")
    })
}
