//! Starts that would be possible with more power.

use std::sync::Arc;

use planner::headroom::Headroom;
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use super::{BookingRequest, BookingService, PlannedRequest, QuoteError};
use crate::service::shared::{Party, SiteState};

/// Starts that are weighed for a request.
const MOST_STARTS: usize = 64;

/// A start that a request would take if there were power.
pub(in crate::service) struct LeastMissing {
    pub(in crate::service) id: Arc<str>,
    pub(in crate::service) span: Span,
    pub(in crate::service) ranks: NodeSet,
    /// What it counts against the cap.
    pub(in crate::service) power: Power,
}

impl BookingService {
    /// The start of a request that lacks the least energy.
    pub(in crate::service) async fn least_missing(
        &self,
        party: Party,
        state: &SiteState,
        request: &BookingRequest,
        id: Arc<str>,
    ) -> Result<Option<LeastMissing>, QuoteError> {
        let (capped, now) = (state.clone(), self.shared.now());
        let choose = move |planned: PlannedRequest| weigh(&planned, &capped, &id, now);
        match self.plan(party, Arc::new(state.without_cap()), request, choose).await {
            Err(QuoteError::Invalid(_)) => Ok(None),
            found => found,
        }
    }

    /// Whether a request that is impossible would be possible with more power, as one books.
    pub(super) async fn lacks_power_only(
        &self,
        state: &SiteState,
        request: &BookingRequest,
    ) -> Result<bool, QuoteError> {
        let found = self.least_missing(Party::Booking, state, request, "".into()).await?;
        Ok(found.is_some() && state.agendas.power_cap.is_some())
    }
}

fn weigh(
    planned: &PlannedRequest,
    capped: &SiteState,
    id: &Arc<str>,
    now: Timestamp,
) -> Option<LeastMissing> {
    let decision = &planned.decision;
    let starts = decision.pareto.iter().chain(decision.offers()).take(MOST_STARTS);
    let wanted: Vec<LeastMissing> = starts
        .map(|offer| {
            let ranks = planned.selection.book_ranks(&offer.ranks);
            let power = capped.cluster.reference.counted(&ranks);
            LeastMissing { id: Arc::clone(id), span: offer.span, ranks, power }
        })
        .collect();
    let headroom = left(capped, now, wanted.iter().map(|it| it.span))?;
    let lack = |it: &LeastMissing| (headroom.lacking(it.span, it.power), it.span.start());
    wanted.into_iter().min_by_key(lack)
}

/// What the cap leaves beside the whole book from `now` on, to be asked about `spans`; `None` where
/// there is no cap, or nothing to come.
pub(in crate::service) fn left(
    state: &SiteState,
    now: Timestamp,
    spans: impl Iterator<Item = Span>,
) -> Option<Headroom> {
    let cap = state.agendas.power_cap.as_ref()?;
    let claims = state.claims();
    let edges: Vec<Span> = claims.iter().map(|(span, _)| *span).chain(spans).collect();
    let window = Span::new(now, edges.iter().map(|span| span.end()).max()?)?;
    let mut headroom = Headroom::before_claims(cap, state.cluster.base_power, window, edges);
    headroom.take_all(claims);
    Some(headroom)
}
