//! Which hosts are asked in one run.

use std::collections::{BTreeMap, HashSet};

use bmc::address::Addresses;

use crate::by_node::ByNode;
use crate::error::PowerError;

/// One run has no more hosts.
const MOST_HOSTS: usize = 256;

/// Nodes by their hosts. Those that have none, or one with others, are answered at once.
pub(super) fn by_host<'n, T>(
    addresses: &Addresses,
    nodes: &'n [String],
    answers: &mut ByNode<Result<T, PowerError>>,
) -> BTreeMap<String, &'n str> {
    let mut hosts: BTreeMap<String, &str> = BTreeMap::new();
    let mut shared = HashSet::new();
    for node in nodes {
        match addresses.host(node) {
            Err(error) => _ = answers.insert(node.clone(), Err(error.into())),
            Ok(host) if without_port(&host) == "localhost" => {
                let message = format!("node {node}: FreeIPMI takes localhost for this machine");
                answers.insert(node.clone(), Err(PowerError::Configuration(message)));
            }
            Ok(host) => {
                let other = hosts.get(&host).filter(|other| **other != node);
                if let Some(other) = other {
                    let message = format!("nodes {other} and {node} have one address");
                    let error = PowerError::Configuration(message);
                    answers.insert((*other).to_owned(), Err(error.clone()));
                    answers.insert(node.clone(), Err(error));
                    shared.insert(host);
                } else {
                    hosts.insert(host, node);
                }
            }
        }
    }
    hosts.retain(|host, _| !shared.contains(host));
    hosts
}

/// A host as `ipmipower` prints it: without its port.
pub(super) fn without_port(host: &str) -> &str {
    match host.split_once(':') {
        Some((name, port)) if !port.contains(':') => name,
        _ => host,
    }
}

/// Hosts in runs: so many at the most, and none of them is printed like another one of its run.
pub(super) fn runs<'h>(hosts: impl Iterator<Item = &'h str>) -> Vec<Vec<&'h str>> {
    let mut runs: Vec<(HashSet<&str>, Vec<&str>)> = Vec::new();
    for host in hosts {
        let name = without_port(host);
        let fits = |(names, hosts): &&mut (HashSet<&str>, Vec<&str>)| {
            hosts.len() < MOST_HOSTS && !names.contains(name)
        };
        if let Some((names, hosts)) = runs.iter_mut().find(fits) {
            names.insert(name);
            hosts.push(host);
        } else {
            runs.push((HashSet::from([name]), vec![host]));
        }
    }
    runs.into_iter().map(|(_, hosts)| hosts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_are_printed_alike_are_asked_in_runs_of_their_own() {
        let hosts = ["a", "b:1", "b:2", "fe80::1", "c:623"];
        assert_eq!(runs(hosts.into_iter()), [vec!["a", "b:1", "fe80::1", "c:623"], vec!["b:2"]]);
        let many: Vec<String> = (0..300).map(|it| format!("n{it}")).collect();
        let sizes = runs(many.iter().map(String::as_str)).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes, [256, 44]);
    }

    /// A template beside a list may name one controller twice: neither of its nodes is switched.
    #[test]
    fn nodes_that_share_a_controller_are_not_asked() {
        let listed = [("n1", "n2-bmc"), ("n5", "localhost")];
        let listed = listed.map(|(node, host)| (node.to_owned(), host.to_owned())).into();
        let addresses = Addresses { template: Some("{node}-bmc".to_owned()), listed };
        let nodes = ["n1", "n2", "n3", "n2", "n 4", "n5"].map(str::to_owned);
        let mut answers: ByNode<Result<(), PowerError>> = ByNode::new();
        let hosts = by_host(&addresses, &nodes, &mut answers);
        assert_eq!(hosts, [("n3-bmc".to_owned(), "n3")].into());
        for node in ["n1", "n2", "n 4", "n5"] {
            assert!(matches!(answers[node], Err(PowerError::Configuration(_))), "{node}");
        }
        assert_eq!(answers.len(), 4);
    }
}
