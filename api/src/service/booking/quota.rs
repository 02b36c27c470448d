//! Quotas: what those who book may hold, and what follows where they may not.

use std::sync::Arc;

use planner::decision::{Decision, ReasonCode};
use planner::identity::ReservationId;
use planner::problem::SearchMode;
use planner::quota::{
    QuotaHolding, QuotaJudge, QuotaMeasure, QuotaPeriod, QuotaRefusal, QuotaSubject,
};
use planner::request::Request;
use planner::reservation::Reservation;
use planner::time::{Seconds, Span, Timestamp};
use storage::EndedHolding;

use super::{BookingError, BookingRequest, BookingService, NextStart, RefusedByQuota};
use crate::config::quotas::SiteQuotas;
use crate::service::shared::{
    Access, CallerKind, Fault, SiteState, StoredWords, blocking, quota_subject,
};

/// How far after the window the next start that keeps the quotas is looked for.
const LOOK_AHEAD: Seconds = Seconds::new(62 * 86_400);

/// Explanations look into an hour more than was asked for.
const MARGIN: Seconds = Seconds::new(2 * 3600);

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
        let (is_held, now) = (|id: &str| state.is_held(id), self.shared.now());
        let mut held = state.holders.holdings(&state.book, is_held, now, request.replaces);
        held.extend(self.ended_holdings(quotas, (now, now), None).await?);
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
        let offers = stored.counting_offers().map(|offer| &offer.terms);
        let wanted = offers.filter_map(|terms| {
            let span = terms.span;
            Some((terms.nodes.count(), Span::new(span.start(), end.unwrap_or(span.end()))?))
        });
        let wanted: Vec<(u32, Span)> = wanted.collect();
        let now = self.shared.now();
        // What runs is judged as a whole, with what was held beside it before now.
        let begin = wanted.iter().map(|(_, span)| span.start()).fold(now, Ord::min);
        let is_held = |id: &str| state.is_held(id);
        let mut held = state.holders.holdings(&state.book, is_held, now, stored.replaces);
        held.extend(self.ended_holdings(quotas, (begin, now), Some(stored.id)).await?);
        let given_back = self.given_back(stored, &subject, (begin, now)).await?;
        let mut kept = KeptQuotas { quotas: Arc::clone(quotas), state, subject, held };
        let refusal = blocking(move || {
            let last = wanted.iter().map(|(_, span)| span.end()).max()?;
            let refused = |kept: &KeptQuotas| {
                let judge = kept.judge_over(begin, last + MARGIN)?;
                wanted.iter().find_map(|(nodes, span)| judge.judge(*nodes, *span).err())
            };
            if let Some(refusal) = refused(&kept) {
                return Some(refusal);
            }
            if given_back.is_empty() {
                return None;
            }
            // Its own nodes, which are no second reservation.
            kept.held.extend(given_back);
            refused(&kept).filter(|refusal| match refusal {
                QuotaRefusal::Exceeded(excess) => excess.measure != QuotaMeasure::Reservations,
                QuotaRefusal::Across { .. } => true,
            })
        });
        match refusal.await? {
            None => Ok(()),
            Some(refusal) => {
                let refused = RefusedByQuota { refusal, next_start: NextStart::NotSought };
                Err(BookingError::Quota(Box::new(refused), None))
            }
        }
    }

    /// What a reservation held of nodes that it has given back, beside those that it has still.
    async fn given_back(
        &self,
        stored: &Reservation,
        subject: &QuotaSubject,
        (begin, now): (Timestamp, Timestamp),
    ) -> Result<Vec<QuotaHolding>, Fault> {
        let Some(window) = Span::new(begin, now) else { return Ok(Vec::new()) };
        let has = stored.counting_offers().map(|offer| offer.terms.nodes.count()).max();
        let ended = self.shared.database.ended_holdings(window).await?;
        let own = ended.into_iter().filter(|it| it.reservation_id == stored.id);
        let more = own.filter_map(|it| Some((it.span, it.nodes.checked_sub(has?)?)));
        let more = more.filter(|(_, nodes)| *nodes > 0);
        let holding = |it| QuotaHolding { subject: subject.clone(), alternatives: vec![it] };
        Ok(more.map(holding).collect())
    }

    /// What has ended by now, of all reservations but one, since an instant and in the periods around it that quotas add
    /// up node-hours over. What has yet to end is in the book.
    pub(in crate::service) async fn ended_holdings(
        &self,
        quotas: &SiteQuotas,
        (begin, now): (Timestamp, Timestamp),
        but: Option<ReservationId>,
    ) -> Result<Vec<QuotaHolding>, Fault> {
        let around = |per: QuotaPeriod| per.around(begin, &quotas.zone);
        let periods = quotas.periods().into_iter().filter_map(around);
        let from = periods.map(Span::start).fold(begin, Ord::min);
        let Some(window) = Span::new(from, now) else { return Ok(Vec::new()) };
        let ended = self.shared.database.ended_holdings(window).await?;
        let others = ended.into_iter().filter(|it| Some(it.reservation_id) != but);
        Ok(others.map(quota_holding).collect())
    }
}

/// What has ended, as it counts.
fn quota_holding(ended: EndedHolding) -> QuotaHolding {
    let EndedHolding { owner, project, request, span, nodes, .. } = ended;
    let words = StoredWords::of_request(&request);
    let subject = quota_subject(&owner, words.partition.as_deref(), &project, &words.labels);
    QuotaHolding { subject, alternatives: vec![(span, nodes)] }
}

impl KeptQuotas {
    /// The judge of all starts of a request; `None` where there is none.
    pub(super) fn judge(&self, request: &Request, now: Timestamp) -> Option<QuotaJudge> {
        self.judge_over(now, request.reach()?.end() + MARGIN)
    }

    fn judge_over(&self, begin: Timestamp, end: Timestamp) -> Option<QuotaJudge> {
        let Self { quotas, state, subject, held } = self;
        let nodes = &state.cluster.nodes;
        let nodes_of = |partition: &str| SiteQuotas::nodes_of(nodes, partition);
        let horizon = Span::new(begin, end)?;
        Some(QuotaJudge::new(&quotas.quotas, &quotas.zone, subject, held, &nodes_of, horizon))
    }

    /// The quota that refuses the first start at which all else is there, where one does.
    pub(super) fn refusal(
        &self,
        request: &BookingRequest,
        decision: &Decision,
        now: Timestamp,
    ) -> Option<RefusedByQuota> {
        let reason = decision.reasons.iter().find(|it| it.code == ReasonCode::Quota)?;
        let planning = &request.planning;
        let from = if decision.offers().is_empty() {
            planning.latest_start_for(planning.duration).max(now) + Seconds::ONE
        } else {
            reason.binding.start
        };
        let last = from + LOOK_AHEAD;
        let reach = planning.reach()?.end().max(last + planning.duration) + MARGIN;
        let judge = self.judge_over(now, reach)?;
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
        let next_start = next_start.map_or(NextStart::NoneWithinTwoMonths, NextStart::At);
        Some(RefusedByQuota { refusal, next_start })
    }
}
