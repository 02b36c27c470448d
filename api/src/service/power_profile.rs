//! The power profile and the schedule: the book as people see it.

use std::sync::Arc;

use planner::agenda::{Agenda, AgendaError};
use planner::book::Booking;
use planner::reserved_power::{ProfileStep, power_profile};
use planner::time::Span;
use storage::{Allocation, ReservationState};

use super::cluster::{Cluster, blocking};
use super::{Service, ServiceError};

impl Service {
    /// Reserved power and the cap, step by step over `span`.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn power_profile(&self, span: Span) -> Result<Vec<ProfileStep>, ServiceError> {
        let (cluster, snapshot) = self.snapshot(span, self.now()).await?;
        blocking(move || {
            let booking = |allocation: &Allocation| {
                let id = allocation.reservation_id.to_string().into();
                let ranks = allocation.ranks.clone();
                Booking::new(id, allocation.span, ranks, &cluster.reference)
            };
            let (held, confirmed): (Vec<_>, Vec<_>) = snapshot
                .allocations
                .iter()
                .partition(|allocation| allocation.state == ReservationState::Proposed);
            let held: Vec<Booking> = held.into_iter().map(booking).collect();
            let confirmed: Vec<Booking> = confirmed.into_iter().map(booking).collect();
            let cap = Agenda::new(snapshot.power_cap.unwrap_or_default())?;
            Ok(power_profile(
                &confirmed.iter().collect::<Vec<_>>(),
                &held.iter().collect::<Vec<_>>(),
                &cluster.reference,
                &cap,
                span,
            ))
        })
        .await?
        .map_err(|error: AgendaError| ServiceError::Internal(error.into()))
    }

    /// Who holds which nodes when.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn schedule(
        &self,
        span: Span,
    ) -> Result<(Arc<Cluster>, Vec<Allocation>), ServiceError> {
        let (cluster, snapshot) = self.snapshot(span, self.now()).await?;
        Ok((cluster, snapshot.allocations))
    }
}
