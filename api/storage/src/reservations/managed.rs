//! Reservations beside how they stand in the resource manager.

use planner::identity::ReservationId;
use planner::reservation::Reservation;

use crate::database::repository;
use crate::error::StorageError;
use crate::managed_reservations::StoredManagedReservation;
use crate::managed_reservations::repository::ManagedReservations;
use crate::reservations::reading::Reservations;

repository!(
    /// Reservations beside how they stand in the resource manager.
    impl Database for BothSides {
        /// Managed reservations that are not settled for good, each with its reservation, by the
        /// reservations' ids: all but those that were removed, and those that were lost whose
        /// reservations have ended.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn managed_reservations_open(
            &self,
        ) -> Result<Vec<(StoredManagedReservation, Reservation)>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let open = ManagedReservations::<Engine>::open(&mut transaction).await?;
            let ids: Vec<ReservationId> = open.iter().map(|it| it.reservation_id).collect();
            let reservations = Reservations::<Engine>::of(&mut transaction, &ids).await?;
            transaction.commit().await?;
            Ok(open.into_iter().zip(reservations).collect())
        }
    }
);
