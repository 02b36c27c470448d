//! What changes of the cap and outages do to reservations, each with a notice to its owner. Nodes are
//! only freed, so that the book's version stays; `replacements` takes others.

use planner::identity::{OfferId, ReservationId};
use planner::json::notice::notice_text;
use planner::reservation::{Notice, Reservation, ReservationState};
use planner::time::Timestamp;
use serde_json::json;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::reservations::allocations::sql as allocations;
use crate::reservations::error::ProposeError;
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
            let changed = sqlx::query(sql::SET_DEGRADED)
                .bind(id.as_uuid())
                .bind(degraded)
                .bind(notice.map(notice_text))
                .execute(&mut *connection)
                .await?;
            if changed.rows_affected() == 0 {
                return Ok(false);
            }
            let kind = if degraded { "reservation.degraded" } else { "reservation.restored" };
            Self::tell_owner(connection, id, kind, now).await?;
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
            let rejected = sqlx::query(sql::REJECT_AWAITING)
                .bind(id.as_uuid())
                .bind(notice_text(notice))
                .execute(&mut *connection)
                .await?;
            if rejected.rows_affected() == 0 {
                return Ok(false);
            }
            Self::tell_owner(connection, id, "reservation.rejected", now).await?;
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
            if reservation.offers.iter().all(|offer| offers.contains(&offer.id)) {
                let rejected = ReservationState::Rejected.word();
                sqlx::query(sql::END)
                    .bind(id.as_uuid())
                    .bind(rejected)
                    .execute(&mut *connection)
                    .await?;
            }
            Self::tell_owner(connection, id, "reservation.withdrawn", now).await
        }

        /// Records what became of a reservation, inside a caller's transaction.
        pub(super) async fn tell_owner(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            kind: &str,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let Some(reservation) = Reservations::<Engine>::find(connection, id).await? else {
                return Ok(());
            };
            let state = reservation.state.word();
            let data = json!({ "reservation_id": id.to_string(), "state": state });
            let event = NewEvent::new(kind, data).of(reservation.owner);
            Events::<Engine>::record(connection, &[event], now).await
        }
    }
);
