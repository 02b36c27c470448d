//! The power profile and the schedule: the book as people see it.

use std::sync::Arc;

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::book::Booking;
use planner::dialogue::{PowerOver, raised};
use planner::problem::CapScope;
use planner::quantity::Power;
use planner::reserved_power::{ProfileStep, power_profile};
use planner::time::Span;
use storage::{Allocation, BookSnapshot, GrantStanding, Quantity};

use super::cluster::{Cluster, blocking};
use super::state::{State, power_of};
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

/// Who holds what during a span, the past too.
pub(super) struct Taken {
    /// Whose cluster it is, and who only holds offers.
    pub(super) state: Arc<State>,
    pub(super) bookings: Vec<Arc<Booking>>,
}

/// How often a span is read anew when others replace the nodes meanwhile.
const TRIES: usize = 8;

impl Service {
    /// Power that counts against the cap, step by step over `span`.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn power_profile(&self, span: Span) -> Result<PowerProfile, ServiceError> {
        let taken = self.taken(span).await?;
        let cap = self.database.agenda(Quantity::PowerCap, span).await?;
        let grants = self.database.grants(span.start()).await?;
        let standing = grants.iter().filter(|it| it.standing != GrantStanding::Revoked);
        let granted: Vec<PowerOver> = standing.map(power_of).collect();
        blocking(move || {
            let power = |piece: Piece<i64>| Piece {
                span: piece.span,
                value: Power::from_microwatts(piece.value),
            };
            let cap = raised(&Agenda::new(cap.into_iter().map(power).collect())?, &granted);
            let cluster = &taken.state.cluster;
            let (held, confirmed): (Vec<&Booking>, Vec<&Booking>) =
                taken.bookings.iter().map(Arc::as_ref).partition(|it| taken.state.is_held(&it.id));
            let reserved = power_profile(&confirmed, &held, &cluster.reference, &cap, span);
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

    /// What is taken during a span: from memory, and what is over from the database.
    pub(super) async fn taken(&self, span: Span) -> Result<Taken, ServiceError> {
        let state = self.state().await?;
        let now = self.now();
        let past = match Span::new(span.start(), span.end().min(now)) {
            Some(past) => self.database.allocations(past, now, None).await?,
            None => Vec::new(),
        };
        let epoch = state.epoch();
        blocking(move || {
            let over = |it: &Allocation| it.span.end() <= now && Some(it.epoch) == epoch;
            let booking = |it: Allocation| {
                let id = it.reservation_id.to_string().into();
                Arc::new(Booking::new(id, it.span, it.ranks, &state.cluster.reference))
            };
            let lasting = |it: &&Arc<Booking>| it.span.overlaps(span) && it.span.end() > now;
            let mut bookings: Vec<Arc<Booking>> =
                past.into_iter().filter(over).map(booking).collect();
            bookings.extend(state.book.bookings().iter().filter(lasting).cloned());
            Taken { state, bookings }
        })
        .await
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
