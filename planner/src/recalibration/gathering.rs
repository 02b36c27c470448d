//! Quarter-hours of all nodes, sorted by what they tell.

use super::evidence::{Evidence, QuarterKind};
use super::finding::{FollowRules, is_next_to_nothing};
use super::runs::RunSums;
use super::uses::{NodeUse, QuarterUse, uses_of_quarter};
use crate::decimal::Fraction;
use crate::metering::QuarterHour;
use crate::node::Nodes;
use crate::quantity::Power;

/// A run works its nodes as hard as they can whose request says at least this utilisation.
const AS_HARD_AS_IT_CAN: f64 = 0.95;

/// What a run's request says of its draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedDraw {
    /// The utilisation; 1 where the request says none.
    pub utilisation: Fraction,
    /// Whether the request says it.
    pub said: bool,
}

/// What is gathered of nodes and runs.
#[derive(Clone, Debug)]
pub struct Gathering {
    /// Of each node, by ordinal.
    nodes: Vec<Evidence>,
    /// Of each run, in the order in which they were met.
    runs: Vec<(ExpectedDraw, RunSums)>,
    /// The newest quarter-hour that was measured of any node.
    newest: Option<QuarterHour>,
}

impl Gathering {
    /// Nothing yet, of so many nodes.
    pub fn new(nodes: u32) -> Self {
        Self { nodes: vec![Evidence::default(); nodes as usize], runs: Vec::new(), newest: None }
    }

    /// A new run, by whose number uses speak of it.
    pub fn add_run(&mut self, expected: ExpectedDraw) -> usize {
        self.runs.push((expected, RunSums::default()));
        self.runs.len() - 1
    }

    /// Adds a quarter-hour; they come newest first. `measured` has the mean power of each node that was measured
    /// throughout. Powers of nodes are those in force. `O(nodes)`.
    pub fn add_quarter(
        &mut self,
        quarter: QuarterHour,
        nodes: &Nodes,
        uses: &[NodeUse],
        measured: &[Option<Power>],
        rules: &FollowRules,
    ) {
        let used_for = uses_of_quarter(quarter, nodes.count(), uses);
        let of_nodes = nodes.as_slice().iter().zip(&mut self.nodes).zip(used_for).zip(measured);
        for (((node, evidence), used_for), power) in of_nodes {
            let Some(power) = *power else { continue };
            self.newest = self.newest.max(Some(quarter));
            match used_for {
                QuarterUse::Idle if rules.may_be_off && is_next_to_nothing(node, power) => {
                    evidence.note(quarter);
                }
                QuarterUse::Idle => evidence.take(quarter, QuarterKind::Idle, power),
                QuarterUse::Unclear => evidence.note(quarter),
                QuarterUse::Run(run) => {
                    let Some((expected, sums)) = self.runs.get_mut(run) else { continue };
                    let hard = expected.utilisation.as_f64() >= AS_HARD_AS_IT_CAN;
                    let driven = expected.said && hard;
                    let kind = if driven { QuarterKind::Driven } else { QuarterKind::Held };
                    evidence.take(quarter, kind, power);
                    evidence.compare(node.draw(expected.utilisation), power);
                    sums.add(node, power);
                }
            }
        }
    }

    /// What is gathered of each node, by ordinal.
    pub fn nodes(&self) -> &[Evidence] {
        &self.nodes
    }

    /// What is gathered of a run.
    pub fn run(&self, number: usize) -> RunSums {
        self.runs.get(number).map(|(_, sums)| *sums).unwrap_or_default()
    }

    /// The newest quarter-hour that was measured of any node; `None` before there is one.
    pub const fn newest(&self) -> Option<QuarterHour> {
        self.newest
    }
}
