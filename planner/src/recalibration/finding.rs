//! What quarter-hours say of a node against the calibration in force.

use super::evidence::{Evidence, QuarterKind};
use super::{Estimate, idle, upper};
use crate::metering::QuarterHour;
use crate::node::Node;
use crate::quantity::{MILLION, Power};

/// Less than one part in so many of the idle power in force is next to nothing.
const NEXT_TO_NOTHING: i64 = 10;

/// More than so many times the maximum power in force is no power of this node.
const TOO_MUCH: i64 = 2;

/// When something is told of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowRules {
    /// A power is not estimated from fewer quarter-hours.
    pub least_quarters: u32,
    /// A node has drifted once a power differs by more than this share of the one in force, in millionths. It has
    /// so until all differ by no more than half of that.
    pub drift: i64,
    /// A node stands out that is further than so many scaled median absolute deviations from its kind.
    pub outlying_scales: i64,
    /// A node whose newest quarter-hour is so many older than the newest of all is not measured any more.
    pub silent_quarters: i64,
    /// Whether nodes that nobody has may be off.
    pub may_be_off: bool,
}

/// Why what is measured of a node cannot be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeFault {
    /// Nothing is measured of it any more, while other nodes are measured.
    Unmeasured,
    /// It draws next to nothing while it is held, or while it is to be on.
    DrawsNothing,
    /// It draws more than twice its maximum power, or more when nobody has it than when it is held.
    Implausible,
    /// It draws exactly as much when nobody has it as when it is held.
    Stuck,
}

impl NodeFault {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Unmeasured, Self::DrawsNothing, Self::Implausible, Self::Stuck];

    /// Its name in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unmeasured => "unmeasured",
            Self::DrawsNothing => "draws_nothing",
            Self::Implausible => "implausible",
            Self::Stuck => "stuck",
        }
    }

    /// That of a name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

/// What quarter-hours say of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeFinding {
    /// What it draws when nobody has it; `None` where too little is known.
    pub idle: Option<Estimate>,
    /// The most that it draws, where that is known: see [`judge`].
    pub max: Option<Estimate>,
    /// Whether one of them differs from what is in force.
    pub drifted: bool,
    /// Whether it stands out among the nodes of its kind; see [`super::mark_outlying`].
    pub outlying: bool,
    /// Why what is measured of it cannot be believed. Nothing else is said of it then.
    pub fault: Option<NodeFault>,
}

impl NodeFinding {
    /// Whether anything was measured.
    const fn says_something(&self) -> bool {
        self.idle.is_some() || self.max.is_some() || self.fault.is_some()
    }
}

/// What quarter-hours say of a node. `before` is what they said when it was judged last; `newest` the newest quarter-hour
/// that was measured of any node. Of a node that was never measured nothing is said.
///
/// The maximum power is what few of the quarter-hours exceed in which it was driven as hard as it can; where there are
/// too few of these, what few exceed in which it was held, if that is more than what is in force: then it is at least
/// that.
pub fn judge(
    node: &Node,
    evidence: &Evidence,
    before: &NodeFinding,
    newest: QuarterHour,
    rules: &FollowRules,
) -> NodeFinding {
    let fault = fault(node, evidence, before, newest, rules);
    if fault.is_some() {
        return NodeFinding { fault, ..NodeFinding::default() };
    }
    let enough = |kind: QuarterKind| {
        let powers = evidence.of(kind);
        (powers.len() >= rules.least_quarters.max(1) as usize).then_some(powers)
    };
    let idle = enough(QuarterKind::Idle).and_then(idle);
    let held = enough(QuarterKind::Held).and_then(upper);
    let driven = enough(QuarterKind::Driven).and_then(upper);
    let max = match (driven, held) {
        (Some(driven), Some(held)) if held.power > driven.power => Some(held),
        (Some(driven), _) => Some(driven),
        (None, held) => held.filter(|it| it.power > node.max()),
    };
    // What is proposed must make a node.
    let least = idle.map_or(node.idle(), |it| it.power);
    if max.map_or(node.max(), |it| it.power) < least {
        return NodeFinding { fault: Some(NodeFault::Implausible), ..NodeFinding::default() };
    }
    let limit = if before.drifted { rules.drift / 2 } else { rules.drift };
    let beyond = |estimate: Option<Estimate>, in_force: Power| {
        estimate.is_some_and(|it| differs(it.power, in_force, limit))
    };
    let drifted = beyond(idle, node.idle()) || beyond(max, node.max());
    NodeFinding { idle, max, drifted, outlying: false, fault: None }
}

/// Whether a power differs from another by more than so many millionths of it.
pub(super) fn differs(power: Power, from: Power, millionths: i64) -> bool {
    let difference = i128::from((power - from).as_microwatts().abs());
    difference * i128::from(MILLION) > i128::from(from.as_microwatts()) * i128::from(millionths)
}

fn fault(
    node: &Node,
    evidence: &Evidence,
    before: &NodeFinding,
    newest: QuarterHour,
    rules: &FollowRules,
) -> Option<NodeFault> {
    let Some(last) = evidence.newest() else {
        return before.says_something().then_some(NodeFault::Unmeasured);
    };
    if newest.number() - last.number() > rules.silent_quarters {
        return Some(NodeFault::Unmeasured);
    }
    let (idle, held) = (QuarterKind::Idle, QuarterKind::Held);
    let all = |kind, wrong: &dyn Fn(Power) -> bool| {
        evidence.newest_of(kind).is_some_and(|powers| powers.iter().all(|power| wrong(*power)))
    };
    let nothing = |power: Power| is_next_to_nothing(node, power);
    if all(held, &nothing) || (!rules.may_be_off && all(idle, &nothing)) {
        return Some(NodeFault::DrawsNothing);
    }
    let too_much = |power: Power| power.as_microwatts() / TOO_MUCH > node.max().as_microwatts();
    if all(held, &too_much) || all(idle, &too_much) {
        return Some(NodeFault::Implausible);
    }
    is_stuck(evidence, rules).then_some(NodeFault::Stuck)
}

/// Whether all quarter-hours have the same power, whatever the node was used for.
fn is_stuck(evidence: &Evidence, rules: &FollowRules) -> bool {
    let of_both = [evidence.of(QuarterKind::Idle), evidence.of(QuarterKind::Held)];
    let enough = of_both.iter().all(|powers| powers.len() >= rules.least_quarters.max(1) as usize);
    let first = of_both[0].first();
    enough && of_both.iter().flat_map(|powers| powers.iter()).all(|power| Some(power) == first)
}

/// Whether a power is next to nothing for a node that is on.
pub(super) fn is_next_to_nothing(node: &Node, power: Power) -> bool {
    power.as_microwatts().saturating_mul(NEXT_TO_NOTHING) < node.idle().as_microwatts()
}
