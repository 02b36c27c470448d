//! Proposing: the one place where nodes are taken.

use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::reservation::{OfferTerms, Reservation, ReservationState};
use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::amounts::{energy_text, mass_text, money_text};
use crate::book::PlanBasis;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::pieces;
use crate::epochs::repository::Epochs;
use crate::epochs::row::EpochRow;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::idempotency::IdempotencyRecord;
use crate::idempotency::repository::Answers;
use crate::identity::EpochId;
use crate::reservations::allocations::Allocation;
use crate::reservations::allocations::repository::Allocations;
use crate::reservations::error::{OfferError, ProposeError};
use crate::reservations::event::reservation_reached;
use crate::reservations::lifecycle::Lifecycle;
use crate::reservations::reading::Reservations;
use crate::reservations::reservation::{NewOffer, NewReservation, Unchanged};
use crate::reservations::row::name_text;
use crate::row::set_text;

/// Words and numbers as the table keeps them: spaces between.
fn joined<T: ToString>(words: &[T]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Binds the nodes and amounts of an offer, in the order in which statements have them.
macro_rules! bind_terms {
    ($query:expr, $bind:ident, $terms:expr) => {{
        let terms: &OfferTerms = $terms;
        let (values, saves) = (&terms.values, &terms.saves);
        let (cost_low, cost_high) = terms.cost_band.unzip();
        let (co2_low, co2_high) = terms.co2_band.unzip();
        $query
            .$bind(terms.nodes.names.as_deref().map(name_text))
            .$bind(set_text(&terms.nodes.ordinals))
            .$bind(energy_text(values.energy))
            .$bind(money_text(values.cost))
            .$bind(values.cost.currency().to_string())
            .$bind(terms.extra_power_fee.map(money_text))
            .$bind(mass_text(values.co2))
            .$bind(terms.peak_power.as_microwatts())
            .$bind(terms.delay.get())
            .$bind(energy_text(saves.energy))
            .$bind(money_text(saves.cost))
            .$bind(mass_text(saves.co2))
            .$bind(cost_low.map(money_text))
            .$bind(cost_high.map(money_text))
            .$bind(co2_low.map(mass_text))
            .$bind(co2_high.map(mass_text))
            .$bind(terms.basis.as_deref().map(joined))
            .$bind(terms.idle_change.map(|idle| energy_text(idle.energy)))
            .$bind(terms.idle_change.map(|idle| money_text(idle.cost)))
            .$bind(terms.idle_change.map(|idle| mass_text(idle.co2)))
            .$bind(terms.slowing.as_ref().map(|slowing| slowing.state.name.to_string()))
            .$bind(terms.slowing.as_ref().map(|slowing| slowing.state.speed.as_millionths()))
            .$bind(terms.slowing.as_ref().map(|slowing| slowing.later.get()))
    }};
}

/// The epoch, if it has all ranks that are offered.
pub(super) fn bookable<'a>(
    epoch: Option<EpochRow>,
    mut offered: impl Iterator<Item = &'a NodeSet>,
) -> Result<EpochId, ProposeError> {
    let node_count = epoch.as_ref().map_or(Ok(0), EpochRow::node_count)?;
    let fits = |ranks: &NodeSet| ranks.ranges().last().is_none_or(|range| range.end <= node_count);
    epoch
        .filter(|_| offered.all(fits))
        .map(|row| row.id)
        .ok_or(ProposeError::UnknownNodes { node_count })
}

repository!(
    /// Reservations being proposed.
    impl Database for Proposals {
        /// Proposes a reservation from a plan, as [`Self::propose_all`] does, and remembers the answer.
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
            let reservations = std::slice::from_ref(reservation);
            let answers: Vec<IdempotencyRecord> = idempotency.into_iter().cloned().collect();
            self.propose_all(basis, reservations, now, &answers).await.map(drop)
        }

        /// Proposes reservations from plans that rest on one book, each on those before it: holds the nodes of
        /// all their offers until they expire. Holds that are due at `now` are expired first. The answers
        /// to be remembered are stored in the same transaction. The reservations as they are then, by id.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: plan again. Where there is an error, none is proposed.
        pub async fn propose_all(
            &self,
            basis: PlanBasis,
            reservations: &[NewReservation],
            now: Timestamp,
            answers: &[IdempotencyRecord],
        ) -> Result<Vec<Reservation>, ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            // First, so that a request sent again is told so and not that the book changed.
            if !Answers::<Engine>::remember(connection, answers).await? {
                return Err(ProposeError::IdempotencyKeyReused);
            }
            Self::expect_basis(connection, basis, now).await?;
            Lifecycle::<Engine>::expire_due(connection, now).await?;
            Self::insert_reservations(connection, reservations).await?;
            let offers: Vec<(ReservationId, &[NewOffer])> =
                reservations.iter().map(|it| (it.id, it.offers.as_slice())).collect();
            Self::insert_offers(connection, &offers).await?;
            let event =
                |it: &NewReservation| reservation_reached(it.id, &it.owner, it.first_state());
            let events: Vec<NewEvent> = reservations.iter().map(event).collect();
            Events::<Engine>::record(connection, &events, now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            let ids: Vec<ReservationId> = reservations.iter().map(|it| it.id).collect();
            let proposed = Reservations::<Engine>::of(connection, &ids).await?;
            transaction.commit().await?;
            Ok(proposed)
        }

        /// Makes offers to a reservation that awaits the supplier, which is then proposed.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: plan again. A reservation that does not await the supplier.
        pub async fn offer(
            &self,
            basis: PlanBasis,
            id: ReservationId,
            summary: &str,
            offers: &[NewOffer],
            expires: Timestamp,
            now: Timestamp,
        ) -> Result<(), OfferError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            Self::expect_basis(connection, basis, now).await?;
            Lifecycle::<Engine>::expire_due(connection, now).await?;
            let reservation = Reservations::<Engine>::find(connection, id).await?;
            let reservation = reservation.ok_or(OfferError::NotFound)?;
            match reservation.state {
                ReservationState::AwaitingSupplier => {}
                state => return Err(OfferError::NotAwaitingSupplier { state }),
            }
            sqlx::query(sql::PROPOSE_AWAITING)
                .bind(id.as_uuid())
                .bind(expires.as_unix_seconds())
                .bind(summary)
                .execute(&mut *connection)
                .await?;
            Self::insert_offers(connection, &[(id, offers)]).await?;
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
            let (expected, found) = (basis.version, BookRow::<Engine>::version(connection).await?);
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

        /// Writes the nodes and amounts of an offer anew.
        pub(crate) async fn set_terms(
            connection: &mut Connection<Engine>,
            id: OfferId,
            terms: &OfferTerms,
        ) -> Result<(), StorageError> {
            let set = sqlx::query(sql::SET_OFFER_TERMS).bind(id.as_uuid());
            bind_terms!(set, bind, terms).execute(connection).await?;
            Ok(())
        }

        async fn insert_reservations(
            connection: &mut Connection<Engine>,
            reservations: &[NewReservation],
        ) -> Result<(), StorageError> {
            for piece in pieces(reservations) {
                let mut insert = QueryBuilder::<Engine>::new(sql::RESERVATIONS_BULK);
                insert.push_values(piece, |mut row, reservation| {
                    row.push_bind(reservation.id.as_uuid())
                        .push_bind(&reservation.owner)
                        .push_bind(reservation.first_state().word())
                        .push_bind(&reservation.request)
                        .push_bind(reservation.created.as_unix_seconds())
                        .push_bind(reservation.expires.as_unix_seconds())
                        .push_bind(&reservation.summary)
                        .push_bind(reservation.priority)
                        .push_bind(reservation.replaces.map(ReservationId::as_uuid))
                        .push_bind(reservation.gives_back)
                        .push_bind(&reservation.project)
                        .push_bind(reservation.share_factor.map(|it| i64::from(it.millionths())))
                        .push(sql::CHANGES_NOW);
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }

        /// Holds the nodes of reservations' offers.
        pub(super) async fn insert_offers(
            connection: &mut Connection<Engine>,
            offers: &[(ReservationId, &[NewOffer])],
        ) -> Result<(), ProposeError> {
            let mut rows: Vec<(ReservationId, i64, &NewOffer)> = Vec::new();
            for (id, offers) in offers {
                rows.extend((0_i64..).zip(*offers).map(|(position, offer)| (*id, position, offer)));
            }
            for piece in pieces(&rows) {
                let mut insert = QueryBuilder::<Engine>::new(sql::OFFERS_BULK);
                insert.push_values(piece, |mut row, (id, position, offer)| {
                    let (span, rankings) = (offer.terms.span, &offer.terms.rankings);
                    row.push_bind(offer.id.as_uuid())
                        .push_bind(id.as_uuid())
                        .push_bind(span.start().as_unix_seconds())
                        .push_bind(span.end().as_unix_seconds())
                        .push_bind(*position)
                        .push_bind(joined(rankings))
                        .push_bind(offer.terms.is_compromise);
                    bind_terms!(row, push_bind, &offer.terms);
                });
                insert.build().execute(&mut *connection).await?;
            }
            if rows.is_empty() {
                return Ok(());
            }
            let epoch = Epochs::<Engine>::newest(connection).await?;
            let epoch = bookable(epoch, rows.iter().map(|(.., offer)| &offer.ranks))?;
            let held = |(id, _, offer): &(ReservationId, i64, &NewOffer)| Allocation {
                reservation_id: *id,
                offer_id: offer.id,
                owner: String::new(),
                state: ReservationState::Proposed,
                epoch,
                span: offer.terms.span,
                ranks: offer.ranks.clone(),
                slowed_peak: None,
            };
            let held: Vec<Allocation> = rows.iter().map(held).collect();
            Ok(Allocations::<Engine>::insert(connection, epoch, &held).await?)
        }

        /// The reservation if it has not changed and holds nodes still; refuses a plan that
        /// rests on an older version.
        pub(super) async fn unchanged(
            connection: &mut Connection<Engine>,
            Unchanged { id, row_version, basis }: Unchanged,
            now: Timestamp,
        ) -> Result<Option<Reservation>, ProposeError> {
            Self::expect_basis(connection, basis, now).await?;
            Lifecycle::<Engine>::expire_due(connection, now).await?;
            let found = Reservations::<Engine>::find(connection, id).await?;
            Ok(found.filter(|it| it.row_version == row_version && !it.state_at(now).is_final()))
        }
    }
);
