//! What owners change of a reservation while it stays what it is: given back early, transferred, with
//! other labels. Nodes are only freed, so that the book's version stays but where they change hands; `modifications` takes
//! some.

use planner::identity::ReservationId;
use planner::reservation::{Receiver, Reservation, ReservationState};
use planner::time::Timestamp;

use super::sql;
use crate::book::PlanBasis;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::repository::Events;
use crate::reservations::error::{ChangeError, ProposeError};
use crate::reservations::event::{reservation_told, reservation_transferred};
use crate::reservations::lifecycle::Lifecycle;
use crate::reservations::proposals::Proposals;
use crate::reservations::reading::Reservations;
use crate::reservations::replacements::Replacements;
use crate::reservations::reservation::{NewNodes, NewOwner, NewWords, Unchanged};
use crate::reservations::sharing::{SharingChange, sql as sharing};

repository!(
    /// Reservations that their owners change without taking nodes. Each method is one transaction.
    impl Database for ReservationChanges {
        /// Ends an active reservation early, as its owner wants it, and frees its nodes from `now` on: a
        /// second after its start at the earliest.
        ///
        /// # Errors
        /// See [`ChangeError`].
        pub async fn release(
            &self,
            id: ReservationId,
            now: Timestamp,
            expected_row_version: Option<i64>,
        ) -> Result<Reservation, ChangeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Self::as_expected(connection, id, expected_row_version).await?;
            let state = found.state_at(now);
            let completed = Lifecycle::<Engine>::complete_early_in(connection, found, now).await?;
            let completed = completed.ok_or(ChangeError::WrongState { state })?;
            transaction.commit().await?;
            Ok(completed)
        }

        /// Frees some of a reservation's nodes from an instant on: `nodes` says what it keeps. `None` where
        /// it changed or ended since it was read.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: look again.
        pub async fn release_nodes(
            &self,
            unchanged: Unchanged,
            nodes: &NewNodes,
            now: Timestamp,
        ) -> Result<Option<Reservation>, ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Proposals::<Engine>::unchanged(connection, unchanged, now).await?;
            let Some(found) = found else { return Ok(None) };
            Replacements::<Engine>::keep_nodes_of_offer(connection, &found, nodes).await?;
            let id = found.id;
            sqlx::query(sql::TOUCH).bind(id.as_uuid()).execute(&mut *connection).await?;
            let (owner, state) = (&found.owner, found.state_at(now).word());
            let event = reservation_told("reservation.nodes_released", id, owner, state);
            Events::<Engine>::record(connection, &[event], now).await?;
            let released = Reservations::<Engine>::find(connection, id).await?;
            transaction.commit().await?;
            Ok(released)
        }

        /// Gives a reservation that has not ended to another owner, and tells both. What quotas count of each is then
        /// another: plans made earlier are wrong.
        ///
        /// # Errors
        /// See [`ChangeError`].
        pub async fn transfer(
            &self,
            id: ReservationId,
            to: NewOwner<'_>,
            basis: PlanBasis,
            now: Timestamp,
            expected_row_version: Option<i64>,
        ) -> Result<Reservation, ChangeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            Self::by_another_name(connection, basis, now).await?;
            let found = Self::as_expected(connection, id, expected_row_version).await?;
            let state = Self::not_final(&found, now)?;
            let replaced: bool = sqlx::query_scalar(sql::IS_BEING_REPLACED)
                .bind(id.as_uuid())
                .bind(now.as_unix_seconds())
                .fetch_one(&mut *connection)
                .await?;
            if replaced {
                return Err(ChangeError::BeingReplaced);
            }
            sqlx::query(sql::TRANSFER)
                .bind(id.as_uuid())
                .bind(to.owner)
                .bind(to.share_factor.map(|it| i64::from(it.millionths())))
                .execute(&mut *connection)
                .await?;
            let receiver = Receiver::User(to.owner.to_owned());
            Self::unshare(connection, id, &receiver).await?;
            let events = reservation_transferred(id, &found.owner, to.owner, state);
            Events::<Engine>::record(connection, &events, now).await?;
            transaction.commit().await?;
            let (owner, row_version) = (to.owner.to_owned(), found.row_version + 1);
            let mut shared_with = found.shared_with;
            shared_with.retain(|it| it.receiver != receiver);
            let share_factor = to.share_factor;
            Ok(Reservation { owner, row_version, share_factor, shared_with, ..found })
        }

        /// Writes the request of a reservation that has not ended anew, and its project, where nothing that is held
        /// depends on what is new in it. With another project, which quotas count by, it comes with what that rests on.
        ///
        /// # Errors
        /// See [`ChangeError`].
        pub async fn set_request(
            &self,
            id: ReservationId,
            words: NewWords<'_>,
            now: Timestamp,
            expected_row_version: i64,
        ) -> Result<Reservation, ChangeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            if let Some(basis) = words.basis {
                Self::by_another_name(connection, basis, now).await?;
            }
            let found = Self::as_expected(connection, id, Some(expected_row_version)).await?;
            let state = Self::not_final(&found, now)?;
            sqlx::query(sql::SET_REQUEST)
                .bind(id.as_uuid())
                .bind(words.request)
                .bind(words.project)
                .bind(words.share_factor.map(|it| i64::from(it.millionths())))
                .execute(&mut *connection)
                .await?;
            let event = reservation_told("reservation.modified", id, &found.owner, state.word());
            Events::<Engine>::record(connection, &[event], now).await?;
            transaction.commit().await?;
            let (request, project) = (words.request.to_owned(), words.project.to_owned());
            let (row_version, share_factor) = (found.row_version + 1, words.share_factor);
            Ok(Reservation { request, project, row_version, share_factor, ..found })
        }

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
            let found = Self::as_expected(connection, id, expected_row_version).await?;
            let state = Self::not_final(&found, now)?;
            sqlx::query(sql::TOUCH).bind(id.as_uuid()).execute(&mut *connection).await?;
            match change {
                SharingChange::Share(receivers, may) => {
                    for receiver in receivers {
                        sqlx::query(sharing::SHARE)
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
    impl ReservationChanges {
        /// Shares a reservation with somebody no more.
        async fn unshare(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            receiver: &Receiver,
        ) -> Result<(), StorageError> {
            sqlx::query(sharing::UNSHARE)
                .bind(id.as_uuid())
                .bind(receiver.is_project())
                .bind(receiver.name())
                .execute(connection)
                .await?;
            Ok(())
        }

        /// Begins to count what is held by another name: refuses what rests on an older version of the book, and makes
        /// plans made earlier wrong.
        async fn by_another_name(
            connection: &mut Connection<Engine>,
            basis: PlanBasis,
            now: Timestamp,
        ) -> Result<(), ChangeError> {
            match Proposals::<Engine>::expect_basis(connection, basis, now).await {
                Ok(()) => Ok(BookRow::<Engine>::bump_version(connection).await?),
                Err(ProposeError::Storage(error)) => Err(error.into()),
                Err(_) => Err(ChangeError::BookChanged),
            }
        }

        /// A reservation, if it has the row version that is expected.
        pub(super) async fn as_expected(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            expected_row_version: Option<i64>,
        ) -> Result<Reservation, ChangeError> {
            let found = Reservations::<Engine>::find(connection, id).await?;
            let found = found.ok_or(ChangeError::NotFound)?;
            match expected_row_version {
                Some(expected) if expected != found.row_version => {
                    Err(ChangeError::VersionMismatch { found: found.row_version })
                }
                _ => Ok(found),
            }
        }

        /// The state of a reservation that has not ended.
        pub(super) fn not_final(
            reservation: &Reservation,
            now: Timestamp,
        ) -> Result<ReservationState, ChangeError> {
            let state = reservation.state_at(now);
            if state.is_final() { Err(ChangeError::WrongState { state }) } else { Ok(state) }
        }
    }
);
