//! `wattbook power log`: what was decided and done about the power of nodes.

use jiff::{Timestamp, Zoned};
use serde_json::Value;

use super::answers::{PowerLogAnswer, PowerLogEntryAnswer, log, read};
use super::list::PAGE;
use crate::cli::booking::answers;
use crate::cli::booking::server::{Connection, Server};
use crate::cli::booking::time::instant;
use crate::cli::{Failure, ListFormat, block_on, print, tell};

/// Arguments of `wattbook power log`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only of this node
    #[arg(long)]
    node: Option<String>,
    /// Only from then on: today, 2026-11-22, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT")]
    from: Option<String>,
    /// Only before this
    #[arg(long, value_name = "INSTANT")]
    to: Option<String>,
    /// The most entries to list; the newest are listed
    #[arg(long, default_value_t = 100, value_name = "COUNT")]
    limit: usize,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

/// A query of the API.
type Query = Vec<(&'static str, String)>;

/// Lists what was decided and done, the newest first.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let query = narrowed(arguments, &answers::now()?).map_err(Failure::BadInput)?;
    block_on(async {
        let server = arguments.connection.open()?;
        let (items, more) = newest(&server, &query, arguments.limit).await?;
        match arguments.format {
            ListFormat::Json => print(serde_json::to_string_pretty(&items)?)?,
            ListFormat::Table if items.is_empty() => tell("nothing of that is in the log"),
            ListFormat::Table => print(log(&items)?)?,
        }
        if more {
            tell(format_args!(
                "These are the newest {}; there are more. --limit shows more of them, --node, --from and --to \
                 narrow them.",
                items.len()
            ));
        }
        Ok(())
    })
}

/// The newest entries that are meant, at most so many, and whether there are more.
async fn newest(
    server: &Server,
    narrowed: &[(&'static str, String)],
    limit: usize,
) -> Result<(Vec<Value>, bool), Failure> {
    let (mut items, mut before): (Vec<Value>, Option<i64>) = (Vec::new(), None);
    loop {
        // One more than is listed tells whether there are more.
        let wanted = (limit - items.len()).saturating_add(1).min(PAGE);
        let mut query = narrowed.to_vec();
        query.extend(before.map(|id| ("before", id.to_string())));
        query.push(("limit", wanted.to_string()));
        let page: PowerLogAnswer = server.get_with("power-actions/log", &query).await?;
        let is_last = page.entries.len() < wanted;
        before = page.entries.last().map(read::<PowerLogEntryAnswer>).transpose()?.map(|it| it.id);
        items.extend(page.entries);
        if is_last || items.len() > limit {
            let more = items.len() > limit;
            items.truncate(limit);
            return Ok((items, more));
        }
    }
}

/// The query of the API that lists the entries of these arguments.
///
/// # Errors
/// Each argument that cannot be read, by its name.
fn narrowed(arguments: &Arguments, now: &Zoned) -> Result<Query, Vec<String>> {
    let mut errors = Vec::new();
    let mut at = |argument: &str, text: &Option<String>| {
        let read = text.as_deref().map(|text| instant(text, now)).transpose();
        let read = read.map_err(|error| errors.push(format!("--{argument}: {error}")));
        let whole = |it: Timestamp| Timestamp::from_second(it.as_second()).unwrap_or(it);
        read.ok().flatten().map(|it| whole(it).to_string())
    };
    let (from, to) = (at("from", &arguments.from), at("to", &arguments.to));
    if !errors.is_empty() {
        return Err(errors);
    }
    let all = [("node", arguments.node.clone()), ("from", from), ("to", to)];
    Ok(all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn query(line: &str) -> Result<Query, Vec<String>> {
        let now = "2026-11-21T15:30:10+01:00[Europe/Paris]".parse().unwrap();
        narrowed(&Line::try_parse_from(line.split_whitespace()).unwrap().arguments, &now)
    }

    #[test]
    fn instants_are_local_and_told_in_utc() {
        assert_eq!(query("log"), Ok(vec![]));
        let expected =
            [("node", "n1"), ("from", "2026-11-20T23:00:00Z"), ("to", "2026-11-21T07:00:00Z")];
        let found = query("log --node n1 --from today --to 2026-11-21T08:00");
        assert_eq!(found, Ok(expected.map(|(name, it)| (name, it.to_owned())).to_vec()));
    }

    #[test]
    fn each_argument_that_cannot_be_read_is_named() {
        let errors = query("log --from soon --to late").unwrap_err();
        let [from, to] = &errors[..] else { panic!("{errors:?}") };
        assert!(from.starts_with("--from: \"soon\" is not an instant"), "{from}");
        assert!(to.starts_with("--to: \"late\" is not an instant"), "{to}");
    }
}
