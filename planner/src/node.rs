//! Nodes: calibrated idle and maximum power, and the draw an application makes of them.
//!
//! A node's `draw` is its expected mean power while reserved: `alpha * max` where the node has its
//! own `alpha` (paper, section V), else `idle + u * (max - idle)` for the request's utilisation
//! `u`. Both are rounded half to even to the whole microwatt.

use std::borrow::Cow;
use std::sync::Arc;

use crate::decimal::Fraction;
use crate::labels::Labels;
use crate::names::{Duplicate, NameList};
use crate::power_states::{Draws, PowerStates};
use crate::quantity::{MAX_POWER_MICROWATTS, Power};
use crate::slower_states::SlowerStates;

/// The most nodes a cluster may have.
pub const MAX_NODES: u32 = 10_000_000;

/// What names and ids must be, for error messages.
pub const NAME_RULE: &str = "must have 1 to 255 characters and no control characters";

/// Whether a text may be a name or an id: see [`NAME_RULE`].
pub fn is_name(text: &str) -> bool {
    (1..=255).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// A machine with calibrated idle and maximum power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    draws: Draws,
    own: Option<OwnDraw>,
}

/// The draw of a node with an `alpha` of its own, the same for every application.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OwnDraw {
    alpha: f64,
    draw: Power,
}

/// Why powers do not make a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// A power below zero.
    #[error("idle_power_w must not be negative")]
    NegativePower,
    /// Idle above maximum.
    #[error("idle_power_w must not exceed max_power_w")]
    IdleAboveMax,
    /// `alpha * max` outside `[idle, max]`.
    #[error("alpha * max_power_w must lie between idle_power_w and max_power_w")]
    DrawOutOfRange,
    /// More power in a slower state than at full speed.
    #[error("max_power_w of a slower state must not exceed that of the node")]
    SlowerAboveMax,
}

/// The nodes of a cluster in input order; a position in it is the node's ordinal.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    list: Vec<Node>,
    /// The maximum power of each alone: read out of order, it is kinder to the cache than nodes.
    max_powers: Box<[Power]>,
    names: Names,
    labels: Labels,
    slower_states: SlowerStates,
}

/// Names of nodes in input order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// Each its own.
    Listed(Arc<NameList>),
    /// `n0`, `n1`, ...
    Numbered,
}

/// Why a list is not a cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodesError {
    /// Too many nodes.
    #[error("there are more than {MAX_NODES} nodes")]
    TooMany,
    /// The maximum powers sum to more than quantities may hold.
    #[error("the maximum powers sum to more than 1e11 W")]
    TooMuchPower,
    /// A name twice.
    #[error("node {name:?} is listed twice (positions {first} and {second})")]
    DuplicateName {
        /// The name that stands twice.
        name: String,
        /// Its first position.
        first: usize,
        /// Its second position.
        second: usize,
    },
}

impl Node {
    /// A node, checked.
    ///
    /// # Errors
    /// Negative powers, idle above maximum, a draw outside the two.
    pub fn new(idle: Power, max: Power, alpha: Option<Fraction>) -> Result<Self, NodeError> {
        if idle < Power::ZERO {
            return Err(NodeError::NegativePower);
        }
        if idle > max {
            return Err(NodeError::IdleAboveMax);
        }
        let own = alpha.map(|alpha| OwnDraw { alpha: alpha.as_f64(), draw: alpha.of(max) });
        if own.is_some_and(|own| own.draw < idle || own.draw > max) {
            return Err(NodeError::DrawOutOfRange);
        }
        Ok(Self { draws: Draws { idle, computing: max }, own })
    }

    /// The node in a slower state, in which it draws at most `max`. Its idle power and its own `alpha` stay.
    ///
    /// # Errors
    /// More than the maximum at full speed; powers that do not make a node.
    pub fn slowed(&self, max: Power) -> Result<Self, NodeError> {
        if max > self.max() {
            return Err(NodeError::SlowerAboveMax);
        }
        Self::new(self.idle(), max, self.alpha())
    }

    /// Power while running nothing but the operating system.
    pub const fn idle(&self) -> Power {
        self.draws.idle
    }

    /// The most power the node can draw.
    pub const fn max(&self) -> Power {
        self.draws.computing
    }

    /// The power states of the node: it is always on.
    pub fn power_states(&self) -> PowerStates {
        PowerStates::always_on(1.0, Some(self.draws))
    }

    /// The node's own coefficient, where it has one.
    pub fn alpha(&self) -> Option<Fraction> {
        self.own.and_then(|own| Fraction::new(own.alpha))
    }

    /// The expected mean power for an application of this utilisation.
    #[inline]
    pub fn draw(&self, utilisation: Fraction) -> Power {
        match self.own {
            Some(own) => own.draw,
            None => utilisation.between(self.draws.idle, self.draws.computing),
        }
    }
}

impl Nodes {
    /// A cluster of named nodes, in the order given.
    ///
    /// # Errors
    /// Duplicate names, too many nodes or too much power.
    pub fn listed(nodes: Vec<(Box<str>, Node)>) -> Result<Self, NodesError> {
        let names = NameList::of(nodes.iter().map(|(name, _)| name.as_ref()));
        let names = names.map_err(|Duplicate { first, second }| NodesError::DuplicateName {
            name: nodes[first as usize].0.to_string(),
            first: first as usize,
            second: second as usize,
        })?;
        Self::named(names, nodes.into_iter().map(|(_, node)| node).collect())
    }

    /// Nodes in the order of their names, of which there must be as many.
    ///
    /// # Errors
    /// [`NodesError::TooMany`] or [`NodesError::TooMuchPower`].
    pub fn named(names: NameList, nodes: Vec<Node>) -> Result<Self, NodesError> {
        Self::checked(nodes, Names::Listed(Arc::new(names)))
    }

    /// A cluster of nodes named `n0`, `n1`, ... in the order given.
    ///
    /// # Errors
    /// Too many nodes or too much power.
    pub fn numbered(nodes: Vec<Node>) -> Result<Self, NodesError> {
        Self::checked(nodes, Names::Numbered)
    }

    fn checked(nodes: Vec<Node>, names: Names) -> Result<Self, NodesError> {
        if nodes.len() > MAX_NODES as usize {
            return Err(NodesError::TooMany);
        }
        let max_powers: Box<[Power]> = nodes.iter().map(Node::max).collect();
        let total: i128 = max_powers.iter().map(|power| i128::from(power.as_microwatts())).sum();
        if total > i128::from(MAX_POWER_MICROWATTS) {
            return Err(NodesError::TooMuchPower);
        }
        let (labels, slower_states) = (Labels::default(), SlowerStates::default());
        Ok(Self { list: nodes, max_powers, names, labels, slower_states })
    }

    /// Nodes with the names and labels of these and with other powers, given in the same order. Powers
    /// beyond the last name are left out.
    ///
    /// # Errors
    /// [`NodesError::TooMuchPower`]: the maximum powers sum to more than quantities may hold.
    pub fn with_powers(&self, mut nodes: Vec<Node>) -> Result<Self, NodesError> {
        nodes.truncate(self.list.len());
        Ok(Self::checked(nodes, self.names.clone())?.with_labels(self.labels.clone()))
    }

    /// These nodes with other labels, given in the order of the nodes.
    #[must_use]
    pub fn with_labels(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// These nodes with slower states, given in the order of the nodes. A state with which a node's powers do
    /// not make a node ([`Node::slowed`]) is not one of the node's.
    #[must_use]
    pub fn with_slower_states(self, slower_states: SlowerStates) -> Self {
        Self { slower_states, ..self }
    }

    /// Their slower states.
    pub const fn slower_states(&self) -> &SlowerStates {
        &self.slower_states
    }

    /// A node in a slower state, by the state's position; `None` where the node does not have the state.
    pub fn in_state(&self, state: usize, ordinal: u32) -> Option<Node> {
        let powers = self.slower_states.powers(state, ordinal)?;
        self.list.get(ordinal as usize)?.slowed(powers.max).ok()
    }

    /// Partitions and features.
    pub const fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The number of nodes.
    pub fn count(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// In input order.
    pub fn as_slice(&self) -> &[Node] {
        &self.list
    }

    /// How the nodes are named.
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// The maximum power of each, in input order.
    pub(crate) fn max_powers(&self) -> &[Power] {
        &self.max_powers
    }

    /// The name of the node at `ordinal`.
    pub fn name(&self, ordinal: u32) -> Cow<'_, str> {
        match &self.names {
            Names::Listed(names) => Cow::Borrowed(names.get(ordinal)),
            Names::Numbered => Cow::Owned(format!("n{ordinal}")),
        }
    }

    /// Finds ordinals by name.
    pub fn index(&self) -> NameIndex<'_> {
        match &self.names {
            Names::Listed(names) => NameIndex::Listed(names),
            Names::Numbered => NameIndex::Numbered(self.count()),
        }
    }

    /// The sum of all idle powers.
    pub fn idle_power(&self) -> Power {
        self.list.iter().map(Node::idle).sum()
    }

    /// The sum of all maximum powers.
    pub fn max_power(&self) -> Power {
        self.list.iter().map(Node::max).sum()
    }
}

/// Ordinals by name.
#[derive(Debug)]
pub enum NameIndex<'a> {
    /// Each name listed.
    Listed(&'a NameList),
    /// `n0`, `n1`, ... up to a count.
    Numbered(u32),
}

impl NameIndex<'_> {
    /// The ordinal of the node of that name.
    pub fn ordinal(&self, name: &str) -> Option<u32> {
        match self {
            Self::Listed(names) => names.ordinal(name),
            Self::Numbered(count) => {
                let ordinal: u32 = name.strip_prefix('n')?.parse().ok()?;
                (ordinal < *count && name == format!("n{ordinal}")).then_some(ordinal)
            }
        }
    }
}
