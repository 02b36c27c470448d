//! Reservations as JSON.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use planner::fair_share::ShareFactor;
use planner::identity::ReservationId;
use planner::json::basis::BasisDocument;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::json::decision::{LearntUtilisationDocument, OfferDocument};
use planner::json::notice::NoticeDocument;
use planner::json::standing::StandingDocument;
use planner::reservation::{
    Expectation, HeldOffer, Receiver, Reservation, ReservationState, SharedWith,
};
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::{Occurrence, StorageError};
use utoipa::ToSchema;
use uuid::Uuid;

use super::managed::ManagedDocument;
use crate::http::audit::AuditNote;
use crate::http::problem::Problem;
use crate::service::booking::{
    BookingService, ChangedReservation, JOBS_OF_ONE, ManagedOf, NowExpected, StoredOtherCo2,
    ToldBeside,
};
use crate::service::shared::provenance::stored_accounting;
use crate::service::shared::{Fault, ToldStanding};

/// A reservation.
#[derive(Serialize, ToSchema)]
pub struct ReservationDocument {
    /// Sorts by creation.
    pub id: Uuid,
    /// Whose.
    pub owner: String,
    /// With whom it is shared: users by name, then projects.
    pub shared_with: Vec<SharedWithDocument>,
    /// The project that it is for; null where it is for none.
    pub project: Option<String>,
    /// `proposed`, `confirmed`, `active`, `completed`, `cancelled`, `expired`, `rejected`,
    /// `failed` or `awaiting_supplier`.
    #[schema(example = "proposed")]
    pub state: &'static str,
    /// Whether a lowered cap leaves it without power, or an outage without nodes; `notice` says why
    /// and what can be done.
    pub degraded: bool,
    /// What its owner is to know: why it is degraded or rejected, which offers were withdrawn, or which
    /// nodes took the place of others.
    #[schema(value_type = Option<Object>)]
    pub notice: Option<NoticeDocument>,
    /// The lowest gives way first where the site says so.
    pub priority: i64,
    /// How its account stood when it was asked for, from 0 to 1; null where shares decide nothing.
    pub share_factor: Option<f64>,
    /// The reservation whose place it takes once an offer is chosen.
    pub replaces: Option<Uuid>,
    /// The series that it is an occurrence of; null where it is of none.
    pub series: Option<Uuid>,
    /// Its nominal start by the clocks of the series' time zone, by which the series names it.
    #[schema(example = "2026-12-07T08:00:00")]
    pub occurrence: Option<String>,
    /// As it was understood: what was sent, in one form.
    #[schema(value_type = super::super::schema::ReservationRequest)]
    pub request: Value,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Until then the offers are held.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The offer that was chosen.
    pub chosen_offer_id: Option<Uuid>,
    /// Start of the chosen offer.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub start: Option<Timestamp>,
    /// End of the chosen offer.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub end: Option<Timestamp>,
    /// `choice` or `optimum`.
    #[schema(value_type = String, example = "choice")]
    pub decision: Value,
    /// The first feasible start when the offers were made.
    #[schema(value_type = Option<OfferDocument>)]
    pub as_soon_as_possible: Value,
    /// As offered, in time order.
    pub offers: Vec<HeldOfferDocument>,
    /// What the offers rest on, where that is known. One that rests on a part of it says which.
    #[schema(value_type = Vec<BasisDocument>)]
    pub basis: Vec<Value>,
    /// How the CO2 of the offers is counted, as it was when they were made; null where that is not known, or not the same for
    /// all of it, as where it was extended after the site counts otherwise.
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// How `other_co2_g` of the offers is counted; absent where no other agenda of CO2 was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_co2_accounting: Option<Co2AccountingDocument>,
    /// What is expected now, where agendas changed since it was offered; else null.
    pub now_expected: Option<NowExpected>,
    /// The utilisation that was planned with, where the request says none itself and earlier runs of its application tell
    /// it; else null.
    #[schema(value_type = Option<LearntUtilisationDocument>)]
    pub learnt_utilisation: Value,
    /// How it stands in Slurm; null where it was never to be made there.
    pub slurm: Option<ManagedDocument>,
    /// How its account stands while its offers are held; absent in lists, and where the site has no shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingDocument>,
}

/// Somebody with whom a reservation is shared: either `user` or `project` is said.
#[derive(Serialize, ToSchema)]
#[schema(as = SharedWith)]
pub struct SharedWithDocument {
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "bob")]
    pub user: Option<String>,
    /// The project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `see`, `use` or `act`.
    #[schema(example = "use")]
    pub may: &'static str,
}

impl From<&SharedWith> for SharedWithDocument {
    fn from(shared: &SharedWith) -> Self {
        let name = || Some(shared.receiver.name().to_owned());
        let (user, project) = match shared.receiver {
            Receiver::User(_) => (name(), None),
            Receiver::Project(_) => (None, name()),
        };
        Self { user, project, may: shared.may.word() }
    }
}

/// An offer of a reservation.
#[derive(Serialize, ToSchema)]
#[schema(as = HeldOffer)]
pub struct HeldOfferDocument {
    /// To choose it by.
    pub offer_id: Uuid,
    /// As offered.
    #[serde(flatten)]
    pub offer: OfferDocument,
}

/// What is stored beside the offers, as it was written when they were made; `{}` while a request waits
/// for the supplier.
#[derive(Deserialize)]
struct SummaryDocument {
    #[serde(default)]
    decision: Value,
    #[serde(default)]
    as_soon_as_possible: Value,
    #[serde(default)]
    basis: Vec<Value>,
    #[serde(default)]
    other_co2: Option<StoredOtherCo2>,
    #[serde(default)]
    learnt_utilisation: Value,
}

impl ReservationDocument {
    /// A reservation as JSON, with what is expected of it now, how it stands in the resource manager, and the occurrence of a
    /// series that it is.
    ///
    /// # Errors
    /// The stored request or summary cannot be read.
    pub fn new(
        reservation: &Reservation,
        expected: Option<&Expectation>,
        managed: Option<&ManagedOf>,
        occurrence: Option<&Occurrence>,
    ) -> Result<Self, StorageError> {
        let unreadable = |column| {
            move |_| StorageError::Inconsistent {
                table: "reservations",
                row: reservation.id.to_string(),
                column: Some(column),
                problem: "it cannot be read",
            }
        };
        let summary = serde_json::from_str::<SummaryDocument>(&reservation.summary);
        let summary = summary.map_err(unreadable("document"))?;
        let request = serde_json::from_str(&reservation.request);
        let other = summary.other_co2.as_ref();
        Ok(Self {
            id: reservation.id.as_uuid(),
            owner: reservation.owner.clone(),
            shared_with: reservation.shared_with.iter().map(SharedWithDocument::from).collect(),
            project: Some(reservation.project.clone()).filter(|project| !project.is_empty()),
            state: reservation.state.word(),
            degraded: reservation.degraded,
            notice: reservation.notice.as_ref().map(NoticeDocument::from),
            priority: reservation.priority,
            share_factor: reservation.share_factor.map(ShareFactor::as_f64),
            replaces: reservation.replaces.map(ReservationId::as_uuid),
            series: occurrence.map(|it| it.series.as_uuid()),
            occurrence: occurrence.map(|it| it.occurrence.clone()),
            request: request.map_err(unreadable("request"))?,
            created_at: reservation.created,
            expires_at: reservation.expires,
            chosen_offer_id: reservation.chosen.map(|(offer, _)| offer.as_uuid()),
            start: reservation.chosen.map(|(_, span)| span.start()),
            end: reservation.chosen.map(|(_, span)| span.end()),
            decision: summary.decision,
            as_soon_as_possible: summary.as_soon_as_possible,
            offers: reservation.offers.iter().map(|it| held_offer(it, other)).collect(),
            co2_accounting: stored_accounting(&summary.basis),
            other_co2_accounting: other.map(|it| it.co2_accounting.clone()),
            basis: summary.basis,
            now_expected: expected.map(NowExpected::from),
            learnt_utilisation: summary.learnt_utilisation,
            slurm: managed.map(|it| ManagedDocument::new(reservation, it)),
            standing: None,
        })
    }

    /// Tells how its account stands, and what each of its offers would do to that.
    fn tell_standing(&mut self, standing: &ToldStanding) {
        self.standing = Some(standing.document(self.offers.iter().map(|it| &it.offer)));
        self.offers.iter_mut().for_each(|it| standing.tell_offer(&mut it.offer));
    }
}

fn held_offer(offer: &HeldOffer, other: Option<&StoredOtherCo2>) -> HeldOfferDocument {
    let other_co2_g = other.and_then(|it| it.of(offer));
    let document = OfferDocument { other_co2_g, ..OfferDocument::of_terms(offer.terms.clone()) };
    HeldOfferDocument { offer_id: offer.id.as_uuid(), offer: document }
}

/// A reservation with its entity tag and what is expected now.
pub async fn tagged(booking: &BookingService, stored: &Reservation) -> Result<Response, Problem> {
    let alone = std::slice::from_ref(stored);
    let ToldBeside { expected, occurrence } = booking.told_beside(stored).await?;
    let managed = booking.managed_of(alone, JOBS_OF_ONE).await?;
    let (expected, managed) = (expected.as_ref(), managed.get(&stored.id));
    let document = ReservationDocument::new(stored, expected, managed, occurrence.as_ref());
    let mut document = document.map_err(Fault::from)?;
    if stored.state == ReservationState::Proposed
        && let Some(standing) = booking.told_standing(&stored.owner, &stored.project)
    {
        document.tell_standing(&standing);
    }
    let mut response = Json(document).into_response();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", stored.row_version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    AuditNote::of_reservation(stored).put(&mut response);
    Ok(response)
}

/// A reservation after a change, with a note of what it was before.
pub async fn tagged_change(
    booking: &BookingService,
    changed: &ChangedReservation,
) -> Result<Response, Problem> {
    let mut response = tagged(booking, &changed.after).await?;
    AuditNote::changed(&mut response, &changed.before);
    Ok(response)
}
