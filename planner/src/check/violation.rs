//! What can be wrong with a decision.

use std::fmt;
use std::sync::Arc;

use crate::decision::ReasonCode;
use crate::quantity::Power;
use crate::ranking::Ranking;
use crate::time::{Seconds, Span, Timestamp};

/// Where a start stands in a decision, as the path to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The offer at this position.
    Offer(usize),
    /// The start as soon as possible.
    AsSoonAsPossible,
    /// The start at this position of the Pareto front.
    Pareto(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offer(index) => write!(f, "offers[{index}]"),
            Self::AsSoonAsPossible => f.write_str("as_soon_as_possible"),
            Self::Pareto(index) => write!(f, "pareto[{index}]"),
        }
    }
}

/// A rule that a decision breaks, and where.
///
/// Nodes are named by ordinal; stated and derived values are in the exact unit of their quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the messages call them")]
pub enum Violation {
    /// The order is not of the nodes that the request's partition and features admit.
    #[error("the order is of {ordered} nodes, the request's labels admit {nodes}")]
    ForeignOrder { ordered: u32, nodes: u32 },
    /// C1, or a start in the past.
    #[error("{place} starts at {start}, outside the window from {earliest} to {latest}")]
    OutsideWindow { place: Place, start: Timestamp, earliest: Timestamp, latest: Timestamp },
    /// Not a multiple of the slot.
    #[error("{place} starts at {start}, which is no slot of {} s", slot.get())]
    NoSlot { place: Place, start: Timestamp, slot: Seconds },
    /// Not over in time.
    #[error("{place} ends at {end}, after the deadline {latest_end}")]
    EndsTooLate { place: Place, end: Timestamp, latest_end: Timestamp },
    /// Not as many nodes for as long as asked for.
    #[error("{place} takes {nodes} nodes for {} s, which is no shape of the request", length.get())]
    WrongShape { place: Place, nodes: u32, length: Seconds },
    /// An agenda does not cover the span.
    #[error("{place} needs the {agenda} agenda, which has a gap from {gap}")]
    AgendaGap { place: Place, agenda: &'static str, gap: Span },
    /// C3.
    #[error(
        "{place} brings the power that counts to {power_uw} uW at {at}, above the cap of {cap}"
    )]
    CapExceeded { place: Place, at: Timestamp, power_uw: i128, cap: Power },
    /// A rank that no node has.
    #[error("{place} takes rank {rank}, but there are {nodes} nodes")]
    NoSuchNode { place: Place, rank: u32, nodes: u32 },
    /// C2.
    #[error("{place} takes node {node}, which reservation {id:?} holds from {held}")]
    NodeTaken { place: Place, node: u32, id: Arc<str>, held: Span },
    /// A node that is down or in maintenance.
    #[error("{place} takes node {node}, which is out of service from {out}")]
    NodeOut { place: Place, node: u32, out: Span },
    /// A node that the request's filter does not admit.
    #[error("{place} takes node {node}, which the request's filter leaves out")]
    NodeLeftOut { place: Place, node: u32 },
    /// A slower state that no node has.
    #[error("{place} runs in slower state {state:?}, which no node has")]
    NoSuchState { place: Place, state: Arc<str> },
    /// A node without the slower state of the others.
    #[error("{place} takes node {node}, which does not have slower state {state:?}")]
    NodeWithoutState { place: Place, node: u32, state: Arc<str> },
    /// A node before one of the chosen ones in the order of preference is free.
    #[error("{place} takes node {taken} although node {free}, to be preferred, is free")]
    BetterNodeFree { place: Place, taken: u32, free: u32 },
    /// A value that is not what the problem gives.
    #[error("{place} states {quantity} {stated}, derived is {derived}")]
    WrongValue { place: Place, quantity: &'static str, stated: i128, derived: i128 },
    /// Idle energy is stated exactly where the site counts it.
    #[error("{place} states idle energy where the problem counts none, or none where it does")]
    IdleChangeContradicted { place: Place },
    /// Money in another currency than the problem's.
    #[error("{place} states an amount in a currency that is not the problem's")]
    WrongCurrency { place: Place },
    /// A ranking must be won by exactly one offer.
    #[error("ranking {ranking} is listed {times} times instead of once")]
    RankingNotOnce { ranking: Ranking, times: usize },
    /// Rankings stand in the order of Algorithm 1.
    #[error("{place} lists its rankings out of order")]
    RankingsUnsorted { place: Place },
    /// The first start and the front repeat what the offers say.
    #[error("{place} lists other rankings than the offer of its start")]
    OtherRankings { place: Place },
    /// A budget of who asks.
    #[error("{place} exceeds the {measure} of the quota {rule} from {period}")]
    BudgetExceeded { place: Place, rule: String, measure: &'static str, period: Span },
    /// An offer exists because it wins a ranking.
    #[error("{place} wins no ranking")]
    OfferWithoutRanking { place: Place },
    /// A choice between fewer than two offers is an optimum.
    #[error("a choice of {offers} offers")]
    NoChoice { offers: usize },
    /// Starts stand in time order, those of one instant in the order of their shapes, each once.
    #[error("{place} does not come after the one before it")]
    NotInTimeOrder { place: Place },
    /// Another start wins the ranking.
    #[error("{place} claims {ranking}, which {by} wins")]
    Beaten { place: Place, ranking: Ranking, by: Place },
    /// The as-soon-as-possible start is the earliest feasible one; of several shapes that may begin then, the first listed.
    #[error("{place} comes before as_soon_as_possible")]
    SoonerThanPossible { place: Place },
    /// Another start consumes no more of anything and begins no later.
    #[error("{place} is dominated by {by}")]
    Dominated { place: Place, by: Place },
    /// A start that nothing dominates.
    #[error("{place} is not on the Pareto front")]
    MissingFromFront { place: Place },
    /// Some starts are feasible exactly when the decision is not `impossible`.
    #[error("an {outcome} decision with {soonest} first starts and {front} on the Pareto front")]
    OutcomeContradicted { outcome: &'static str, soonest: usize, front: usize },
    /// Another start on the front gives up less of what is best.
    #[error("the compromise is stated at {stated:?} on the Pareto front, derived at {derived:?}")]
    OtherCompromise { stated: Option<usize>, derived: Option<usize> },
    /// The number of candidates follows from the problem.
    #[error("{stated} candidate starts are stated, derived are {derived}")]
    WrongCandidateCount { stated: u64, derived: u64 },
    /// Every excluded start is counted once, and no feasible one.
    #[error("{excluded} starts are excluded of {candidates}, of which at least {feasible} are not")]
    ReasonsDoNotAdd { excluded: u64, candidates: u64, feasible: u64 },
    /// A reason that excludes nothing, stands out of order or twice.
    #[error("the reasons are not the ones that exclude a start, once each, in order")]
    ReasonsUnsorted,
    /// A window without a slot, of which it is not said; or one with a slot, of which it is.
    #[error("that the window has no slot is {}", if *stated { "stated, and it has one" } else { "not stated" })]
    NoSlotContradicted { stated: bool },
    /// Nothing, or something else, is missing where a reason says that it binds.
    #[error("{} does not bind at {start} as stated", code.word())]
    NotBinding { code: ReasonCode, start: Timestamp },
}
