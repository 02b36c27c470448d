//! Which nodes are behind the meters of racks: `[racks]`. See `docs/METERING.md`.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, ensure};
use planner::node::{NAME_RULE, is_name};
use planner::node_list;

/// The nodes of each rack, by name. No node is in two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Racks(BTreeMap<Box<str>, Vec<String>>);

impl Racks {
    /// Reads the section: of each rack its list of nodes.
    ///
    /// # Errors
    /// A name or list that is none, and a node that is in two racks.
    pub fn read(fields: BTreeMap<String, String>) -> anyhow::Result<Self> {
        let mut racks = BTreeMap::new();
        let mut rack_of: HashMap<String, String> = HashMap::new();
        for (name, list) in fields {
            ensure!(is_name(&name), "rack {name:?}: a name {NAME_RULE}");
            let nodes = node_list::parse(&list).with_context(|| format!("rack {name:?}"))?;
            for node in &nodes {
                if let Some(other) = rack_of.insert(node.clone(), name.clone()) {
                    anyhow::bail!("node {node:?} is in the racks {other:?} and {name:?}");
                }
            }
            racks.insert(name.into(), nodes);
        }
        Ok(Self(racks))
    }

    /// The nodes of each rack.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(name, nodes)| (&**name, nodes.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(racks: &[(&str, &str)]) -> anyhow::Result<Racks> {
        let text = |(name, nodes): &(&str, &str)| ((*name).to_owned(), (*nodes).to_owned());
        Racks::read(racks.iter().map(text).collect())
    }

    #[test]
    fn racks_have_lists_of_nodes() {
        let racks = read(&[("r1", "n[1-2]"), ("r2", "n3")]).unwrap();
        let told: Vec<(&str, usize)> = racks.iter().map(|(name, it)| (name, it.len())).collect();
        assert_eq!(told, [("r1", 2), ("r2", 1)]);
        for (wrong, named) in [
            ([("r1", "n[1-"), ("r2", "n3")], "r1"),
            ([("r1", "n[1-3]"), ("r2", "n3")], "n3"),
            ([("", "n1"), ("r2", "n3")], "a name"),
        ] {
            let error = format!("{:#}", read(&wrong).unwrap_err());
            assert!(error.contains(named), "{error}");
        }
    }
}
