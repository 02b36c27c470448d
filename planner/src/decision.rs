//! What the planner answers.

use crate::criterion::Values;
use crate::node_set::NodeSet;
use crate::quantity::{CarbonMass, Energy, Money, Power};
use crate::ranking::Ranking;
use crate::slower_states::Slowing;
use crate::time::{Seconds, Span, Timestamp};

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether and how it can be done.
    pub outcome: Outcome,
    /// The starts looked at, before feasibility.
    pub candidate_starts: u64,
    /// Why starts were excluded; each start counts once, under the first reason that holds in
    /// the order of [`ReasonCode`]. Only reasons that excluded a start are listed, and why there is none.
    pub reasons: Vec<Reason>,
    /// The first feasible start, where there is one.
    pub as_soon_as_possible: Option<Offer>,
    /// The feasible starts that no other one beats in energy, cost, CO2 and delay, in time order.
    pub pareto: Vec<Offer>,
    /// The position on the front of the start that gives up least of what is best: see [`compromise`](crate::compromise).
    pub compromise: Option<usize>,
}

/// The three answers of Algorithm 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No start is feasible.
    Impossible,
    /// One start minimises all criteria.
    Optimum(Offer),
    /// The user chooses: each ranking's best start, equal starts merged, in time order.
    Choice(Vec<Offer>),
}

/// A start time with its nodes and what it would consume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The rankings that this start wins.
    pub rankings: Vec<Ranking>,
    /// From the start to the end.
    pub span: Span,
    /// The nodes, as ranks in the order the plan was made with.
    pub ranks: NodeSet,
    /// Energy, cost and CO2 of the nodes while they are taken.
    pub values: Values,
    /// What it changes of what nodes consume that nobody has, where that is counted: below nothing where it avoids some.
    pub idle_change: Option<Box<Values>>,
    /// The sum of the nodes' maximum power, in their slower state where they are in one.
    pub peak_power: Power,
    /// From the earliest start, not before `now`.
    pub delay: Seconds,
    /// What it saves against starting as soon as possible; negative where it consumes more.
    pub saves: Savings,
    /// The slower state of its nodes; `None` at full speed.
    pub slowing: Option<Box<Slowing>>,
}

/// The as-soon-as-possible start's values less an offer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savings {
    /// Energy saved.
    pub energy: Energy,
    /// Cost saved.
    pub cost: Money,
    /// CO2 saved.
    pub co2: CarbonMass,
}

/// Why starts were excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The constraint that excludes the starts.
    pub code: ReasonCode,
    /// The number of candidate starts that it excludes; nothing where there is none.
    pub excluded_starts: u64,
    /// Where it binds: at the start that came closest to being feasible.
    pub binding: Binding,
    /// The reason in words.
    pub detail: String,
}

/// Where a constraint binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The start that it excludes.
    pub start: Timestamp,
    /// When what is missing is missing.
    pub span: Span,
    /// What is missing.
    pub shortage: Shortage,
}

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// A slot: the window lies between two.
    Slot {
        /// How far apart slots are.
        slot: Seconds,
        /// The last one before the window; `None` where it is in the past.
        before: Option<Timestamp>,
        /// The first one after it.
        after: Timestamp,
    },
    /// A value of the agenda of this name.
    Agenda(&'static str),
    /// So many nodes.
    Nodes(u32),
    /// So much power under the cap.
    Power(Power),
    /// What a quota allows: whoever has the quotas can say which.
    Quota,
    /// What a budget allows of energy, cost and CO2, which the start would take so much of.
    Budget(Values),
}

/// The constraints, in the order in which they are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// The window has no slot, so that there is no start to look at.
    NoSlot,
    /// An agenda has no value somewhere in the span.
    AgendaGap,
    /// Fewer nodes are free throughout the span than asked for.
    Nodes,
    /// The maximum power of all reserved nodes would exceed the cap somewhere in the span.
    PowerCap,
    /// A quota of who asks would be exceeded: all else is there.
    Quota,
}

impl ReasonCode {
    /// The word used in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoSlot => "no_slot",
            Self::AgendaGap => "agenda_gap",
            Self::Nodes => "nodes",
            Self::PowerCap => "power_cap",
            Self::Quota => "quota",
        }
    }
}

impl Savings {
    /// What a start of `values` saves against the first one.
    pub fn against(soonest: &Values, values: &Values) -> Self {
        Self {
            energy: soonest.energy - values.energy,
            cost: soonest.cost - values.cost,
            co2: soonest.co2 - values.co2,
        }
    }
}

impl Offer {
    /// What rankings and savings compare: its values, and what it changes of idle nodes' where that is counted.
    pub fn counted(&self) -> Values {
        let Values { energy, cost, co2 } = self.values;
        self.idle_change.as_deref().map_or(self.values, |idle| Values {
            energy: energy + idle.energy,
            cost: cost + idle.cost,
            co2: co2 + idle.co2,
        })
    }

    /// Whether another offer takes the same nodes in the same state for the same time.
    pub fn is_same_start(&self, other: &Self) -> bool {
        (self.span, &self.ranks, &self.slowing) == (other.span, &other.ranks, &other.slowing)
    }
}

impl Outcome {
    /// The answer that offers of distinct starts make, each with its rankings, in time order.
    pub fn of(offers: Vec<Offer>) -> Self {
        match <[Offer; 1]>::try_from(offers) {
            Ok([offer]) => Self::Optimum(offer),
            Err(offers) if offers.is_empty() => Self::Impossible,
            Err(offers) => Self::Choice(offers),
        }
    }
}

impl Decision {
    /// Where there is no start to look at.
    pub const fn without_candidates() -> Self {
        Self {
            outcome: Outcome::Impossible,
            candidate_starts: 0,
            reasons: Vec::new(),
            as_soon_as_possible: None,
            pareto: Vec::new(),
            compromise: None,
        }
    }

    /// The start that gives up least of what is best, with the rankings that it wins.
    pub fn compromise(&self) -> Option<&Offer> {
        let start = self.pareto.get(self.compromise?)?;
        let offered = self.offers().iter().find(|offer| offer.is_same_start(start));
        offered.or(Some(start))
    }

    /// The offers to choose from: none, one or up to six.
    pub fn offers(&self) -> &[Offer] {
        match &self.outcome {
            Outcome::Impossible => &[],
            Outcome::Optimum(offer) => std::slice::from_ref(offer),
            Outcome::Choice(offers) => offers,
        }
    }

    /// The word used in documents.
    pub const fn word(&self) -> &'static str {
        match self.outcome {
            Outcome::Impossible => "impossible",
            Outcome::Optimum(_) => "optimum",
            Outcome::Choice(_) => "choice",
        }
    }

    /// The offer that `ranking` wins.
    pub fn offer_for(&self, ranking: Ranking) -> Option<&Offer> {
        self.offers().iter().find(|offer| offer.rankings.contains(&ranking))
    }
}
