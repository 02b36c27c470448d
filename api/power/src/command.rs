//! A command of the site's own: a program that is run without a shell as
//!
//! ```text
//! PROGRAM state NODE...              prints   NODE: on | off | switching-on | switching-off | unknown WHY
//! PROGRAM on NODE...                 prints   NODE: ok | failed WHY | refused WHY
//! PROGRAM off NODE...                the same; it switches off gracefully
//! PROGRAM force-off NODE...          the same; it takes the power away
//! PROGRAM limit NODE...              prints   NODE: 350 W | none | unknown WHY
//! PROGRAM set-limit 350 NODE...      prints   NODE: ok | failed WHY | refused WHY; watts, or none
//! ```
//!
//! A node of which it prints nothing has no answer; how it ends does not count. `failed` is tried again, `refused` is not. Its
//! environment has `PATH`, `LD_LIBRARY_PATH`, `LC_ALL` and `TZ` alone: secrets are the command's own matter.

use std::path::PathBuf;
use std::time::Duration;

use bmc::address::is_plain;
use bmc::program::run;
use grid_feeds::feed::excerpt;
use planner::power_action::{PowerOrder, PowerReading};
use planner::resource_manager::NodePower;

use crate::abilities::{Abilities, allowed};
use crate::by_node::{ByNode, all};
use crate::error::PowerError;
use crate::limit::{LimitReading, PowerLimit, of_watts};
use crate::lines::{by_name, silence};

/// One run has no more nodes.
const MOST_NODES: usize = 256;

/// The command, and what it can do.
#[derive(Clone, Debug)]
pub struct CommandSettings {
    /// The program.
    pub program: PathBuf,
    /// Whether it knows `limit` and `set-limit`.
    pub limits: bool,
    /// Whether the site allows to take a node's power away, and the program knows `force-off`.
    pub forced_off: bool,
    /// How long a run for 256 nodes may take.
    pub timeout: Duration,
}

/// A command of the site's own.
#[derive(Clone, Debug)]
pub struct SiteCommand {
    settings: CommandSettings,
}

impl SiteCommand {
    /// The command of these settings; it is not run yet.
    pub fn new(settings: CommandSettings) -> Self {
        Self { settings }
    }

    /// What it can do.
    pub(crate) const fn abilities(&self) -> Abilities {
        Abilities { forced_off: self.settings.forced_off, limits: self.settings.limits }
    }

    /// The power of nodes now.
    pub(crate) async fn powers(&self, nodes: &[String]) -> ByNode<PowerReading> {
        let told = self.ask(&["state"], nodes).await;
        let reading = |words: Result<String, PowerError>| {
            words.and_then(|words| power(&words)).unwrap_or_else(|error| error.unknown())
        };
        told.into_iter().map(|(node, words)| (node, reading(words))).collect()
    }

    /// Gives an order.
    pub(crate) async fn order(
        &self,
        order: PowerOrder,
        nodes: &[String],
    ) -> ByNode<Result<(), PowerError>> {
        if let Err(error) = allowed(order, self.settings.forced_off) {
            return all(nodes, &Err(error));
        }
        let verb = match order {
            PowerOrder::On => "on",
            PowerOrder::Off => "off",
            PowerOrder::ForcedOff => "force-off",
        };
        self.give(&[verb], nodes).await
    }

    /// The power limits of nodes now.
    pub(crate) async fn limits(
        &self,
        nodes: &[String],
    ) -> ByNode<Result<LimitReading, PowerError>> {
        if !self.settings.limits {
            return all(nodes, &no_limits());
        }
        let told = self.ask(&["limit"], nodes).await;
        told.into_iter().map(|(node, words)| (node, words.and_then(|it| limit(&it)))).collect()
    }

    /// Sets or lifts a power limit.
    pub(crate) async fn set_limit(
        &self,
        limit: PowerLimit,
        nodes: &[String],
    ) -> ByNode<Result<(), PowerError>> {
        if !self.settings.limits {
            return all(nodes, &no_limits());
        }
        let watts = match limit {
            PowerLimit::Watts(watts) => watts.to_string(),
            PowerLimit::Unlimited => "none".to_owned(),
        };
        self.give(&["set-limit", &watts], nodes).await
    }

    async fn give(&self, verb: &[&str], nodes: &[String]) -> ByNode<Result<(), PowerError>> {
        let told = self.ask(verb, nodes).await;
        told.into_iter().map(|(node, words)| (node, words.and_then(|it| accepted(&it)))).collect()
    }

    /// What the command prints of each node.
    async fn ask(&self, verb: &[&str], nodes: &[String]) -> ByNode<Result<String, PowerError>> {
        let mut answers = ByNode::new();
        let (plain, others): (Vec<&String>, Vec<&String>) =
            nodes.iter().partition(|node| is_plain(node));
        for node in others {
            let message = format!("{node:?} cannot be an argument: letters, digits, and . - _ :");
            answers.insert(node.clone(), Err(PowerError::Configuration(message)));
        }
        for nodes in plain.chunks(MOST_NODES) {
            let words = verb.iter().copied().chain(nodes.iter().map(|node| node.as_str()));
            let arguments: Vec<String> = words.map(str::to_owned).collect();
            let output = run(&self.settings.program, &arguments, self.settings.timeout).await;
            let output = match output.map_err(PowerError::from) {
                Ok(output) => output,
                Err(error) => {
                    answers.extend(nodes.iter().map(|it| ((*it).clone(), Err(error.clone()))));
                    continue;
                }
            };
            let named = by_name(&output.printed);
            let silent = || PowerError::Unreachable(silence(&output, self.settings.timeout));
            for node in nodes {
                let words = named.get(node.as_str()).cloned().unwrap_or_else(|| Err(silent()));
                answers.insert((*node).clone(), words.map(str::to_owned));
            }
        }
        answers
    }
}

/// The first word, and what follows it.
fn split(words: &str) -> (&str, String) {
    let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
    (first, excerpt(rest))
}

pub(crate) fn power(words: &str) -> Result<PowerReading, PowerError> {
    Ok(match split(words) {
        ("on", _) => PowerReading::Seen(NodePower::On),
        ("off", _) => PowerReading::Seen(NodePower::Off),
        ("switching-on", _) => PowerReading::Seen(NodePower::PoweringUp),
        ("switching-off", _) => PowerReading::Seen(NodePower::PoweringDown),
        ("unknown", why) => PowerReading::Unknown(why),
        _ => return Err(unreadable(words)),
    })
}

pub(crate) fn accepted(words: &str) -> Result<(), PowerError> {
    match split(words) {
        ("ok", _) => Ok(()),
        ("failed", why) => Err(PowerError::Unreachable(why)),
        ("refused", why) => Err(PowerError::Refused(why)),
        _ => Err(unreadable(words)),
    }
}

pub(crate) fn limit(words: &str) -> Result<LimitReading, PowerError> {
    match split(words) {
        ("none", _) => Ok(LimitReading::Unlimited),
        ("unknown", why) => Ok(LimitReading::Unknown(why)),
        (watts, unit) if unit == "W" => {
            let watts = watts.parse().map_err(|_| unreadable(words))?;
            Ok(LimitReading::Limited(of_watts(watts)))
        }
        _ => Err(unreadable(words)),
    }
}

fn unreadable(words: &str) -> PowerError {
    PowerError::Unreadable(format!("{:?} is no answer of the site's command", excerpt(words)))
}

fn no_limits<T>() -> Result<T, PowerError> {
    Err(PowerError::Unsupported("the site's command knows no power limits".to_owned()))
}
