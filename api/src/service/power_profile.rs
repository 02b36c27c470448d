//! The power profile and the schedule: the book as people see it.

use std::sync::Arc;

use planner::agenda::{Agenda, AgendaError};
use planner::book::Booking;
use planner::problem::CapScope;
use planner::quantity::Power;
use planner::reserved_power::{ProfileStep, power_profile};
use planner::time::Span;
use storage::{Allocation, BookSnapshot, ReservationState};

use super::cluster::{Cluster, blocking};
use super::{Service, ServiceError};

/// Power against the cap over a span.
pub struct PowerProfile {
    /// What the cap limits.
    pub cap_scope: CapScope,
    /// What counts against the cap whatever is reserved; part of every step.
    pub base_power: Power,
    /// Covering the span without gaps; neighbours differ.
    pub steps: Vec<ProfileStep>,
}

/// How often a span is read anew when others replace the nodes meanwhile.
const TRIES: usize = 8;

impl Service {
    /// Power that counts against the cap, step by step over `span`.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn power_profile(&self, span: Span) -> Result<PowerProfile, ServiceError> {
        let (cluster, snapshot) = self.snapshot(span).await?;
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
            let reserved = power_profile(
                &confirmed.iter().collect::<Vec<_>>(),
                &held.iter().collect::<Vec<_>>(),
                &cluster.reference,
                &cap,
                span,
            );
            let (cap_scope, base_power) = (cluster.cap_scope, cluster.base_power);
            let counted = |step: ProfileStep| ProfileStep {
                confirmed: base_power + step.confirmed,
                reserved: base_power + step.reserved,
                ..step
            };
            let steps = reserved.into_iter().map(counted).collect();
            Ok(PowerProfile { cap_scope, base_power, steps })
        })
        .await?
        .map_err(|error: AgendaError| ServiceError::Internal(error.into()))
    }

    /// The cluster and what is stored of the book over a span, the past too.
    async fn snapshot(&self, span: Span) -> Result<(Arc<Cluster>, BookSnapshot), ServiceError> {
        for _ in 0..TRIES {
            let state = self.state().await?;
            let snapshot = self.database.snapshot(span, self.now()).await?;
            // New nodes between the two reads: read again.
            if snapshot.epoch == state.epoch() {
                return Ok((Arc::clone(&state.cluster), snapshot));
            }
        }
        Err(ServiceError::Busy)
    }

    /// Who holds which nodes when.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn schedule(
        &self,
        span: Span,
    ) -> Result<(Arc<Cluster>, Vec<Allocation>), ServiceError> {
        let (cluster, snapshot) = self.snapshot(span).await?;
        Ok((cluster, snapshot.allocations))
    }
}
