//! What a site adds to its nodes: labels, outages, and which power its cap limits; and the filter of
//! a request, which speaks of them.

use planner::book::Outage;
use planner::cap_scope::CapScope;
use planner::filter::NodeFilter;
use planner::labels::{Labels, NodeLabels};
use planner::node_set::NodeSet;
use planner::time::{Span, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{bits, instant, length, nodes, time};

const PARTITIONS: [&str; 2] = ["batch", "night"];
const FEATURES: [&str; 2] = ["gpu", "hbm"];

/// Labels, a filter, outages and the scope of the cap.
#[derive(Clone, Debug)]
pub struct Site {
    /// Partitions and features of each node, as bits; no labels at all where there are none.
    labels: Vec<(u8, u8)>,
    /// A partition, features as bits.
    asked: (Option<usize>, u8),
    /// Nodes, as bits.
    exclude: u64,
    /// Nodes, as bits; none where all may be taken.
    only: u64,
    outages: Vec<Out>,
    all_nodes: bool,
}

/// An outage's start, length and nodes as bits; without a start it began before everything,
/// without a length it does not end.
#[derive(Clone, Copy, Debug)]
struct Out(Option<i64>, Option<i64>, u64);

/// Each of the features in so many of a hundred sketches, of at most so many nodes.
pub fn site(percent: u32, most: u32) -> impl Strategy<Value = Site> {
    let share = f64::from(percent) / 100.0;
    // Most nodes have most labels, so that a filter leaves some.
    let bits = || prop_oneof![4 => Just(0b11), 2 => Just(0b01), 1 => 0..4_u8];
    let partition = prop::option::weighted(0.6, 0..2_usize);
    let asked = (partition, prop_oneof![3 => Just(0), 4 => 1..3_u8, 1 => Just(3)]);
    let labelled = prop::bool::weighted(share).prop_flat_map(move |any| {
        let labels = vec((bits(), bits()), most as usize);
        if any { (labels, asked.clone()).boxed() } else { Just((vec![], (None, 0))).boxed() }
    });
    let exclude = prop_oneof![
        100 - percent => Just(0),
        percent => (0..most, 0..most).prop_map(|(one, other)| 1_u64 << one | 1 << other),
    ];
    // Most of the nodes, so that some are left.
    let only = prop_oneof![
        100 - percent => Just(0),
        percent => (0..most, 0..most).prop_map(|(one, other)| !(1_u64 << one | 1 << other)),
    ];
    let out =
        (prop::option::weighted(0.8, time()), prop::option::weighted(0.8, length()), nodes(most));
    let outages = prop::bool::weighted(share).prop_flat_map(move |any| {
        let out = out.clone().prop_map(|(start, length, nodes)| Out(start, length, nodes));
        vec(out, if any { 1..=2 } else { 0..=0 })
    });
    (labelled, exclude, only, outages, prop::bool::weighted(share)).prop_map(
        |((labels, asked), exclude, only, outages, all_nodes)| Site {
            labels,
            asked,
            exclude,
            only,
            outages,
            all_nodes,
        },
    )
}

impl Site {
    pub const fn cap_scope(&self) -> CapScope {
        if self.all_nodes { CapScope::AllNodes } else { CapScope::ReservedNodes }
    }

    /// The labels of so many nodes.
    pub fn labels(&self, nodes: usize) -> Labels {
        Labels::new(self.labels.iter().take(nodes).map(|&(partitions, features)| NodeLabels {
            partitions: names(&PARTITIONS, partitions),
            features: names(&FEATURES, features),
        }))
    }

    /// The request's filter; it names only nodes that there are.
    pub fn filter(&self, nodes: u32) -> NodeFilter {
        let (partition, features) = self.asked;
        NodeFilter {
            partition: partition.map(|index| PARTITIONS[index].into()),
            features: names(&FEATURES, features),
            exclude: bits(self.exclude, nodes).map(|node| format!("n{node}").into()).collect(),
            only: bits(self.only, nodes).map(|node| format!("n{node}").into()).collect(),
            closed: Vec::new(),
        }
    }

    pub fn outages(&self, nodes: u32) -> Vec<Outage> {
        let outage = |&Out(start, length, out): &Out| {
            let from = start.map_or(Timestamp::MIN, instant);
            let until = length.map(|length| instant(start.unwrap_or(0) + length));
            let span = Span::new(from, until.unwrap_or(Timestamp::MAX))?;
            let nodes = NodeSet::from_positions(bits(out, nodes));
            (!nodes.is_empty()).then_some(Outage { span, nodes })
        };
        self.outages.iter().filter_map(outage).collect()
    }
}

fn names(all: &[&str], chosen: u8) -> Vec<Box<str>> {
    (0..).zip(all).filter(|(bit, _)| chosen >> bit & 1 == 1).map(|(_, &name)| name.into()).collect()
}
