//! Which epoch is the newest.

use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::engine::connections::{Connection, Repository};
use crate::epochs::row::EpochRow;
use crate::error::StorageError;
use crate::identity::EpochId;

macro_rules! epochs {
    ($engine:ident) => {
        impl Repository<$engine> {
            /// The newest epoch, inside a caller's transaction.
            pub(crate) async fn newest_epoch(
                connection: &mut Connection<$engine>,
            ) -> Result<Option<EpochRow>, StorageError> {
                Ok(sqlx::query_as(sql::NEWEST_EPOCH).fetch_optional(connection).await?)
            }

            pub(crate) async fn current_epoch(&self) -> Result<Option<EpochId>, StorageError> {
                let epoch = Self::newest_epoch(&mut *self.reader.acquire().await?).await?;
                Ok(epoch.map(|row| row.id))
            }
        }
    };
}

epochs!(Sqlite);
epochs!(Postgres);
