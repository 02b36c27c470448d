//! The cluster of one run: what each node draws, as it comes out and as the planner believes.
//!
//! A million nodes are a short list that repeats (the paper scales 44), and one number for each
//! node's `alpha`: nothing of a run is larger than eight bytes a node but the orders.

use std::sync::Arc;

use planner::decimal::Fraction;
use planner::node::{Node, Nodes, NodesError};
use planner::quantity::Power;
use rand::Rng;

use super::SesamesError;
use super::streams::uniform;

/// `alpha` and utilisation are drawn in whole millionths, the finest step that documents hold.
pub(super) const STEPS: u32 = 1_000_000;

/// The nodes without what is drawn for them: the same in every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Platform {
    /// Repeated until there are `max_powers` many; nodes that are given are as many.
    pattern: Arc<Nodes>,
    max_powers: Vec<Power>,
}

/// By what a node's draw is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Estimate<'a> {
    /// Each node's own `alpha`, in steps, by ordinal.
    Alphas(&'a [u32]),
    /// One utilisation for all nodes.
    Utilisation(Fraction),
}

impl Platform {
    /// `count` nodes: `pattern`, again and again.
    ///
    /// # Errors
    /// Nodes that are no cluster.
    pub(super) fn new(pattern: Arc<Nodes>, count: u32) -> Result<Self, SesamesError> {
        let maxima = pattern.as_slice().iter().map(Node::max).cycle();
        let max_powers: Vec<Power> = maxima.take(count as usize).collect();
        let platform = Self { pattern, max_powers };
        // Of this many nodes any sum is a power, once their own is.
        let total: i128 =
            platform.max_powers.iter().map(|power| i128::from(power.as_microwatts())).sum();
        if total > i128::from(planner::quantity::MAX_POWER_MICROWATTS) {
            return Err(NodesError::TooMuchPower.into());
        }
        Ok(platform)
    }

    /// How many nodes.
    pub fn count(&self) -> u32 {
        u32::try_from(self.max_powers.len()).unwrap_or(u32::MAX)
    }

    /// Maximum powers, by ordinal.
    pub fn max_powers(&self) -> &[Power] {
        &self.max_powers
    }

    /// The sum of all maximum powers.
    pub fn peak(&self) -> Power {
        self.max_powers.iter().copied().sum()
    }

    /// The nodes that were given, with their names and labels; those that are repeated where nodes are
    /// drawn.
    pub fn pattern(&self) -> &Nodes {
        &self.pattern
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.pattern.as_slice().iter().cycle().take(self.max_powers.len())
    }

    /// An `alpha` for each node, uniform in `[idle / max, 1]` (paper, section VI-A). One word a
    /// node, also where it has an `alpha` of its own.
    pub(super) fn draw_alphas(&self, rng: &mut impl Rng) -> Vec<u32> {
        let least: Vec<u32> = self.pattern.as_slice().iter().map(least_alpha_steps).collect();
        let alphas = least.iter().cycle().map(|&least| uniform(rng, least..=STEPS));
        alphas.take(self.max_powers.len()).collect()
    }

    /// What each node draws by an estimate, by ordinal. A node's own `alpha` goes before it.
    pub(super) fn draws(&self, estimate: Estimate<'_>) -> Vec<Power> {
        match estimate {
            Estimate::Alphas(alphas) => {
                let of = |(node, &steps): (&Node, &u32)| match node.alpha() {
                    Some(own) => own.of(node.max()),
                    None => millionths_of(steps, node.max()),
                };
                self.nodes().zip(alphas).map(of).collect()
            }
            Estimate::Utilisation(utilisation) => {
                let of: Vec<Power> =
                    self.pattern.as_slice().iter().map(|node| node.draw(utilisation)).collect();
                of.into_iter().cycle().take(self.max_powers.len()).collect()
            }
        }
    }

    /// The nodes with their own powers. `O(nodes)` where they are repeated.
    pub(super) fn as_nodes(&self) -> Result<Arc<Nodes>, SesamesError> {
        if self.pattern.count() == self.count() {
            return Ok(Arc::clone(&self.pattern));
        }
        Ok(Arc::new(Nodes::numbered(self.nodes().copied().collect())?))
    }

    /// The nodes as the planner's documents know them, for a checker. `O(nodes)`, and not fast.
    pub(super) fn known(&self, estimate: Estimate<'_>) -> Result<Arc<Nodes>, SesamesError> {
        let known: Vec<Node> = match estimate {
            Estimate::Utilisation(_) => self.nodes().copied().collect(),
            Estimate::Alphas(alphas) => {
                let of = |(node, &steps): (&Node, &u32)| {
                    let drawn = Fraction::new(f64::from(steps) / f64::from(STEPS));
                    Node::new(node.idle(), node.max(), node.alpha().or(drawn))
                };
                self.nodes().zip(alphas).map(of).collect::<Result<_, _>>()?
            }
        };
        let is_whole = self.pattern.count() == self.count();
        let named = if is_whole { self.pattern.with_powers(known) } else { Nodes::numbered(known) };
        Ok(Arc::new(named?))
    }
}

/// `idle / max` in steps, rounded up so that the draw is never below idle.
fn least_alpha_steps(node: &Node) -> u32 {
    let (idle, max) = (i128::from(node.idle().as_microwatts()), node.max().as_microwatts());
    if max == 0 {
        return 0;
    }
    let max = i128::from(max);
    let steps = (idle * i128::from(STEPS) + max - 1) / max;
    u32::try_from(steps).unwrap_or(STEPS)
}

/// `steps` millionths of `power`, rounded half to even: what [`Fraction::of`] gives, without the
/// way through text.
fn millionths_of(steps: u32, power: Power) -> Power {
    let whole = i64::from(STEPS);
    let product = i64::from(steps).checked_mul(power.as_microwatts());
    let (quotient, rest) = if let Some(product) = product {
        (product / whole, product % whole)
    } else {
        let product = i128::from(steps) * i128::from(power.as_microwatts());
        let of = |part: i128| i64::try_from(part).unwrap_or(i64::MAX);
        (of(product / i128::from(whole)), of(product % i128::from(whole)))
    };
    let up = rest * 2 > whole || (rest * 2 == whole && quotient % 2 != 0);
    Power::from_microwatts(quotient + i64::from(up))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::platform::nodes;
    use super::super::streams::{Draw, stream};
    use super::*;

    fn drawn() -> Arc<Nodes> {
        Arc::new(Nodes::numbered(nodes().unwrap()).unwrap())
    }

    #[test]
    fn drawn_powers_lie_between_idle_and_maximum() {
        let platform = Platform::new(drawn(), 1000).unwrap();
        let alphas = platform.draw_alphas(&mut stream(1, 0, Draw::Alpha));
        let draws = platform.draws(Estimate::Alphas(&alphas));
        for (node, &draw) in platform.nodes().zip(&draws) {
            assert!(node.idle() <= draw && draw <= node.max());
        }
        let mean = draws.iter().map(|draw| draw.as_watts()).sum::<f64>() / 1000.0;
        assert!((17.0..18.0).contains(&mean), "{mean}");
    }

    #[test]
    fn nodes_keep_an_alpha_of_their_own() {
        let watts = |watts| Power::from_watts(watts).unwrap();
        let own = Node::new(watts(10.0), watts(20.0), Fraction::new(0.75)).unwrap();
        let still = Node::new(Power::ZERO, Power::ZERO, None).unwrap();
        let platform =
            Platform::new(Arc::new(Nodes::numbered(vec![own, still]).unwrap()), 2).unwrap();
        let alphas = platform.draw_alphas(&mut stream(1, 0, Draw::Alpha));
        for estimate in [Estimate::Alphas(&alphas), Estimate::Utilisation(Fraction::ONE)] {
            assert_eq!(platform.draws(estimate), [watts(15.0), Power::ZERO]);
            assert_eq!(platform.known(estimate).unwrap().as_slice()[0], own);
        }
    }

    #[test]
    fn the_planner_draws_the_same_from_the_nodes_it_is_told() {
        let platform = Platform::new(drawn(), 100).unwrap();
        let alphas = platform.draw_alphas(&mut stream(1, 0, Draw::Alpha));
        let half = Fraction::new(0.5).unwrap();
        for estimate in [Estimate::Alphas(&alphas), Estimate::Utilisation(half)] {
            let known = platform.known(estimate).unwrap();
            let told: Vec<Power> = known.as_slice().iter().map(|node| node.draw(half)).collect();
            assert_eq!(platform.draws(estimate), told);
        }
    }

    proptest! {
        #[test]
        fn millionths_are_those_of_a_fraction(steps in 0..=STEPS, power in 0_i64..=i64::MAX / 2) {
            let power = Power::from_microwatts(power);
            let fraction = Fraction::new(f64::from(steps) / f64::from(STEPS)).unwrap();
            prop_assert_eq!(millionths_of(steps, power), fraction.of(power));
        }
    }
}
