//! Systems of several resources: types of nodes, what all nodes share, queues, and what it all draws.

mod accasim;
mod document;
mod fault;
mod listed;
mod losses;
mod section;
mod slurm;
mod write;

use std::io;

use planner::quantity::Power;

pub use accasim::read_accasim;
pub use fault::{SystemError, SystemFault};
pub use listed::{ListedNode, ListedSystem};
pub use losses::{Converter, Facility, LossChain, Rectifiers, Switches};

pub use slurm::{read_sinfo, read_sinfo_json, read_slurm_conf};

use super::unit::UnitRequest;
use crate::time::Time;

/// How the property of a queue's nodes begins.
const QUEUE_PROPERTY: &str = "partition.";

/// The property of the nodes of a queue that has not all nodes, where the system comes from a list.
pub(super) fn queue_property(queue: &str) -> String {
    property(&format!("{QUEUE_PROPERTY}{queue}"))
}

/// A name as properties have them: what is no letter, digit, dot, dash or underscore is an underscore.
pub(super) fn property(name: &str) -> String {
    let is_allowed = |it: char| it.is_alphanumeric() || ['.', '-', '_'].contains(&it);
    name.chars().map(|it| if is_allowed(it) { it } else { '_' }).collect()
}

/// A system: what its nodes have, in the order of their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// What nodes can have, by position.
    pub resources: Vec<Box<str>>,
    /// Types of nodes, node 0 in the first.
    pub types: Vec<NodeType>,
    /// What nodes can be marked with, such as a rack or a network, by position.
    pub properties: Vec<Box<str>>,
    /// What all nodes share, such as licences.
    pub shared: Vec<SharedResource>,
    /// The queues that are listed.
    pub queues: Vec<QueueLimits>,
    /// What is drawn beside the nodes.
    pub facility: Facility,
}

/// Nodes that are equal.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeType {
    /// The number of such nodes.
    pub count: u32,
    /// What each node has of each resource, by position.
    pub amounts: Box<[u32]>,
    /// The properties of each node: bits by position in [`System::properties`].
    pub properties: u64,
    /// What a node draws, where the system says it.
    pub draw: Option<NodeDraw>,
    /// What is lost on the way to the nodes.
    pub losses: LossChain,
}

/// What a node draws: linear in what is used of each resource.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeDraw {
    /// What never changes: memory, network, disks.
    pub constant: Power,
    /// What one of each resource draws idle and in use, by position.
    pub each: Box<[ComponentDraw]>,
}

/// What one of a resource draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentDraw {
    /// While nobody uses it.
    pub idle: Power,
    /// While a job uses it.
    pub full: Power,
}

/// Something countable that all nodes share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedResource {
    /// Its name, which jobs ask for.
    pub name: Box<str>,
    /// How much there is.
    pub amount: u32,
}

/// A queue, and what a job in it may ask for (table 3.1 of the thesis).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// The name, which jobs say.
    pub name: Box<str>,
    /// The wait that is expected there: the thesis's `ewt`.
    pub expected_wait: Time,
    /// The most units of a job.
    pub max_units: Option<u32>,
    /// The longest requested time.
    pub max_time: Option<Time>,
    /// The most that all units together may ask for of a resource, by position: of nodes first, then shared.
    pub max_amounts: Box<[Option<u64>]>,
}

impl NodeDraw {
    /// What a node with `amounts` draws of which `used` is in use, both by position.
    pub fn at(&self, amounts: &[u32], used: impl Iterator<Item = u32>) -> Power {
        let parts = self.each.iter().zip(amounts).zip(used);
        let microwatts =
            parts.fold(self.constant.as_microwatts(), |sum, ((each, &amount), used)| {
                let idle =
                    each.idle.as_microwatts().saturating_mul(i64::from(amount - used.min(amount)));
                let full = each.full.as_microwatts().saturating_mul(i64::from(used));
                sum.saturating_add(idle).saturating_add(full)
            });
        Power::from_microwatts(microwatts)
    }

    /// What one unit draws while it runs: all that it uses.
    pub fn of_unit(&self, unit: &UnitRequest) -> Power {
        self.sum(unit, |each| each.full)
    }

    /// What a node draws more for one unit than without it.
    pub fn more_for(&self, unit: &UnitRequest) -> Power {
        self.sum(unit, |each| each.full - each.idle)
    }

    fn sum(&self, unit: &UnitRequest, of: impl Fn(&ComponentDraw) -> Power) -> Power {
        let microwatts = unit.of_node.iter().fold(0_i64, |sum, &(place, amount)| {
            let each = self.each.get(place).map(&of).unwrap_or_default().as_microwatts();
            sum.saturating_add(each.saturating_mul(i64::from(amount)))
        });
        Power::from_microwatts(microwatts)
    }
}

impl System {
    /// A system of equal nodes with one resource, of which nothing else is known.
    pub fn of_one_resource(name: &str, nodes: u32, each: u32) -> Self {
        let node_type = NodeType {
            count: nodes,
            amounts: Box::new([each]),
            properties: 0,
            draw: None,
            losses: LossChain::default(),
        };
        Self {
            resources: vec![name.into()],
            types: vec![node_type],
            properties: Vec::new(),
            shared: Vec::new(),
            queues: Vec::new(),
            facility: Facility::default(),
        }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.types.iter().map(|it| it.count).sum()
    }

    /// The type of each node, in order.
    pub fn type_of_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        let of = |(place, it): (usize, &NodeType)| std::iter::repeat_n(place, it.count as usize);
        self.types.iter().enumerate().flat_map(of)
    }

    /// How much there is of each resource: of nodes by position, then what is shared.
    pub fn totals(&self) -> Vec<u64> {
        let of_nodes = (0..self.resources.len()).map(|place| {
            self.types.iter().map(|it| u64::from(it.count) * u64::from(it.amounts[place])).sum()
        });
        of_nodes.chain(self.shared.iter().map(|it| u64::from(it.amount))).collect()
    }

    /// The names of all resources: of nodes by position, then what is shared.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let shared = self.shared.iter().map(|it| &*it.name);
        self.resources.iter().map(|it| &**it).chain(shared)
    }

    /// The position of a resource among [`System::names`].
    pub fn place_of(&self, name: &str) -> Option<usize> {
        self.names().position(|it| it == name)
    }

    /// Resources that some type of nodes has and another lacks: the *critical* ones of the thesis, unless others are named.
    pub fn uneven(&self) -> Vec<usize> {
        let lacked = |place: &usize| self.types.iter().any(|it| it.amounts[*place] == 0);
        (0..self.resources.len()).filter(lacked).collect()
    }

    /// Whether it is known what every node draws.
    pub fn has_draws(&self) -> bool {
        self.types.iter().all(|it| it.draw.is_some())
    }

    /// The bits of properties by their names.
    ///
    /// # Errors
    /// The first name that no node has.
    pub fn properties_of<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<u64, &'n str> {
        let mut bits = 0;
        for name in names {
            let place = self.properties.iter().position(|it| **it == *name).ok_or(name)?;
            bits |= 1 << place;
        }
        Ok(bits)
    }

    /// How many units of this kind alone the whole system holds when it is empty.
    pub fn holds(&self, unit: &UnitRequest) -> u64 {
        let able = |it: &&NodeType| unit.properties & !it.properties == 0;
        let on_nodes: u64 = self
            .types
            .iter()
            .filter(able)
            .map(|it| u64::from(it.count) * u64::from(unit.fits(&it.amounts)))
            .sum();
        let shared = unit.shared.iter().map(|&(place, amount)| {
            u64::from(self.shared[place].amount) / u64::from(amount.max(1))
        });
        shared.fold(on_nodes, u64::min)
    }

    /// Reads a system from TOML.
    ///
    /// # Errors
    /// Everything that is wrong with the document, each with its line.
    pub fn parse(text: &str) -> Result<Self, SystemError> {
        document::parse(text)
    }

    /// Writes the system as TOML, which [`System::parse`] reads again.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        write::write(self, &[], out)
    }
}
