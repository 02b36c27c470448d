//! Systems as lists of nodes by name, each with what it has, as Slurm and services tell them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Write};

use planner::node_list;
use planner::power_states::Draws;
use planner::quantity::Power;

use super::{
    ComponentDraw, Facility, LossChain, NodeDraw, NodeType, QueueLimits, SharedResource, System,
    write,
};
use super::{QUEUE_PROPERTY, queue_property};
use crate::time::Time;

/// What whole nodes are called of which nothing else is known.
const WHOLE_NODE: &str = "node";
/// What of a node draws the difference between idle and full, the first that it has.
const DRAWING: [&str; 3] = ["cpu", "cores", WHOLE_NODE];

/// The most properties of a system.
const MOST_PROPERTIES: usize = 64;

/// A node and what it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedNode {
    /// Its name.
    pub name: String,
    /// What it has of each resource, by name.
    pub amounts: Vec<(String, u32)>,
    /// What it is marked with.
    pub properties: BTreeSet<String>,
    /// What it draws idle and full, where that is known.
    pub draws: Option<Draws>,
}

/// A queue as it is told: with nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedQueue {
    pub name: String,
    /// The names of the nodes that jobs in it can have; all where this is not said.
    pub nodes: Option<HashSet<String>>,
    /// The most nodes of a job.
    pub max_nodes: Option<u32>,
    pub max_time: Option<Time>,
}

/// A system that was told as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedSystem {
    /// Its nodes, in their order.
    pub nodes: Vec<ListedNode>,
    pub(super) queues: Vec<ListedQueue>,
    /// What all nodes share.
    pub(super) shared: Vec<(String, u32)>,
}

impl ListedSystem {
    /// Nodes of which it is known only what they draw: jobs take whole ones.
    pub fn of_whole_nodes(nodes: impl IntoIterator<Item = (Box<str>, Option<Draws>)>) -> Self {
        let node = |(name, draws): (Box<str>, Option<Draws>)| ListedNode {
            name: name.into(),
            amounts: vec![(WHOLE_NODE.to_owned(), 1)],
            draws,
            ..ListedNode::default()
        };
        Self { nodes: nodes.into_iter().map(node).collect(), ..Self::default() }
    }

    /// Has nodes draw what `draws` says by their names. Gives the names that no node has.
    pub fn with_draws(&mut self, draws: &[(Box<str>, Option<Draws>)]) -> Vec<String> {
        let places: HashMap<String, usize> =
            self.nodes.iter().enumerate().map(|(place, node)| (node.name.clone(), place)).collect();
        let mut unknown = Vec::new();
        for (name, draws) in draws {
            match places.get(&**name) {
                Some(place) => self.nodes[*place].draws = *draws,
                None => unknown.push(name.to_string()),
            }
        }
        unknown
    }

    /// Marks the nodes of queues that have not all nodes.
    pub(super) fn with_marks(mut self) -> Self {
        for queue in &self.queues {
            let Some(nodes) = &queue.nodes else { continue };
            if nodes.len() < self.nodes.len() {
                let mark = queue_property(&queue.name);
                for node in self.nodes.iter_mut().filter(|node| nodes.contains(&node.name)) {
                    node.properties.insert(mark.clone());
                }
            }
        }
        self
    }

    /// The properties of nodes, in the order in which nodes have them, and those that a system has no room for: it keeps those of
    /// queues first.
    fn properties(&self) -> (Vec<Box<str>>, Vec<String>) {
        let mut all: Vec<&String> = Vec::new();
        let mut known: HashSet<&str> = HashSet::new();
        for name in self.nodes.iter().flat_map(|node| &node.properties) {
            if known.insert(name) {
                all.push(name);
            }
        }
        let mut kept: Vec<&String> = all.clone();
        kept.sort_by_key(|name| !name.starts_with(QUEUE_PROPERTY));
        kept.truncate(MOST_PROPERTIES);
        let kept: HashSet<&str> = kept.into_iter().map(String::as_str).collect();
        let (kept, others): (Vec<&String>, Vec<&String>) =
            all.into_iter().partition(|name| kept.contains(name.as_str()));
        let kept = kept.into_iter().map(|name| name.as_str().into()).collect();
        (kept, others.into_iter().cloned().collect())
    }

    /// The properties that nodes have and the system does not: it has room for 64.
    pub fn properties_left_out(&self) -> Vec<String> {
        self.properties().1
    }

    /// The system: nodes beside each other that are equal are a type.
    pub fn system(&self) -> System {
        let (properties, _) = self.properties();
        let mut resources: Vec<Box<str>> = Vec::new();
        for (name, _) in self.nodes.iter().flat_map(|node| &node.amounts) {
            if !resources.iter().any(|it| **it == **name) {
                resources.push(name.as_str().into());
            }
        }
        let mut types: Vec<NodeType> = Vec::new();
        for node in &self.nodes {
            let node_type = node.node_type(&resources, &properties);
            match types
                .last_mut()
                .filter(|last| NodeType { count: 1, ..(**last).clone() } == node_type)
            {
                Some(last) => last.count += 1,
                None => types.push(node_type),
            }
        }
        let shared = self
            .shared
            .iter()
            .map(|(name, amount)| SharedResource { name: name.as_str().into(), amount: *amount });
        let shared: Vec<SharedResource> = shared.collect();
        let kinds = resources.len() + shared.len();
        let nodes = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let queues = self.queues.iter().map(|queue| queue.limits(nodes, kinds)).collect();
        System { resources, types, properties, shared, queues, facility: Facility::default() }
    }

    /// Writes the system as TOML, with the names of nodes in comments.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let system = self.system();
        let mut names = self.nodes.iter().map(|node| node.name.as_str());
        let comments: Vec<String> = system
            .types
            .iter()
            .map(|it| node_list::format(names.by_ref().take(it.count as usize)))
            .collect();
        write::write(&system, &comments, out)
    }

    /// Adds a node; what is said again of one that is there stays as it was first.
    pub(super) fn add(&mut self, known: &mut HashSet<String>, node: ListedNode) {
        if known.insert(node.name.clone()) {
            self.nodes.push(node);
        }
    }
}

impl ListedNode {
    fn node_type(&self, resources: &[Box<str>], properties: &[Box<str>]) -> NodeType {
        let amount =
            |name: &str| self.amounts.iter().find(|(it, _)| it == name).map_or(0, |it| it.1);
        let amounts: Box<[u32]> = resources.iter().map(|name| amount(name)).collect();
        let draw = self.draws.map(|draws| {
            let drawing = DRAWING.iter().find(|name| amount(name) > 0);
            let drawing = drawing.and_then(|name| resources.iter().position(|it| **it == **name));
            node_draw(draws, drawing, &amounts)
        });
        let marks =
            properties.iter().enumerate().filter(|(_, name)| self.properties.contains(&***name));
        let properties = marks.fold(0, |bits, (place, _)| bits | 1 << place);
        NodeType { count: 1, amounts, properties, draw, losses: LossChain::default() }
    }
}

/// A node that draws the difference between idle and full in equal parts of one resource.
fn node_draw(draws: Draws, drawing: Option<usize>, amounts: &[u32]) -> NodeDraw {
    let mut each = vec![ComponentDraw::default(); amounts.len()];
    if let Some(place) = drawing {
        let more = (draws.computing - draws.idle).as_microwatts();
        let full = Power::from_microwatts(more / i64::from(amounts[place].max(1)));
        each[place] = ComponentDraw { idle: Power::default(), full };
    }
    NodeDraw { constant: draws.idle, each: each.into() }
}

impl ListedQueue {
    /// What jobs may ask for: no more nodes than there are in the queue.
    fn limits(&self, nodes: u32, kinds: usize) -> QueueLimits {
        let of_queue = self.nodes.as_ref().and_then(|it| u32::try_from(it.len()).ok());
        let of_queue = of_queue.filter(|it| *it < nodes);
        let max_units = [self.max_nodes, of_queue].into_iter().flatten().min();
        QueueLimits {
            name: self.name.as_str().into(),
            expected_wait: Time::from_seconds(1),
            max_units,
            max_time: self.max_time,
            max_amounts: vec![None; kinds].into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(idle: f64, computing: f64) -> Draws {
        Draws {
            idle: Power::from_watts(idle).unwrap(),
            computing: Power::from_watts(computing).unwrap(),
        }
    }

    /// Of 190 - 95.5 W each of 4 processors draws 23.625 W.
    #[test]
    fn equal_neighbours_are_a_type_and_draw_by_their_processors() {
        let node = |name: &str, cpu: u32, gpu: u32| ListedNode {
            name: name.to_owned(),
            amounts: vec![("cpu".to_owned(), cpu), ("gpu".to_owned(), gpu)],
            ..ListedNode::default()
        };
        let nodes = vec![node("n1", 4, 0), node("n2", 4, 0), node("g1", 4, 2), node("n3", 4, 0)];
        let mut listed = ListedSystem { nodes, ..ListedSystem::default() };
        let mut powers = vec![("x".into(), None)];
        powers.extend(["n1", "n2", "g1", "n3"].map(|name| (name.into(), Some(draws(95.5, 190.0)))));
        assert_eq!(listed.with_draws(&powers), ["x"]);
        let system = listed.system();
        let counts: Vec<u32> = system.types.iter().map(|it| it.count).collect();
        assert_eq!(counts, [2, 1, 1]);
        let draw = system.types[0].draw.as_ref().unwrap();
        assert_eq!(draw.each[0].full, Power::from_watts(23.625).unwrap());
        let mut text = Vec::new();
        listed.write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("# n[1-2]\n[[nodes]]\ncount = 2\ncpu = 4\ngpu = 0\n"), "{text}");
        assert_eq!(System::parse(&text).unwrap(), system);
    }

    /// 70 properties of one node, of which 6 do not fit; the mark of the queue does.
    #[test]
    fn nodes_of_queues_are_marked_before_all_else() {
        let mut node = ListedNode { name: "n1".to_owned(), ..ListedNode::default() };
        node.amounts.push(("cpu".to_owned(), 1));
        let other = ListedNode { name: "n2".to_owned(), ..node.clone() };
        node.properties = (10..79).map(|number| format!("p{number}")).collect();
        let queue = ListedQueue {
            name: "x y".to_owned(),
            nodes: Some(HashSet::from(["n1".to_owned()])),
            max_nodes: None,
            max_time: None,
        };
        let listed =
            ListedSystem { nodes: vec![node, other], queues: vec![queue], shared: Vec::new() };
        let listed = listed.with_marks();
        assert_eq!(listed.properties_left_out(), ["p73", "p74", "p75", "p76", "p77", "p78"]);
        let system = listed.system();
        assert_eq!((system.properties.len(), system.types.len()), (64, 2));
        assert!(system.properties_of(std::iter::once("partition.x_y")).is_ok());
        assert_eq!((system.types[1].properties, system.queues[0].max_units), (0, Some(1)));
        let mut text = Vec::new();
        listed.write(&mut text).unwrap();
        assert_eq!(System::parse(&String::from_utf8(text).unwrap()).unwrap(), system);
    }

    #[test]
    fn whole_nodes_are_one_each() {
        let nodes = ["a", "b"].map(|name| (name.into(), Some(draws(10.0, 30.0))));
        let system = ListedSystem::of_whole_nodes(nodes).system();
        assert_eq!((system.nodes(), system.totals()), (2, vec![2]));
        let drawn = system.types[0].draw.as_ref().unwrap();
        assert_eq!(drawn.at(&[1], [1].into_iter()), Power::from_watts(30.0).unwrap());
    }
}
