//! Leases: taken, renewed and given up, beside the book.

use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::engine::connections::Repository;
use crate::error::StorageError;
use crate::leases::row::LeaseRow;
use crate::leases::{Lease, WantedLease};

macro_rules! leases {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn leases(&self) -> Result<Vec<Lease>, StorageError> {
                let rows: Vec<LeaseRow> =
                    sqlx::query_as(sql::LEASES).fetch_all(&self.reader).await?;
                Ok(rows.into_iter().map(Lease::from).collect())
            }

            pub(crate) async fn take_leases(
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

            pub(crate) async fn drop_lease(
                &self,
                holder: &str,
                name: &str,
            ) -> Result<(), StorageError> {
                let mut transaction = self.begin_beside_the_book().await?;
                sqlx::query(sql::DROP_LEASE)
                    .bind(holder)
                    .bind(name)
                    .execute(&mut *transaction)
                    .await?;
                Ok(transaction.commit().await?)
            }

            pub(crate) async fn drop_leases(&self, holder: &str) -> Result<(), StorageError> {
                let mut transaction = self.begin_beside_the_book().await?;
                sqlx::query(sql::DROP_LEASES).bind(holder).execute(&mut *transaction).await?;
                Ok(transaction.commit().await?)
            }
        }
    };
}

leases!(Sqlite);
leases!(Postgres);
