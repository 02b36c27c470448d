//! Fits: which of the machines that are free for long enough a job takes (the thesis, 5.5.2).

pub(super) mod contiguous;
pub(super) mod count;
pub(super) mod local;
pub(super) mod set;

use std::fmt::Debug;

use planner::node_set::NodeSet;

use super::bits::Bits;
use super::options::Options;
use super::part::{About, PartKind};
use crate::platform::Platform;

/// A fit.
#[derive(Debug)]
pub struct FitPart {
    /// The name, the rule and the options.
    pub about: About,
    /// Whether only the number of machines counts until a job starts.
    pub counts: bool,
    /// Makes the selection from the platform and the options.
    pub build: fn(&Platform, &mut Options<'_>) -> Box<dyn Selection>,
}

impl PartKind for FitPart {
    const KIND: &'static str = "fit";
    const ALL: &'static [&'static Self] = &[
        &count::FIT,
        &set::FIT,
        &contiguous::FIT,
        &contiguous::BEST_EFFORT,
        &local::FIT,
        &local::BEST_EFFORT,
    ];

    fn about(&self) -> &About {
        &self.about
    }
}

/// Selects machines for jobs. Where it finds some, it also finds some among more machines.
pub trait Selection: Debug {
    /// Selects `nodes` of the `free` machines; `None` where the job has to wait for others.
    fn select(&self, free: &NodeSet, nodes: u32) -> Option<NodeSet>;

    /// Selects as [`Selection::select`] does.
    fn select_of_bits(&self, free: &Bits, nodes: u32) -> Option<NodeSet> {
        self.select(&free.to_set(), nodes)
    }

    /// Whether any `nodes` machines will do.
    fn takes_any(&self) -> bool {
        false
    }

    /// How many machines it can ever find for a job.
    fn widest(&self) -> u32 {
        u32::MAX
    }
}

/// Selects as another selection does, or the lowest machines where that finds none.
#[derive(Debug)]
struct OrLowest<S>(S);

impl<S: Selection> Selection for OrLowest<S> {
    fn select(&self, free: &NodeSet, nodes: u32) -> Option<NodeSet> {
        self.0.select(free, nodes).or_else(|| free.lowest(nodes))
    }

    fn takes_any(&self) -> bool {
        true
    }
}
