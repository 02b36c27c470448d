//! Holds: how much one user's proposals may keep from others while none of their offers is chosen.
//!
//! Limits are on proposals at a time and on nodes times time of all their offers together. One
//! proposal alone may hold any amount: what may be booked may be proposed. Operators and the local
//! user hold as much as they want, and so does the site on a user's behalf.

use std::collections::HashSet;
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::reservation::Reservation;
use planner::time::{Span, Timestamp};
use storage::NewOffer;

use super::standing::AccountShare;
use super::{BookingError, BookingService};
use crate::config::limits::Limits;
use crate::service::shared::{Access, CallerKind, Fault, SiteState};

/// What a user's proposals hold before another one.
#[derive(Debug)]
pub struct HeldSoFar {
    proposals: usize,
    /// Nodes times seconds.
    node_seconds: i128,
    /// When the first of the holds is over.
    first_over: Option<Timestamp>,
    now: Timestamp,
}

impl BookingService {
    /// What a caller's proposals hold at a state beside one of them, which is to hold something else; `None` where that is
    /// not limited.
    ///
    /// # Errors
    /// `TooManyHolds` where there is no room for another proposal.
    pub(super) async fn held_beside(
        &self,
        access: Access<'_>,
        state: &Arc<SiteState>,
        beside: ReservationId,
    ) -> Result<Option<HeldSoFar>, BookingError> {
        if access.kind != CallerKind::User {
            return Ok(None);
        }
        let held = self.held_by_user(access.owner, state, Some(beside)).await?;
        held.admit_one_more(&self.shared.settings.limits)?;
        Ok(Some(held))
    }

    /// What a user's proposals hold at a state, but one of them. Asked for after the state was read: what another process holds
    /// since then makes the plan's write fail.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub(super) async fn held_by_user(
        &self,
        owner: &str,
        state: &SiteState,
        beside: Option<ReservationId>,
    ) -> Result<HeldSoFar, Fault> {
        let now = self.shared.now();
        let mut held = self.shared.database.held_by(owner, now).await?;
        held.retain(|(id, _)| Some(*id) != beside);
        let ids: HashSet<String> = held.iter().map(|(id, _)| id.to_string()).collect();
        let bookings = state.book.bookings().iter();
        let theirs = bookings.filter(|it| !ids.is_empty() && ids.contains(&*it.id));
        Ok(HeldSoFar {
            proposals: held.len(),
            node_seconds: theirs.map(|it| node_seconds(it.ranks.count(), it.span)).sum(),
            first_over: held.iter().map(|(_, expires)| *expires).min(),
            now,
        })
    }

    /// The most that a user's proposals may hold, in hours of the whole cluster, by their share or as for everybody.
    pub(super) fn most_held_h(&self, share: Option<AccountShare>) -> f64 {
        let by_share = share.and_then(|it| it.held());
        let of_all = self.shared.settings.limits.held_cluster_hours_per_user;
        by_share.map_or(of_all, |it| it.get() as f64 / 3600.0)
    }
}

impl HeldSoFar {
    /// Whether there is room for another proposal.
    ///
    /// # Errors
    /// `TooManyHolds`.
    pub fn admit_one_more(&self, limits: &Limits) -> Result<(), BookingError> {
        let (proposals, most) = (self.proposals, limits.holds_per_user);
        if proposals < most {
            return Ok(());
        }
        let retry_after_s = self.retry_after_s();
        Err(BookingError::TooManyHolds { proposals, most, retry_after_s })
    }

    /// Whether more offers may be held beside what is, which is at most so many hours of the whole cluster.
    ///
    /// # Errors
    /// `TooMuchHeld`.
    pub fn admit(
        &self,
        most_h: f64,
        state: &SiteState,
        offers: &[NewOffer],
    ) -> Result<(), BookingError> {
        self.admit_more(most_h, state, held_by(offers))
    }

    /// Whether what a reservation holds may be held besides.
    ///
    /// # Errors
    /// `TooMuchHeld`.
    pub fn admit_held(
        &self,
        most_h: f64,
        state: &SiteState,
        stored: &Reservation,
    ) -> Result<(), BookingError> {
        let terms = stored.counting_offers().map(|offer| &offer.terms);
        let more = terms.map(|terms| node_seconds(terms.nodes.count(), terms.span));
        self.admit_more(most_h, state, more.sum())
    }

    /// Counts the offers of another proposal, which are held until an instant.
    pub fn add(&mut self, offers: &[NewOffer], until: Timestamp) {
        self.proposals += 1;
        self.node_seconds += held_by(offers);
        self.first_over = Some(self.first_over.map_or(until, |first| first.min(until)));
    }

    fn admit_more(&self, most_h: f64, state: &SiteState, more: i128) -> Result<(), BookingError> {
        let cluster = state.cluster.nodes.as_slice().len().max(1);
        let held_h = (self.node_seconds + more) as f64 / cluster as f64 / 3600.0;
        if self.proposals == 0 || held_h <= most_h {
            return Ok(());
        }
        Err(BookingError::TooMuchHeld { held_h, most_h, retry_after_s: self.retry_after_s() })
    }

    fn retry_after_s(&self) -> u32 {
        self.first_over.map_or(1, |over| seconds_until(over, self.now))
    }
}

/// Nodes times seconds of all offers together.
fn held_by(offers: &[NewOffer]) -> i128 {
    offers.iter().map(|offer| node_seconds(offer.ranks.count(), offer.terms.span)).sum()
}

fn node_seconds(nodes: u32, span: Span) -> i128 {
    i128::from(nodes) * i128::from(span.length().get())
}

fn seconds_until(instant: Timestamp, now: Timestamp) -> u32 {
    u32::try_from((instant - now).get()).unwrap_or(u32::MAX).max(1)
}
