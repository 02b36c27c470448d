//! Other nodes, and other offers, for reservations that outages hit.

use planner::time::Timestamp;
use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::engine::connections::{Connection, Repository};
use crate::identity::EpochId;
use crate::reservations::allocations::Allocation;
use crate::reservations::allocations::sql as allocations;
use crate::reservations::error::ProposeError;
use crate::reservations::event::reservation_reached;
use crate::reservations::proposals::bookable;
use crate::reservations::reservation::{
    NewNodes, NewOffer, ReservationState, StoredReservation, Unchanged,
};

macro_rules! replacements {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn replace_nodes_of(
                &self,
                unchanged: Unchanged,
                nodes: &[NewNodes],
                degraded: bool,
                notice: &str,
                now: Timestamp,
            ) -> Result<bool, ProposeError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                let found = Self::unchanged(connection, unchanged, now).await?;
                let Some(reservation) = found else { return Ok(false) };
                let id = reservation.id;
                let epoch = Self::newest_epoch(connection).await?;
                let ranks = nodes.iter().flat_map(|it| it.holdings.iter().map(|(_, ranks)| ranks));
                let epoch = bookable(epoch, ranks)?;
                for nodes in nodes {
                    Self::replace_nodes_of_offer(connection, epoch, &reservation, nodes).await?;
                }
                sqlx::query(sql::SET_NODES_REPLACED)
                    .bind(id)
                    .bind(degraded)
                    .bind(notice)
                    .execute(&mut *connection)
                    .await?;
                Self::tell_owner(connection, id, "reservation.nodes_replaced", now).await?;
                Self::bump_version(connection).await?;
                transaction.commit().await?;
                Ok(true)
            }

            async fn replace_nodes_of_offer(
                connection: &mut Connection<$engine>,
                epoch: EpochId,
                reservation: &StoredReservation,
                nodes: &NewNodes,
            ) -> Result<(), ProposeError> {
                for cut in [
                    allocations::DELETE_OFFER_ALLOCATIONS_FROM,
                    allocations::TRUNCATE_OFFER_ALLOCATIONS,
                ] {
                    sqlx::query(cut)
                        .bind(nodes.offer)
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
                });
                let held: Vec<Allocation> = held.collect();
                Self::insert_allocations(connection, epoch, &held).await?;
                sqlx::query(sql::SET_OFFER_DOCUMENT)
                    .bind(nodes.offer)
                    .bind(&nodes.document)
                    .execute(connection)
                    .await?;
                Ok(())
            }

            pub(crate) async fn offer_anew(
                &self,
                unchanged: Unchanged,
                document: &str,
                offers: &[NewOffer],
                expires: Timestamp,
                notice: &str,
                now: Timestamp,
            ) -> Result<bool, ProposeError> {
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                let found = Self::unchanged(connection, unchanged, now).await?;
                let proposed = found.filter(|it| it.state == ReservationState::Proposed);
                let Some(reservation) = proposed else { return Ok(false) };
                let id = reservation.id;
                for statement in [allocations::DELETE_RESERVATION_ALLOCATIONS, sql::DELETE_OFFERS] {
                    sqlx::query(statement).bind(id).execute(&mut *connection).await?;
                }
                sqlx::query(sql::PROPOSE_AWAITING)
                    .bind(id)
                    .bind(expires.as_unix_seconds())
                    .bind(document)
                    .execute(&mut *connection)
                    .await?;
                sqlx::query(sql::SET_NOTICE)
                    .bind(id)
                    .bind(notice)
                    .execute(&mut *connection)
                    .await?;
                Self::insert_offers(connection, id, offers).await?;
                Self::tell_owner(connection, id, "reservation.withdrawn", now).await?;
                let event = reservation_reached(id, &reservation.owner, reservation.state);
                Self::record(connection, &[event], now).await?;
                Self::bump_version(connection).await?;
                transaction.commit().await?;
                Ok(true)
            }

            /// The reservation if it has not changed and holds nodes still; refuses a plan that
            /// rests on an older version.
            pub(super) async fn unchanged(
                connection: &mut Connection<$engine>,
                Unchanged { id, row_version, basis }: Unchanged,
                now: Timestamp,
            ) -> Result<Option<StoredReservation>, ProposeError> {
                Self::expect_basis(connection, basis, now).await?;
                Self::expire_due(connection, now).await?;
                let found = Self::find_reservation(connection, id).await?;
                Ok(found.filter(|it| it.row_version == row_version && !it.state_at(now).is_final()))
            }
        }
    };
}

replacements!(Sqlite);
replacements!(Postgres);
