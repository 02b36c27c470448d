//! Calendar feeds: what a user has booked, for a calendar program that subscribes to a secret address.
//!
//! Whoever has the secret reads the feed, without a token: calendar programs can send none. Only its digest is stored.
//! See `docs/NOTIFICATIONS.md`.

mod document;

use std::collections::HashMap;
use std::sync::Arc;

use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use planner::time::{Seconds, Timestamp};
use serde::Deserialize;
use storage::{CalendarFeed, Filter, SeenBy};

use super::shared::{Access, CallerProjects, Fault, Shared, digest, new_secret};
use document::FeedDocument;

/// Reservations that ended longer ago are not in the feed.
const SHOWN_FOR: Seconds = Seconds::new(31 * 86_400);

/// So long the feed says of a reservation that it was cancelled, so that programs remove it.
const CANCELLED_FOR: Seconds = Seconds::new(7 * 86_400);

/// The most reservations of a feed, the newest first; as many again that were cancelled.
const MOST_SHOWN: u16 = 1000;

/// The most events that are read to learn when reservations changed.
const MOST_EVENTS: u16 = 10_000;

/// Calendar feeds.
pub struct CalendarService {
    shared: Arc<Shared>,
}

/// Why there is no feed.
#[derive(Debug, thiserror::Error)]
pub enum CalendarError {
    /// Nobody has this secret, or whose it is may not ask any more.
    #[error("no calendar has this address")]
    NoSuchFeed,
    /// The database is out of reach.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// What an event tells of its reservation.
#[derive(Deserialize)]
struct ReservationEventData {
    reservation_id: ReservationId,
}

impl CalendarService {
    /// On what all services share.
    pub const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// When the caller's secret address was made; `None` where they have none.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn created(&self, access: Access<'_>) -> Result<Option<Timestamp>, Fault> {
        let found = self.shared.database.calendar_feed_of(access.owner).await?;
        Ok(found.map(|feed| feed.created))
    }

    /// Makes a secret for the caller's feed; the one before stops working.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn renew(&self, access: Access<'_>) -> Result<(String, Timestamp), Fault> {
        let (secret, created) = (new_secret()?, self.shared.now());
        let feed =
            CalendarFeed { owner: access.owner.to_owned(), digest: digest(&secret), created };
        self.shared.database.put_calendar_feed(&feed).await?;
        Ok((secret, created))
    }

    /// Ends the caller's feed, if they have one.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn end(&self, access: Access<'_>) -> Result<(), Fault> {
        self.shared.database.end_calendar_feed(access.owner).await?;
        Ok(())
    }

    /// The feed of a secret, as iCalendar (RFC 5545).
    ///
    /// # Errors
    /// `NoSuchFeed`; the database cannot be reached.
    pub async fn feed(&self, secret: &str) -> Result<String, CalendarError> {
        let found = self.shared.database.calendar_feed(&digest(secret)).await;
        let feed = found.map_err(Fault::from)?.ok_or(CalendarError::NoSuchFeed)?;
        let state = self.shared.state().await?;
        if !state.callers().knows(&feed.owner) {
            return Err(CalendarError::NoSuchFeed);
        }
        let settings = self.shared.settings.projects;
        let member_of = CallerProjects::of_absent(state.callers(), settings, &feed.owner).own();
        let now = self.shared.now();
        let changed = self.changed_since(&feed.owner, now - CANCELLED_FOR).await?;
        let mut document = FeedDocument::new(&self.shared.settings, now);
        for reservation in self.shown(&feed.owner, member_of, now).await? {
            let state = reservation.state_at(now);
            let changed = changed.get(&reservation.id).copied();
            if is_cancelled(state) && changed.is_none() {
                continue;
            }
            document.push(&reservation, changed.unwrap_or_else(|| last_change(&reservation)));
        }
        Ok(document.text())
    }

    /// The reservations that a feed may show: its owner's, and those that are shared with them.
    async fn shown(
        &self,
        owner: &str,
        member_of: Vec<String>,
        now: Timestamp,
    ) -> Result<Vec<Reservation>, Fault> {
        let seen_by = SeenBy { owner: owner.to_owned(), projects: Vec::new(), member_of };
        let (cancelled, live): (Vec<_>, Vec<_>) =
            ReservationState::ALL.into_iter().partition(|state| is_cancelled(*state));
        let mut all = Vec::new();
        for states in [live, cancelled] {
            let filter = Filter {
                seen_by: Some(seen_by.clone()),
                states,
                from: Some(now - SHOWN_FOR),
                newest: true,
                ..Filter::default()
            };
            all.extend(self.shared.database.reservations(&filter, None, MOST_SHOWN).await?);
        }
        Ok(all)
    }

    /// When the reservations of a user last changed, of those that did since an instant.
    async fn changed_since(
        &self,
        owner: &str,
        since: Timestamp,
    ) -> Result<HashMap<ReservationId, Timestamp>, Fault> {
        let database = &self.shared.database;
        let events = database.reservation_events_of(owner, since, MOST_EVENTS).await?;
        let mut changed = HashMap::new();
        for event in events {
            let data: ReservationEventData =
                serde_json::from_str(&event.data).map_err(Fault::internal)?;
            // The newest comes first.
            changed.entry(data.reservation_id).or_insert(event.at);
        }
        Ok(changed)
    }
}

/// Whether a reservation in this state will not take place.
const fn is_cancelled(state: ReservationState) -> bool {
    matches!(
        state,
        ReservationState::Cancelled
            | ReservationState::Expired
            | ReservationState::Rejected
            | ReservationState::Failed
    )
}

/// The last change that a reservation itself tells of.
fn last_change(reservation: &Reservation) -> Timestamp {
    let noticed = reservation.notice.as_ref().map(|notice| notice.at);
    let told = [reservation.confirmed, noticed].into_iter().flatten();
    told.fold(reservation.created, Timestamp::max)
}
