//! Why a decision is what it is: what each ranking's best start would have cost next, and what an
//! hour more would save. Which constraint excluded how many starts, and where it binds, is in the
//! decision itself.

use super::{Cancelled, Feasible, PlanningView, choose, evaluated};
use crate::criterion::Values;
use crate::decision::Savings;
use crate::ranking::Ranking;
use crate::request::Request;
use crate::slower_states::Speed;
use crate::time::{Seconds, Span};

/// How much more flexibility is looked into.
const MORE: Seconds = Seconds::new(3_600);

/// For each of the six rankings, in the order of Algorithm 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// One for each ranking.
    pub rankings: Vec<RankingExplanation>,
}

/// What lies beside one ranking's best start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankingExplanation {
    /// The ranking.
    pub ranking: Ranking,
    /// The start that wins it; `None` where none is feasible.
    pub best: Option<StartValues>,
    /// The one that would win if nothing could begin at that instant.
    pub next_best: Option<StartValues>,
    /// The one that would win if everything could begin, and be over, an hour later.
    pub one_more_hour: Option<StartValues>,
}

/// A start and what counts of it: what it would consume, and where that is counted what it would change of idle energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartValues {
    /// From the start to the end.
    pub span: Span,
    /// The number of nodes.
    pub nodes: u32,
    /// How fast they compute.
    pub speed: Speed,
    /// Energy, cost and CO2, as rankings compare them.
    pub values: Values,
}

impl RankingExplanation {
    /// What the best start saves against the next best.
    pub fn saves_against_next_best(&self) -> Option<Savings> {
        let (next_best, best) = (self.next_best?, self.best?);
        Some(Savings::against(&next_best.values, &best.values))
    }

    /// What an hour more of flexibility would save against the best start.
    pub fn one_more_hour_saves(&self) -> Option<Savings> {
        let (best, later) = (self.best?, self.one_more_hour?);
        Some(Savings::against(&best.values, &later.values))
    }
}

/// Explains what [`plan`](super::plan) decides; in exact mode the next best start is the next best
/// of the candidates. Costs two to three plans.
///
/// # Errors
/// Only when `cancelled` says so.
pub fn explain(
    view: &PlanningView<'_>,
    request: &Request,
    cancelled: &dyn Fn() -> bool,
) -> Result<Explanation, Cancelled> {
    let tolerances = &request.tolerances;
    let now = evaluated(view, request, cancelled, |evaluation| {
        let starts = &evaluation.starts;
        Ranking::ALL.map(|ranking| {
            let best = choose::winner(starts, tolerances, ranking).map(|index| starts[index]);
            let next_best = best.and_then(|best| {
                let others: Vec<Feasible> = starts
                    .iter()
                    .filter(|it| it.span.start() != best.span.start())
                    .copied()
                    .collect();
                choose::winner(&others, tolerances, ranking).map(|index| others[index])
            });
            [best, next_best].map(|start| start.and_then(|it| view.start_values(request, &it)))
        })
    })?;
    let later = request.later_by(MORE);
    let later = if later.errors(view.now).is_empty() {
        evaluated(view, &later, cancelled, |evaluation| {
            let starts = &evaluation.starts;
            Ranking::ALL.map(|ranking| {
                let best = choose::winner(starts, tolerances, ranking)?;
                view.start_values(&later, &starts[best])
            })
        })?
    } else {
        // An hour more leaves the calendar.
        None
    };
    let rankings = Ranking::ALL.iter().enumerate().map(|(index, &ranking)| {
        let [best, next_best] = now.map_or([None; 2], |now| now[index]);
        let one_more_hour = later.and_then(|later| later[index]);
        RankingExplanation { ranking, best, next_best, one_more_hour }
    });
    Ok(Explanation { rankings: rankings.collect() })
}

impl PlanningView<'_> {
    fn start_values(&self, request: &Request, start: &Feasible) -> Option<StartValues> {
        let variants = self.variants(request);
        let variant = variants.get(start.shape)?;
        let (nodes, speed) = (variant.shape.nodes, variant.speed());
        Some(StartValues { span: start.span, nodes, speed, values: self.values(start.amounts) })
    }
}

impl Request {
    /// This request with its last start and deadline later.
    fn later_by(&self, more: Seconds) -> Self {
        Self {
            latest_start: self.latest_start + more,
            latest_end: self.latest_end.map(|end| end + more),
            ..self.clone()
        }
    }
}
