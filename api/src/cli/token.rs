//! `wattbook token`: who may call the service.

use anyhow::{Context, anyhow};
use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::node::{NAME_RULE, is_name};
use planner::reservation::Role;
use storage::{ApiToken, Database, TokenId};
use uuid::Uuid;

use super::Failure;
use super::audit::CommandRecord;
use crate::clock::Clock;
use crate::config::{Overrides, Settings};
use crate::service::shared::digest;

/// Arguments of `wattbook token`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a token and print it, this once
    Create {
        /// The user whose reservations are made with it
        #[arg(long, value_parser = owner)]
        owner: String,
        /// user, operator or supplier
        #[arg(long, value_parser = role)]
        role: Role,
        /// Make the database, or its tables, where there are none yet
        #[arg(long)]
        create_database: bool,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// List tokens, without their secrets
    List {
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Make a token invalid from now on
    Revoke {
        /// Its id, as listed
        id: Uuid,
        #[command(flatten)]
        overrides: Overrides,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    super::block_on(async {
        match &arguments.command {
            Command::Create { owner, role, create_database, overrides } => {
                let url = Settings::database(overrides)?;
                let database = super::open_or_make(&url, *create_database).await?;
                create(owner, *role, database).await?;
            }
            Command::List { overrides } => list(overrides).await?,
            Command::Revoke { id, overrides } => revoke(*id, overrides).await?,
        }
        Ok(())
    })
}

async fn create(owner: &str, role: Role, database: Database) -> anyhow::Result<()> {
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret).map_err(|error| anyhow!("no randomness: {error}"))?;
    let secret = format!("wattbook_{}", hex::encode(secret));
    let token = ApiToken {
        id: TokenId::new(Uuid::now_v7()),
        owner: owner.to_owned(),
        role,
        digest: digest(&secret),
        created: Clock::default().now(),
        revoked: None,
    };
    database.create_token(&token).await?;
    let made = CommandRecord {
        action: "token.create",
        object: format!("tokens/{}", token.id),
        owner,
        outcome: "done",
    };
    made.write(&database).await?;
    super::tell(format_args!(
        "token {} for {owner} ({}); it is not shown again:",
        token.id,
        role.word()
    ));
    super::print(secret)?;
    database.close().await;
    Ok(())
}

async fn list(overrides: &Overrides) -> anyhow::Result<()> {
    let database = super::open(overrides).await?;
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "OWNER", "ROLE", "CREATED", "REVOKED"]);
    for token in database.list_tokens().await? {
        table.add_row([
            token.id.to_string(),
            token.owner,
            token.role.word().to_owned(),
            token.created.to_string(),
            token.revoked.map(|revoked| revoked.to_string()).unwrap_or_default(),
        ]);
    }
    super::print(table)?;
    database.close().await;
    Ok(())
}

async fn revoke(id: Uuid, overrides: &Overrides) -> anyhow::Result<()> {
    let database = super::open(overrides).await?;
    let tokens = database.list_tokens().await?;
    let token = tokens.iter().find(|it| it.id == TokenId::new(id));
    let revoked = database.revoke_token(TokenId::new(id), Clock::default().now()).await?;
    let ended = CommandRecord {
        action: "token.revoke",
        object: format!("tokens/{id}"),
        owner: token.map_or("", |it| &it.owner),
        outcome: if revoked { "done" } else { "not_found" },
    };
    ended.write(&database).await?;
    database.close().await;
    revoked.then_some(()).with_context(|| format!("there is no valid token {id}"))
}

fn owner(text: &str) -> Result<String, String> {
    is_name(text).then(|| text.to_owned()).ok_or_else(|| NAME_RULE.to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    Role::from_word(text).ok_or_else(|| "must be user, operator or supplier".to_owned())
}
