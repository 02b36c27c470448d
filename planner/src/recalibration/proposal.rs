//! Calibrations that are proposed, and stay so until they are decided or no longer needed.

use super::finding::differs;
use super::{FollowRules, NodeFinding};
use crate::node::{Node, NodeError};
use crate::quantity::Power;

/// Powers that are proposed for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposedPowers {
    /// The idle power.
    pub idle: Power,
    /// The maximum power.
    pub max: Power,
}

/// What became of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalState {
    /// It waits to be decided.
    Open(ProposedPowers),
    /// It was rejected. Nothing else is proposed until what is measured has left it, too.
    Rejected(ProposedPowers),
}

impl ProposedPowers {
    /// The node with these powers.
    ///
    /// # Errors
    /// They do not make a node with the node's own `alpha`.
    pub fn applied_to(self, node: &Node) -> Result<Node, NodeError> {
        Node::new(self.idle, self.max, node.alpha())
    }

    /// Whether one of these differs from the other's by more than so many millionths.
    fn differ(self, from: Self, millionths: i64) -> bool {
        differs(self.idle, from.idle, millionths) || differs(self.max, from.max, millionths)
    }
}

/// What is proposed for a node, after what was proposed before: what is measured, once it has drifted. A proposal stays
/// as it is until what is measured leaves it by more than half of what counts as drift, so that people decide on what
/// they see; it goes once the node no longer differs from what is in
/// force. What does not go with the node's own `alpha` is not proposed.
pub fn propose(
    node: &Node,
    finding: &NodeFinding,
    before: Option<ProposalState>,
    rules: &FollowRules,
) -> Option<ProposalState> {
    if finding.fault.is_some() {
        // What cannot be believed says nothing against what was proposed, and nothing for it.
        return before.filter(|it| matches!(it, ProposalState::Rejected(_)));
    }
    if !finding.drifted {
        return None;
    }
    let powers = ProposedPowers {
        idle: finding.idle.map_or(node.idle(), |it| it.power),
        max: finding.max.map_or(node.max(), |it| it.power),
    };
    powers.applied_to(node).ok()?;
    Some(match before {
        Some(ProposalState::Open(known)) if !powers.differ(known, rules.drift / 2) => {
            ProposalState::Open(known)
        }
        Some(ProposalState::Rejected(known)) if !powers.differ(known, rules.drift) => {
            ProposalState::Rejected(known)
        }
        _ => ProposalState::Open(powers),
    })
}
