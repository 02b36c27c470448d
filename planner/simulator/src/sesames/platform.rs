//! The simulated supercomputer: a million nodes with a tenth of the power of 44 real-looking ones
//! (paper, section VI-A).
//!
//! The paper measured the 44 nodes of Grid'5000's Reims cluster (two 12-core Opteron processors a
//! node) and published a figure, not the numbers. The table below is made up to look like it; it
//! is *not measured*. It holds to what the text says: a simulated node peaks at "25 W" and
//! consumes "17.5 W" on average, which for `alpha` uniform in `[idle / max, 1]` is the mean of
//! idle and maximum. The nodes are in rack order, not sorted, so that taking the first ones by
//! index says nothing about their power.

use planner::node::{Node, NodeError};
use planner::quantity::Power;

/// Idle and maximum power of 44 plausible nodes, W.
pub const PLAUSIBLE_REIMS_NODES_W: [(f64, f64); 44] = [
    (102.4, 246.1),
    (98.7, 239.5),
    (107.9, 255.8),
    (95.2, 231.4),
    (104.6, 249.0),
    (100.1, 242.7),
    (110.3, 261.9),
    (103.3, 244.2),
    (97.5, 236.8),
    (105.8, 252.6),
    (101.2, 250.3),
    (108.8, 247.5),
    (99.4, 243.9),
    (112.6, 264.7),
    (103.9, 240.8),
    (96.3, 234.2),
    (106.5, 257.1),
    (102.0, 245.4),
    (104.2, 253.3),
    (100.8, 237.9),
    (109.5, 258.4),
    (98.1, 241.6),
    (103.0, 248.3),
    (107.1, 243.0),
    (101.7, 251.5),
    (94.6, 228.9),
    (105.2, 246.9),
    (111.2, 259.6),
    (99.9, 238.3),
    (102.8, 254.5),
    (106.1, 244.8),
    (97.0, 240.1),
    (104.9, 256.2),
    (100.5, 247.2),
    (113.8, 268.3),
    (101.5, 235.7),
    (103.6, 249.8),
    (98.9, 245.7),
    (108.2, 253.9),
    (102.2, 242.2),
    (105.5, 250.7),
    (95.8, 233.1),
    (107.4, 248.7),
    (100.3, 244.5),
];

/// A simulated node consumes this part of a measured one (paper, section VI-A: 20 MW for 1e6).
const SCALE: f64 = 0.1;

/// The 44 nodes, scaled; a cluster repeats them.
pub(super) fn nodes() -> Result<Vec<Node>, NodeError> {
    let node = |&(idle_w, max_w): &(f64, f64)| {
        let scaled = |watts: f64| Power::from_watts(watts * SCALE).unwrap_or(Power::ZERO);
        Node::new(scaled(idle_w), scaled(max_w), None)
    };
    PLAUSIBLE_REIMS_NODES_W.iter().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "On average, a node consumes 17.5 W" and peaks at "25 W" (paper, section VI-B).
    #[test]
    fn nodes_draw_what_the_paper_says() {
        let nodes = nodes().unwrap();
        let mean = |power: fn(&Node) -> Power| {
            nodes.iter().map(|node| power(node).as_watts()).sum::<f64>() / 44.0
        };
        let (idle, max) = (mean(Node::idle), mean(Node::max));
        assert!((24.0..25.5).contains(&max), "{max}");
        assert!((f64::midpoint(idle, max) - 17.5).abs() < 0.1, "{idle} {max}");
    }
}
