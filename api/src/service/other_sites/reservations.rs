//! Reservations at other sites, for their owners: booked, listed, looked at and cancelled from here.

use axum::http::Method;
use storage::SiteReservationState::{Asked, Cancelled, Cancelling, Confirmed, Held, Refused};
use storage::{SiteReservation, SiteReservationId, SiteReservationReason};
use uuid::Uuid;

use super::call::{Said, SiteCall};
use super::question::SiteOrder;
use super::silence::Silence;
use super::steps::Progress;
use super::there::ReservationThere;
use super::{OtherSiteService, OtherSitesError};
use crate::service::shared::{Access, IdempotencyKey, KeyError, cut_page};

/// A page of reservations at other sites.
pub struct SiteReservationPage {
    /// Newest first.
    pub reservations: Vec<SiteReservation>,
    /// Before which the next page is.
    pub next: Option<SiteReservationId>,
}

impl OtherSiteService {
    /// Books what a site offered: that, or something that is as good, or nothing. Where the site does not answer, what became of it is found
    /// out later; asked again under the same key it goes on from there.
    ///
    /// # Errors
    /// Nothing is booked: the site is unknown, offers something else by now, refuses or could not be asked.
    pub async fn book(
        &self,
        access: Access<'_>,
        order: &SiteOrder,
        asked: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<SiteReservation, OtherSitesError> {
        if order.site == self.shared.settings.location {
            return Err(OtherSitesError::ThisSite(order.site.clone()));
        }
        if self.peer(&order.site).is_none() {
            let known_sites = self.names().map(str::to_owned).collect();
            return Err(OtherSitesError::UnknownSite { name: order.site.clone(), known_sites });
        }
        let (reservation, is_new) = self.noted(access, order, asked, key).await?;
        let (waits, silence) = match self.go_on(reservation).await? {
            Progress::Settled(done) => return decided(done),
            Progress::Waits(waits, silence) => (waits, silence),
        };
        // Where it heard nothing, nothing is booked there.
        if is_new && waits.state == Asked && !silence.was_heard() {
            let because = Some(silence.to_string());
            let refused = SiteReservation {
                state: Refused,
                reason: Some(SiteReservationReason::NotAsked),
                because,
                ..waits.clone()
            };
            if self.shared.database.change_site_reservation(&refused).await? {
                return Err(OtherSitesError::NotAsked(Box::new(refused)));
            }
        }
        Ok(told_silence(waits, &silence))
    }

    /// The row of an order, written before the site is asked, and whether it is new; the one that there is, where its key was used before.
    async fn noted(
        &self,
        access: Access<'_>,
        order: &SiteOrder,
        asked: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<(SiteReservation, bool), OtherSitesError> {
        let now = self.shared.now();
        let sent = order.question.reservation(&order.expected).unwrap_or_default();
        let new = SiteReservation {
            id: SiteReservationId::new(Uuid::now_v7()),
            owner: access.owner.to_owned(),
            site: order.site.clone(),
            state: Asked,
            asked_key: key.map(|key| key.key.clone()),
            asked_digest: key.map(|key| key.fingerprint.clone()).unwrap_or_default(),
            asked: asked.to_owned(),
            sent,
            told: None,
            reservation: None,
            offer: None,
            state_there: None,
            reason: None,
            because: None,
            created: now,
            changed: now,
            row_version: 1,
        };
        let database = &self.shared.database;
        if database.create_site_reservation(&new).await? {
            return Ok((new, true));
        }
        let key = new.asked_key.as_deref().unwrap_or_default();
        let before = database.site_reservation_of_key(&new.owner, key).await?;
        match before {
            Some(before) if before.asked_digest == new.asked_digest => Ok((before, false)),
            _ => Err(KeyError::Reused.into()),
        }
    }

    /// One of them, with its state there where the site tells it in time.
    ///
    /// # Errors
    /// It is unknown, or somebody else's.
    pub async fn reservation(
        &self,
        access: Access<'_>,
        id: SiteReservationId,
    ) -> Result<SiteReservation, OtherSitesError> {
        let stored = self.of(access, id).await?;
        match self.go_on(stored).await? {
            Progress::Settled(settled) => self.looked_at(settled).await,
            Progress::Waits(waits, silence) => Ok(told_silence(waits, &silence)),
        }
    }

    /// Those of a user, operators everybody's, the newest first; no site is asked.
    ///
    /// # Errors
    /// What any service may meet.
    pub async fn reservations(
        &self,
        access: Access<'_>,
        before: Option<SiteReservationId>,
        limit: u16,
    ) -> Result<SiteReservationPage, OtherSitesError> {
        let owner = (!access.is_operator()).then_some(access.owner);
        let database = &self.shared.database;
        let mut reservations =
            database.site_reservations(owner, before, limit.saturating_add(1)).await?;
        let next = cut_page(&mut reservations, limit, |it| it.id);
        Ok(SiteReservationPage { reservations, next })
    }

    /// Cancels one at its site. Where the site does not answer, it is cancelled there as soon as it does.
    ///
    /// # Errors
    /// It is unknown, or somebody else's.
    pub async fn cancel(
        &self,
        access: Access<'_>,
        id: SiteReservationId,
    ) -> Result<SiteReservation, OtherSitesError> {
        let mut stored = self.of(access, id).await?;
        if matches!(stored.state, Asked | Held | Confirmed) {
            let because = Some(format!("was told to cancel it by {}", access.owner));
            let reason = Some(SiteReservationReason::CancelledHere);
            let wanted = SiteReservation { state: Cancelling, reason, because, ..stored };
            // Where somebody was faster, the next call sees what they did.
            self.shared.database.change_site_reservation(&wanted).await?;
            stored = self.of(access, id).await?;
        }
        match self.go_on(stored).await? {
            Progress::Settled(settled) => Ok(settled),
            Progress::Waits(waits, silence) => Ok(told_silence(waits, &silence)),
        }
    }

    async fn of(
        &self,
        access: Access<'_>,
        id: SiteReservationId,
    ) -> Result<SiteReservation, OtherSitesError> {
        let stored = self.shared.database.site_reservation(id).await?;
        let theirs = stored.filter(|stored| access.permits(&stored.owner));
        theirs.ok_or(OtherSitesError::NoReservation(id))
    }

    /// A reservation that is booked, with the state that the site tells of it now, if it does.
    async fn looked_at(&self, stored: SiteReservation) -> Result<SiteReservation, OtherSitesError> {
        let (Confirmed, Some(id)) = (stored.state, stored.reservation) else { return Ok(stored) };
        let Some(peer) = self.peer(&stored.site) else { return Ok(stored) };
        let path = format!("reservations/{id}");
        let (method, user) = (Method::GET, Some(stored.owner.as_str()));
        let question = SiteCall { method, path: &path, body: None, key: None, user };
        let now = self.shared.now();
        let said = peer.ask(question, now).await.ok().filter(Said::is_success);
        let there = said.and_then(|said| ReservationThere::read(&said.text).ok());
        let Some(there) = there else { return Ok(stored) };
        if stored.state_there.as_deref() == Some(there.state.as_str()) {
            return Ok(stored);
        }
        let state_there = Some(there.state);
        let new = SiteReservation { state_there, changed: now, ..stored };
        self.shared.database.change_site_reservation(&new).await?;
        Ok(new)
    }
}

/// A reservation that waits for a site, with why: that alone is no change of it.
fn told_silence(waits: SiteReservation, silence: &Silence) -> SiteReservation {
    let told = match (&waits.state, &waits.because) {
        (Cancelling, Some(because)) => {
            format!("{because}; it is cancelled there as soon as the site answers ({silence})")
        }
        _ => silence.to_string(),
    };
    SiteReservation { because: Some(told), ..waits }
}

/// What a reservation comes to about which nothing has yet to be done.
fn decided(reservation: SiteReservation) -> Result<SiteReservation, OtherSitesError> {
    match (reservation.state, reservation.reason) {
        (Refused | Cancelled, Some(SiteReservationReason::OfferChanged)) => {
            Err(OtherSitesError::OfferChanged(Box::new(reservation)))
        }
        (Refused, _) | (Cancelled, Some(SiteReservationReason::Refused)) => {
            Err(OtherSitesError::NotBooked(Box::new(reservation)))
        }
        _ => Ok(reservation),
    }
}

impl Silence {
    /// Whether the site may have heard what it was asked.
    const fn was_heard(&self) -> bool {
        match self {
            Self::Slow { .. } | Self::Lost(_) | Self::Failed { .. } => true,
            Self::Unreachable(_) | Self::Paused { .. } | Self::Busy => false,
        }
    }
}
