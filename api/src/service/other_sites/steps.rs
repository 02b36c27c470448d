//! What is done at another site about a reservation there, step by step.
//!
//! 1. `asked`: the offer is held, under the reservation's id as `Idempotency-Key`. A site that was asked before answers with what it made then.
//! 2. `held`: the offer is confirmed, which a site does once however often it is told. What it confirms is compared with what was offered:
//!    what is worse is cancelled again.
//! 3. `cancelling`: the reservation is cancelled; where its id is not known since an answer was lost, it is asked for as in 1.
//!
//! Each step is written before the next begins. Where a site does not answer, the reservation stays where it is.

use axum::http::Method;
use planner::identity::{OfferId, ReservationId};
use planner::time::Seconds;
use serde_json::json;
use storage::SiteReservationReason::{GivenUp, OfferChanged, Refused as NotDone};
use storage::SiteReservationState::{Asked, Cancelled, Cancelling, Confirmed, Held, Refused};
use storage::{SiteReservation, SiteReservationReason, SiteReservationState};

use super::call::{Peer, Said, SiteCall};
use super::figures::Figures;
use super::offers::refusal;
use super::silence::Silence;
use super::there::ReservationThere;
use super::{OtherSiteService, OtherSitesError};

/// What a site did not answer for so long is cancelled there instead: its owner does not wait for it any more.
const GIVEN_UP_AFTER: Seconds = Seconds::new(900);

/// So many steps lead to an end, with one to spare.
const MOST_STEPS: usize = 5;

/// What came of going on with a reservation.
pub(super) enum Progress {
    /// It stands where it stands.
    Settled(SiteReservation),
    /// The site does not answer.
    Waits(SiteReservation, Silence),
}

/// What a step comes to.
type Step = Result<SiteReservation, Silence>;

impl OtherSiteService {
    /// Does what has yet to be done at the other site.
    ///
    /// # Errors
    /// What any service may meet.
    pub(super) async fn go_on(
        &self,
        mut reservation: SiteReservation,
    ) -> Result<Progress, OtherSitesError> {
        let id = reservation.id;
        let Some(peer) = self.peer(&reservation.site) else {
            if matches!(reservation.state, Asked | Held | Cancelling) {
                let told = "is not in the settings any more: nothing can be done there from here";
                reservation.because = Some(told.to_owned());
            }
            return Ok(Progress::Settled(reservation));
        };
        for _ in 0..MOST_STEPS {
            let now = self.shared.now();
            let waits = now > reservation.created + GIVEN_UP_AFTER;
            if waits && matches!(reservation.state, Asked | Held) {
                let told = format!(
                    "did not answer for {} minutes; what it did meanwhile is cancelled there",
                    GIVEN_UP_AFTER.get() / 60
                );
                let given_up = with(&reservation, Cancelling, GivenUp, told);
                reservation = self.written(given_up).await?;
            }
            let step = match reservation.state {
                Asked => self.hold(peer, &reservation).await,
                Held => self.confirm(peer, &reservation).await,
                Cancelling => self.cancel_there(peer, &reservation).await,
                Confirmed | Refused | Cancelled => return Ok(Progress::Settled(reservation)),
            };
            reservation = match step {
                Ok(new) => self.written(new).await?,
                Err(silence) => return Ok(Progress::Waits(reservation, silence)),
            };
        }
        tracing::error!(%id, "a reservation at another site takes too many steps");
        Ok(Progress::Settled(reservation))
    }

    /// Writes what is new; where somebody else was faster, what they wrote stands.
    async fn written(&self, new: SiteReservation) -> Result<SiteReservation, OtherSitesError> {
        let new = SiteReservation { changed: self.shared.now(), ..new };
        let database = &self.shared.database;
        if database.change_site_reservation(&new).await? {
            return Ok(SiteReservation { row_version: new.row_version + 1, ..new });
        }
        let stored = database.site_reservation(new.id).await?;
        stored.ok_or(OtherSitesError::NoReservation(new.id))
    }

    /// Has the offer held: once, however often it is asked for.
    async fn hold(&self, peer: &Peer, reservation: &SiteReservation) -> Step {
        let said = self.ask_to_make(peer, reservation).await?;
        if !said.is_success() {
            return Ok(refused(reservation, Refused, &said));
        }
        let there = match ReservationThere::read(&said.text) {
            Ok(there) => there,
            Err(told) => return Ok(with(reservation, Cancelling, NotDone, told)),
        };
        let made = made(reservation, &there);
        if there.state == "confirmed" || there.state == "active" {
            return Ok(judged(&made, &there));
        }
        if there.state != "proposed" {
            return Ok(with(
                &made,
                Refused,
                OfferChanged,
                format!("says that it is {} by now", there.state),
            ));
        }
        match there.as_good_as(&expected(reservation)) {
            Ok(offer) => Ok(SiteReservation {
                state: Held,
                offer: Some(OfferId::new(offer.id)),
                told: Some(json!(offer.figures).to_string()),
                because: None,
                ..made
            }),
            Err(worse) => {
                let told = format!("offers something else by now: {}", worse.join("; "));
                Ok(with(&made, Cancelling, OfferChanged, told))
            }
        }
    }

    /// Has the offer confirmed that is held, and compares what the site confirms.
    async fn confirm(&self, peer: &Peer, reservation: &SiteReservation) -> Step {
        let (Some(id), Some(offer)) = (reservation.reservation, reservation.offer) else {
            let told = "holds nothing that is known here".to_owned();
            return Ok(with(reservation, Cancelling, NotDone, told));
        };
        let expected = expected(reservation);
        let body = json!({ "offer_id": offer.as_uuid(), "expected": expected }).to_string();
        let path = format!("reservations/{id}/choose");
        let question = SiteCall {
            method: Method::POST,
            path: &path,
            body: Some(body),
            key: None,
            user: Some(&reservation.owner),
        };
        let said = peer.ask(question, self.shared.now()).await?;
        if !said.is_success() {
            return Ok(refused(reservation, Cancelling, &said));
        }
        Ok(match ReservationThere::read(&said.text) {
            Ok(there) => judged(&made(reservation, &there), &there),
            Err(told) => with(reservation, Cancelling, NotDone, told),
        })
    }

    /// Cancels what the site made.
    async fn cancel_there(&self, peer: &Peer, reservation: &SiteReservation) -> Step {
        let because = reservation.because.clone();
        let Some(id) = reservation.reservation else {
            let said = self.ask_to_make(peer, reservation).await?;
            let made = said.is_success().then(|| ReservationThere::read(&said.text).ok()).flatten();
            return Ok(match made {
                Some(there) => self::made(reservation, &there),
                None => SiteReservation { state: Cancelled, ..reservation.clone() },
            });
        };
        let path = format!("reservations/{id}");
        let (method, user) = (Method::DELETE, Some(reservation.owner.as_str()));
        let question = SiteCall { method, path: &path, body: None, key: None, user };
        let said = peer.ask(question, self.shared.now()).await?;
        let is_gone = said.is_success() || matches!(said.status, 404 | 410);
        let there = ReservationThere::read(&said.text).ok();
        let state_there = there.map(|it| it.state).or_else(|| reservation.state_there.clone());
        let ended = SiteReservation { state_there, ..reservation.clone() };
        if is_gone {
            return Ok(SiteReservation { state: Cancelled, because, ..ended });
        }
        // It is booked as long as the site does not let this one cancel it.
        if said.status != 409 {
            let (status, detail) = (said.status, said.problem().1);
            return Err(Silence::Failed { status, detail });
        }
        let was_booked = matches!(reservation.state_there.as_deref(), Some("confirmed" | "active"));
        let state = if was_booked { Confirmed } else { Refused };
        Ok(with(&ended, state, NotDone, format!("does not cancel it: {}", refusal(&said))))
    }

    /// Asks the site to make the reservation, or to tell of it where it made it before.
    async fn ask_to_make(
        &self,
        peer: &Peer,
        reservation: &SiteReservation,
    ) -> Result<Said, Silence> {
        let question = SiteCall {
            method: Method::POST,
            path: "reservations",
            body: Some(reservation.sent.clone()),
            key: Some(reservation.id.to_string()),
            user: Some(&reservation.owner),
        };
        peer.ask(question, self.shared.now()).await
    }
}

/// What was offered.
pub(super) fn expected(reservation: &SiteReservation) -> Figures {
    #[derive(serde::Deserialize)]
    struct Sent {
        expected: Figures,
    }
    let sent: Result<Sent, _> = serde_json::from_str(&reservation.sent);
    sent.map_or_else(|_| Figures::nothing(reservation.created), |sent| sent.expected)
}

/// The reservation with a state and why.
fn with(
    reservation: &SiteReservation,
    state: SiteReservationState,
    reason: SiteReservationReason,
    because: String,
) -> SiteReservation {
    let (reason, because) = (Some(reason), Some(because));
    SiteReservation { state, reason, because, ..reservation.clone() }
}

/// The reservation that a site does not do: at one start of one shape, what is impossible is what changed.
fn refused(
    reservation: &SiteReservation,
    state: SiteReservationState,
    said: &Said,
) -> SiteReservation {
    let (code, detail) = said.problem();
    if matches!(code.as_str(), "offer_changed" | "impossible" | "offers_expired") {
        let told = format!("offers something else by now: {detail}");
        return with(reservation, state, OfferChanged, told);
    }
    with(reservation, state, NotDone, refusal(said))
}

/// The reservation with what the site made.
fn made(reservation: &SiteReservation, there: &ReservationThere) -> SiteReservation {
    SiteReservation {
        reservation: Some(ReservationId::new(there.id)),
        state_there: Some(there.state.clone()),
        ..reservation.clone()
    }
}

/// Judges what the site confirmed: what is worse than what was offered is not kept.
fn judged(reservation: &SiteReservation, there: &ReservationThere) -> SiteReservation {
    let Some(chosen) = there.chosen() else {
        let told = "confirms no offer; it is cancelled there".to_owned();
        return with(reservation, Cancelling, NotDone, told);
    };
    let booked = SiteReservation {
        told: Some(json!(chosen.figures).to_string()),
        offer: Some(OfferId::new(chosen.id)),
        ..reservation.clone()
    };
    let worse = chosen.figures.worse_than(&expected(reservation));
    if worse.is_empty() {
        return SiteReservation { state: Confirmed, because: None, ..booked };
    }
    let told = format!(
        "confirmed something else than it offered: {}; it is cancelled there",
        worse.join("; ")
    );
    with(&booked, Cancelling, OfferChanged, told)
}
