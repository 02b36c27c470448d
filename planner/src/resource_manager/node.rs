//! Nodes as the resource manager knows them.

use crate::time::Timestamp;

/// A node as the resource manager knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedNode {
    /// Its name.
    pub name: Box<str>,
    /// The host or address behind the name; a node that was renamed keeps it.
    pub address: Box<str>,
    /// The partitions that it is in.
    pub partitions: Vec<Box<str>>,
    /// What jobs may ask for by name.
    pub features: Vec<Box<str>>,
    /// Processors, as the resource manager counts them.
    pub cpus: u32,
    /// Memory, MiB.
    pub memory_mib: u64,
    /// Generic resources such as `gpu:a100:4`; empty where there are none.
    pub generic_resources: Box<str>,
    /// Why it runs no jobs; `None` where it may.
    pub unavailable: Option<Unavailable>,
    /// Whether it is switched on.
    pub power: NodePower,
    /// When it was started last.
    pub booted: Option<Timestamp>,
}

/// Why a node runs no jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// What the resource manager calls it.
    pub cause: UnavailableCause,
    /// In the words of who took it out of service; empty where nothing was said.
    pub reason: String,
}

/// What keeps a node from running jobs. A node that is switched off to save energy is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnavailableCause {
    /// It failed.
    Down,
    /// It takes no new jobs.
    Drained,
    /// It is expected to fail.
    Failing,
    /// It is in maintenance.
    Maintenance,
    /// It does not answer.
    NotResponding,
}

impl UnavailableCause {
    /// The word in documents and messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Drained => "drained",
            Self::Failing => "failing",
            Self::Maintenance => "in maintenance",
            Self::NotResponding => "not responding",
        }
    }
}

/// Whether a node is switched on, as the resource manager or a management controller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodePower {
    /// It is on.
    On,
    /// It is switched on, and has yet to answer.
    PoweringUp,
    /// It is switched off, and is not off yet.
    PoweringDown,
    /// It is off.
    Off,
}
