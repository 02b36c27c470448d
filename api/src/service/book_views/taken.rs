//! What is taken during a span, the past too.

use std::sync::Arc;

use planner::book::Booking;
use planner::time::Span;
use storage::Allocation;

use super::BookViewService;
use crate::service::shared::{Fault, KeptState, SiteState, blocking};

/// Who holds what during a span, the past too.
pub(super) struct TakenNodes {
    /// The cluster, and which reservations only hold offers.
    pub(super) state: Arc<SiteState>,
    /// By nobody's order.
    pub(super) bookings: Vec<Arc<Booking>>,
}

impl BookViewService {
    /// What is taken during a span: by a state, and what was over by then from the database.
    pub(super) async fn taken(&self, span: Span, kept: &KeptState) -> Result<TakenNodes, Fault> {
        let state = Arc::clone(&kept.state);
        let now = kept.as_of.unwrap_or_else(|| self.shared.now());
        let past = match Span::new(span.start(), span.end().min(now)) {
            Some(past) => self.shared.database.allocations(past, now).await?,
            None => Vec::new(),
        };
        let epoch = state.epoch();
        blocking(move || {
            let over = |it: &Allocation| it.span.end() <= now && Some(it.epoch) == epoch;
            let booking = |it: Allocation| {
                let id = it.reservation_id.to_string().into();
                Arc::new(state.cluster.booking(id, it.span, it.ranks, it.slowed_peak))
            };
            let lasting = |it: &&Arc<Booking>| it.span.overlaps(span) && it.span.end() > now;
            let mut bookings: Vec<Arc<Booking>> =
                past.into_iter().filter(over).map(booking).collect();
            bookings.extend(state.book.bookings().iter().filter(lasting).cloned());
            TakenNodes { state, bookings }
        })
        .await
    }
}
