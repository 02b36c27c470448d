//! Holds: how much one user's proposals may keep from others while none of their offers is chosen.
//!
//! Limits are on proposals at a time and on nodes times time of all their offers together. One
//! proposal alone may hold any amount: what may be booked may be proposed. Operators and the local
//! user hold as much as they want, and so does the site on a user's behalf.

use std::collections::HashSet;
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::reservation::Reservation;
use planner::time::{Seconds, Span, Timestamp};
use storage::NewOffer;

use super::{BookingError, BookingService};
use crate::service::shared::{Access, CallerKind, SiteState};

/// What a user's proposals hold before another one.
#[derive(Debug)]
pub struct HeldSoFar {
    proposals: usize,
    /// Nodes times seconds.
    node_seconds: i128,
    most_h: f64,
    retry_after_s: u32,
}

impl BookingService {
    /// What a caller's proposals hold at a state, where that is limited, by their share or as for everybody. Asked for after the state
    /// was read: what another process holds since then makes the plan's write fail.
    ///
    /// # Errors
    /// `TooManyHolds` where there is no room for another proposal.
    pub(in crate::service) async fn held_so_far(
        &self,
        access: Access<'_>,
        state: &Arc<SiteState>,
        by_share: Option<Seconds>,
    ) -> Result<Option<HeldSoFar>, BookingError> {
        self.held_beside(access, state, by_share, None).await
    }

    /// What a caller's proposals hold at a state beside one of them, which is to hold something else.
    pub(super) async fn held_beside(
        &self,
        access: Access<'_>,
        state: &Arc<SiteState>,
        by_share: Option<Seconds>,
        beside: Option<ReservationId>,
    ) -> Result<Option<HeldSoFar>, BookingError> {
        if access.kind != CallerKind::User {
            return Ok(None);
        }
        let now = self.shared.now();
        let mut held = self.shared.database.held_by(access.owner, now).await?;
        held.retain(|(id, _)| Some(*id) != beside);
        let (limits, proposals) = (&self.shared.settings.limits, held.len());
        let first = held.iter().map(|(_, expires)| *expires).min();
        let retry_after_s = first.map_or(1, |expires| seconds_until(expires, now));
        if proposals >= limits.holds_per_user {
            let most = limits.holds_per_user;
            return Err(BookingError::TooManyHolds { proposals, most, retry_after_s });
        }
        let ids: HashSet<String> = held.iter().map(|(id, _)| id.to_string()).collect();
        let bookings = state.book.bookings().iter().filter(|it| ids.contains(&*it.id));
        let node_seconds = bookings.map(|it| node_seconds(it.ranks.count(), it.span)).sum();
        let most_h =
            by_share.map_or(limits.held_cluster_hours_per_user, |it| it.get() as f64 / 3600.0);
        Ok(Some(HeldSoFar { proposals, node_seconds, most_h, retry_after_s }))
    }
}

impl HeldSoFar {
    /// Whether more offers may be held.
    ///
    /// # Errors
    /// `TooMuchHeld`.
    pub fn admit(&self, state: &SiteState, offers: &[NewOffer]) -> Result<(), BookingError> {
        let more = offers.iter().map(|offer| node_seconds(offer.ranks.count(), offer.terms.span));
        self.admit_more(state, more.sum())
    }

    /// Whether what a reservation holds may be held besides.
    ///
    /// # Errors
    /// `TooMuchHeld`.
    pub fn admit_held(&self, state: &SiteState, stored: &Reservation) -> Result<(), BookingError> {
        let terms = stored.counting_offers().map(|offer| &offer.terms);
        let more = terms.map(|terms| node_seconds(terms.nodes.count(), terms.span));
        self.admit_more(state, more.sum())
    }

    fn admit_more(&self, state: &SiteState, more: i128) -> Result<(), BookingError> {
        let cluster = state.cluster.nodes.as_slice().len().max(1);
        let held_h = (self.node_seconds + more) as f64 / cluster as f64 / 3600.0;
        if self.proposals == 0 || held_h <= self.most_h {
            return Ok(());
        }
        let (most_h, retry_after_s) = (self.most_h, self.retry_after_s);
        Err(BookingError::TooMuchHeld { held_h, most_h, retry_after_s })
    }
}

fn node_seconds(nodes: u32, span: Span) -> i128 {
    i128::from(nodes) * i128::from(span.length().get())
}

fn seconds_until(instant: Timestamp, now: Timestamp) -> u32 {
    u32::try_from((instant - now).get()).unwrap_or(u32::MAX).max(1)
}
