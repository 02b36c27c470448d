//! Quotes: what is possible now, with no side effect.

use std::sync::Arc;

use planner::decision::Decision;
use planner::json::decision::DecisionDocument;
use planner::request::Request;
use planner::search::{Cancelled, Explanation, PlanningView, explain, plan};
use planner::selection::Selection;
use planner::time::Timestamp;

use super::agendas::stored_quantity;
use super::shared::{Party, SiteState as State};
use super::{Access, Service, ServiceError, Wish};

/// Why there may be a gap where others would estimate.
const REFUSES_ESTIMATES: &str = "this site makes no promises on estimates";

/// A decision with everything needed to write it down or to book it.
pub(super) struct Planned {
    pub state: Arc<State>,
    pub selection: Selection,
    pub decision: Decision,
    explanation: Option<Explanation>,
    /// Words of the agendas in which estimates are gaps.
    refusing: Vec<&'static str>,
}

impl Planned {
    pub(super) fn document(&self, pareto_nodes: bool) -> DecisionDocument {
        let (order, nodes) = (self.selection.order(), &self.state.cluster.nodes);
        let mut document = if pareto_nodes {
            DecisionDocument::new(&self.decision, order, nodes)
        } else {
            DecisionDocument::without_front_nodes(&self.decision, order, nodes)
        };
        self.state.provenance.tell(&self.decision, &mut document);
        for reason in &mut document.reasons {
            let missing = reason.binding.missing_agenda;
            if missing.is_some_and(|agenda| self.refusing.contains(&agenda)) {
                reason.detail = format!("{}; {REFUSES_ESTIMATES}", reason.detail);
            }
        }
        match &self.explanation {
            Some(explanation) => document.explained(explanation),
            None => document,
        }
    }
}

impl Service {
    /// What is possible for this wish at a state, presented off the async threads too: documents of
    /// many nodes are large.
    ///
    /// # Errors
    /// `Overloaded`, `TooManyPlans`, `TimeLimit`, `Invalid` where the window has passed or nodes are unknown.
    pub async fn quote<T: Send + 'static>(
        &self,
        access: Access<'_>,
        state: Arc<State>,
        wish: &Wish,
        present: impl FnOnce(DecisionDocument) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        metrics::counter!("wattbook_quotes_total").increment(1);
        let pareto_nodes = wish.pareto_nodes;
        let party = Party::of(access);
        self.plan(party, state, wish, move |planned| present(planned.document(pareto_nodes))).await
    }

    /// Plans at one state of the book.
    pub(super) async fn plan<T: Send + 'static>(
        &self,
        party: Party,
        state: Arc<State>,
        wish: &Wish,
        present: impl FnOnce(Planned) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let (wish, currency, now) = (wish.clone(), self.settings.currency, self.now());
        if is_over(&wish.request, now) {
            return Err(ServiceError::Invalid(vec!["the window has passed".to_owned()]));
        }
        let refusing = self.settings.feeds.agendas.iter().filter(|rules| rules.refuse_estimates);
        let refusing: Vec<&str> =
            refusing.map(|rules| stored_quantity(rules.quantity).word()).collect();
        let began = std::time::Instant::now();
        let planned = self.pool.run(party, move |cancelled| {
            let unknown = wish.request.filter.errors(&state.cluster.nodes);
            if !unknown.is_empty() {
                let unknown = unknown.iter().map(ToString::to_string).collect();
                return Ok(Err(ServiceError::Invalid(unknown)));
            }
            let selection = state.cluster.selection(&wish.request);
            let view = PlanningView {
                now,
                search: wish.search,
                currency,
                selection: &selection,
                base_power: state.cluster.base_power,
                agendas: &state.agendas,
                book: &state.book,
            };
            let decision = plan(&view, &wish.request, cancelled)?;
            let explanation = wish.explain.then(|| explain(&view, &wish.request, cancelled));
            let explanation = explanation.transpose()?;
            if cancelled() {
                return Err(Cancelled);
            }
            Ok(Ok(present(Planned { state, selection, decision, explanation, refusing })))
        });
        let planned = planned.await?;
        metrics::histogram!("wattbook_plan_duration_seconds").record(began.elapsed());
        planned
    }
}

/// Whether no start is left.
fn is_over(request: &Request, now: Timestamp) -> bool {
    request.shapes().all(|shape| request.latest_start_for(shape.duration) < now)
}
