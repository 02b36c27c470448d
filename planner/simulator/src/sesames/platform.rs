//! The simulated supercomputer: a million nodes with a tenth of the power of 44 real-looking ones
//! (paper, section VI-A).
//!
//! The paper measured the 44 nodes of Grid'5000's Reims cluster (two 12-core Opteron processors a
//! node) and published a figure, not the numbers. The table below is made up to look like it; it
//! is *not measured*. It holds to what the text says: a simulated node peaks at "25 W" and
//! consumes "17.5 W" on average, which for `alpha` uniform in `[idle / max, 1]` is the mean of
//! idle and maximum. The nodes are in rack order, not sorted, so that taking the first ones by
//! index says nothing about their power.

use std::sync::Arc;

use planner::decimal::Fraction;
use planner::node::{Node, Nodes};
use planner::quantity::Power;
use rand::Rng;

use super::SesamesError;
use super::streams::uniform;

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

/// `alpha` is drawn in whole millionths, the finest step that documents hold.
const ALPHA_STEPS: u32 = 1_000_000;

/// `count` simulated nodes: the 44, scaled, again and again.
pub(super) fn nodes(count: u32) -> Result<Vec<Node>, SesamesError> {
    let measured: Vec<Node> = PLAUSIBLE_REIMS_NODES_W
        .iter()
        .map(|&(idle_w, max_w)| {
            let scaled = |watts: f64| Power::from_watts(watts * SCALE).unwrap_or(Power::ZERO);
            Node::new(scaled(idle_w), scaled(max_w), None)
        })
        .collect::<Result<_, _>>()?;
    Ok(measured.into_iter().cycle().take(count as usize).collect())
}

/// The nodes with `alpha` drawn uniformly in `[idle / max, 1]` for those that have none of their
/// own (paper, section VI-A). One word a node, also where it has one.
pub(super) fn with_alphas(nodes: &[Node], rng: &mut impl Rng) -> Result<Arc<Nodes>, SesamesError> {
    let drawn = nodes
        .iter()
        .map(|node| {
            let steps = uniform(rng, least_alpha_steps(node)..=ALPHA_STEPS);
            let alpha = Fraction::new(f64::from(steps) / f64::from(ALPHA_STEPS));
            Node::new(node.idle(), node.max(), node.alpha().or(alpha))
        })
        .collect::<Result<_, _>>()?;
    Ok(Arc::new(Nodes::numbered(drawn)?))
}

/// `idle / max` in steps, rounded up so that the draw is never below idle.
fn least_alpha_steps(node: &Node) -> u32 {
    let (idle, max) = (i128::from(node.idle().as_microwatts()), node.max().as_microwatts());
    if max == 0 {
        return 0;
    }
    let max = i128::from(max);
    let steps = (idle * i128::from(ALPHA_STEPS) + max - 1) / max;
    u32::try_from(steps).unwrap_or(ALPHA_STEPS)
}

#[cfg(test)]
mod tests {
    use super::super::streams::{Draw, stream};
    use super::*;

    /// "On average, a node consumes 17.5 W" and peaks at "25 W" (paper, section VI-B).
    #[test]
    fn nodes_draw_what_the_paper_says() {
        let nodes = nodes(44).unwrap();
        let mean = |power: fn(&Node) -> Power| {
            nodes.iter().map(|node| power(node).as_watts()).sum::<f64>() / 44.0
        };
        let (idle, max) = (mean(Node::idle), mean(Node::max));
        assert!((24.0..25.5).contains(&max), "{max}");
        assert!((f64::midpoint(idle, max) - 17.5).abs() < 0.1, "{idle} {max}");
    }

    #[test]
    fn drawn_powers_lie_between_idle_and_maximum() {
        let drawn = with_alphas(&nodes(1000).unwrap(), &mut stream(1, 0, Draw::Alpha)).unwrap();
        let watts = drawn.as_slice().iter().map(|node| {
            let draw = node.draw(Fraction::ONE);
            assert!(node.idle() <= draw && draw <= node.max());
            draw.as_watts()
        });
        let mean = watts.sum::<f64>() / 1000.0;
        assert!((17.0..18.0).contains(&mean), "{mean}");
    }

    #[test]
    fn nodes_keep_an_alpha_of_their_own() {
        let watts = |watts| Power::from_watts(watts).unwrap();
        let own = Node::new(watts(10.0), watts(20.0), Fraction::new(0.75)).unwrap();
        let still = Node::new(Power::ZERO, Power::ZERO, None).unwrap();
        let drawn = with_alphas(&[own, still], &mut stream(1, 0, Draw::Alpha)).unwrap();
        assert_eq!(drawn.as_slice()[0], own);
        assert_eq!(drawn.as_slice()[1].draw(Fraction::ONE), Power::ZERO);
    }
}
