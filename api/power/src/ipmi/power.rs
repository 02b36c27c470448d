//! Chassis control by `ipmipower`.
//!
//! It prints `HOST: on`, `HOST: off` and `HOST: ok`, or what went wrong, and leaves ports out. One host without an address
//! ends its whole run before anything is sent: it is left out then, and the others are asked again.

use std::collections::BTreeMap;

use bmc::program::Output;
use grid_feeds::feed::excerpt;
use planner::power_action::{PowerOrder, PowerReading};
use planner::resource_manager::NodePower;

use super::Ipmi;
use super::hosts::{by_host, runs, without_port};
use crate::abilities::allowed;
use crate::by_node::{ByNode, all};
use crate::error::PowerError;
use crate::lines::by_name;

/// A run is made again no more often than this without hosts that have no address.
const MOST_RUNS: usize = 8;

/// What the program prints of a host without an address.
const NO_ADDRESS: &str = "invalid hostname";

/// What it prints where another user, password or right helps.
const DENIALS: [&str; 6] = [
    "username invalid",
    "password invalid",
    "password length invalid",
    "k_g invalid",
    "privilege level",
    "authentication type unavailable",
];

/// What it prints where the settings are wrong.
const MISCONFIGURED: [&str; 3] =
    [NO_ADDRESS, "cipher suite id unavailable", "ipmi 2.0 unavailable"];

impl Ipmi {
    /// The power of nodes now.
    pub(crate) async fn powers(&self, nodes: &[String]) -> ByNode<PowerReading> {
        let told = self.ask(nodes, "--stat").await;
        let reading = |words: Result<String, PowerError>| match words.as_deref() {
            Ok("on") => PowerReading::Seen(NodePower::On),
            Ok("off") => PowerReading::Seen(NodePower::Off),
            Ok(words) => failure(words).unknown(),
            Err(error) => error.unknown(),
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
        let told = self.ask(nodes, option(order)).await;
        let accepted = |words: Result<String, PowerError>| match words?.as_str() {
            "ok" => Ok(()),
            words => Err(failure(words)),
        };
        told.into_iter().map(|(node, words)| (node, accepted(words))).collect()
    }

    /// What the program prints of each node.
    async fn ask(&self, nodes: &[String], option: &str) -> ByNode<Result<String, PowerError>> {
        let mut answers = ByNode::new();
        let hosts = by_host(&self.settings.addresses, nodes, &mut answers);
        for run in runs(hosts.keys().map(String::as_str)) {
            for (host, words) in self.ask_run(option, run).await {
                answers.insert(hosts[host].to_owned(), words);
            }
        }
        answers
    }

    /// What it prints of the hosts of one run.
    async fn ask_run<'h>(
        &self,
        option: &str,
        mut hosts: Vec<&'h str>,
    ) -> BTreeMap<&'h str, Result<String, PowerError>> {
        let mut told = BTreeMap::new();
        for _ in 0..MOST_RUNS {
            let output = match self.run(&self.settings.program, &[option], &hosts, &[]).await {
                Ok(output) => output,
                Err(error) => {
                    told.extend(hosts.iter().map(|host| (*host, Err(error.clone()))));
                    return told;
                }
            };
            let of_run = self.read(&hosts, &output);
            let is_lost = |words: &Result<String, PowerError>| words.as_deref() == Ok(NO_ADDRESS);
            let (lost, others): (Vec<_>, Vec<_>) =
                of_run.into_iter().partition(|(_, words)| is_lost(words));
            told.extend(lost.iter().cloned());
            // Where anything was printed of another host, the run was made.
            let was_made = |(_, words): &(_, Result<String, PowerError>)| {
                !matches!(words, Err(PowerError::Unreachable(_)))
            };
            let is_over = output.took_too_long || others.iter().any(was_made);
            if is_over || lost.is_empty() || others.is_empty() {
                told.extend(others);
                return told;
            }
            hosts = others.into_iter().map(|(host, _)| host).collect();
        }
        let error =
            PowerError::Configuration("too many hosts beside it have no address".to_owned());
        told.extend(hosts.into_iter().map(|host| (host, Err(error.clone()))));
        told
    }

    fn read<'h>(
        &self,
        hosts: &[&'h str],
        output: &Output,
    ) -> Vec<(&'h str, Result<String, PowerError>)> {
        let named = by_name(&output.printed);
        let words = |host: &&'h str| match named.get(without_port(host)) {
            Some(words) => (*host, words.clone().map(str::to_owned)),
            None => (*host, Err(self.silence(output))),
        };
        hosts.iter().map(words).collect()
    }
}

const fn option(order: PowerOrder) -> &'static str {
    match order {
        PowerOrder::On => "--on",
        PowerOrder::Off => "--soft",
        PowerOrder::ForcedOff => "--off",
    }
}

/// What went wrong. `password verification timeout` may be either: a wrong password, or an answer that was lost.
fn failure(words: &str) -> PowerError {
    let begins = |known: &[&str]| known.iter().any(|it| words.starts_with(it));
    let said = excerpt(words);
    if begins(&DENIALS) {
        PowerError::Denied(said)
    } else if begins(&MISCONFIGURED) {
        PowerError::Configuration(said)
    } else if words.contains("not supported") {
        PowerError::Unsupported(said)
    } else if begins(&["connection", "session", "password verification", "BMC", "out of resources"])
    {
        PowerError::Unreachable(said)
    } else {
        PowerError::Unreadable(format!("{said:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the words of FreeIPMI 1.6.10.
    #[test]
    fn each_failure_says_whether_trying_again_helps() {
        for (words, expected) in [
            ("connection timeout", "no answer: connection timeout"),
            ("session timeout", "no answer: session timeout"),
            ("BMC busy", "no answer: BMC busy"),
            ("BMC error", "no answer: BMC error"),
            ("password verification timeout", "no answer: password verification timeout"),
            ("password invalid", "not allowed: password invalid"),
            ("privilege level insufficient", "not allowed: privilege level insufficient"),
            ("invalid hostname", "configuration: invalid hostname"),
            ("cipher suite id unavailable", "configuration: cipher suite id unavailable"),
            ("maybe", "the answer cannot be read: \"maybe\""),
        ] {
            assert_eq!(failure(words).to_string(), expected);
        }
    }
}
