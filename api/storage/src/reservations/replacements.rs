//! Other nodes, and other offers, for reservations that outages hit.

use planner::json::notice::notice_text;
use planner::reservation::{Notice, Reservation, ReservationState};
use planner::time::Timestamp;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::epochs::repository::Epochs;
use crate::events::repository::Events;
use crate::identity::EpochId;
use crate::reservations::allocations::Allocation;
use crate::reservations::allocations::repository::Allocations;
use crate::reservations::allocations::sql as allocations;
use crate::reservations::error::ProposeError;
use crate::reservations::event::{reservation_reached, reservation_told};
use crate::reservations::proposals::Proposals;
use crate::reservations::proposals::bookable;
use crate::reservations::reservation::{NewNodes, NewOffer, Unchanged};

repository!(
    /// Reservations that outages hit. Each method is one transaction, and answers `false` where the
    /// reservation changed or ended since it was read.
    impl Database for Replacements {
        /// Gives a reservation other nodes from an instant on, offer by offer, and tells its owner. Holds
        /// that are due at `now` are expired first.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: plan again.
        pub async fn replace_nodes_of(
            &self,
            unchanged: Unchanged,
            nodes: &[NewNodes],
            degraded: bool,
            notice: &Notice,
            now: Timestamp,
        ) -> Result<bool, ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Proposals::<Engine>::unchanged(connection, unchanged, now).await?;
            let Some(reservation) = found else { return Ok(false) };
            let id = reservation.id;
            let epoch = Epochs::<Engine>::newest(connection).await?;
            let ranks = nodes.iter().flat_map(|it| it.holdings.iter().map(|(_, ranks)| ranks));
            let epoch = bookable(epoch, ranks)?;
            for nodes in nodes {
                Self::replace_nodes_of_offer(connection, epoch, &reservation, nodes).await?;
            }
            sqlx::query(sql::SET_NODES_REPLACED)
                .bind(id.as_uuid())
                .bind(degraded)
                .bind(notice_text(notice))
                .execute(&mut *connection)
                .await?;
            let (owner, state) = (&reservation.owner, reservation.state.word());
            let event = reservation_told("reservation.nodes_replaced", id, owner, state);
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Holds other offers for a reservation of which none is chosen, instead of all that it had,
        /// and tells its owner.
        ///
        /// # Errors
        /// [`ProposeError::BookChanged`]: plan again.
        pub async fn offer_anew(
            &self,
            unchanged: Unchanged,
            summary: &str,
            offers: &[NewOffer],
            expires: Timestamp,
            notice: &Notice,
            now: Timestamp,
        ) -> Result<bool, ProposeError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let found = Proposals::<Engine>::unchanged(connection, unchanged, now).await?;
            let proposed = found.filter(|it| it.state == ReservationState::Proposed);
            let Some(reservation) = proposed else { return Ok(false) };
            let id = reservation.id;
            for statement in [allocations::DELETE_RESERVATION_ALLOCATIONS, sql::DELETE_OFFERS] {
                sqlx::query(statement).bind(id.as_uuid()).execute(&mut *connection).await?;
            }
            sqlx::query(sql::PROPOSE_AWAITING)
                .bind(id.as_uuid())
                .bind(expires.as_unix_seconds())
                .bind(summary)
                .execute(&mut *connection)
                .await?;
            sqlx::query(sql::SET_NOTICE)
                .bind(id.as_uuid())
                .bind(notice_text(notice))
                .execute(&mut *connection)
                .await?;
            Proposals::<Engine>::insert_offers(connection, &[(id, offers)]).await?;
            let (owner, state) = (&reservation.owner, reservation.state);
            let events = [
                reservation_told("reservation.withdrawn", id, owner, state.word()),
                reservation_reached(id, owner, state),
            ];
            Events::<Engine>::record(connection, &events, now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            transaction.commit().await?;
            Ok(true)
        }
    }

    /// Parts of transactions.
    impl Replacements {
        /// Leaves an offer some of its nodes from an instant on, and its terms with them.
        pub(super) async fn keep_nodes_of_offer(
            connection: &mut Connection<Engine>,
            reservation: &Reservation,
            nodes: &NewNodes,
        ) -> Result<(), ProposeError> {
            let epoch = Epochs::<Engine>::newest(connection).await?;
            let epoch = bookable(epoch, nodes.holdings.iter().map(|(_, ranks)| ranks))?;
            Self::replace_nodes_of_offer(connection, epoch, reservation, nodes).await
        }

        async fn replace_nodes_of_offer(
            connection: &mut Connection<Engine>,
            epoch: EpochId,
            reservation: &Reservation,
            nodes: &NewNodes,
        ) -> Result<(), ProposeError> {
            for cut in [
                allocations::DELETE_OFFER_ALLOCATIONS_FROM,
                allocations::TRUNCATE_OFFER_ALLOCATIONS,
            ] {
                sqlx::query(cut)
                    .bind(nodes.offer.as_uuid())
                    .bind(nodes.from.as_unix_seconds())
                    .execute(&mut *connection)
                    .await?;
            }
            let held = nodes.holdings.iter().map(|(span, ranks)| Allocation {
                reservation_id: reservation.id,
                offer_id: nodes.offer,
                owner: String::new(),
                state: reservation.state,
                epoch,
                span: *span,
                ranks: ranks.clone(),
                slowed_peak: None,
            });
            let held: Vec<Allocation> = held.collect();
            Allocations::<Engine>::insert(connection, epoch, &held).await?;
            Ok(Proposals::<Engine>::set_terms(connection, nodes.offer, &nodes.terms).await?)
        }
    }
);
