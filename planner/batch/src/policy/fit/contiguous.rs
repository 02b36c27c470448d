//! Machines that are neighbours.

use std::ops::Range;

use planner::node_set::NodeSet;

use super::{FitPart, OrLowest, Selection};
use crate::policy::part::About;

/// The lowest neighbours; a job waits for such.
pub const FIT: FitPart = FitPart {
    about: About {
        name: "contiguous",
        meaning: "the lowest machines that are neighbours; jobs wait for such",
        options: &[],
    },
    counts: false,
    build: |_, _| Box::new(Neighbours),
};

/// The lowest neighbours, or else the lowest machines.
pub const BEST_EFFORT: FitPart = FitPart {
    about: About {
        name: "best_effort_contiguous",
        meaning: "the lowest machines that are neighbours, or else the lowest",
        options: &[],
    },
    counts: false,
    build: |_, _| Box::new(OrLowest(Neighbours)),
};

/// Selects the lowest of the first neighbours that are enough.
#[derive(Debug)]
struct Neighbours;

impl Selection for Neighbours {
    fn select(&self, free: &NodeSet, nodes: u32) -> Option<NodeSet> {
        let wide = |range: &&Range<u32>| range.end - range.start >= nodes;
        let range = free.ranges().iter().find(wide)?;
        NodeSet::from_ranges(vec![range.clone()]).lowest(nodes)
    }
}
