//! `wattbook token own`: tokens of who asks, by the API of a service.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::rights::Action;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::action;
use crate::cli::booking::server::{Connection, Server};
use crate::cli::booking::time::seconds;
use crate::cli::{Failure, block_on, print, tell};
use crate::http::v1::tokens::{ApiTokenDocument, ApiTokenWithSecret, ApiTokensPage};

/// Arguments of `wattbook token own`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Make a token of one's own and print it, this once
    Create {
        /// Let it end after so long, such as 30d [default: 90d, or until the token ends with which this is asked]
        #[arg(long, value_name = "LENGTH", value_parser = seconds)]
        expires_in: Option<i64>,
        /// Let it do these actions alone, of those that the token may with which this is asked
        #[arg(long, value_name = "ACTION", value_delimiter = ',', value_parser = action)]
        only: Vec<Action>,
        #[command(flatten)]
        connection: Connection,
    },
    /// Make a token in place of another and print it, this once
    Renew {
        /// The id of the other one, as listed [default: the one with which this is asked]
        id: Option<Uuid>,
        /// Let the new one end after so long [default: as long as the other one had, or until the token ends with which
        /// this is asked, where that is not the other one]
        #[arg(long, value_name = "LENGTH", value_parser = seconds)]
        expires_in: Option<i64>,
        /// How long the other one counts beside it [default: 24h]
        #[arg(long, value_name = "LENGTH", value_parser = seconds)]
        overlap: Option<i64>,
        #[command(flatten)]
        connection: Connection,
    },
    /// List one's tokens, without their secrets; of operators everybody's
    List {
        /// Those that are revoked or have ended, too
        #[arg(long)]
        ended: bool,
        #[command(flatten)]
        connection: Connection,
    },
    /// Make a token invalid from now on
    Revoke {
        /// Its id, as listed
        id: Uuid,
        #[command(flatten)]
        connection: Connection,
    },
}

/// Asks the service.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    block_on(async {
        match &arguments.command {
            Command::Create { expires_in, only, connection } => {
                let words: Vec<&str> = only.iter().map(|it| it.word()).collect();
                let actions = (!words.is_empty()).then(|| json!(words));
                let length = expires_in.map(Value::from);
                let body = said([("expires_in_s", length), ("actions", actions)]);
                given(connection.open()?.post("tokens", body).await?)
            }
            Command::Renew { id, expires_in, overlap, connection } => {
                let server = connection.open()?;
                let id = match id {
                    Some(id) => *id,
                    None => current(&server).await?,
                };
                let [length, overlap] = [expires_in, overlap].map(|it| it.map(Value::from));
                let body = said([("expires_in_s", length), ("overlap_s", overlap)]);
                given(server.post(&format!("tokens/{id}/renew"), body).await?)
            }
            Command::List { ended, connection } => list(&connection.open()?, *ended).await,
            Command::Revoke { id, connection } => {
                let path = format!("tokens/{id}");
                let revoked: ApiTokenDocument = connection.open()?.delete(&path).await?;
                let (id, owner) = (revoked.id, revoked.owner);
                tell(format_args!("the token {id} of {owner} counts no more"));
                Ok(())
            }
        }
    })
}

/// The members of a body that are said.
fn said<const N: usize>(members: [(&str, Option<Value>); N]) -> Map<String, Value> {
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn given(made: ApiTokenWithSecret) -> Result<(), Failure> {
    let ApiTokenDocument { id, owner, role, expires_at, .. } = made.token;
    let until = expires_at.map_or(String::new(), |end| format!(", until {end}"));
    tell(format_args!("token {id} for {owner} ({role}){until}; it is not shown again:"));
    Ok(print(made.secret)?)
}

/// All tokens of a list, page by page.
async fn all(server: &Server, ended: bool) -> Result<Vec<ApiTokenDocument>, Failure> {
    let mut query = vec![("ended", ended.to_string())];
    let mut all = Vec::new();
    loop {
        let page: ApiTokensPage = server.get_with("tokens", &query).await?;
        all.extend(page.items);
        let Some(next) = page.next_cursor else { return Ok(all) };
        query.truncate(1);
        query.push(("cursor", next.to_string()));
    }
}

async fn current(server: &Server) -> Result<Uuid, Failure> {
    let found = all(server, false).await?.into_iter().find(|token| token.current);
    let none =
        || Failure::Conflict("this is not asked with an API token; name the token".to_owned());
    found.map(|token| token.id).ok_or_else(none)
}

async fn list(server: &Server, ended: bool) -> Result<(), Failure> {
    let mut table = Table::new();
    let header = ["ID", "OWNER", "ROLE", "STATE", "CREATED", "USED", "EXPIRES", "ONLY"];
    table.load_style(NOTHING).set_header(header);
    let shown = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for token in all(server, ended).await? {
        table.add_row([
            token.id.to_string(),
            token.owner,
            token.role,
            token.state,
            token.created_at,
            shown(token.last_used_at),
            shown(token.expires_at),
            shown(token.actions.map(|actions| actions.join(" "))),
        ]);
    }
    Ok(print(table)?)
}
