//! Leases: taken, renewed and given up, beside the book.

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::leases::row::LeaseRow;
use crate::leases::{Lease, WantedLease};

repository!(
    /// Who does what only one replica should do.
    impl Database for Leases {
        /// All leases.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn leases(&self) -> Result<Vec<Lease>, StorageError> {
            let rows: Vec<LeaseRow> = sqlx::query_as(sql::LEASES).fetch_all(&self.reader).await?;
            rows.into_iter().map(Lease::try_from).collect()
        }

        /// Takes or renews leases for `holder`: those it has, those that nobody has, and those that
        /// still are as they were seen. The names of those it has now.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn take_leases(
            &self,
            holder: &str,
            wanted: &[WantedLease],
        ) -> Result<Vec<String>, StorageError> {
            let mut taken = Vec::new();
            let mut transaction = self.begin_beside_the_book().await?;
            for WantedLease { name, lasts, seen } in wanted {
                let done = sqlx::query(sql::TAKE_LEASE)
                    .bind(name)
                    .bind(holder)
                    .bind(seen.as_ref().map_or("", |seen| &seen.holder))
                    .bind(seen.as_ref().map_or(-1, |seen| seen.beat))
                    .bind(i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX))
                    .execute(&mut *transaction)
                    .await?;
                if done.rows_affected() == 1 {
                    taken.push(name.clone());
                }
            }
            transaction.commit().await?;
            Ok(taken)
        }

        /// Gives up a lease of `holder`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn drop_lease(&self, holder: &str, name: &str) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::DROP_LEASE).bind(holder).bind(name).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }

        /// Gives up all leases of `holder`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn drop_leases(&self, holder: &str) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::DROP_LEASES).bind(holder).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }
    }
);
