//! `wattbook share`: how users and projects stand by what they used, by the API of a service.

use std::fmt::Write as _;

use clap::ValueEnum;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use planner::json::standing::AdviceDocument;
use serde_json::Value;

use super::booking::answers::local_text;
use super::booking::server::Connection;
use super::{Failure, block_on, print, tell};
use crate::http::v1::shares::SharesDocument;

/// The columns, in their order.
const COLUMNS: [&str; 7] = [
    "account",
    "parent",
    "share",
    "usage_node_seconds",
    "usage_energy_j",
    "normalised_usage",
    "factor",
];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// The accounts, with a header
    Csv,
    /// Commands for `sacctmgr --immediate` that give each account and user a fairshare by share and factor
    Slurm,
    /// The API's answer
    Json,
}

/// Arguments of `wattbook share`.
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

/// Prints how accounts stand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let answer: Value = block_on(async { server.get("shares").await })?;
    if arguments.format == Format::Json {
        return Ok(print(serde_json::to_string_pretty(&answer)?)?);
    }
    let shares: SharesDocument = serde_json::from_value(answer)?;
    match arguments.format {
        Format::Csv => return Ok(print(csv(&shares)?.trim_end())?),
        Format::Slurm => return Ok(print(slurm(&shares).trim_end())?),
        Format::Table | Format::Json => {}
    }
    print(table(&shares))?;
    let days = shares.half_life_s as f64 / 86_400.0;
    print(format_args!(
        "{} counts, half as much after {days} days. The higher the factor, the better one stands{}",
        match shares.counts.as_str() {
            "energy" => "Energy",
            "cost" => "What energy costs",
            "co2" => "CO2",
            _ => "The time of nodes",
        },
        if shares.decides { "." } else { "; nothing is decided by it here." }
    ))?;
    match &shares.stated_to {
        Some(to) => {
            print(format_args!("Usage is known to {to}; after it what is planned counts."))?;
        }
        None => print("No hour is stated yet; what is planned counts.")?,
    }
    for it in shares.accounts.iter().filter(|it| it.is_user) {
        for AdviceDocument { detail, .. } in &it.advice {
            print(format_args!("{}: {}", it.account, local_text(detail)))?;
        }
    }
    Ok(())
}

fn csv(shares: &SharesDocument) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for it in &shares.accounts {
        writer.write_record([
            it.account.clone(),
            it.parent.clone(),
            it.share.to_string(),
            it.usage_node_seconds.to_string(),
            it.usage_energy_j.to_string(),
            it.normalised_usage.to_string(),
            it.factor.to_string(),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The part of everything that a fairshare of 1 in Slurm stands for.
const FAIRSHARE_UNIT: f64 = 1e-4;

/// Commands for `sacctmgr --immediate`, which reads them from standard input: for each account and user the fairshare that
/// it is given, times its factor. Names that Slurm would take apart are left out, and told.
fn slurm(shares: &SharesDocument) -> String {
    let is_word = |name: &str| {
        name.chars().all(|it| it.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&it))
    };
    let mut commands = String::new();
    for it in &shares.accounts {
        let (name, parent) = (&it.account, &it.parent);
        if !is_word(name) || !is_word(parent) || (it.is_user && parent.is_empty()) {
            tell(format_args!("left out, since Slurm has no such account: {name:?} of {parent:?}"));
            continue;
        }
        let fairshare = (it.share * it.factor / FAIRSHARE_UNIT).round().max(1.0);
        let what = if it.is_user {
            format!("user where name={name} account={parent}")
        } else {
            format!("account where name={name}")
        };
        _ = writeln!(commands, "modify {what} set fairshare={fairshare}");
    }
    commands
}

/// For people: node-hours, kWh and per cent.
fn table(shares: &SharesDocument) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "ACCOUNT",
        "PARENT",
        "SHARE",
        "NODE_HOURS",
        "ENERGY_KWH",
        "USAGE",
        "FACTOR",
    ]);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for it in &shares.accounts {
        table.add_row([
            it.account.clone(),
            it.parent.clone(),
            format!("{:.1} %", 100.0 * it.share),
            format!("{:.1}", it.usage_node_seconds / 3600.0),
            format!("{:.3}", it.usage_energy_j / 3.6e6),
            format!("{:.3} %", 100.0 * it.normalised_usage),
            format!("{:.4}", it.factor),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::v1::shares::ShareDocument;

    /// The ocean has a quarter of everything and a factor of a half: 0.25 x 0.5 / 0.0001 = 1250. Ada has half of it:
    /// 0.125 x 0.968 / 0.0001 = 1210.
    #[test]
    fn slurm_is_told_shares_times_factors_of_names_that_it_takes_whole() {
        let account = |account: &str, parent: &str, is_user, share, factor| ShareDocument {
            account: account.to_owned(),
            parent: parent.to_owned(),
            is_user,
            share,
            usage_node_seconds: 0.0,
            usage_energy_j: 0.0,
            usage_cost: 0.0,
            usage_co2_g: 0.0,
            normalised_usage: 0.0,
            factor,
            until_half: None,
            advice: Vec::new(),
        };
        let shares = SharesDocument {
            counts: "energy".to_owned(),
            currency: "EUR".to_owned(),
            half_life_s: 604_800,
            damping: 1.0,
            decides: true,
            stated_to: None,
            accounts: vec![
                account("eve", "", true, 0.25, 1.0),
                account("ocean", "", false, 0.25, 0.5),
                account("ada", "ocean", true, 0.125, 0.968),
                account("x set fairshare=9", "ocean", true, 0.125, 1.0),
                account("tiny", "", false, 0.000_001, 0.1),
            ],
        };
        assert_eq!(
            slurm(&shares),
            "modify account where name=ocean set fairshare=1250\n\
             modify user where name=ada account=ocean set fairshare=1210\n\
             modify account where name=tiny set fairshare=1\n"
        );
    }
}
