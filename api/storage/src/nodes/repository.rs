//! Calibration epochs: their nodes, and what happens to bookings when a new one opens.

use std::sync::Arc;

use planner::node::{Names, Node, Nodes};
use planner::time::Timestamp;
use serde_json::json;
use sqlx::QueryBuilder;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::blocking::blocking;
use crate::engine::connections::Connection;
use crate::engine::dialect::{Dialect, MAX_BOUND_VALUES};
use crate::epochs::repository::Epochs;
use crate::epochs::row::EpochRow;
use crate::epochs::sql as epochs;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::EpochId;
use crate::nodes::packed::{self, PackedNodes, Seal, Unpacking, draw_order};
use crate::nodes::remap::Remap;
use crate::nodes::row::{CalibrationRow, NodeRow};
use crate::nodes::{Calibration, StoredNodes};
use crate::outages::Outage;
use crate::outages::repository::Outages;
use crate::reservations::allocations::repository::Allocations;
use crate::reservations::lifecycle::Lifecycle;

/// A row of an epoch that cannot have been written by this crate.
fn inconsistent(epoch: &EpochRow, problem: &'static str) -> StorageError {
    let row = format!("of epoch {}", epoch.id);
    StorageError::Inconsistent { table: "nodes", row, column: None, problem }
}

/// A chunk that cannot have been written by this crate.
fn broken(epoch: &EpochRow) -> StorageError {
    inconsistent(epoch, "a chunk is missing or cannot be read")
}

/// The nodes of an epoch with their draw order, which must be the one that was sealed: bookings
/// would silently be on other machines.
fn unpacked(epoch: &EpochRow, chunks: &[Vec<u8>]) -> Result<StoredNodes, StorageError> {
    let count = epoch.node_count()?;
    let unpacking = Unpacking::new(count, epoch.numbered, &epoch.labels);
    let mut unpacking = unpacking.ok_or_else(|| broken(epoch))?;
    let mut seal = Seal::default();
    for data in chunks {
        unpacking.chunk(data).ok_or_else(|| broken(epoch))?;
        seal.chunk(data);
    }
    if unpacking.count() != count {
        return Err(broken(epoch));
    }
    let nodes = unpacking.finish();
    let nodes = nodes.ok_or_else(|| inconsistent(epoch, "the nodes do not make a cluster"))?;
    let order = draw_order(&nodes);
    if epoch.digest.as_ref() != Some(&seal.close(&order)) {
        return Err(inconsistent(
            epoch,
            "nodes and ranks do not have the digest they were sealed with",
        ));
    }
    let created = Timestamp::from_unix_seconds(epoch.created_s);
    Ok(StoredNodes { epoch: epoch.id, created, nodes, order })
}

/// The nodes of rows in input order; an error where a stored rank is not the one the planner gives.
fn nodes_of_rows(epoch: &EpochRow, rows: Vec<NodeRow>) -> Result<Nodes, StorageError> {
    let ranks: Vec<i64> = rows.iter().map(|row| row.rank).collect();
    let numbered = rows.iter().enumerate().all(|(ordinal, row)| is_number_of(&row.name, ordinal));
    let nodes: Vec<Node> = rows
        .iter()
        .enumerate()
        .map(|(ordinal, row)| row.node(ordinal))
        .collect::<Result<_, StorageError>>()?;
    let nodes = if numbered {
        Nodes::numbered(nodes)
    } else {
        let names = rows.into_iter().map(|row| row.name.into_boxed_str());
        Nodes::listed(names.zip(nodes).collect())
    };
    let nodes = nodes.map_err(|_| inconsistent(epoch, "the nodes do not make a cluster"))?;
    let order = draw_order(&nodes);
    let same =
        (0..).zip(&ranks).all(|(ordinal, &rank)| order.rank(ordinal).map(i64::from) == Some(rank));
    if !same {
        return Err(inconsistent(epoch, "a rank is not that of the draw order"));
    }
    Ok(nodes)
}

/// Whether `name` is the one `Nodes::numbered` gives at this ordinal.
fn is_number_of(name: &str, ordinal: usize) -> bool {
    name.strip_prefix('n').is_some_and(|digits| {
        digits.parse() == Ok(ordinal) && (digits == "0" || !digits.starts_with(['0', '+']))
    })
}

repository!(
    /// Nodes.
    impl Database for ClusterNodes {
        /// Packs the newest epoch's nodes where an earlier release stored a row for each.
        ///
        /// # Errors
        /// Storage failed, or the rows do not make nodes.
        pub(crate) async fn pack_rows(&self) -> Result<(), StorageError> {
            let newest = Epochs::<Engine>::newest(&mut *self.reader.acquire().await?).await?;
            if newest.is_none_or(|epoch| epoch.digest.is_some()) {
                return Ok(());
            }
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let newest = Epochs::<Engine>::newest(connection).await?;
            // Another process may have packed them while this one waited.
            let Some(epoch) = newest.filter(|epoch| epoch.digest.is_none()) else {
                return Ok(());
            };
            let rows: Vec<NodeRow> =
                sqlx::query_as(sql::NODES).bind(epoch.id).fetch_all(&mut *connection).await?;
            let id = epoch.id;
            let packed = blocking(move || {
                nodes_of_rows(&epoch, rows).map(|nodes| PackedNodes::new(Arc::new(nodes)))
            });
            Self::insert_chunks(connection, id, &packed.await?).await?;
            sqlx::query(sql::DELETE_NODES).bind(id).execute(&mut *connection).await?;
            Ok(transaction.commit().await?)
        }

        /// Opens a new epoch with these nodes, remembers what led to it, and moves what is booked from
        /// `now` on to the new ranks of the nodes with the same names.
        ///
        /// # Errors
        /// [`StorageError::NodesInUse`] where a booked node would vanish;
        /// [`StorageError::EpochChanged`] where the nodes are based on an epoch that is not the newest.
        pub async fn replace_nodes(
            &self,
            nodes: &Arc<Nodes>,
            calibrations: &[Calibration],
            based_on: Option<EpochId>,
            now: Timestamp,
        ) -> Result<EpochId, StorageError> {
            let new = Arc::clone(nodes);
            let packed = Arc::new(blocking(move || PackedNodes::new(new)).await);
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let newest = Epochs::<Engine>::newest(connection).await?.map(|row| row.id);
            if based_on.is_some() && based_on != newest {
                return Err(StorageError::EpochChanged);
            }
            let epoch = Self::open_epoch(connection, &packed, calibrations, now).await?;
            transaction.commit().await?;
            Ok(epoch)
        }

        /// The nodes of an epoch, also one that is over; `None` where it is not known.
        ///
        /// # Errors
        /// Storage failed, or the epoch's nodes are stored as an earlier release did.
        pub async fn nodes_of_epoch(
            &self,
            epoch: EpochId,
        ) -> Result<Option<StoredNodes>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let row: Option<EpochRow> =
                sqlx::query_as(epochs::EPOCH).bind(epoch).fetch_optional(&mut *transaction).await?;
            let Some(row) = row else { return Ok(None) };
            let nodes = Self::of(&mut transaction, row).await?;
            transaction.commit().await?;
            Ok(Some(nodes))
        }

        /// Measurements of one node or of all, newest epoch first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn calibrations(
            &self,
            node_name: Option<&str>,
            limit: u32,
        ) -> Result<Vec<Calibration>, StorageError> {
            let query = match node_name {
                Some(name) => sqlx::query_as(sql::CALIBRATIONS_OF_NODE).bind(name),
                None => sqlx::query_as(sql::CALIBRATIONS),
            };
            let rows: Vec<CalibrationRow> =
                query.bind(i64::from(limit)).fetch_all(&self.reader).await?;
            rows.into_iter().map(Calibration::try_from).collect()
        }
    }

    /// Parts of transactions.
    impl ClusterNodes {
        /// Opens a new epoch with nodes, remembers what led to it, and moves what is booked from `now` on to the new
        /// ranks.
        pub(crate) async fn open_epoch(
            connection: &mut Connection<Engine>,
            packed: &Arc<PackedNodes>,
            calibrations: &[Calibration],
            now: Timestamp,
        ) -> Result<EpochId, StorageError> {
            Lifecycle::<Engine>::expire_due(connection, now).await?;
            let upcoming = Allocations::<Engine>::upcoming(connection, now).await?;
            let outages = Outages::<Engine>::upcoming(connection, now).await?;
            // The nodes before are not read where there is nothing to move.
            let (moved, outages) = if upcoming.is_empty() && outages.is_empty() {
                (Vec::new(), Vec::new())
            } else if let Some(old) = Self::newest(connection).await? {
                let new = Arc::clone(packed);
                blocking(move || {
                    let remap = Remap { old: &old, new: &new.nodes, order: &new.order };
                    remap.allocations(upcoming, now).map(|moved| (moved, remap.outages(outages)))
                })
                .await?
            } else {
                (Vec::new(), Vec::new())
            };
            let epoch = Self::insert_epoch(connection, packed, now).await?;
            Self::insert_calibrations(connection, epoch, calibrations).await?;
            Allocations::<Engine>::cut_all(connection, now).await?;
            Allocations::<Engine>::insert(connection, epoch, &moved).await?;
            let outages = outages.into_iter().map(|it| Outage { epoch, ..it });
            Outages::<Engine>::put(connection, &outages.collect::<Vec<_>>()).await?;
            let kind = match calibrations {
                [] => "nodes.replaced",
                _ => "nodes.calibrated",
            };
            let data = json!({ "epoch": epoch.get(), "count": packed.nodes.count() });
            Events::<Engine>::record(connection, &[NewEvent::new(kind, data)], now).await?;
            BookRow::<Engine>::bump_version(connection).await?;
            Ok(epoch)
        }

        /// The nodes of the newest epoch and their draw order.
        pub(crate) async fn newest(
            connection: &mut Connection<Engine>,
        ) -> Result<Option<StoredNodes>, StorageError> {
            match Epochs::<Engine>::newest(connection).await? {
                Some(epoch) => Self::of(connection, epoch).await.map(Some),
                None => Ok(None),
            }
        }

        /// The nodes of an epoch and their draw order.
        async fn of(
            connection: &mut Connection<Engine>,
            epoch: EpochRow,
        ) -> Result<StoredNodes, StorageError> {
            let mut chunks: Vec<Vec<u8>> = Vec::new();
            for ordinals in packed::chunks(epoch.node_count()?) {
                let data: Option<Vec<u8>> = sqlx::query_scalar(sql::CHUNK)
                    .bind(epoch.id)
                    .bind(i64::from(ordinals.start))
                    .fetch_optional(&mut *connection)
                    .await?;
                chunks.push(data.ok_or_else(|| broken(&epoch))?);
            }
            if let Some(statement) = Engine::LONG_PAUSE {
                Engine::run(connection, statement).await?;
            }
            // A million nodes take a while.
            blocking(move || unpacked(&epoch, &chunks)).await
        }

        async fn insert_epoch(
            connection: &mut Connection<Engine>,
            packed: &PackedNodes,
            now: Timestamp,
        ) -> Result<EpochId, StorageError> {
            let nodes = &packed.nodes;
            let epoch: EpochId = sqlx::query_scalar(sql::INSERT_EPOCH)
                .bind(now.as_unix_seconds())
                .bind(i64::from(nodes.count()))
                .bind(matches!(nodes.names(), Names::Numbered))
                .bind(packed::label_text(nodes.labels()))
                .fetch_one(&mut *connection)
                .await?;
            Self::insert_chunks(connection, epoch, packed).await?;
            Ok(epoch)
        }

        async fn insert_chunks(
            connection: &mut Connection<Engine>,
            epoch: EpochId,
            packed: &PackedNodes,
        ) -> Result<(), StorageError> {
            for (first, data) in &packed.chunks {
                sqlx::query(sql::INSERT_CHUNK)
                    .bind(epoch)
                    .bind(i64::from(*first))
                    .bind(data)
                    .execute(&mut *connection)
                    .await?;
            }
            sqlx::query(sql::SEAL_EPOCH)
                .bind(epoch)
                .bind(matches!(packed.nodes.names(), Names::Numbered))
                .bind(&packed.seal)
                .execute(&mut *connection)
                .await?;
            Ok(())
        }

        async fn insert_calibrations(
            connection: &mut Connection<Engine>,
            epoch: EpochId,
            calibrations: &[Calibration],
        ) -> Result<(), StorageError> {
            for chunk in calibrations.chunks(MAX_BOUND_VALUES / 11) {
                let mut insert = QueryBuilder::<Engine>::new(sql::CALIBRATIONS_BULK);
                insert.push_values(chunk, |mut row, calibration| {
                    row.push_bind(epoch)
                        .push_bind(&calibration.node_name)
                        .push_bind(calibration.measured.as_unix_seconds())
                        .push_bind(calibration.idle_power.as_microwatts())
                        .push_bind(calibration.max_power.as_microwatts())
                        .push_bind(calibration.idle_spread.as_microwatts())
                        .push_bind(calibration.max_spread.as_microwatts())
                        .push_bind(i64::from(calibration.idle_samples))
                        .push_bind(i64::from(calibration.max_samples))
                        .push_bind(i64::from(calibration.outliers))
                        .push_bind(calibration.source.word());
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);
