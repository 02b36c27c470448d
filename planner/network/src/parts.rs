//! What a network is made of, and the positions by which it is known.

use std::collections::BTreeMap;

/// The position of a host in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

/// The position of a link in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// The position of what is in a zone: a host, a router, a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PointId(pub(crate) u32);

/// The position of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ZoneId(pub(crate) u32);

/// What computes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Its name.
    pub name: Box<str>,
    /// Operations a second of a core, in each of its states.
    pub speeds: Vec<f64>,
    /// The state that it is in: a position.
    pub state: usize,
    /// How many cores it has.
    pub cores: u32,
    /// What else is said of it.
    pub properties: BTreeMap<String, String>,
}

impl Host {
    /// Operations a second of a core, in the state that it is in.
    pub fn speed(&self) -> f64 {
        self.speeds.get(self.state).copied().unwrap_or(0.0)
    }
}

/// What bytes go over.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: Box<str>,
    /// Bytes a second.
    pub bandwidth: f64,
    /// Seconds.
    pub latency: f64,
    /// Whether all that goes over it has all of its bandwidth.
    pub fatpipe: bool,
}
