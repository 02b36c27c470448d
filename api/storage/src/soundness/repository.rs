//! The book, checked.

use planner::identity::ReservationId;
use uuid::Uuid;

use super::sweep::{Span, Sweep};
use super::{BookCheck, BookError, sql};
use crate::database::repository;
use crate::error::StorageError;

/// Double bookings that are told.
const MOST_TOLD: usize = 100;

repository!(
    /// Whether the book is sound.
    impl Database for Soundness {
        /// Checks the book as it is at one moment, while others go on writing.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn check_book(&self) -> Result<BookCheck, StorageError> {
            let mut transaction = self.begin_read().await?;
            let reservations: i64 =
                sqlx::query_scalar(sql::COUNT_RESERVATIONS).fetch_one(&mut *transaction).await?;
            let without: Vec<Uuid> =
                sqlx::query_scalar(sql::WITHOUT_NODES).fetch_all(&mut *transaction).await?;
            let spans: Vec<(i64, i64, i64, i64, i64, Uuid)> =
                sqlx::query_as(sql::CHOSEN_SPANS).fetch_all(&mut *transaction).await?;
            transaction.commit().await?;
            let without = without.into_iter().map(ReservationId::new).map(BookError::WithoutNodes);
            let mut sweep = Sweep::default();
            let double = spans.into_iter().filter_map(|row| {
                let (epoch, first_rank, end_rank, start_s, end_s, id) = row;
                let reservation = ReservationId::new(id);
                let span = Span { epoch, first_rank, end_rank, start_s, end_s, reservation };
                let other = sweep.take(span)?;
                Some(BookError::DoubleBooking(other, reservation))
            });
            let errors = without.chain(double.take(MOST_TOLD)).collect();
            Ok(BookCheck { reservations, errors })
        }
    }
);
