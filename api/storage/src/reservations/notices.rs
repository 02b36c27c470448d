//! What changes of the cap and outages do to reservations, each with a notice to its owner. Nodes are
//! only freed, so that the book's version stays; `replacements` takes others.

use planner::identity::{OfferId, ReservationId};
use planner::json::notice::notice_text;
use planner::reservation::{Notice, Reservation, ReservationState};
use planner::time::Timestamp;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::repository::Events;
use crate::reservations::allocations::sql as allocations;
use crate::reservations::error::ProposeError;
use crate::reservations::event::reservation_told;
use crate::reservations::proposals::Proposals;
use crate::reservations::reading::Reservations;
use crate::reservations::reservation::Unchanged;

repository!(
    /// Reservations when the cap changes or nodes fail: owners are told.
    impl Database for Notices {
        /// Marks whether what was promised no longer holds, and what its owner is to know; `false`
        /// where nothing changed.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn set_degraded(
            &self,
            id: ReservationId,
            degraded: bool,
            notice: Option<&Notice>,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let changed: Option<(String, String)> = sqlx::query_as(sql::SET_DEGRADED)
                .bind(id.as_uuid())
                .bind(degraded)
                .bind(notice.map(notice_text))
                .fetch_optional(&mut *connection)
                .await?;
            let Some((owner, state)) = changed else { return Ok(false) };
            let kind = if degraded { "reservation.degraded" } else { "reservation.restored" };
            let event = reservation_told(kind, id, &owner, &state);
            Events::<Engine>::record(connection, &[event], now).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Withdraws held offers and tells their owner why. A reservation of which none is left is
        /// rejected. `false` where it was chosen or ended meanwhile.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn withdraw_offers(
            &self,
            id: ReservationId,
            offers: &[OfferId],
            notice: &Notice,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Reservations::<Engine>::find(connection, id).await?;
            let proposed = found.filter(|it| it.state_at(now) == ReservationState::Proposed);
            let Some(reservation) = proposed else { return Ok(false) };
            Self::withdraw(connection, &reservation, offers, notice, now).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// As [`Self::withdraw_offers`], for offers that lost their nodes: `false` where the reservation
        /// changed too since it was read.
        ///
        /// # Errors
        /// The book changed since; storage failed.
        pub async fn withdraw_lost_offers(
            &self,
            unchanged: Unchanged,
            offers: &[OfferId],
            notice: &Notice,
            now: Timestamp,
        ) -> Result<bool, ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Proposals::<Engine>::unchanged(connection, unchanged, now).await?;
            let proposed = found.filter(|it| it.state == ReservationState::Proposed);
            let Some(reservation) = proposed else { return Ok(false) };
            Self::withdraw(connection, &reservation, offers, notice, now).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Rejects a reservation that awaits the supplier and tells its owner why; `false` where it no
        /// longer does.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn reject(
            &self,
            id: ReservationId,
            notice: &Notice,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let rejected: Option<(String, String)> = sqlx::query_as(sql::REJECT_AWAITING)
                .bind(id.as_uuid())
                .bind(notice_text(notice))
                .fetch_optional(&mut *connection)
                .await?;
            let Some((owner, state)) = rejected else { return Ok(false) };
            let event = reservation_told("reservation.rejected", id, &owner, &state);
            Events::<Engine>::record(connection, &[event], now).await?;
            transaction.commit().await?;
            Ok(true)
        }
    }

    /// Parts of transactions.
    impl Notices {
        /// Frees offers, and rejects a reservation of which none is left.
        async fn withdraw(
            connection: &mut Connection<Engine>,
            reservation: &Reservation,
            offers: &[OfferId],
            notice: &Notice,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let id = reservation.id;
            for offer in offers {
                sqlx::query(allocations::DELETE_OFFER_ALLOCATIONS)
                    .bind(offer.as_uuid())
                    .execute(&mut *connection)
                    .await?;
                sqlx::query(sql::DELETE_OFFER)
                    .bind(offer.as_uuid())
                    .bind(id.as_uuid())
                    .execute(&mut *connection)
                    .await?;
            }
            sqlx::query(sql::SET_NOTICE)
                .bind(id.as_uuid())
                .bind(notice_text(notice))
                .execute(&mut *connection)
                .await?;
            let mut state = reservation.state.word();
            if reservation.offers.iter().all(|offer| offers.contains(&offer.id)) {
                state = ReservationState::Rejected.word();
                sqlx::query(sql::END)
                    .bind(id.as_uuid())
                    .bind(state)
                    .execute(&mut *connection)
                    .await?;
            }
            let event = reservation_told("reservation.withdrawn", id, &reservation.owner, state);
            Events::<Engine>::record(connection, &[event], now).await
        }
    }
);
