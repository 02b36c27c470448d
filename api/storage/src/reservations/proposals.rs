//! Proposing: the one place where nodes are taken.

use planner::node_set::NodeSet;
use planner::ranking::Ranking;
use planner::time::Timestamp;

use super::sql;
use crate::book::PlanBasis;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::epochs::repository::Epochs;
use crate::epochs::row::EpochRow;
use crate::events::repository::Events;
use crate::idempotency::IdempotencyRecord;
use crate::idempotency::repository::Answers;
use crate::identity::{EpochId, ReservationId};
use crate::reservations::allocations::Allocation;
use crate::reservations::allocations::repository::Allocations;
use crate::reservations::error::{OfferError, ProposeError};
use crate::reservations::event::reservation_reached;
use crate::reservations::lifecycle::Lifecycle;
use crate::reservations::reading::Reservations;
use crate::reservations::reservation::{
    NewOffer, NewReservation, ReservationState, StoredReservation, Unchanged,
};

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

repository!(
    /// Reservations being proposed.
    impl Database for Proposals {
        /// Proposes a reservation from a plan: holds the nodes of all its offers until they expire.
        /// Holds that are due at `now` are expired first. The answer to be remembered is stored in the
        /// same transaction.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: plan again.
        pub async fn propose(
            &self,
            basis: PlanBasis,
            reservation: &NewReservation,
            now: Timestamp,
            idempotency: Option<&IdempotencyRecord>,
        ) -> Result<(), ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            if let Some(record) = idempotency {
                // First, so that a request sent again is told so and not that the book changed.
                if !Answers::<Engine>::remember_answer(connection, record).await? {
                    return Err(ProposeError::IdempotencyKeyReused);
                }
            }
            Self::expect_basis(connection, basis, now).await?;
            Lifecycle::<Engine>::expire_due(connection, now).await?;
            Self::insert_reservation(connection, reservation).await?;
            Self::insert_offers(connection, reservation.id, &reservation.offers).await?;
            let (owner, state) = (&reservation.owner, reservation.first_state());
            let event = reservation_reached(reservation.id, owner, state);
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            Ok(transaction.commit().await?)
        }

        /// Makes offers to a reservation that awaits the supplier, which is then proposed.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: plan again. A reservation that does not await the supplier.
        pub async fn offer(
            &self,
            basis: PlanBasis,
            id: ReservationId,
            document: &str,
            offers: &[NewOffer],
            expires: Timestamp,
            now: Timestamp,
        ) -> Result<(), OfferError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            Self::expect_basis(connection, basis, now).await?;
            Lifecycle::<Engine>::expire_due(connection, now).await?;
            let reservation = Reservations::<Engine>::find_reservation(connection, id).await?;
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
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            Ok(transaction.commit().await?)
        }
    }

    /// Parts of transactions.
    impl Proposals {
        /// Refuses a plan that rests on an older version, or took a hold for over whose owner
        /// chose in its last moment.
        pub(super) async fn expect_basis(
            connection: &mut Connection<Engine>,
            basis: PlanBasis,
            now: Timestamp,
        ) -> Result<(), ProposeError> {
            let (expected, found) =
                (basis.version, BookRow::<Engine>::version_inside(connection).await?);
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
            connection: &mut Connection<Engine>,
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
            connection: &mut Connection<Engine>,
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
            let epoch = Epochs::<Engine>::newest_epoch(connection).await?;
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
            Ok(Allocations::<Engine>::insert_allocations(connection, epoch, &held).await?)
        }

        /// The reservation if it has not changed and holds nodes still; refuses a plan that
        /// rests on an older version.
        pub(super) async fn unchanged(
            connection: &mut Connection<Engine>,
            Unchanged { id, row_version, basis }: Unchanged,
            now: Timestamp,
        ) -> Result<Option<StoredReservation>, ProposeError> {
            Self::expect_basis(connection, basis, now).await?;
            Lifecycle::<Engine>::expire_due(connection, now).await?;
            let found = Reservations::<Engine>::find_reservation(connection, id).await?;
            Ok(found.filter(|it| it.row_version == row_version && !it.state_at(now).is_final()))
        }
    }
);
