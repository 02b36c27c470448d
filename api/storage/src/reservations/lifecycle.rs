//! How a reservation changes after it was proposed: by choice, by its end, by the clock.
//!
//! None of this takes nodes that were free, so none of it changes the book's version.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::reservation::{Choice, Ending, OfferSelector, Reservation, ReservationState};
use planner::time::{Seconds, Span, Timestamp};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::Dialect;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::managed_reservations::repository::ManagedReservations;
use crate::reservations::allocations::repository::Allocations;
use crate::reservations::allocations::sql as allocations;
use crate::reservations::error::{ChooseError, EndError};
use crate::reservations::event::reservation_reached;
use crate::reservations::reading::Reservations;
use crate::reservations::reservation::{Advanced, NewChoice};

/// A reservation as it is after a choice, and whether that changes it.
fn chosen(
    found: Option<Reservation>,
    choice: &NewChoice,
) -> Result<(Reservation, bool), ChooseError> {
    let reservation = found.ok_or(ChooseError::NotFound)?;
    let NewChoice { selector, now, expected_row_version, .. } = *choice;
    let (offer, span) = match reservation.choice(selector, now, expected_row_version)? {
        Choice::TakenBefore => return Ok((reservation, false)),
        Choice::Take(offer, span) => (offer, span),
    };
    let confirmed = Reservation {
        state: ReservationState::Confirmed,
        confirmed: Some(now),
        chosen: Some((offer, span)),
        row_version: reservation.row_version + 1,
        ..reservation
    };
    Ok((confirmed, true))
}

repository!(
    /// Reservations after they were proposed: chosen, ended, moved on by the clock.
    impl Database for Lifecycle {
        /// Confirms an offer and frees the nodes of the others. Choosing the chosen offer again
        /// succeeds. Where nodes are `managed`, the reservation is put into the outbox of those that the
        /// resource manager is to have, in the same transaction.
        ///
        /// # Errors
        /// See [`ChooseError`].
        pub async fn choose(
            &self,
            id: ReservationId,
            selector: OfferSelector,
            now: Timestamp,
            expected_row_version: Option<i64>,
            managed: bool,
        ) -> Result<Reservation, ChooseError> {
            let choice = NewChoice { id, selector, now, expected_row_version };
            let chosen = self.choose_all(&[choice], managed).await?;
            chosen.into_iter().next().unwrap_or(Err(ChooseError::NotFound))
        }

        /// Makes choices of different reservations, as [`Self::choose`] makes one: what became of each, in their
        /// order.
        ///
        /// # Errors
        /// Storage failed; then none was made.
        pub async fn choose_all(
            &self,
            choices: &[NewChoice],
            managed: bool,
        ) -> Result<Vec<Result<Reservation, ChooseError>>, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let ids: Vec<ReservationId> = choices.iter().map(|it| it.id).collect();
            let found = Reservations::<Engine>::of(connection, &ids).await?;
            let mut found: HashMap<ReservationId, Reservation> =
                found.into_iter().map(|it| (it.id, it)).collect();
            let (mut answers, mut taken) = (Vec::new(), Vec::new());
            for choice in choices {
                let answer = chosen(found.remove(&choice.id), choice);
                if let Ok((reservation, true)) = &answer {
                    taken.push(reservation.clone());
                }
                answers.push(answer.map(|(reservation, _)| reservation));
            }
            if !taken.is_empty() {
                Self::confirm(connection, &taken, managed).await?;
                transaction.commit().await?;
            }
            Ok(answers)
        }

        /// Ends a reservation before its time and frees its nodes from `now` on.
        ///
        /// # Errors
        /// See [`EndError`].
        pub async fn end(
            &self,
            id: ReservationId,
            ending: Ending,
            now: Timestamp,
            expected_row_version: Option<i64>,
        ) -> Result<Reservation, EndError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Reservations::<Engine>::find(connection, id).await?;
            let reservation = found.ok_or(EndError::NotFound)?;
            reservation.may_end(now, expected_row_version)?;
            let state = ReservationState::from(ending);
            Self::end_in(connection, &reservation, state, now).await?;
            transaction.commit().await?;
            let row_version = reservation.row_version + 1;
            Ok(Reservation { state, row_version, ..reservation })
        }

        /// Completes an active reservation before its end, since nothing runs in it any more, and frees
        /// its nodes: its span ends at `now`, or a second after its start at the earliest. `None` where
        /// it is not active.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn complete_early(
            &self,
            id: ReservationId,
            now: Timestamp,
        ) -> Result<Option<Reservation>, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Reservations::<Engine>::find(connection, id).await?;
            let Some(reservation) = found else { return Ok(None) };
            let completed = Self::complete_early_in(connection, reservation, now).await?;
            transaction.commit().await?;
            Ok(completed)
        }

        /// Cancels a reservation that has not ended and frees its nodes from `now` on.
        ///
        /// # Errors
        /// See [`EndError`].
        pub async fn cancel(
            &self,
            id: ReservationId,
            now: Timestamp,
            expected_row_version: Option<i64>,
        ) -> Result<Reservation, EndError> {
            self.end(id, Ending::Cancelled, now, expected_row_version).await
        }

        /// Lets the clock do its part: expires holds, starts and completes reservations. Takes no
        /// write lock when nothing is due. The reservations in the state they reached.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn advance(&self, now: Timestamp) -> Result<Vec<Advanced>, StorageError> {
            let due: bool = sqlx::query_scalar(sql::ANY_DUE)
                .bind(now.as_unix_seconds())
                .fetch_one(&self.reader)
                .await?;
            if !due {
                return Ok(Vec::new());
            }
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let mut advanced = Self::expire_due(connection, now).await?;
            // Completing first: what has both started and ended was never seen running.
            let moves = [
                (sql::COMPLETE_DUE, ReservationState::Completed),
                (sql::ACTIVATE_DUE, ReservationState::Active),
            ];
            for (statement, state) in moves {
                advanced.extend(Self::move_due(connection, statement, state, now).await?);
            }
            transaction.commit().await?;
            Ok(advanced)
        }
    }

    /// Parts of transactions.
    impl Lifecycle {
        /// Confirms reservations as they are after their choice, frees the nodes of what was not chosen, and tells their owners.
        async fn confirm(
            connection: &mut Connection<Engine>,
            taken: &[Reservation],
            managed: bool,
        ) -> Result<(), StorageError> {
            let same_instant = |a: &Reservation, b: &Reservation| a.confirmed == b.confirmed;
            for taken in taken.chunk_by(same_instant) {
                let Some(now) = taken.first().and_then(|it| it.confirmed) else { continue };
                let chosen = taken.iter().filter_map(|it| Some(it.chosen?.0.as_uuid()));
                let chosen: Vec<Uuid> = chosen.collect();
                let ids: Vec<Uuid> = taken.iter().map(|it| it.id.as_uuid()).collect();
                let mut confirm = QueryBuilder::<Engine>::new(sql::CONFIRM_WHERE);
                confirm.push_bind(now.as_unix_seconds()).push(sql::CONFIRMED_OFFERS);
                Engine::push_among(&mut confirm, &chosen);
                confirm.build().execute(&mut *connection).await?;
                Allocations::<Engine>::keep_chosen(connection, &ids, &chosen).await?;
                let event = |it: &Reservation| reservation_reached(it.id, &it.owner, it.state);
                let events: Vec<NewEvent> = taken.iter().map(event).collect();
                Events::<Engine>::record(connection, &events, now).await?;
                for Reservation { id, owner, replaces, .. } in taken {
                    if managed {
                        ManagedReservations::<Engine>::enqueue(connection, *id, owner, now).await?;
                    }
                    if let Some(replaced) = *replaces {
                        Self::give_way(connection, replaced, now).await?;
                    }
                }
            }
            Ok(())
        }

        /// Cancels what another reservation takes the place of, if it has not ended.
        async fn give_way(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let found = Reservations::<Engine>::find(connection, id).await?;
            let Some(replaced) = found.filter(|it| !it.state_at(now).is_final()) else {
                return Ok(());
            };
            Self::end_in(connection, &replaced, ReservationState::Cancelled, now).await
        }

        /// Completes a reservation before its end, inside a caller's transaction; `None` where it is not
        /// active.
        pub(super) async fn complete_early_in(
            connection: &mut Connection<Engine>,
            reservation: Reservation,
            now: Timestamp,
        ) -> Result<Option<Reservation>, StorageError> {
            let id = reservation.id;
            let active = reservation.state_at(now) == ReservationState::Active;
            let Some((offer, span)) = reservation.chosen.filter(|_| active) else {
                return Ok(None);
            };
            let end = now.max(span.start() + Seconds::new(1));
            let Some(span) = Span::new(span.start(), end) else { return Ok(None) };
            sqlx::query(sql::COMPLETE_EARLY)
                .bind(id.as_uuid())
                .bind(end.as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            Allocations::<Engine>::cut_those_of(connection, id, end).await?;
            let state = ReservationState::Completed;
            let event = reservation_reached(id, &reservation.owner, state);
            Events::<Engine>::record(connection, &[event], now).await?;
            let (chosen, row_version) = (Some((offer, span)), reservation.row_version + 1);
            Ok(Some(Reservation { state, chosen, row_version, ..reservation }))
        }

        /// Ends a reservation in a state, frees its nodes from `now` on, and tells its owner.
        async fn end_in(
            connection: &mut Connection<Engine>,
            reservation: &Reservation,
            state: ReservationState,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let id = reservation.id;
            sqlx::query(sql::END)
                .bind(id.as_uuid())
                .bind(state.word())
                .execute(&mut *connection)
                .await?;
            if reservation.chosen.is_some() {
                Allocations::<Engine>::cut_those_of(connection, id, now).await?;
            } else {
                sqlx::query(allocations::DELETE_RESERVATION_ALLOCATIONS)
                    .bind(id.as_uuid())
                    .execute(&mut *connection)
                    .await?;
            }
            let event = reservation_reached(id, &reservation.owner, state);
            Events::<Engine>::record(connection, &[event], now).await
        }

        /// Expires the holds that are due and frees their nodes, inside a caller's transaction.
        pub(crate) async fn expire_due(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<Vec<Advanced>, StorageError> {
            sqlx::query(allocations::DELETE_ALLOCATIONS_OF_DUE_HOLDS)
                .bind(now.as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            let expired = ReservationState::Expired;
            Self::move_due(connection, sql::EXPIRE_DUE, expired, now).await
        }

        async fn move_due(
            connection: &mut Connection<Engine>,
            statement: &'static str,
            state: ReservationState,
            now: Timestamp,
        ) -> Result<Vec<Advanced>, StorageError> {
            let moved: Vec<(Uuid, String)> = sqlx::query_as(statement)
                .bind(now.as_unix_seconds())
                .fetch_all(&mut *connection)
                .await?;
            let event = |(id, owner): &(Uuid, String)| {
                reservation_reached(ReservationId::new(*id), owner, state)
            };
            let events: Vec<NewEvent> = moved.iter().map(event).collect();
            Events::<Engine>::record(connection, &events, now).await?;
            let advanced = |(id, _)| Advanced { id: ReservationId::new(id), state };
            Ok(moved.into_iter().map(advanced).collect())
        }
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    /// The states that a statement looks for, by their words after its condition begins.
    fn moved_by(statement: &str) -> Vec<ReservationState> {
        let (_, condition) = statement.split_once("WHERE").unwrap();
        let is_named = |it: &ReservationState| condition.contains(&format!("'{}'", it.word()));
        ReservationState::ALL.into_iter().filter(is_named).collect()
    }

    #[test]
    fn statements_move_what_the_table_of_states_lets_them() {
        let may_become = |next: ReservationState| -> Vec<ReservationState> {
            ReservationState::ALL.into_iter().filter(|it| it.may_become(next)).collect()
        };
        for (statement, next) in [
            (sql::EXPIRE_DUE, ReservationState::Expired),
            (sql::COMPLETE_DUE, ReservationState::Completed),
            (sql::ACTIVATE_DUE, ReservationState::Active),
        ] {
            assert_eq!(moved_by(statement), may_become(next), "{statement}");
        }
        let waiting = moved_by(sql::REJECT_AWAITING);
        assert!(waiting.iter().all(|it| it.may_become(ReservationState::Rejected)), "{waiting:?}");
    }
}
