//! Where the management controllers of nodes are.

use std::collections::BTreeMap;

use grid_feeds::feed::FeedError;

/// What a template writes for the node's name.
const NODE: &str = "{node}";

/// The addresses of nodes' management controllers: by a template, and one by one where they differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// Such as `https://{node}-bmc.example.org`; without one only listed nodes have addresses.
    pub template: Option<String>,
    /// Those that are listed, by node.
    pub listed: BTreeMap<String, String>,
}

impl Addresses {
    /// The address for a node; `None` where it has none.
    pub fn of(&self, node: &str) -> Option<String> {
        let listed = self.listed.get(node).cloned();
        listed.or_else(|| self.template.as_ref().map(|it| filled(it, node)))
    }

    /// The address for a node, which must have one.
    ///
    /// # Errors
    /// It has none.
    pub fn needed(&self, node: &str) -> Result<String, FeedError> {
        self.of(node).ok_or_else(|| FeedError::Configuration {
            message: format!("node {node} has no address of a management controller"),
        })
    }

    /// Two nodes that are listed with one address, where there are such.
    pub fn shared(&self) -> Option<(&str, &str)> {
        let mut nodes: BTreeMap<&str, &str> = BTreeMap::new();
        let addresses = self.listed.iter().map(|(node, it)| (node.as_str(), it.as_str()));
        for (node, address) in addresses {
            if let Some(other) = nodes.insert(address.trim_end_matches('/'), node) {
                return Some((other, node));
            }
        }
        None
    }

    /// The host of a node's controller: a name or address, which ends no argument and begins no list.
    ///
    /// # Errors
    /// It has none, or one with other characters.
    pub fn host(&self, node: &str) -> Result<String, FeedError> {
        let host = self.needed(node)?;
        if !is_plain(&host) {
            let message = format!("{host:?} is no host: letters, digits, and . - _ : alone");
            return Err(FeedError::Configuration { message });
        }
        Ok(host)
    }
}

/// Whether a name may stand among a program's arguments: it is no option, no list and no path.
pub fn is_plain(name: &str) -> bool {
    let is_allowed = |it: char| it.is_ascii_alphanumeric() || ".-_:".contains(it);
    !name.is_empty() && !name.starts_with('-') && name.chars().all(is_allowed)
}

/// Whether a template names the node.
pub fn names_node(template: &str) -> bool {
    template.contains(NODE)
}

/// A template with the name of a node.
pub fn filled(template: &str, node: &str) -> String {
    template.replace(NODE, node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_address_goes_before_the_template() {
        let listed = BTreeMap::from([("n2".to_owned(), "https://10.0.0.2".to_owned())]);
        let template = Some("https://{node}-bmc.example.org".to_owned());
        let both = Addresses { template, listed: listed.clone() };
        assert_eq!(both.of("n1").as_deref(), Some("https://n1-bmc.example.org"));
        assert_eq!(both.of("n2").as_deref(), Some("https://10.0.0.2"));
        assert_eq!(both.shared(), None);
        assert_eq!(Addresses { template: None, listed }.of("n1"), None);
    }

    #[test]
    fn nodes_with_one_address_are_named() {
        let listed = [("n1", "https://a/"), ("n2", "https://b"), ("n3", "https://a")];
        let listed = listed.map(|(node, address)| (node.to_owned(), address.to_owned()));
        let addresses = Addresses { template: None, listed: listed.into() };
        assert_eq!(addresses.shared(), Some(("n1", "n3")));
    }

    #[test]
    fn plain_names_are_no_options_and_no_lists() {
        assert!(["n1", "n1.example.org:623", "fe80::1"].iter().all(|name| is_plain(name)));
        let others = ["", "-n", "a b", "a,b", "n[1-2]", "$(id)", "../n"];
        assert!(others.iter().all(|name| !is_plain(name)));
    }
}
