//! Who had nodes, and what they consumed.

use super::party::Party;
use crate::decimal::Fraction;
use crate::node_set::NodeSet;
use crate::quantity::Power;
use crate::time::Span;

/// What a claimed node is expected to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClaimedDraw {
    /// What an application of this utilisation makes it draw, as of an offer.
    Busy(Fraction),
    /// So much each, as was planned of nodes in a slower state.
    Each(Power),
    /// Its idle power.
    Idle,
    /// Nothing.
    Nothing,
}

/// Nodes that somebody had for a time, by ordinal.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Whose they were. A partition that is empty is that of each node.
    pub party: Party,
    /// When they had them.
    pub span: Span,
    /// The nodes.
    pub nodes: NodeSet,
    /// What they are expected to draw.
    pub draw: ClaimedDraw,
}

/// Energy of somebody over a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Consumed {
    pub node_seconds: i128,
    pub missing_seconds: i128,
    pub measured_uj: i128,
    pub estimated_uj: i128,
}

impl Consumed {
    pub(super) fn add(&mut self, other: &Self) {
        self.node_seconds += other.node_seconds;
        self.missing_seconds += other.missing_seconds;
        self.measured_uj += other.measured_uj;
        self.estimated_uj += other.estimated_uj;
    }
}

/// What a party had and consumed in an interval.
pub(super) struct PartyConsumption<'a> {
    /// The claim by which it had nodes; `None` for idle.
    pub claim: Option<&'a Claim>,
    /// The partition that the nodes are in, where the claim names none.
    pub partition: &'a str,
    /// How many nodes it had.
    pub nodes: u32,
    /// What was consumed in each span.
    pub spans: Vec<(Span, Consumed)>,
}
