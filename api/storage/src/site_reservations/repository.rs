//! Reservations at other sites. No part of the book, which they take nothing from.

use planner::identity::{OfferId, ReservationId};
use planner::time::Timestamp;
use uuid::Uuid;

use super::row::SiteReservationRow;
use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::identity::SiteReservationId;
use crate::site_reservations::{SiteReservation, SiteReservationReason};

repository!(
    /// Reservations at other sites.
    impl Database for SiteReservations {
        /// Notes one before the other site is asked; `false` where its owner used the key before, and nothing is noted.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn create_site_reservation(
            &self,
            new: &SiteReservation,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let inserted = sqlx::query(sql::INSERT_SITE_RESERVATION)
                .bind(new.id.as_uuid())
                .bind(&new.owner)
                .bind(&new.site)
                .bind(new.state.word())
                .bind(&new.asked_key)
                .bind(&new.asked_digest)
                .bind(&new.asked)
                .bind(&new.sent)
                .bind(&new.told)
                .bind(new.reservation.map(ReservationId::as_uuid))
                .bind(new.offer.map(OfferId::as_uuid))
                .bind(&new.state_there)
                .bind(new.reason.map(SiteReservationReason::word))
                .bind(&new.because)
                .bind(new.created.as_unix_seconds())
                .bind(new.changed.as_unix_seconds())
                .bind(new.row_version)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(inserted.rows_affected() > 0)
        }

        /// Writes what is new of one that was read; `false` where it is not as it was read any more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn change_site_reservation(
            &self,
            new: &SiteReservation,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let changed = sqlx::query(sql::CHANGE_SITE_RESERVATION)
                .bind(new.id.as_uuid())
                .bind(new.row_version)
                .bind(new.state.word())
                .bind(&new.told)
                .bind(new.reservation.map(ReservationId::as_uuid))
                .bind(new.offer.map(OfferId::as_uuid))
                .bind(&new.state_there)
                .bind(new.reason.map(SiteReservationReason::word))
                .bind(&new.because)
                .bind(new.changed.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(changed.rows_affected() > 0)
        }

        /// One of them; `None` for an unknown one.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn site_reservation(
            &self,
            id: SiteReservationId,
        ) -> Result<Option<SiteReservation>, StorageError> {
            let row: Option<SiteReservationRow> = sqlx::query_as(sql::SITE_RESERVATION)
                .bind(id.as_uuid())
                .fetch_optional(&self.reader)
                .await?;
            row.map(SiteReservation::try_from).transpose()
        }

        /// The one that a user asked for under a key.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn site_reservation_of_key(
            &self,
            owner: &str,
            key: &str,
        ) -> Result<Option<SiteReservation>, StorageError> {
            let row: Option<SiteReservationRow> = sqlx::query_as(sql::SITE_RESERVATION_OF_KEY)
                .bind(owner)
                .bind(key)
                .fetch_optional(&self.reader)
                .await?;
            row.map(SiteReservation::try_from).transpose()
        }

        /// A page of those of a user, or of all, the newest first: those before an id, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn site_reservations(
            &self,
            owner: Option<&str>,
            before: Option<SiteReservationId>,
            limit: u16,
        ) -> Result<Vec<SiteReservation>, StorageError> {
            let rows: Vec<SiteReservationRow> = sqlx::query_as(sql::SITE_RESERVATIONS)
                .bind(before.map_or(Uuid::max(), SiteReservationId::as_uuid))
                .bind(owner.unwrap_or_default())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(SiteReservation::try_from).collect()
        }

        /// Those about which something has yet to be done at the other site and that did not change since an instant, those that wait
        /// longest first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn undecided_site_reservations(
            &self,
            since: Timestamp,
            limit: u16,
        ) -> Result<Vec<SiteReservation>, StorageError> {
            let rows: Vec<SiteReservationRow> = sqlx::query_as(sql::UNDECIDED_SITE_RESERVATIONS)
                .bind(since.as_unix_seconds())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(SiteReservation::try_from).collect()
        }
    }
);
