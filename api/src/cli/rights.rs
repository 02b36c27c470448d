//! `wattbook rights`: what one may do, by the API of a service.

use clap::ValueEnum;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde_json::Value;

use super::booking::server::Connection;
use super::{Failure, block_on, print};
use crate::http::v1::rights::{RightDocument, RightsDocument};

/// The columns, in their order.
const COLUMNS: [&str; 7] = ["action", "may", "whose", "roles", "rules", "what", "routes"];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// The rights, with a header
    Csv,
    /// The API's answer
    Json,
}

/// Arguments of `wattbook rights`.
#[derive(clap::Args)]
pub struct Arguments {
    /// For operators: the rights of this user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

/// Prints what somebody may do, and the rules that concern them.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let query: Vec<_> = arguments.user.iter().map(|user| ("user", user.clone())).collect();
    let answer: Value = block_on(async { server.get_with("rights", &query).await })?;
    if arguments.format == Format::Json {
        return Ok(print(serde_json::to_string_pretty(&answer)?)?);
    }
    let rights: RightsDocument = serde_json::from_value(answer)?;
    if arguments.format == Format::Csv {
        return Ok(print(csv(&rights.rights)?.trim_end())?);
    }
    print(table(&rights.rights))?;
    if !rights.rules.is_empty() {
        print("Rules of this site ([[rights]]):")?;
    }
    for it in &rights.rules {
        print(format_args!("{}: {}", it.number, it.rule))?;
    }
    Ok(())
}

fn numbers(right: &RightDocument) -> String {
    right.rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn csv(rights: &[RightDocument]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for it in rights {
        writer.write_record([
            &it.action,
            &it.may,
            &it.whose,
            &it.roles.join(" "),
            &numbers(it),
            &it.what,
            &it.routes.join("; "),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn table(rights: &[RightDocument]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ACTION", "MAY", "WHOSE", "RULES", "WHAT"]);
    for it in rights {
        table.add_row([&it.action, &it.may, &it.whose, &numbers(it), &it.what]);
    }
    table
}
