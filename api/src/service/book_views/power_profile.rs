//! Power against the cap over time.

use std::sync::Arc;

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::book::Booking;
use planner::cap_scope::CapScope;
use planner::dialogue::{Grant, GrantState, PowerOver, raised};
use planner::quantity::Power;
use planner::reserved_power::{ProfileStep, power_profile};
use planner::time::Span;
use storage::Quantity;

use super::BookViewService;
use crate::service::shared::{Fault, KeptState, blocking, power_of};

/// Power against the cap over a span.
pub struct PowerProfile {
    /// What the cap limits.
    pub cap_scope: CapScope,
    /// What counts against the cap whatever is reserved; part of every step.
    pub base_power: Power,
    /// Covering the span without gaps; neighbours differ.
    pub steps: Vec<ProfileStep>,
}

impl BookViewService {
    /// Power that counts against the cap, step by step over `span`, with the bookings of a state.
    ///
    /// # Errors
    /// The database cannot be reached, and the state does not tell all of it.
    pub async fn power_profile(&self, span: Span, kept: &KeptState) -> Result<PowerProfile, Fault> {
        let taken = self.taken(span, kept).await?;
        let (cap, grants) = self.cap_and_grants(span, kept).await?;
        let not_revoked = grants.iter().filter(|it| it.state != GrantState::Revoked);
        let granted: Vec<PowerOver> = not_revoked.map(power_of).collect();
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
        .map_err(|error: AgendaError| Fault::internal(error))
    }

    /// The cap that was announced for a span, and the grants that raise it.
    async fn cap_and_grants(
        &self,
        span: Span,
        kept: &KeptState,
    ) -> Result<(Vec<Piece<i64>>, Vec<Grant>), Fault> {
        if kept.as_of.is_some_and(|as_of| span.start() >= as_of) {
            let cap = kept.state.proven(Quantity::PowerCap, span);
            return Ok((cap.iter().map(|it| it.piece).collect(), Vec::clone(&kept.state.grants)));
        }
        let cap = self.shared.database.agenda(Quantity::PowerCap, span).await?;
        Ok((cap, self.shared.database.grants(span.start()).await?))
    }
}
