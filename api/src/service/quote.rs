//! Quotes: what is possible now, with no side effect.

use std::sync::Arc;

use planner::agenda::{Agenda, AgendaError, Agendas, RateAgenda};
use planner::book::Book;
use planner::decision::Decision;
use planner::json::decision::DecisionDocument;
use planner::problem::SearchMode;
use planner::quantity::Power;
use planner::request::Request;
use planner::search::{PlanningView, plan};
use planner::selection::Selection;
use planner::time::{Seconds, Span, Timestamp};
use storage::BookSnapshot;

use super::cluster::{Cluster, blocking};
use super::{Service, ServiceError};

/// A request and where its starts are looked for.
#[derive(Clone, Debug)]
pub struct Wish {
    /// What is asked for.
    pub request: Request,
    /// Where starts are looked for.
    pub search: SearchMode,
}

/// A decision with everything needed to write it down or to book it.
pub(super) struct Planned {
    pub book_version: i64,
    pub cluster: Arc<Cluster>,
    pub selection: Selection,
    pub decision: Decision,
}

impl Planned {
    pub(super) fn document(&self) -> DecisionDocument {
        DecisionDocument::new(&self.decision, self.selection.order(), &self.cluster.nodes)
    }
}

impl Service {
    /// What is possible for this wish now.
    ///
    /// # Errors
    /// `Overloaded`, `TimeLimit` and the database's.
    pub async fn quote(&self, wish: &Wish) -> Result<DecisionDocument, ServiceError> {
        let planned = self.plan(wish).await?;
        blocking(move || planned.document()).await
    }

    /// Plans against one consistent state of the book.
    pub(super) async fn plan(&self, wish: &Wish) -> Result<Planned, ServiceError> {
        let now = self.now();
        let (cluster, snapshot) = match reach(&wish.request, now) {
            Some(reach) => self.snapshot(reach, now).await?,
            None => return Err(ServiceError::Invalid(vec!["the window has passed".to_owned()])),
        };
        let (wish, currency) = (wish.clone(), self.settings.currency);
        let book_version = snapshot.version;
        let planned = self.pool.run(move |cancelled| {
            let unknown = wish.request.filter.errors(&cluster.nodes);
            if !unknown.is_empty() {
                let unknown = unknown.iter().map(ToString::to_string).collect();
                return Ok(Err(ServiceError::Invalid(unknown)));
            }
            let selection = cluster.selection(&wish.request);
            let book = book(&snapshot, &cluster);
            let agendas = match agendas(snapshot) {
                Ok(agendas) => agendas,
                Err(error) => return Ok(Err(ServiceError::Internal(error.into()))),
            };
            let view = PlanningView {
                now,
                search: wish.search,
                currency,
                selection: &selection,
                base_power: Power::ZERO,
                agendas: &agendas,
                book: &book,
            };
            let decision = plan(&view, &wish.request, cancelled)?;
            Ok(Ok(Planned { book_version, cluster, selection, decision }))
        });
        planned.await?
    }

    /// The cluster and one consistent state of the book over `span`.
    pub(super) async fn snapshot(
        &self,
        span: Span,
        now: Timestamp,
    ) -> Result<(Arc<Cluster>, BookSnapshot), ServiceError> {
        loop {
            let cluster = self.cluster().await?;
            let snapshot = self.database.snapshot(span, now).await?;
            // New nodes between the two reads: read again.
            if snapshot.epoch == cluster.epoch {
                return Ok((cluster, snapshot));
            }
        }
    }
}

/// Everything a plan for the request can touch, with the seconds before and after that exact mode
/// looks at.
fn reach(request: &Request, now: Timestamp) -> Option<Span> {
    let margin = Seconds::new(2);
    let from = request.earliest_start_at(now) - margin;
    Span::new(from, request.reach()?.end() + margin)
}

fn book(snapshot: &BookSnapshot, cluster: &Cluster) -> Book {
    let bookings = snapshot.allocations.iter().map(|allocation| {
        let id = allocation.reservation_id.to_string().into();
        (id, allocation.span, allocation.ranks.clone())
    });
    Book::new(Arc::clone(&cluster.reference)).with(bookings)
}

fn agendas(snapshot: BookSnapshot) -> Result<Agendas, AgendaError> {
    Ok(Agendas {
        price: RateAgenda::new(Agenda::new(snapshot.price)?),
        co2: RateAgenda::new(Agenda::new(snapshot.co2)?),
        power_cap: snapshot.power_cap.map(Agenda::new).transpose()?,
    })
}
