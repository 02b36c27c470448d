//! Documents of earlier releases become columns.

use std::collections::HashMap;

use planner::identity::{OfferId, ReservationId};
use planner::quantity::Currency;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::error::StorageError;
use crate::former_documents::row::FormerRow;
use crate::reevaluations::repository::Reevaluations;
use crate::reservations::proposals::Proposals;

repository!(
    /// Documents of earlier releases.
    impl Database for FormerDocuments {
        /// Makes columns of what an earlier release stored as documents.
        ///
        /// # Errors
        /// A document cannot be read.
        pub(crate) async fn convert_former_documents(&self) -> Result<(), StorageError> {
            let left: bool =
                sqlx::query_scalar(sql::ANY_FORMER_DOCUMENTS).fetch_one(&self.reader).await?;
            if !left {
                return Ok(());
            }
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            // Offers come first: they know the currency. Another process may have converted all of
            // them while this one waited.
            let rows: Vec<FormerRow> =
                sqlx::query_as(sql::FORMER_DOCUMENTS).fetch_all(&mut *connection).await?;
            let mut currencies: HashMap<OfferId, Currency> = HashMap::new();
            for row in rows {
                if row.kind == "offer" {
                    let id = OfferId::new(row.id);
                    let terms = row.terms()?;
                    Proposals::<Engine>::set_terms(connection, id, &terms).await?;
                    currencies.insert(id, terms.values.cost.currency());
                } else if let Some(expectation) = row.expectation(&currencies)? {
                    let id = ReservationId::new(row.id);
                    Reevaluations::<Engine>::put_expectation(connection, id, &expectation).await?;
                }
            }
            sqlx::query(sql::FORGET_FORMER_DOCUMENTS).execute(&mut *connection).await?;
            Ok(transaction.commit().await?)
        }
    }
);
