//! Proposing: the one place where nodes are taken.

use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::reservation::{OfferTerms, Reservation, ReservationState};
use planner::time::Timestamp;

use super::sql;
use crate::amounts::{energy_text, mass_text, money_text};
use crate::book::PlanBasis;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::epochs::repository::Epochs;
use crate::epochs::row::EpochRow;
use crate::error::StorageError;
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
    ($query:expr, $terms:expr) => {{
        let terms: &OfferTerms = $terms;
        let (values, saves) = (&terms.values, &terms.saves);
        let (cost_low, cost_high) = terms.cost_band.unzip();
        let (co2_low, co2_high) = terms.co2_band.unzip();
        $query
            .bind(terms.nodes.names.as_deref().map(name_text))
            .bind(set_text(&terms.nodes.ordinals))
            .bind(energy_text(values.energy))
            .bind(money_text(values.cost))
            .bind(values.cost.currency().to_string())
            .bind(terms.extra_power_fee.map(money_text))
            .bind(mass_text(values.co2))
            .bind(terms.peak_power.as_microwatts())
            .bind(terms.delay.get())
            .bind(energy_text(saves.energy))
            .bind(money_text(saves.cost))
            .bind(mass_text(saves.co2))
            .bind(cost_low.map(money_text))
            .bind(cost_high.map(money_text))
            .bind(co2_low.map(mass_text))
            .bind(co2_high.map(mass_text))
            .bind(terms.basis.as_deref().map(joined))
            .bind(terms.idle_change.map(|idle| energy_text(idle.energy)))
            .bind(terms.idle_change.map(|idle| money_text(idle.cost)))
            .bind(terms.idle_change.map(|idle| mass_text(idle.co2)))
            .bind(terms.slowing.as_ref().map(|slowing| slowing.state.name.to_string()))
            .bind(terms.slowing.as_ref().map(|slowing| slowing.state.speed.as_millionths()))
            .bind(terms.slowing.as_ref().map(|slowing| slowing.later.get()))
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
                if !Answers::<Engine>::remember(connection, record).await? {
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
            bind_terms!(set, terms).execute(connection).await?;
            Ok(())
        }

        async fn insert_reservation(
            connection: &mut Connection<Engine>,
            reservation: &NewReservation,
        ) -> Result<(), ProposeError> {
            sqlx::query(sql::INSERT_RESERVATION)
                .bind(reservation.id.as_uuid())
                .bind(&reservation.owner)
                .bind(reservation.first_state().word())
                .bind(&reservation.request)
                .bind(reservation.created.as_unix_seconds())
                .bind(reservation.expires.as_unix_seconds())
                .bind(&reservation.summary)
                .bind(reservation.priority)
                .bind(reservation.replaces.map(ReservationId::as_uuid))
                .bind(reservation.gives_back)
                .bind(&reservation.project)
                .bind(reservation.share_factor.map(|it| i64::from(it.millionths())))
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
                let (span, rankings) = (offer.terms.span, &offer.terms.rankings);
                let insert = sqlx::query(sql::INSERT_OFFER)
                    .bind(offer.id.as_uuid())
                    .bind(id.as_uuid())
                    .bind(span.start().as_unix_seconds())
                    .bind(span.end().as_unix_seconds())
                    .bind(position)
                    .bind(joined(rankings))
                    .bind(offer.terms.is_compromise);
                bind_terms!(insert, &offer.terms).execute(&mut *connection).await?;
            }
            if offers.is_empty() {
                return Ok(());
            }
            let epoch = Epochs::<Engine>::newest(connection).await?;
            let epoch = bookable(epoch, offers.iter().map(|offer| &offer.ranks))?;
            let held = |offer: &NewOffer| Allocation {
                reservation_id: id,
                offer_id: offer.id,
                owner: String::new(),
                state: ReservationState::Proposed,
                epoch,
                span: offer.terms.span,
                ranks: offer.ranks.clone(),
                slowed_peak: None,
            };
            let held: Vec<Allocation> = offers.iter().map(held).collect();
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
