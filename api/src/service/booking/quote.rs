//! Quotes: what is possible now, with no side effect.

use std::sync::Arc;

use planner::decision::{Decision, ReasonCode};
use planner::idle_energy::IdleEnergy;
use planner::json::decision::{DecisionDocument, LearntUtilisationDocument};
use planner::power_plan::LONGEST_HORIZON;
use planner::request::Request;
use planner::search::{Cancelled, Explanation, IdleView, PlanningView, explain, plan};
use planner::selection::Selection;
use planner::time::Timestamp;

use super::{BookingRequest, BookingService, HeldStarts, QuoteError, RefusedByQuota};
use crate::config::power::PowerSettings;
use crate::service::shared::{Access, OtherCo2, Party, SiteState, stored_quantity};

/// Why there may be a gap where others would estimate.
const REFUSES_ESTIMATES: &str = "this site makes no promises on estimates";

/// A decision with everything needed to write it down or to book it.
pub(in crate::service) struct PlannedRequest {
    pub state: Arc<SiteState>,
    pub selection: Selection,
    pub decision: Decision,
    /// Which starts are to be held.
    pub held: HeldStarts,
    explanation: Option<Explanation>,
    /// CO2 by the accounting that is not planned by, where that is known.
    pub other_co2: Option<Arc<OtherCo2>>,
    /// The utilisation that was planned with, where earlier runs tell it.
    pub learnt: Option<LearntUtilisationDocument>,
    /// The quota that excludes starts at which all else is there, where one does.
    pub refused_by_quota: Option<RefusedByQuota>,
    /// Words of the agendas in which estimates are gaps.
    refusing: Vec<&'static str>,
}

impl PlannedRequest {
    pub(in crate::service) fn document(&self, pareto_nodes: bool) -> DecisionDocument {
        let (order, nodes) = (self.selection.order(), &self.state.cluster.nodes);
        let mut document = if pareto_nodes {
            DecisionDocument::new(&self.decision, order, nodes)
        } else {
            DecisionDocument::without_front_nodes(&self.decision, order, nodes)
        };
        self.state.provenance.tell(&self.decision, &mut document);
        if let Some(other) = &self.other_co2 {
            other.tell(&self.decision, &mut document);
        }
        document.learnt_utilisation.clone_from(&self.learnt);
        for reason in &mut document.reasons {
            let missing = reason.binding.missing_agenda;
            if missing.is_some_and(|agenda| self.refusing.contains(&agenda)) {
                reason.detail = format!("{}; {REFUSES_ESTIMATES}", reason.detail);
            }
            if let Some(refused) = &self.refused_by_quota
                && reason.code == ReasonCode::Quota.word()
            {
                reason.detail = refused.to_string();
            }
        }
        match &self.explanation {
            Some(explanation) => document.explained(explanation),
            None => document,
        }
    }
}

impl BookingService {
    /// What is possible for this request at a state, presented off the async threads too: documents of
    /// many nodes are large.
    ///
    /// # Errors
    /// `Invalid` where the window has passed or nodes are unknown; `Planning`.
    pub async fn quote<T: Send + 'static>(
        &self,
        access: Access<'_>,
        state: Arc<SiteState>,
        request: &BookingRequest,
        present: impl FnOnce(DecisionDocument) -> T + Send + 'static,
    ) -> Result<T, QuoteError> {
        metrics::counter!("wattbook_quotes_total").increment(1);
        let pareto_nodes = request.pareto_nodes;
        let party = Party::of(access);
        let request = &self.under_quotas(access, request);
        let project = request.project.as_deref().unwrap_or_default();
        let standing = self.told_standing(access.owner, project);
        let told = move |planned: PlannedRequest| {
            let mut document = planned.document(pareto_nodes);
            if let Some(standing) = standing {
                standing.tell(&mut document);
            }
            present(document)
        };
        self.plan(party, state, request, told).await
    }

    /// Plans at one state of the book.
    pub(in crate::service) async fn plan<T: Send + 'static>(
        &self,
        party: Party,
        state: Arc<SiteState>,
        request: &BookingRequest,
        present: impl FnOnce(PlannedRequest) -> T + Send + 'static,
    ) -> Result<T, QuoteError> {
        let (request, currency, now) =
            (request.clone(), self.shared.settings.currency, self.shared.now());
        let settings = Arc::clone(&self.shared.settings);
        if is_over(&request.planning, now) {
            return Err(QuoteError::Invalid(vec!["the window has passed".to_owned()]));
        }
        let refusing =
            self.shared.settings.feeds.agendas.iter().filter(|rules| rules.refuse_estimates);
        let refusing: Vec<&str> =
            refusing.map(|rules| stored_quantity(rules.quantity).word()).collect();
        let quotas = self.kept_quotas(&state, &request).await?;
        let other_co2 = self.shared.other_co2.known();
        let began = std::time::Instant::now();
        let planned = self.shared.pool.run(party, move |cancelled| {
            let unknown = request.planning.filter.errors(&state.cluster.nodes);
            if !unknown.is_empty() {
                let unknown = unknown.iter().map(ToString::to_string).collect();
                return Ok(Err(QuoteError::Invalid(unknown)));
            }
            let selection = state.cluster.selection(&request.planning);
            let power = settings.power.as_ref();
            let slower = state.cluster.slower_selections(power, &request.planning, now);
            let idle = idle_energy(power, &state, now);
            let quota = quotas.as_ref().and_then(|it| it.judge(&request.planning, now));
            let view = PlanningView {
                now,
                search: request.search,
                currency,
                selection: &selection,
                slower: &slower,
                base_power: state.cluster.base_power,
                agendas: &state.agendas,
                book: &state.book,
                idle: idle.as_ref().map(|energy| IdleView { energy, nodes: &state.cluster.nodes }),
                quota: quota.as_ref(),
            };
            let decision = plan(&view, &request.planning, cancelled)?;
            let refused_by_quota =
                quotas.as_ref().and_then(|it| it.refusal(&request, &decision, now));
            let explanation = request.explain.then(|| explain(&view, &request.planning, cancelled));
            let explanation = explanation.transpose()?;
            if cancelled() {
                return Err(Cancelled);
            }
            let learnt = request.learnt.as_ref();
            let learnt = learnt.map(|(name, learnt)| LearntUtilisationDocument::new(name, learnt));
            Ok(Ok(present(PlannedRequest {
                state,
                selection,
                decision,
                held: request.held,
                explanation,
                other_co2,
                learnt,
                refused_by_quota,
                refusing,
            })))
        });
        let planned = planned.await?;
        metrics::histogram!("wattbook_plan_duration_seconds").record(began.elapsed());
        planned
    }
}

/// What offers count of idle energy at a site, where it wants that; nothing while its rules do not go with the nodes, of which
/// its turns tell.
fn idle_energy(
    settings: Option<&PowerSettings>,
    state: &SiteState,
    now: Timestamp,
) -> Option<IdleEnergy> {
    let settings = settings?;
    let fit = settings.offers_fit?;
    let rules = state.cluster.power_rules(settings)?.rules.clone();
    let known = [
        state.agendas.price.agenda().pieces().last().map(|it| it.span.end()),
        state.agendas.co2.agenda().pieces().last().map(|it| it.span.end()),
    ];
    let until = known.into_iter().min().flatten()?.min(now + LONGEST_HORIZON);
    Some(IdleEnergy { until, fit, rules })
}

/// Whether no start is left.
fn is_over(request: &Request, now: Timestamp) -> bool {
    request.shapes().all(|shape| request.latest_start_for(shape.duration) < now)
}
