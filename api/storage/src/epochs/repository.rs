//! Which epoch is the newest.

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::epochs::row::EpochRow;
use crate::error::StorageError;
use crate::identity::EpochId;

repository!(
    /// Calibration epochs.
    impl Database for Epochs {
        /// The newest calibration epoch; none before the first nodes.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn current_epoch(&self) -> Result<Option<EpochId>, StorageError> {
            let epoch = Self::newest(&mut *self.reader.acquire().await?).await?;
            Ok(epoch.map(|row| row.id))
        }
    }

    /// Parts of transactions.
    impl Epochs {
        /// The newest epoch, inside a caller's transaction.
        pub(crate) async fn newest(
            connection: &mut Connection<Engine>,
        ) -> Result<Option<EpochRow>, StorageError> {
            Ok(sqlx::query_as(sql::NEWEST_EPOCH).fetch_optional(connection).await?)
        }
    }
);
