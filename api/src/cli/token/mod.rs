//! `wattbook token`: who may call the service.

mod own_tokens;

use anyhow::Context;
use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::node::{NAME_RULE, is_name};
use planner::reservation::Role;
use planner::rights::Action;
use planner::time::{Seconds, Timestamp};
use storage::{ApiToken, Database, RenewalOutcome, TokenId};
use uuid::Uuid;

use super::Failure;
use super::audit::CommandRecord;
use super::booking::time::seconds;
use crate::clock::Clock;
use crate::config::{Overrides, Settings};
use crate::service::tokens::SecretToken;

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
        /// Let it end by itself after so long, such as 90d; it counts until it is revoked otherwise
        #[arg(long, value_name = "LENGTH", value_parser = seconds)]
        expires_in: Option<i64>,
        /// Let it do these actions alone, of those that its role may, such as metrics.read (`wattbook rights` lists them)
        #[arg(long, value_name = "ACTION", value_delimiter = ',', value_parser = action)]
        only: Vec<Action>,
        /// Make the database, or its tables, where there are none yet
        #[arg(long)]
        create_database: bool,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Make a token in place of another, with its owner, role and actions, and print it, this once
    Renew {
        /// The id of the other one, as listed
        id: Uuid,
        /// Let the new one end by itself after so long [default: as long as the other one had]
        #[arg(long, value_name = "LENGTH", value_parser = seconds)]
        expires_in: Option<i64>,
        /// How long the other one counts beside it, so that nothing is refused until all have the new one
        #[arg(long, value_name = "LENGTH", default_value = "24h", value_parser = seconds)]
        overlap: i64,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Tokens of one's own, by the API of a service
    Own(own_tokens::Arguments),
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
    if let Command::Own(own) = &arguments.command {
        return own_tokens::run(own);
    }
    super::block_on(async {
        match &arguments.command {
            Command::Create { owner, role, expires_in, only, create_database, overrides } => {
                let url = Settings::database(overrides)?;
                let database = super::open_or_make(&url, *create_database).await?;
                create(owner, *role, expires_in.map(Seconds::new), only, database).await?;
            }
            Command::Renew { id, expires_in, overlap, overrides } => {
                let database = super::open(overrides).await?;
                let id = TokenId::new(*id);
                let (expires_in, overlap) = (expires_in.map(Seconds::new), Seconds::new(*overlap));
                renew(id, expires_in, overlap, database).await?;
            }
            Command::Own(_) => {}
            Command::List { overrides } => list(overrides).await?,
            Command::Revoke { id, overrides } => revoke(*id, overrides).await?,
        }
        Ok(())
    })
}

async fn create(
    owner: &str,
    role: Role,
    expires_in: Option<Seconds>,
    only: &[Action],
    database: Database,
) -> anyhow::Result<()> {
    note_wider(role, only);
    let only = (!only.is_empty()).then(|| only.to_vec());
    let now = Clock::default().now();
    let made = SecretToken::new(owner.to_owned(), role, expires_in, only, now)?;
    database.create_token(&made.token).await?;
    given(made, "token.create", &database).await
}

/// Notes what a token is to be for that by default its role may not.
fn note_wider(role: Role, only: &[Action]) {
    if let Some(action) = only.iter().find(|it| !it.roles().contains(&role)) {
        super::tell(format_args!(
            "note: by default {} is not for the role {}; a rule of the site may give it",
            action.word(),
            role.word()
        ));
    }
}

/// Records that a token was made, and prints it.
async fn given(made: SecretToken, action: &'static str, database: &Database) -> anyhow::Result<()> {
    let SecretToken { secret, token } = made;
    let ApiToken { id, owner, role, .. } = &token;
    let made = CommandRecord { action, object: format!("tokens/{id}"), owner, outcome: "done" };
    made.write(database).await?;
    super::tell(format_args!("token {id} for {owner} ({}); it is not shown again:", role.word()));
    super::print(secret)?;
    database.close().await;
    Ok(())
}

async fn renew(
    id: TokenId,
    expires_in: Option<Seconds>,
    overlap: Seconds,
    database: Database,
) -> anyhow::Result<()> {
    let none = || format!("there is no valid token {id}");
    let tokens = database.list_tokens().await?;
    let old = tokens.iter().find(|it| it.id == id).with_context(none)?;
    note_wider(old.role, old.actions.as_deref().unwrap_or_default());
    let made = SecretToken::succeeding(old, expires_in, Clock::default().now())?;
    let ends = made.token.created + overlap;
    let renewed = database.renew_token(id, ends, &made.token, None).await?;
    (renewed == RenewalOutcome::Stored).then_some(()).with_context(none)?;
    let ends = old.expires.map_or(ends, |before| before.min(ends));
    super::tell(format_args!("token {id} ends at {ends}"));
    given(made, "token.renew", &database).await
}

async fn list(overrides: &Overrides) -> anyhow::Result<()> {
    let database = super::open(overrides).await?;
    let mut table = Table::new();
    let header = ["ID", "OWNER", "ROLE", "CREATED", "USED", "EXPIRES", "REVOKED", "ONLY"];
    table.load_style(NOTHING).set_header(header);
    let shown = |instant: Option<Timestamp>| instant.map_or("-".to_owned(), |it| it.to_string());
    for token in database.list_tokens().await? {
        table.add_row([
            token.id.to_string(),
            token.owner,
            token.role.word().to_owned(),
            token.created.to_string(),
            shown(token.used),
            shown(token.expires),
            shown(token.revoked),
            words(token.actions.as_deref()),
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

/// The actions that a token is for.
fn words(actions: Option<&[Action]>) -> String {
    let words = |actions: &[Action]| actions.iter().map(|it| it.word()).collect::<Vec<_>>();
    actions.map_or("-".to_owned(), |actions| words(actions).join(" "))
}

fn action(text: &str) -> Result<Action, String> {
    Action::from_word(text)
        .ok_or_else(|| format!("{text:?} is no action; `wattbook rights` lists them"))
}

fn owner(text: &str) -> Result<String, String> {
    is_name(text).then(|| text.to_owned()).ok_or_else(|| NAME_RULE.to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    Role::from_word(text).ok_or_else(|| "must be user, operator or supplier".to_owned())
}
