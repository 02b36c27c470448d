//! Reservations are shared, and those with whom they are shared are found.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::reservation::{Receiver, Reservation, SharedRight, SharedWith};
use planner::time::Timestamp;
use sqlx::{FromRow, QueryBuilder};
use uuid::Uuid;

use super::{SharingChange, sql};
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::events::repository::Events;
use crate::reservations::changes::ReservationChanges;
use crate::reservations::error::ChangeError;
use crate::reservations::event::reservation_told;
use crate::reservations::reading::Reservations;
use crate::reservations::sql as reservations;
use crate::row::RowPlace;

#[derive(FromRow)]
struct SharedRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    is_project: bool,
    name: String,
    may: String,
}

impl TryFrom<SharedRow> for (ReservationId, SharedWith) {
    type Error = StorageError;
    fn try_from(row: SharedRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "shared_reservations", row: row.reservation_id };
        let may = place.word("may", &row.may, SharedRight::from_word)?;
        let receiver =
            if row.is_project { Receiver::Project(row.name) } else { Receiver::User(row.name) };
        Ok((row.reservation_id, SharedWith { receiver, may }))
    }
}

repository!(
    /// With whom reservations are shared.
    impl Database for ReservationSharing {
        /// Shares a reservation that has not ended with others, or with some no more, and tells its owner and those
        /// with whom it is or was shared.
        ///
        /// # Errors
        /// See [`ChangeError`].
        pub async fn change_sharing(
            &self,
            id: ReservationId,
            change: &SharingChange,
            now: Timestamp,
            expected_row_version: Option<i64>,
        ) -> Result<Reservation, ChangeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found =
                ReservationChanges::<Engine>::as_expected(connection, id, expected_row_version)
                    .await?;
            let state = ReservationChanges::<Engine>::not_final(&found, now)?;
            sqlx::query(reservations::TOUCH).bind(id.as_uuid()).execute(&mut *connection).await?;
            match change {
                SharingChange::Share(receivers, may) => {
                    for receiver in receivers {
                        sqlx::query(sql::SHARE)
                            .bind(id.as_uuid())
                            .bind(receiver.is_project())
                            .bind(receiver.name())
                            .bind(may.word())
                            .execute(&mut *connection)
                            .await?;
                    }
                    // Told after it is shared, so that those are told with whom it is.
                    let told =
                        reservation_told("reservation.shared", id, &found.owner, state.word());
                    Events::<Engine>::record(connection, &[told], now).await?;
                }
                SharingChange::Unshare(receivers) => {
                    let told =
                        reservation_told("reservation.unshared", id, &found.owner, state.word());
                    Events::<Engine>::record(connection, &[told], now).await?;
                    for receiver in receivers {
                        Self::unshare(connection, id, receiver).await?;
                    }
                }
            }
            let changed = Reservations::<Engine>::find(connection, id).await?;
            transaction.commit().await?;
            changed.ok_or(ChangeError::NotFound)
        }
    }

    /// Parts of transactions.
    impl ReservationSharing {
        /// Shares a reservation with somebody no more.
        pub(crate) async fn unshare(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            receiver: &Receiver,
        ) -> Result<(), StorageError> {
            sqlx::query(sql::UNSHARE)
                .bind(id.as_uuid())
                .bind(receiver.is_project())
                .bind(receiver.name())
                .execute(connection)
                .await?;
            Ok(())
        }

        /// With whom reservations are shared. Those that are shared with nobody are left out.
        pub(crate) async fn of(
            connection: &mut Connection<Engine>,
            ids: &[ReservationId],
        ) -> Result<HashMap<ReservationId, Vec<SharedWith>>, StorageError> {
            let mut shared: HashMap<ReservationId, Vec<SharedWith>> = HashMap::new();
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::SHARED_WITH);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(sql::SHARED_WITH_END);
                let rows: Vec<SharedRow> =
                    query.build_query_as().fetch_all(&mut *connection).await?;
                for row in rows {
                    let (id, with) = row.try_into()?;
                    shared.entry(id).or_default().push(with);
                }
            }
            Ok(shared)
        }
    }
);
