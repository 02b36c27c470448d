//! Quotas: what those who book may hold, and what follows where they may not.

use std::sync::Arc;

use planner::decision::{Decision, ReasonCode, Shortage};
use planner::quota::{BudgetUse, QuotaHolding, QuotaJudge, QuotaRefusal, QuotaSubject};
use planner::request::Request;
use planner::reservation::Reservation;
use planner::time::{Seconds, Span, Timestamp};

use super::held_book::{HeldReservations, LeftOut, budget_subject};
use super::next_in_budgets::{NextInBudgets, slot_of};
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
    reservations: Arc<HeldReservations>,
    left_out: Vec<LeftOut>,
    now: Timestamp,
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
        let now = self.shared.now();
        let owner = request.quotas_of.as_deref();
        let Some((owner, quotas)) = owner.zip(self.shared.quotas(state, now)) else {
            return Ok(None);
        };
        let partition = request.planning.filter.partition.as_deref();
        let project = request.project.as_deref().unwrap_or_default();
        let subject = quota_subject(owner, partition, project, &request.labels);
        let is_held = |id: &str| state.is_held(id);
        let mut held = state.holders.holdings(&state.book, is_held, now, request.replaces);
        let (reservations, from) = self.held_reservations(&quotas, state, now).await?;
        held.extend(reservations.ended((from, now), None));
        let state = Arc::clone(state);
        let replaced = request.replaces.map(LeftOut::Rest);
        let left_out = state.left_out.map(LeftOut::Whole).into_iter().chain(replaced).collect();
        Ok(Some(KeptQuotas { quotas, state, subject, held, reservations, left_out, now }))
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
        if !self.has_quotas_for(access) {
            return Ok(());
        }
        let offers = stored.counting_offers().map(|offer| &offer.terms);
        let wanted = offers.filter_map(|terms| {
            let span = terms.span;
            Some((terms.nodes.count(), Span::new(span.start(), end.unwrap_or(span.end()))?))
        });
        let wanted: Vec<(u32, Span)> = wanted.collect();
        let now = self.shared.now();
        // What runs is judged as a whole, with what was held beside it before now.
        let begin = wanted.iter().map(|(_, span)| span.start()).fold(now, Ord::min);
        let Some(mut kept) = self.kept_beside(stored, begin, |_| true).await? else {
            return Ok(());
        };
        let given_back = given_back(stored, &kept, (begin, now));
        let refusal = blocking(move || {
            let last = wanted.iter().map(|(_, span)| span.end()).max()?;
            let judge = kept.judge_over(begin, last + MARGIN)?;
            let refused = wanted.iter().find_map(|(nodes, span)| judge.judge(*nodes, *span).err());
            if refused.is_some() || given_back.is_empty() {
                return refused;
            }
            // Its own nodes, which are no second reservation.
            kept.held.extend(given_back);
            let judge = kept.judge_over(begin, last + MARGIN)?;
            wanted.iter().find_map(|(nodes, span)| judge.judge_more_of_one(*nodes, *span).err())
        });
        refused(refusal.await?)?;
        if end.is_some() { Ok(()) } else { self.check_budgets_of(access, stored, None).await }
    }

    /// Whether a reservation keeps the budgets that are its owner's: what was measured of its chosen offer and what of it is
    /// yet to come, or each offer that is held, and what it takes more.
    ///
    /// # Errors
    /// `Quota`.
    pub(super) async fn check_budgets_of(
        &self,
        access: Access<'_>,
        stored: &Reservation,
        more: Option<BudgetUse>,
    ) -> Result<(), BookingError> {
        if !self.has_quotas_for(access) {
            return Ok(());
        }
        let starts = stored.counting_offers().map(|offer| offer.terms.span.start());
        let begin = starts.fold(self.shared.now(), Ord::min);
        let kept = self.kept_beside(stored, begin, SiteQuotas::has_budgets).await?;
        let Some(kept) = kept else { return Ok(()) };
        let id = stored.id;
        let refusal = blocking(move || {
            let alternatives = kept.reservations.uses_of(id, kept.now);
            let all = |uses: Vec<BudgetUse>| uses.into_iter().chain(more).collect();
            let all: Vec<Vec<BudgetUse>> = alternatives.into_iter().map(all).collect();
            let last = all.iter().flatten().map(|it| it.span.end()).max()?;
            let judge = kept.judge_over(begin, last.max(kept.now) + MARGIN)?;
            all.iter().find_map(|uses| judge.judge_uses(uses).err())
        });
        refused(refusal.await?)
    }

    /// Whether there are quotas that somebody who changes a reservation must keep.
    fn has_quotas_for(&self, access: Access<'_>) -> bool {
        let settings = &self.shared.settings.quotas;
        settings.quotas.is_some() && (settings.operators || !access.is_operator())
    }

    /// What the owner of a reservation must keep beside it, with all that was held since an instant; `None` where there are
    /// no quotas, or they are not of a kind.
    async fn kept_beside(
        &self,
        stored: &Reservation,
        begin: Timestamp,
        is_of_kind: fn(&SiteQuotas) -> bool,
    ) -> Result<Option<KeptQuotas>, Fault> {
        let state = self.shared.state().await?;
        let now = self.shared.now();
        let quotas = self.shared.quotas(&state, begin).filter(|quotas| is_of_kind(quotas));
        let Some(quotas) = quotas else { return Ok(None) };
        let (reservations, from) = self.held_reservations(&quotas, &state, begin).await?;
        let state = Arc::new(state.without(stored.id));
        let words = StoredWords::of_request(&stored.request);
        let (owner, partition) = (&stored.owner, words.partition.as_deref());
        let subject = quota_subject(owner, partition, &stored.project, &words.labels);
        let is_held = |id: &str| state.is_held(id);
        let mut held = state.holders.holdings(&state.book, is_held, now, stored.replaces);
        held.extend(reservations.ended((from, now), Some(stored.id)));
        let replaced = stored.replaces.map(LeftOut::Rest);
        let left_out = std::iter::once(LeftOut::Whole(stored.id)).chain(replaced).collect();
        Ok(Some(KeptQuotas { quotas, state, subject, held, reservations, left_out, now }))
    }

    /// What reservations held and hold since an instant and in the periods around it that quotas add up over, and since
    /// when that is.
    pub(in crate::service) async fn held_reservations(
        &self,
        quotas: &SiteQuotas,
        state: &SiteState,
        begin: Timestamp,
    ) -> Result<(Arc<HeldReservations>, Timestamp), Fault> {
        let periods = quotas.periods().into_iter();
        let around = periods.filter_map(|per| per.around(begin, &quotas.zone));
        let around = around.filter(|period| period.end() > begin);
        let from = around.map(Span::start).fold(begin, Ord::min);
        let is_needed = from < self.shared.now() || quotas.has_budgets();
        let Some(marks) = state.marks.filter(|_| is_needed) else {
            return Ok((Arc::default(), from));
        };
        let held = self.held_book.since(&self.shared.database, &marks, from).await?;
        Ok((held, from))
    }
}

/// Between which starts the next one that keeps the quotas is looked for: after the window, or where it has offers, from the
/// start on that is refused.
fn next_window(
    request: &BookingRequest,
    (decision, refused): (&Decision, Timestamp),
    now: Timestamp,
) -> (Timestamp, Timestamp) {
    let planning = &request.planning;
    let from = if decision.offers().is_empty() {
        planning.latest_start_for(planning.duration).max(now) + Seconds::ONE
    } else {
        refused
    };
    (from, from + LOOK_AHEAD)
}

/// What a reservation held of nodes that it has given back, beside those that it has still.
fn given_back(
    stored: &Reservation,
    kept: &KeptQuotas,
    (begin, now): (Timestamp, Timestamp),
) -> Vec<QuotaHolding> {
    let has = stored.counting_offers().map(|offer| offer.terms.nodes.count()).max();
    let ended = kept.reservations.ended_of(stored.id, (begin, now));
    let more = ended.into_iter().filter_map(|(span, nodes)| Some((span, nodes.checked_sub(has?)?)));
    let more = more.filter(|(_, nodes)| *nodes > 0);
    let holding = |it| QuotaHolding { subject: kept.subject.clone(), alternatives: vec![it] };
    more.map(holding).collect()
}

/// The error of a refusal, where there is one.
fn refused(refusal: Option<QuotaRefusal>) -> Result<(), BookingError> {
    let Some(refusal) = refusal else { return Ok(()) };
    let refused = RefusedByQuota { refusal, next_start: NextStart::NotSought };
    Err(BookingError::Quota(Box::new(refused), None))
}

impl KeptQuotas {
    /// The judge of all starts of a request; `None` where there is none.
    pub(super) fn judge(&self, request: &Request, now: Timestamp) -> Option<QuotaJudge> {
        self.judge_over(now, request.reach()?.end() + MARGIN)
    }

    fn judge_over(&self, begin: Timestamp, end: Timestamp) -> Option<QuotaJudge> {
        let Self { quotas, state, subject, held, .. } = self;
        let nodes = &state.cluster.nodes;
        let nodes_of = |partition: &str| SiteQuotas::nodes_of(nodes, partition);
        let horizon = Span::new(begin, end)?;
        let (rules, zone) = (&quotas.quotas, &quotas.zone);
        let judge = QuotaJudge::new(rules, zone, subject, held, &nodes_of, horizon);
        if !quotas.has_budgets() {
            return Some(judge);
        }
        let projects = state.callers().projects();
        let taken = self.reservations.of_budgets(projects, self.now, &self.left_out);
        let asker = budget_subject(subject.clone(), projects);
        Some(judge.with_budgets(rules, zone, (&asker, &taken), &nodes_of, horizon))
    }

    /// The quota that refuses the first start at which all else is there, where one does.
    pub(super) fn refusal(
        &self,
        request: &BookingRequest,
        decision: &Decision,
        now: Timestamp,
    ) -> Option<RefusedByQuota> {
        let reason = decision.reasons.iter().find(|it| it.code == ReasonCode::Quota)?;
        if let Shortage::Budget(values) = reason.binding.shortage {
            let span = reason.binding.span;
            let amounts =
                [values.energy.as_microjoules(), values.cost.as_exact(), values.co2.as_exact()];
            let (from, last) = next_window(request, (decision, reason.binding.start), now);
            let judge = self.judge_over(now, last.max(span.start()) + span.length() + MARGIN)?;
            let refusal = judge.judge_amounts(&amounts, span).err()?;
            let next = NextInBudgets {
                request,
                energy: values.energy,
                span,
                agendas: &self.state.agendas,
            };
            let next_start = next.start(&judge, (from, last));
            return Some(RefusedByQuota { refusal, next_start });
        }
        let planning = &request.planning;
        let (from, last) = next_window(request, (decision, reason.binding.start), now);
        let reach = planning.reach()?.end().max(last + planning.duration) + MARGIN;
        let judge = self.judge_over(now, reach)?;
        let span = reason.binding.span;
        let of_length = planning.shapes().filter(|it| it.duration == span.length());
        let refusal = of_length
            .chain(planning.shapes())
            .find_map(|shape| judge.judge(shape.nodes, span).err())?;
        let slot = slot_of(request);
        let next_start = judge.next_start(planning.nodes, planning.duration, (from, last), slot);
        let next_start = next_start.map_or(NextStart::NoneWithinTwoMonths, NextStart::At);
        Some(RefusedByQuota { refusal, next_start })
    }
}
