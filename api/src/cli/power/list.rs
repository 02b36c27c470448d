//! `wattbook power list`: power actions, and the nodes that are not switched off for a time.

use serde_json::{Value, json};

use super::answers::{PowerActionAnswer, PowerActionsAnswer, actions, holds, read};
use crate::cli::booking::server::{Connection, Server};
use crate::cli::{Failure, ListFormat, block_on, print, tell};

/// How many of a list are asked for at once.
pub const PAGE: usize = 100;

/// Arguments of `wattbook power list`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only of this node
    #[arg(long)]
    node: Option<String>,
    /// Those that are open, or those that are done, refused or given up
    #[arg(long, default_value = "open", value_parser = ["open", "final"])]
    state: String,
    /// The most power actions to list; the newest are listed
    #[arg(long, default_value_t = 100, value_name = "COUNT")]
    limit: usize,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

/// Lists power actions, the newest first, and holds.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    block_on(async {
        let server = arguments.connection.open()?;
        let (answer, more) = newest(&server, arguments).await?;
        let none = format!("no power actions are {}", arguments.state);
        show(&answer, arguments.format, &none)?;
        if more {
            let count = answer.actions.len();
            tell(format_args!(
                "These are the newest {count}; there are more. --limit shows more of them, --node narrows them."
            ));
        }
        Ok(())
    })
}

/// The newest actions that are meant, at most so many, with the holds; and whether there are more.
async fn newest(
    server: &Server,
    arguments: &Arguments,
) -> Result<(PowerActionsAnswer, bool), Failure> {
    let (mut all, mut before) = (PowerActionsAnswer::default(), None);
    loop {
        // One more than is listed tells whether there are more.
        let wanted = (arguments.limit - all.actions.len()).saturating_add(1).min(PAGE);
        let query = query(arguments, before, wanted);
        let page: PowerActionsAnswer = server.get_with("power-actions", &query).await?;
        let is_last = page.actions.len() < wanted;
        before = page.actions.last().map(read::<PowerActionAnswer>).transpose()?.map(|it| it.id);
        all.actions.extend(page.actions);
        all.holds = page.holds;
        if is_last || all.actions.len() > arguments.limit {
            let more = all.actions.len() > arguments.limit;
            all.actions.truncate(arguments.limit);
            return Ok((all, more));
        }
    }
}

/// The query of the API that lists the actions of these arguments.
fn query(arguments: &Arguments, before: Option<i64>, limit: usize) -> Vec<(&'static str, String)> {
    let all = [
        ("state", Some(arguments.state.clone())),
        ("node", arguments.node.clone()),
        ("before", before.map(|id| id.to_string())),
        ("limit", Some(limit.to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Prints actions and holds; `none` is told where there are neither.
pub fn show(answer: &PowerActionsAnswer, format: ListFormat, none: &str) -> anyhow::Result<()> {
    let PowerActionsAnswer { actions: items, holds: held } = answer;
    if matches!(format, ListFormat::Json) {
        let document: Value = json!({"actions": items, "holds": held});
        return print(serde_json::to_string_pretty(&document)?);
    }
    match (items.is_empty(), held.is_empty()) {
        (true, true) => {
            tell(none);
            Ok(())
        }
        (true, false) => print(holds(held)?),
        (false, true) => print(actions(items)?),
        (false, false) => print(format_args!("{}\n\n{}", actions(items)?, holds(held)?)),
    }
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

    #[test]
    fn what_is_asked_for_is_a_query_of_the_api() {
        let line = |text: &str| Line::try_parse_from(text.split_whitespace());
        let arguments = line("list").unwrap().arguments;
        let (state, limit) = (("state", "open".to_owned()), ("limit", "100".to_owned()));
        assert_eq!(query(&arguments, None, 100), [state, limit]);
        let arguments = line("list --node n1 --state final --limit 7").unwrap().arguments;
        let expected = [("state", "final"), ("node", "n1"), ("before", "12"), ("limit", "8")];
        assert_eq!(
            query(&arguments, Some(12), 8),
            expected.map(|(name, it)| (name, it.to_owned()))
        );
        assert!(line("list --state waiting").is_err());
    }
}
