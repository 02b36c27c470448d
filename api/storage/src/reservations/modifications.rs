//! Reservations that are extended, or planned anew. What is new takes nodes: each checks what it rests on
//! and makes every plan made earlier wrong.

use planner::reservation::{Reservation, ReservationState};
use planner::time::Timestamp;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::events::repository::Events;
use crate::reservations::allocations::sql as allocations;
use crate::reservations::error::ProposeError;
use crate::reservations::event::reservation_told;
use crate::reservations::proposals::Proposals;
use crate::reservations::reading::Reservations;
use crate::reservations::reservation::{AfterModification, Modification, NewEnd, Unchanged};

repository!(
    /// Reservations that take other nodes or more time. Each method is one transaction: until it is
    /// committed the reservation holds what it held. Each answers `None` where the reservation changed or
    /// ended since it was read.
    impl Database for Modifications {
        /// Lets a reservation keep the nodes that it has in the end until a later end, and tells its owner.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: look again.
        pub async fn extend(
            &self,
            unchanged: Unchanged,
            new: &NewEnd,
            now: Timestamp,
        ) -> Result<Option<Reservation>, ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Proposals::<Engine>::unchanged(connection, unchanged, now).await?;
            let Some(found) = found.filter(|it| it.chosen.is_some()) else { return Ok(None) };
            let end = new.terms.span.end().as_unix_seconds();
            sqlx::query(allocations::EXTEND_OFFER_ALLOCATIONS)
                .bind(new.offer.as_uuid())
                .bind(new.before.as_unix_seconds())
                .bind(end)
                .execute(&mut *connection)
                .await?;
            let (id, offer) = (found.id.as_uuid(), new.offer.as_uuid());
            for (statement, row) in [(sql::EXTEND, id), (sql::EXTEND_OFFER, offer)] {
                sqlx::query(statement).bind(row).bind(end).execute(&mut *connection).await?;
            }
            if let Some(summary) = &new.summary {
                sqlx::query(sql::SET_SUMMARY)
                    .bind(id)
                    .bind(summary)
                    .execute(&mut *connection)
                    .await?;
            }
            Proposals::<Engine>::set_terms(connection, new.offer, &new.terms).await?;
            let (owner, state) = (&found.owner, found.state_at(now).word());
            let event = reservation_told("reservation.extended", found.id, owner, state);
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            let extended = Reservations::<Engine>::find(connection, found.id).await?;
            transaction.commit().await?;
            Ok(extended)
        }

        /// Gives a reservation that has not begun another request, and the offers that are possible for it
        /// instead of its own; tells its owner.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: plan again.
        pub async fn modify(
            &self,
            unchanged: Unchanged,
            new: &Modification,
            now: Timestamp,
        ) -> Result<Option<Reservation>, ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Proposals::<Engine>::unchanged(connection, unchanged, now).await?;
            let state = match new.then {
                AfterModification::HeldUntil(_) => ReservationState::Proposed,
                AfterModification::Chosen(_) => ReservationState::Confirmed,
            };
            let found = found.filter(|it| it.state_at(now) == state);
            let Some(found) = found else { return Ok(None) };
            let id = found.id.as_uuid();
            for statement in [allocations::DELETE_RESERVATION_ALLOCATIONS, sql::DELETE_OFFERS] {
                sqlx::query(statement).bind(id).execute(&mut *connection).await?;
            }
            Proposals::<Engine>::insert_offers(connection, &[(found.id, &new.offers)]).await?;
            let statement = match new.then {
                AfterModification::HeldUntil(_) => sql::MODIFY_PROPOSED,
                AfterModification::Chosen(_) => sql::MODIFY_CONFIRMED,
            };
            let update = sqlx::query(statement)
                .bind(id)
                .bind(&new.request)
                .bind(&new.summary)
                .bind(new.priority)
                .bind(new.gives_back)
                .bind(&new.project)
                .bind(new.share_factor.map(|it| i64::from(it.millionths())));
            match new.then {
                AfterModification::HeldUntil(expires) => {
                    let update = update.bind(expires.as_unix_seconds());
                    update.execute(&mut *connection).await?;
                }
                AfterModification::Chosen(chosen) => {
                    let chosen = new.offers.iter().find(|offer| offer.id == chosen);
                    let Some(chosen) = chosen else { return Ok(None) };
                    let span = chosen.terms.span;
                    update
                        .bind(chosen.id.as_uuid())
                        .bind(span.start().as_unix_seconds())
                        .bind(span.end().as_unix_seconds())
                        .bind(now.as_unix_seconds())
                        .execute(&mut *connection)
                        .await?;
                    sqlx::query(allocations::DELETE_OTHER_OFFERS_ALLOCATIONS)
                        .bind(id)
                        .bind(chosen.id.as_uuid())
                        .execute(&mut *connection)
                        .await?;
                }
            }
            let event =
                reservation_told("reservation.modified", found.id, &found.owner, state.word());
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            let modified = Reservations::<Engine>::find(connection, found.id).await?;
            transaction.commit().await?;
            Ok(modified)
        }
    }
);
