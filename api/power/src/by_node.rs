//! Answers of several nodes, each of which is switched by itself.

use std::collections::BTreeMap;

use bmc::address::{Addresses, names_node};

use crate::error::PowerError;

/// Answers by the names of nodes.
pub type ByNode<T> = BTreeMap<String, T>;

/// One answer for all of these nodes.
pub(crate) fn all<T: Clone>(nodes: &[String], answer: &T) -> ByNode<T> {
    nodes.iter().map(|node| (node.clone(), answer.clone())).collect()
}

/// Refuses addresses by which two nodes have one controller.
pub(crate) fn one_node_each(addresses: &Addresses) -> Result<(), PowerError> {
    if let Some((one, other)) = addresses.shared() {
        let message = format!("nodes {one} and {other} have one address: an order switches both");
        return Err(PowerError::Configuration(message));
    }
    if let Some(template) = addresses.template.as_ref().filter(|it| !names_node(it)) {
        let message = format!("{template:?} is one address for all nodes: it lacks {{node}}");
        return Err(PowerError::Configuration(message));
    }
    Ok(())
}
