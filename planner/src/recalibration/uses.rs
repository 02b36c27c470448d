//! What nodes were used for in a quarter-hour.

use crate::metering::QuarterHour;
use crate::node_set::NodeSet;
use crate::time::Span;

/// Nodes that somebody or something had for a time, by ordinal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeUse {
    /// From when to when they had them.
    pub span: Span,
    /// The nodes that they had.
    pub nodes: NodeSet,
    /// What for.
    pub used_for: UsedFor,
}

/// What nodes were used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedFor {
    /// A run of an application, by its number among those of the caller.
    Run(usize),
    /// They were kept for somebody whose runs stand beside this.
    Kept,
    /// Something of which nobody knows what it draws: an outage, other people's jobs, being switched.
    Unknown,
}

/// What a node was used for in a quarter-hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuarterUse {
    /// Nobody had it at any instant.
    Idle,
    /// This run had it throughout, and nobody else.
    Run(usize),
    /// Anything else: it tells nothing.
    Unclear,
}

/// What each of so many nodes was used for in a quarter-hour. `O(nodes)`, and what the uses have in it.
pub fn uses_of_quarter(quarter: QuarterHour, nodes: u32, uses: &[NodeUse]) -> Vec<QuarterUse> {
    let mut states = vec![UseSoFar::Idle; nodes as usize];
    let span = quarter.span();
    // What is kept comes first, so that a run takes its place.
    let (kept, others): (Vec<&NodeUse>, Vec<&NodeUse>) = uses
        .iter()
        .filter(|it| it.span.overlaps(span))
        .partition(|it| it.used_for == UsedFor::Kept);
    for it in kept.into_iter().chain(others) {
        let throughout = it.span.start() <= span.start() && span.end() <= it.span.end();
        for ordinal in it.nodes.positions() {
            if let Some(state) = states.get_mut(ordinal as usize) {
                *state = state.and(it.used_for, throughout);
            }
        }
    }
    states.into_iter().map(UseSoFar::told_of_quarter).collect()
}

/// What is known of a node while uses are gone through.
#[derive(Clone, Copy)]
enum UseSoFar {
    Idle,
    Kept,
    Run(usize),
    Unclear,
}

impl UseSoFar {
    const fn and(self, used_for: UsedFor, throughout: bool) -> Self {
        match (self, used_for) {
            (Self::Idle | Self::Kept, UsedFor::Run(run)) if throughout => Self::Run(run),
            (Self::Idle | Self::Kept, UsedFor::Kept) => Self::Kept,
            _ => Self::Unclear,
        }
    }

    const fn told_of_quarter(self) -> QuarterUse {
        match self {
            Self::Idle => QuarterUse::Idle,
            Self::Run(run) => QuarterUse::Run(run),
            Self::Kept | Self::Unclear => QuarterUse::Unclear,
        }
    }
}
