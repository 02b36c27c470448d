//! What was read of a node.

use crate::quantity::Power;
use crate::resource_manager::NodePower;

/// What was read of a node's power, or of its power limit where an action is about that, from a management controller, a
/// resource manager or a site's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PowerReading {
    /// It was seen so.
    Seen(NodePower),
    /// It was seen to be limited so, or not limited.
    Limited(Option<Power>),
    /// It could not be read, with why. That is neither on nor off.
    Unknown(String),
}

impl PowerReading {
    /// Whether it was seen to be just so.
    pub fn is(&self, power: NodePower) -> bool {
        *self == Self::Seen(power)
    }

    /// What was read, in words, such as `is on` and `is unknown: no answer`.
    pub fn words(&self) -> String {
        match self {
            Self::Seen(NodePower::On) => "is on".to_owned(),
            Self::Seen(NodePower::Off) => "is off".to_owned(),
            Self::Seen(NodePower::PoweringUp) => "is being switched on".to_owned(),
            Self::Seen(NodePower::PoweringDown) => "is being switched off".to_owned(),
            Self::Limited(Some(limit)) => format!("is limited to {} W", limit.as_watts()),
            Self::Limited(None) => "is not limited".to_owned(),
            Self::Unknown(because) => format!("is unknown: {because}"),
        }
    }
}

/// Whether a job or a person uses a node, or may begin to while it is switched. A booking that has yet to begin is no
/// use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeUse {
    /// Nobody uses it, for certain.
    Free,
    /// It is in use, with by what.
    InUse(String),
    /// It may be in use, with why that is not certain.
    MayBeInUse(String),
}
