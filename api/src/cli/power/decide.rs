//! `wattbook power approve`, `refuse`, `off`, `wake` and `hold`: people decide on the power of nodes.

use std::collections::HashSet;

use clap::Args;
use jiff::Zoned;
use planner::node_list;
use serde_json::{Map, Value, json};

use super::answers::PowerActionsAnswer;
use super::list::show;
use crate::cli::booking::answers;
use crate::cli::booking::request::told;
use crate::cli::booking::server::Connection;
use crate::cli::booking::time::instant;
use crate::cli::{Failure, ListFormat, block_on};

/// Arguments of `wattbook power approve`.
#[derive(Args)]
pub struct Approve {
    #[command(flatten)]
    ids: Ids,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `wattbook power refuse`.
#[derive(Args)]
pub struct Refuse {
    #[command(flatten)]
    ids: Ids,
    /// Why, in words; it is kept in the log
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `wattbook power off` and `wake`.
#[derive(Args)]
pub struct Switch {
    #[command(flatten)]
    nodes: NodeLists,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `wattbook power hold`.
#[derive(Args)]
pub struct Hold {
    #[command(flatten)]
    nodes: NodeLists,
    /// Until when: now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT")]
    until: String,
    #[command(flatten)]
    output: Output,
}

#[derive(Args)]
struct Ids {
    /// The power actions, by their ids as wattbook power list shows them
    #[arg(required = true, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    ids: Vec<i64>,
}

#[derive(Args)]
struct NodeLists {
    /// Which nodes, as Slurm writes them: n1,n[08-11,20]
    #[arg(required = true, value_name = "NODES")]
    lists: Vec<String>,
}

#[derive(Args)]
struct Output {
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

/// The body of a request.
type Body = Map<String, Value>;

/// Approves proposed actions, one after the other.
pub fn approve(arguments: &Approve) -> Result<(), Failure> {
    post(&arguments.output, bodies("approve", &arguments.ids, None))
}

/// Refuses proposed actions, one after the other.
pub fn refuse(arguments: &Refuse) -> Result<(), Failure> {
    post(&arguments.output, bodies("refuse", &arguments.ids, arguments.because.as_deref()))
}

/// Has nodes switched off or woken.
pub fn switch(arguments: &Switch, action: &str) -> Result<(), Failure> {
    let body = arguments.nodes.body(action).map_err(Failure::BadInput)?;
    post(&arguments.output, vec![body])
}

/// Keeps nodes from being switched off.
pub fn hold(arguments: &Hold) -> Result<(), Failure> {
    let body = arguments.body(&answers::now()?).map_err(Failure::BadInput)?;
    post(&arguments.output, vec![body])
}

/// Sends decisions one after the other. What was done before one fails is shown.
fn post(output: &Output, bodies: Vec<Body>) -> Result<(), Failure> {
    block_on(async {
        let server = output.connection.open()?;
        let mut done = PowerActionsAnswer::default();
        let (mut ended, mut is_any_done) = (Ok(()), false);
        for body in bodies {
            let answer: Result<PowerActionsAnswer, Failure> =
                server.post("power-actions", body).await;
            match answer {
                Ok(answer) => {
                    done.actions.extend(answer.actions);
                    done.holds.extend(answer.holds);
                    is_any_done = true;
                }
                Err(failure) => {
                    ended = Err(failure);
                    break;
                }
            }
        }
        if is_any_done {
            show(&done, output.format, "no power action follows from this")?;
        }
        ended
    })
}

/// A decision on each action, each once.
fn bodies(decision: &str, Ids { ids }: &Ids, because: Option<&str>) -> Vec<Body> {
    let mut seen = HashSet::new();
    let body = |id: &i64| {
        let mut body =
            Body::from_iter([("action".to_owned(), json!(decision)), ("id".to_owned(), json!(id))]);
        body.extend(because.map(|because| ("because".to_owned(), json!(because))));
        body
    };
    ids.iter().filter(|id| seen.insert(**id)).map(body).collect()
}

impl NodeLists {
    /// The names of all lists, each once.
    ///
    /// # Errors
    /// A line for each list that cannot be read.
    fn names(&self) -> Result<Vec<String>, Vec<String>> {
        let (mut names, mut errors) = (Vec::new(), Vec::new());
        for list in &self.lists {
            match node_list::parse(list) {
                Ok(some) => names.extend(some),
                Err(error) => errors.push(error.to_string()),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut seen = HashSet::new();
        Ok(names.into_iter().filter(|name| seen.insert(name.clone())).collect())
    }

    fn body(&self, action: &str) -> Result<Body, Vec<String>> {
        let nodes = self.names()?;
        Ok(Body::from_iter([
            ("action".to_owned(), json!(action)),
            ("nodes".to_owned(), json!(nodes)),
        ]))
    }
}

impl Hold {
    /// The body of the request.
    ///
    /// # Errors
    /// Each argument that cannot be read, by its name.
    fn body(&self, now: &Zoned) -> Result<Body, Vec<String>> {
        let until = instant(&self.until, now).map_err(|error| format!("--until: {error}"));
        match (self.nodes.body("hold"), until) {
            (Ok(mut body), Ok(until)) => {
                body.insert("until".to_owned(), told(until));
                Ok(body)
            }
            (nodes, until) => Err(nodes.err().into_iter().flatten().chain(until.err()).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    enum Line {
        Approve(Approve),
        Refuse(Refuse),
        Off(Switch),
        Hold(Hold),
    }

    /// The bodies that a line sends.
    fn sent(line: &str) -> Result<Value, Vec<String>> {
        let now = "2026-11-21T15:30:10+01:00[Europe/Paris]".parse().unwrap();
        let words = std::iter::once("power").chain(line.split_whitespace());
        let bodies = match Line::try_parse_from(words).map_err(|error| vec![error.to_string()])? {
            Line::Approve(it) => bodies("approve", &it.ids, None),
            Line::Refuse(it) => bodies("refuse", &it.ids, it.because.as_deref()),
            Line::Off(it) => vec![it.nodes.body("off")?],
            Line::Hold(it) => vec![it.body(&now)?],
        };
        Ok(json!(bodies))
    }

    #[test]
    fn each_decision_is_a_body_of_the_api() {
        for (line, expected) in [
            (
                "approve 7 9 7",
                json!([{"action": "approve", "id": 7}, {"action": "approve", "id": 9}]),
            ),
            ("refuse 7", json!([{"action": "refuse", "id": 7}])),
            ("refuse 7 --because fans", json!([{"action": "refuse", "id": 7, "because": "fans"}])),
            (
                "off n[1-3,7] m1,n2",
                json!([{"action": "off", "nodes": ["n1", "n2", "n3", "n7", "m1"]}]),
            ),
            (
                "hold n1 --until now+2hours",
                json!([{"action": "hold", "nodes": ["n1"], "until": "2026-11-21T16:30:10Z"}]),
            ),
            (
                "hold n1 --until 22:00",
                json!([{"action": "hold", "nodes": ["n1"], "until": "2026-11-21T21:00:00Z"}]),
            ),
        ] {
            assert_eq!(sent(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_each_by_itself() {
        let errors = sent("hold n[1- n1 n[2 --until soon").unwrap_err();
        let [first, second, until] = &errors[..] else { panic!("{errors:?}") };
        assert!(first.ends_with("\"n[1-\"") && second.ends_with("\"n[2\""), "{errors:?}");
        assert!(until.starts_with("--until: \"soon\" is not an instant"), "{until}");
        for line in ["approve", "approve 0", "approve n1", "refuse", "off", "hold n1"] {
            assert!(sent(line).is_err(), "{line}");
        }
    }
}
