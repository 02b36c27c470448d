//! Proposing: the one place where nodes are taken.

use planner::node_set::NodeSet;
use planner::ranking::Ranking;
use planner::time::Timestamp;
use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::book::PlanBasis;
use crate::engine::connections::{Connection, Repository};
use crate::epochs::row::EpochRow;
use crate::idempotency::IdempotencyRecord;
use crate::identity::{EpochId, ReservationId};
use crate::reservations::allocations::Allocation;
use crate::reservations::error::{OfferError, ProposeError};
use crate::reservations::event::reservation_reached;
use crate::reservations::reservation::{NewOffer, NewReservation, ReservationState};

/// The words of rankings, as the table keeps them.
fn words(rankings: &[Ranking]) -> String {
    rankings.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The epoch, if it has all ranks that are offered.
pub(super) fn bookable<'a>(
    epoch: Option<EpochRow>,
    mut offered: impl Iterator<Item = &'a NodeSet>,
) -> Result<EpochId, ProposeError> {
    let count = epoch.as_ref().map_or(0, |row| row.node_count);
    let node_count = u32::try_from(count).unwrap_or(u32::MAX);
    let fits = |ranks: &NodeSet| ranks.ranges().last().is_none_or(|range| range.end <= node_count);
    epoch
        .filter(|_| offered.all(fits))
        .map(|row| row.id)
        .ok_or(ProposeError::UnknownNodes { node_count })
}

macro_rules! proposals {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn propose(
                &self,
                basis: PlanBasis,
                reservation: &NewReservation,
                now: Timestamp,
                idempotency: Option<&IdempotencyRecord>,
            ) -> Result<(), ProposeError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                if let Some(record) = idempotency {
                    // First, so that a request sent again is told so and not that the book changed.
                    if !Self::remember_answer(connection, record).await? {
                        return Err(ProposeError::IdempotencyKeyReused);
                    }
                }
                Self::expect_basis(connection, basis, now).await?;
                Self::expire_due(connection, now).await?;
                Self::insert_reservation(connection, reservation).await?;
                Self::insert_offers(connection, reservation.id, &reservation.offers).await?;
                let (owner, state) = (&reservation.owner, reservation.first_state());
                let event = reservation_reached(reservation.id, owner, state);
                Self::record(connection, &[event], now).await?;
                Self::bump_version(connection).await?;
                Ok(transaction.commit().await?)
            }

            pub(crate) async fn offer(
                &self,
                basis: PlanBasis,
                id: ReservationId,
                document: &str,
                offers: &[NewOffer],
                expires: Timestamp,
                now: Timestamp,
            ) -> Result<(), OfferError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                Self::expect_basis(connection, basis, now).await?;
                Self::expire_due(connection, now).await?;
                let reservation = Self::find_reservation(connection, id).await?;
                let reservation = reservation.ok_or(OfferError::NotFound)?;
                match reservation.state {
                    ReservationState::AwaitingSupplier => {}
                    state => return Err(OfferError::NotAwaitingSupplier { state }),
                }
                sqlx::query(sql::PROPOSE_AWAITING)
                    .bind(id)
                    .bind(expires.as_unix_seconds())
                    .bind(document)
                    .execute(&mut *connection)
                    .await?;
                Self::insert_offers(connection, id, offers).await?;
                let state = ReservationState::Proposed;
                let event = reservation_reached(id, &reservation.owner, state);
                Self::record(connection, &[event], now).await?;
                Self::bump_version(connection).await?;
                Ok(transaction.commit().await?)
            }

            /// Refuses a plan that rests on an older version, or took a hold for over whose owner
            /// chose in its last moment.
            pub(super) async fn expect_basis(
                connection: &mut Connection<$engine>,
                basis: PlanBasis,
                now: Timestamp,
            ) -> Result<(), ProposeError> {
                let (expected, found) = (basis.version, Self::version_inside(connection).await?);
                if found != expected {
                    return Err(ProposeError::BookChanged { expected, found });
                }
                let chosen_late: bool = sqlx::query_scalar(sql::CHOSEN_LATE)
                    .bind(basis.changes)
                    .bind(now.as_unix_seconds())
                    .fetch_one(connection)
                    .await?;
                if chosen_late { Err(ProposeError::HoldChosen) } else { Ok(()) }
            }

            async fn insert_reservation(
                connection: &mut Connection<$engine>,
                reservation: &NewReservation,
            ) -> Result<(), ProposeError> {
                sqlx::query(sql::INSERT_RESERVATION)
                    .bind(reservation.id)
                    .bind(&reservation.owner)
                    .bind(reservation.first_state().word())
                    .bind(&reservation.request)
                    .bind(reservation.created.as_unix_seconds())
                    .bind(reservation.expires.as_unix_seconds())
                    .bind(&reservation.document)
                    .bind(reservation.priority)
                    .bind(reservation.replaces)
                    .execute(connection)
                    .await?;
                Ok(())
            }

            pub(super) async fn insert_offers(
                connection: &mut Connection<$engine>,
                id: ReservationId,
                offers: &[NewOffer],
            ) -> Result<(), ProposeError> {
                for (position, offer) in (0_i64..).zip(offers) {
                    sqlx::query(sql::INSERT_OFFER)
                        .bind(offer.id)
                        .bind(id)
                        .bind(offer.span.start().as_unix_seconds())
                        .bind(offer.span.end().as_unix_seconds())
                        .bind(position)
                        .bind(&offer.document)
                        .bind(words(&offer.rankings))
                        .execute(&mut *connection)
                        .await?;
                }
                if offers.is_empty() {
                    return Ok(());
                }
                let epoch = Self::newest_epoch(connection).await?;
                let epoch = bookable(epoch, offers.iter().map(|offer| &offer.ranks))?;
                let held = |offer: &NewOffer| Allocation {
                    reservation_id: id,
                    offer_id: offer.id,
                    owner: String::new(),
                    state: ReservationState::Proposed,
                    epoch,
                    span: offer.span,
                    ranks: offer.ranks.clone(),
                };
                let held: Vec<Allocation> = offers.iter().map(held).collect();
                Ok(Self::insert_allocations(connection, epoch, &held).await?)
            }
        }
    };
}

proposals!(Sqlite);
proposals!(Postgres);
