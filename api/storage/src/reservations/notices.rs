//! What changes of the cap and outages do to reservations, each with a notice to its owner. Nodes are
//! only freed, so that the book's version stays; `replacements` takes others.

use planner::time::Timestamp;
use serde_json::json;
use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::engine::connections::{Connection, Repository};
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::identity::{OfferId, ReservationId};
use crate::reservations::allocations::sql as allocations;
use crate::reservations::error::ProposeError;
use crate::reservations::reservation::{ReservationState, StoredReservation, Unchanged};

macro_rules! notices {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn set_degraded(
                &self,
                id: ReservationId,
                degraded: bool,
                notice: Option<&str>,
                now: Timestamp,
            ) -> Result<bool, StorageError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                let changed = sqlx::query(sql::SET_DEGRADED)
                    .bind(id)
                    .bind(degraded)
                    .bind(notice)
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

            pub(crate) async fn withdraw_offers(
                &self,
                id: ReservationId,
                offers: &[OfferId],
                notice: &str,
                now: Timestamp,
            ) -> Result<bool, StorageError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                let found = Self::find_reservation(connection, id).await?;
                let proposed = found.filter(|it| it.state_at(now) == ReservationState::Proposed);
                let Some(reservation) = proposed else { return Ok(false) };
                Self::withdraw(connection, &reservation, offers, notice, now).await?;
                transaction.commit().await?;
                Ok(true)
            }

            pub(crate) async fn withdraw_lost_offers(
                &self,
                unchanged: Unchanged,
                offers: &[OfferId],
                notice: &str,
                now: Timestamp,
            ) -> Result<bool, ProposeError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                let found = Self::unchanged(connection, unchanged, now).await?;
                let proposed = found.filter(|it| it.state == ReservationState::Proposed);
                let Some(reservation) = proposed else { return Ok(false) };
                Self::withdraw(connection, &reservation, offers, notice, now).await?;
                transaction.commit().await?;
                Ok(true)
            }

            /// Frees offers, and rejects a reservation of which none is left.
            async fn withdraw(
                connection: &mut Connection<$engine>,
                reservation: &StoredReservation,
                offers: &[OfferId],
                notice: &str,
                now: Timestamp,
            ) -> Result<(), StorageError> {
                let id = reservation.id;
                for offer in offers {
                    sqlx::query(allocations::DELETE_OFFER_ALLOCATIONS)
                        .bind(offer)
                        .execute(&mut *connection)
                        .await?;
                    sqlx::query(sql::DELETE_OFFER)
                        .bind(offer)
                        .bind(id)
                        .execute(&mut *connection)
                        .await?;
                }
                sqlx::query(sql::SET_NOTICE)
                    .bind(id)
                    .bind(notice)
                    .execute(&mut *connection)
                    .await?;
                if reservation.offers.iter().all(|offer| offers.contains(&offer.id)) {
                    let rejected = ReservationState::Rejected.word();
                    sqlx::query(sql::END).bind(id).bind(rejected).execute(&mut *connection).await?;
                }
                Self::tell_owner(connection, id, "reservation.withdrawn", now).await
            }

            pub(crate) async fn reject(
                &self,
                id: ReservationId,
                notice: &str,
                now: Timestamp,
            ) -> Result<bool, StorageError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                let rejected = sqlx::query(sql::REJECT_AWAITING)
                    .bind(id)
                    .bind(notice)
                    .execute(&mut *connection)
                    .await?;
                if rejected.rows_affected() == 0 {
                    return Ok(false);
                }
                Self::tell_owner(connection, id, "reservation.rejected", now).await?;
                transaction.commit().await?;
                Ok(true)
            }

            /// Records what became of a reservation, inside a caller's transaction.
            pub(super) async fn tell_owner(
                connection: &mut Connection<$engine>,
                id: ReservationId,
                kind: &str,
                now: Timestamp,
            ) -> Result<(), StorageError> {
                let Some(reservation) = Self::find_reservation(connection, id).await? else {
                    return Ok(());
                };
                let state = reservation.state.word();
                let data = json!({ "reservation_id": id.to_string(), "state": state });
                let event = NewEvent::new(kind, data).of(reservation.owner);
                Self::record(connection, &[event], now).await
            }
        }
    };
}

notices!(Sqlite);
notices!(Postgres);
