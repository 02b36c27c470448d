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

    /// The host of a node's controller: a name or address, which ends no argument and begins no list.
    ///
    /// # Errors
    /// It has none, or one with other characters.
    pub fn host(&self, node: &str) -> Result<String, FeedError> {
        let host = self.needed(node)?;
        let is_allowed = |it: char| it.is_ascii_alphanumeric() || ".-_:".contains(it);
        if host.is_empty() || host.starts_with('-') || !host.chars().all(is_allowed) {
            let message = format!("{host:?} is no host: letters, digits, and . - _ : alone");
            return Err(FeedError::Configuration { message });
        }
        Ok(host)
    }
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
        assert_eq!(Addresses { template: None, listed }.of("n1"), None);
    }
}
