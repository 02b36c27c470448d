//! Quotas: what those who book may hold, and what follows where they may not.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use planner::decision::{Decision, ReasonCode};
use planner::problem::SearchMode;
use planner::quota::{QuotaHolding, QuotaJudge, QuotaPeriod, QuotaRefusal, QuotaSubject};
use planner::request::Request;
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Seconds, Span, Timestamp};
use storage::Filter;

use super::{BookingError, BookingRequest, BookingService};
use crate::config::quotas::SiteQuotas;
use crate::service::shared::{
    Access, CallerKind, Fault, SiteState, StoredWords, blocking, quota_subject,
};

/// How far after the window the next start that keeps the quotas is looked for.
const LOOK_AHEAD: Seconds = Seconds::new(62 * 86_400);

/// Explanations look into an hour more than was asked for.
const MARGIN: Seconds = Seconds::new(2 * 3600);

/// A quota that refuses every start at which all else is there.
#[derive(Clone, Debug)]
pub struct RefusedByQuota {
    /// Why it refuses the first of them.
    pub refusal: QuotaRefusal,
    /// The first start after the window at which the quotas are kept, as far as what is held goes; `None` where there is
    /// none within two months.
    pub next_start: Option<Timestamp>,
}

impl fmt::Display for RefusedByQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; ", self.refusal)?;
        match self.next_start {
            Some(start) => write!(f, "the next start that keeps the quotas is {start}"),
            None => f.write_str("within two months no start keeps the quotas; ask for less"),
        }
    }
}

/// Quotas at a state of the book, for one who asks.
pub(super) struct KeptQuotas {
    quotas: Arc<SiteQuotas>,
    state: Arc<SiteState>,
    subject: QuotaSubject,
    held: Vec<QuotaHolding>,
}

impl BookingService {
    /// A request whose offers must keep the caller's quotas; where they concern the caller.
    pub(super) fn under_quotas(
        &self,
        access: Access<'_>,
        request: &BookingRequest,
    ) -> BookingRequest {
        let is_free = match access.kind {
            CallerKind::Operator | CallerKind::LocalUser => !self.shared.settings.quotas.operators,
            CallerKind::User | CallerKind::Site => false,
        };
        let mut request = request.clone();
        request.quotas_of = (!is_free).then(|| access.owner.to_owned());
        request
    }

    /// The quotas that a request must keep, where there are any.
    pub(super) async fn kept_quotas(
        &self,
        state: &Arc<SiteState>,
        request: &BookingRequest,
    ) -> Result<Option<KeptQuotas>, Fault> {
        let settings = &self.shared.settings.quotas;
        let quotas = settings.quotas.as_ref().zip(request.quotas_of.as_deref());
        let Some((quotas, owner)) = quotas else { return Ok(None) };
        let partition = request.planning.filter.partition.as_deref();
        let project = request.project.as_deref().unwrap_or_default();
        let subject = quota_subject(owner, partition, project, &request.labels);
        let mut held = state.holders.holdings(&state.book, request.replaces);
        held.extend(self.ended_holdings(quotas, state).await?);
        let (quotas, state) = (Arc::clone(quotas), Arc::clone(state));
        Ok(Some(KeptQuotas { quotas, state, subject, held }))
    }

    /// Whether a reservation keeps its owner's quotas: the nodes of its chosen offer, or of each that is held, in their
    /// times, or until a later `end`. Whoever is free of quotas may change what is not.
    ///
    /// # Errors
    /// `Quota`.
    pub(super) async fn check_quotas_of(
        &self,
        access: Access<'_>,
        stored: &Reservation,
        end: Option<Timestamp>,
    ) -> Result<(), BookingError> {
        let settings = &self.shared.settings.quotas;
        let Some(quotas) = &settings.quotas else { return Ok(()) };
        if access.is_operator() && !settings.operators {
            return Ok(());
        }
        let state = Arc::new(self.shared.state().await?.without(stored.id));
        let words = StoredWords::of_request(&stored.request);
        let (owner, partition) = (&stored.owner, words.partition.as_deref());
        let subject = quota_subject(owner, partition, &stored.project, &words.labels);
        let mut held = state.holders.holdings(&state.book, stored.replaces);
        held.extend(self.ended_holdings(quotas, &state).await?);
        let (kept, now) =
            (KeptQuotas { quotas: Arc::clone(quotas), state, subject, held }, self.shared.now());
        let offers = stored.counting_offers().map(|offer| &offer.terms);
        let wanted = offers.filter_map(|terms| {
            let span = terms.span;
            Some((terms.nodes.count(), Span::new(span.start(), end.unwrap_or(span.end()))?))
        });
        let wanted: Vec<(u32, Span)> = wanted.collect();
        let refusal = blocking(move || {
            let last = wanted.iter().map(|(_, span)| span.end()).max()?;
            let judge = kept.judge_until(now, last + MARGIN)?;
            wanted.iter().find_map(|(nodes, span)| judge.judge(*nodes, *span).err())
        });
        match refusal.await? {
            None => Ok(()),
            Some(refusal) => {
                let refused = RefusedByQuota { refusal, next_start: None };
                Err(BookingError::Quota(Box::new(refused), None))
            }
        }
    }

    /// What was held and has ended in the periods that quotas add up node-hours over.
    pub(in crate::service) async fn ended_holdings(
        &self,
        quotas: &SiteQuotas,
        state: &SiteState,
    ) -> Result<Vec<QuotaHolding>, Fault> {
        let now = self.shared.now();
        let longest = |per: QuotaPeriod| per.around(now, &quotas.zone);
        let periods = quotas.periods().into_iter().filter_map(longest);
        let Some(from) = periods.map(Span::start).min() else { return Ok(Vec::new()) };
        let states =
            [ReservationState::Confirmed, ReservationState::Active, ReservationState::Completed];
        let filter =
            Filter { states: states.into(), from: Some(from), to: Some(now), ..Filter::default() };
        let there: HashSet<&str> = state.book.bookings().iter().map(|it| &*it.id).collect();
        let mut ended = Vec::new();
        for reservation in self.all_reservations(filter).await? {
            let id = reservation.id.to_string();
            let chosen = reservation.chosen_offer().zip(reservation.chosen);
            let Some((offer, (_, span))) = chosen else { continue };
            // What has yet to end is in the book.
            if there.contains(id.as_str()) {
                continue;
            }
            let words = StoredWords::of_request(&reservation.request);
            let (owner, partition) = (&reservation.owner, words.partition.as_deref());
            let subject = quota_subject(owner, partition, &reservation.project, &words.labels);
            let nodes = offer.terms.nodes.ordinals.count();
            ended.push(QuotaHolding { subject, alternatives: vec![(span, nodes)] });
        }
        Ok(ended)
    }
}

impl KeptQuotas {
    /// The judge of all starts of a request; `None` where there is none.
    pub(super) fn judge(&self, request: &Request, now: Timestamp) -> Option<QuotaJudge> {
        self.judge_until(now, request.reach()?.end() + MARGIN)
    }

    fn judge_until(&self, now: Timestamp, end: Timestamp) -> Option<QuotaJudge> {
        let Self { quotas, state, subject, held } = self;
        let nodes = &state.cluster.nodes;
        let nodes_of = |partition: &str| SiteQuotas::nodes_of(nodes, partition);
        let horizon = Span::new(now, end)?;
        Some(QuotaJudge::new(&quotas.quotas, &quotas.zone, subject, held, &nodes_of, horizon))
    }

    /// The quota that refuses every start at which all else is there, where nothing is offered for that.
    pub(super) fn refusal(
        &self,
        request: &BookingRequest,
        decision: &Decision,
        now: Timestamp,
    ) -> Option<RefusedByQuota> {
        let reason = decision.reasons.iter().find(|it| it.code == ReasonCode::Quota)?;
        let planning = &request.planning;
        let from = planning.latest_start_for(planning.duration).max(now) + Seconds::ONE;
        let last = from + LOOK_AHEAD;
        let reach = planning.reach()?.end().max(last + planning.duration) + MARGIN;
        let judge = self.judge_until(now, reach)?;
        let span = reason.binding.span;
        let of_length = planning.shapes().filter(|it| it.duration == span.length());
        let refusal = of_length
            .chain(planning.shapes())
            .find_map(|shape| judge.judge(shape.nodes, span).err())?;
        let slot = match request.search {
            SearchMode::Slots { slot } => Some(slot),
            SearchMode::Exact => None,
        };
        let next_start = judge.next_start(planning.nodes, planning.duration, (from, last), slot);
        Some(RefusedByQuota { refusal, next_start })
    }
}
