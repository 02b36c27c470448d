//! Proposals: a reservation whose offers are held for its owner.

use planner::decision::Offer;
use planner::json::decision::{DecisionDocument, OfferDocument};
use storage::{IdempotencyRecord, NewOffer, NewReservation, OfferId, ProposeError, ReservationId};
use uuid::Uuid;

use super::quote::Planned;
use super::{Service, ServiceError, Wish};

/// How often a proposal is planned anew when other processes change the book meanwhile.
const TRIES: usize = 8;

/// A client's key for "this request, once", and what it was sent with.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    /// The `Idempotency-Key` header.
    pub key: String,
    /// Digest of the request's body.
    pub fingerprint: String,
}

/// What became of a proposal.
#[derive(Debug)]
pub enum Proposed {
    /// A new reservation.
    New(ReservationId),
    /// The key was used before for the same request: the reservation made then.
    Before(ReservationId),
}

impl Service {
    /// Plans a wish and holds its offers.
    ///
    /// # Errors
    /// `Impossible` with the reasons, `Busy`, `IdempotencyKeyReused`, and those of planning.
    pub async fn propose(
        &self,
        owner: &str,
        wish: &Wish,
        request_json: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<Proposed, ServiceError> {
        let _booking = {
            let _place = self.pool.queue_up()?;
            self.booking.lock().await
        };
        for _ in 0..TRIES {
            // The same request may have been booked while this one waited or was planned.
            if let Some(before) = self.proposed_before(owner, key).await? {
                return Ok(before);
            }
            let state = self.state().await?;
            let version = state.marks.map_or(0, |marks| marks.version);
            let drafted = match self.plan(state, wish, |planned| draft(&planned)).await? {
                Ok(drafted) => drafted,
                Err(impossible) => {
                    if let Some(before) = self.proposed_before(owner, key).await? {
                        return Ok(before);
                    }
                    return Err(ServiceError::Impossible(impossible));
                }
            };
            match self.hold(owner, version, drafted, request_json, key).await {
                Ok(id) => return Ok(Proposed::New(id)),
                Err(
                    ProposeError::BookChanged { .. }
                    | ProposeError::DoubleBooking
                    | ProposeError::IdempotencyKeyReused
                    | ProposeError::UnknownNodes { .. },
                ) => {}
                Err(ProposeError::Storage(error)) => return Err(error.into()),
            }
        }
        Err(ServiceError::Busy)
    }

    /// The reservation that was made with this key, if there is a key and it was used.
    ///
    /// # Errors
    /// `IdempotencyKeyReused` where it was used for another request.
    pub async fn proposed_before(
        &self,
        owner: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<Proposed>, ServiceError> {
        let Some(key) = key else { return Ok(None) };
        let Some(record) = self.database.idempotent_response(owner, &key.key).await? else {
            return Ok(None);
        };
        if record.fingerprint != key.fingerprint {
            return Err(ServiceError::IdempotencyKeyReused);
        }
        let id = record.response.parse::<Uuid>();
        let id = id.map_err(|error| ServiceError::Internal(error.into()))?;
        Ok(Some(Proposed::Before(ReservationId::new(id))))
    }

    async fn hold(
        &self,
        owner: &str,
        version: i64,
        drafted: Drafted,
        request_json: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<ReservationId, ProposeError> {
        let id = ReservationId::new(Uuid::now_v7());
        let now = self.now();
        let Drafted { summary, offers } = drafted;
        let reservation = NewReservation {
            id,
            owner: owner.to_owned(),
            request: request_json.to_owned(),
            document: summary,
            created: now,
            expires: now + self.settings.hold,
            offers,
        };
        let record = key.map(|key| IdempotencyRecord {
            owner: owner.to_owned(),
            key: key.key.clone(),
            fingerprint: key.fingerprint.clone(),
            status: 201,
            response: id.to_string(),
            created: now,
        });
        self.database.propose(version, &reservation, now, record.as_ref()).await?;
        Ok(id)
    }
}

/// What is written of a decision.
struct Drafted {
    /// Beside the offers.
    summary: String,
    offers: Vec<NewOffer>,
}

/// A decision as it is written, or what is told where nothing is possible.
fn draft(planned: &Planned) -> Result<Drafted, Box<DecisionDocument>> {
    if planned.decision.offers().is_empty() {
        return Err(Box::new(planned.document(false)));
    }
    let decision = &planned.decision;
    let soonest = decision.as_soon_as_possible.as_ref();
    let summary = serde_json::json!({
        "candidate_starts": decision.candidate_starts,
        "decision": decision.word(),
        "as_soon_as_possible": soonest.map(|offer| document(planned, offer)),
    })
    .to_string();
    let offers = decision.offers().iter().map(|offer| held(planned, offer)).collect();
    Ok(Drafted { summary, offers })
}

fn held(planned: &Planned, offer: &Offer) -> NewOffer {
    NewOffer {
        id: OfferId::new(Uuid::now_v7()),
        span: offer.span,
        rankings: offer.rankings.clone(),
        ranks: planned.selection.book_ranks(&offer.ranks),
        document: document(planned, offer).to_string(),
    }
}

fn document(planned: &Planned, offer: &Offer) -> serde_json::Value {
    let document =
        OfferDocument::new(offer, planned.selection.order(), &planned.state.cluster.nodes);
    serde_json::to_value(document).unwrap_or_default()
}
