//! The lowest machines: a job that waits is promised machines.

use planner::node_set::NodeSet;

use super::{FitPart, Selection};
use crate::policy::bits::Bits;
use crate::policy::part::About;

/// The lowest machines that are free, also where they are promised.
pub const FIT: FitPart = FitPart {
    about: About { name: "set", meaning: "the lowest machines are reserved", options: &[] },
    counts: false,
    build: |_, _| Box::new(Lowest),
};

/// Selects the lowest machines.
#[derive(Debug)]
pub(super) struct Lowest;

impl Selection for Lowest {
    fn select(&self, free: &NodeSet, nodes: u32) -> Option<NodeSet> {
        free.lowest(nodes)
    }

    fn select_of_bits(&self, free: &Bits, nodes: u32) -> Option<NodeSet> {
        free.lowest_if_enough(nodes)
    }

    fn takes_any(&self) -> bool {
        true
    }
}
