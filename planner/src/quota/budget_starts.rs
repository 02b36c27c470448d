//! The next start at which the budgets are kept.
//!
//! What a reservation takes of energy, cost and CO2 is linear in its start, as long as neither its start nor its end passes a
//! change of the rates. So between two neighbours of all instants at which anything changes, a budget begins or ceases to be
//! kept only where `QuotaJudge::budget_crossings` says.

use super::judge::QuotaJudge;
use crate::time::{Seconds, Span, Timestamp};

/// What a reservation takes by its start.
pub struct StartAmounts<'a> {
    /// Energy, cost and CO2 of a start, in their exact units; `None` where a rate is not known for all of its time.
    pub of: &'a dyn Fn(Timestamp) -> [Option<i128>; 3],
    /// Every instant at which a rate changes, begins or ceases to be known.
    pub changes: &'a [Timestamp],
}

/// Where quotas and budgets are kept next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetStart {
    /// At this start.
    At(Timestamp),
    /// At none that is known: of some starts it is not known what they take.
    NotKnown,
    /// At none.
    None,
}

/// What is known of a start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Keeps,
    Exceeds,
    NotKnown,
}

impl QuotaJudge {
    /// The first start from `first` to `last` at which so many nodes for so long keep the quotas, and what they take the
    /// budgets; on a multiple of `slot` where there is one.
    pub fn next_start_in_budgets(
        &self,
        (nodes, duration): (u32, Seconds),
        (first, last): (Timestamp, Timestamp),
        slot: Option<Seconds>,
        amounts: &StartAmounts<'_>,
    ) -> BudgetStart {
        let edges = self.edges_of_budgets(duration, amounts);
        let mut is_known = true;
        for allowed in self.allowed_starts(nodes, duration, (first, last)) {
            let inside = |edge: &&Timestamp| allowed.first < **edge && **edge < allowed.last;
            let mut points = vec![allowed.first];
            points.extend(edges.iter().filter(inside));
            points.push(allowed.last);
            let points = self.with_crossings(&points, duration, amounts);
            for (place, point) in points.iter().enumerate() {
                let fit = self.fit_of(*point, duration, amounts);
                is_known &= fit != Fit::NotKnown;
                if fit != Fit::Keeps {
                    continue;
                }
                // Up to the next one it stays so.
                let until = points.get(place + 1).copied().unwrap_or(*point + Seconds::ONE);
                let start = slot.map_or(*point, |slot| point.ceil_to(slot));
                if start < until && self.fit_of(start, duration, amounts) == Fit::Keeps {
                    return BudgetStart::At(start);
                }
            }
        }
        if is_known { BudgetStart::None } else { BudgetStart::NotKnown }
    }

    /// Whether a start keeps the budgets that bind it.
    fn fit_of(&self, start: Timestamp, duration: Seconds, amounts: &StartAmounts<'_>) -> Fit {
        let Some(span) = Span::starting(start, duration) else { return Fit::Exceeds };
        let known = (amounts.of)(start);
        let whole = known.map(Option::unwrap_or_default);
        if self.judge_amounts(&whole, span).is_err() {
            return Fit::Exceeds;
        }
        let lacks = self.budgets.0.iter().any(|it| known[it.place].is_none() && it.binds_on(span));
        if lacks { Fit::NotKnown } else { Fit::Keeps }
    }

    /// The starts around which what is taken, or what binds, changes other than linearly, by time.
    fn edges_of_budgets(&self, duration: Seconds, amounts: &StartAmounts<'_>) -> Vec<Timestamp> {
        let edges = self.budget_edges().chain(amounts.changes.iter().copied());
        let around = |edge: Timestamp| {
            let end = edge - duration;
            [edge - Seconds::ONE, edge, end, end + Seconds::ONE]
        };
        let mut edges: Vec<Timestamp> = edges.flat_map(around).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Starts, and those between them on either side of where a budget begins or ceases to be kept.
    fn with_crossings(
        &self,
        points: &[Timestamp],
        duration: Seconds,
        amounts: &StartAmounts<'_>,
    ) -> Vec<Timestamp> {
        let known = |at: Timestamp| (at, (amounts.of)(at).map(Option::unwrap_or_default));
        let mut all = points.to_vec();
        for pair in points.windows(2) {
            let ends = (&known(pair[0]), &known(pair[1]));
            all.extend(self.budget_crossings(ends, duration));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
