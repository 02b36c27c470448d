//! Calibration epochs: their nodes, and what happens to bookings when a new one opens.

use std::collections::BTreeSet;

use planner::decimal::Fraction;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::order::{NodeOrder, Preference};
use planner::time::{Span, Timestamp};
use sqlx::{Postgres, QueryBuilder, Sqlite};

use super::{Connection, Repository};
use crate::allocation::Allocation;
use crate::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::identity::{EpochId, ReservationId};
use crate::nodes::{Calibration, StoredNodes};
use crate::row::{CalibrationRow, EpochRow, NodeRow};
use crate::sql::nodes as sql;

/// The draw order that the ranks of the tables count in.
fn draw_order(nodes: &Nodes) -> NodeOrder {
    NodeOrder::new(nodes, Preference::LeastDraw, Fraction::ONE)
}

/// The rank of each ordinal. `O(N)`.
fn ranks_by_ordinal(order: &NodeOrder) -> Vec<u32> {
    let one = |ordinal: u32| NodeSet::from_ranges(std::iter::once(ordinal..ordinal + 1).collect());
    (0..order.count()).filter_map(|ordinal| order.ranks(&one(ordinal)).positions().next()).collect()
}

/// The nodes of rows in input order; an error where a stored rank is not the one the planner gives,
/// since bookings would silently be on other machines.
fn stored_nodes(epoch: &EpochRow, rows: Vec<NodeRow>) -> Result<StoredNodes, StorageError> {
    let inconsistent =
        |row: String, problem| StorageError::Inconsistent { table: "nodes", row, problem };
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
    let nodes = nodes.map_err(|_| {
        inconsistent(format!("of epoch {}", epoch.id), "the nodes do not make a cluster")
    })?;
    let order = draw_order(&nodes);
    let recomputed = ranks_by_ordinal(&order);
    if let Some(ordinal) = ranks.iter().zip(&recomputed).position(|(&a, &b)| a != i64::from(b)) {
        return Err(inconsistent(ordinal.to_string(), "the rank is not that of the draw order"));
    }
    let created = Timestamp::from_unix_seconds(epoch.created_s);
    Ok(StoredNodes { epoch: epoch.id, created, nodes, order })
}

/// Whether `name` is the one `Nodes::numbered` gives at this ordinal.
fn is_number_of(name: &str, ordinal: usize) -> bool {
    name.strip_prefix('n').is_some_and(|digits| {
        digits.parse() == Ok(ordinal) && (digits == "0" || !digits.starts_with(['0', '+']))
    })
}

/// The allocations from `now` on, over the ranks of new nodes.
///
/// `O(nodes held)`, and both clusters once.
fn remapped(
    upcoming: Vec<Allocation>,
    old: &StoredNodes,
    new: &Nodes,
    new_ranks: &[u32],
    now: Timestamp,
) -> Result<Vec<Allocation>, StorageError> {
    let mut old_ordinals = vec![0; old.nodes.count() as usize];
    for (ordinal, rank) in (0..).zip(ranks_by_ordinal(&old.order)) {
        old_ordinals[rank as usize] = ordinal;
    }
    let new_ordinals = new.index();
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let mut holders: BTreeSet<ReservationId> = BTreeSet::new();
    let mut moved = Vec::with_capacity(upcoming.len());
    for allocation in upcoming {
        let mut positions = Vec::with_capacity(allocation.ranks.count() as usize);
        for rank in allocation.ranks.positions() {
            let name = old.nodes.name(old_ordinals[rank as usize]);
            if let Some(ordinal) = new_ordinals.ordinal(&name) {
                positions.push(new_ranks[ordinal as usize]);
            } else {
                missing.insert(name.into_owned());
                holders.insert(allocation.reservation_id);
            }
        }
        let ranks = NodeSet::from_positions(positions);
        let span = Span::new(allocation.span.start().max(now), allocation.span.end());
        moved.extend(span.map(|span| Allocation { span, ranks, ..allocation }));
    }
    if missing.is_empty() {
        return Ok(moved);
    }
    Err(StorageError::NodesInUse {
        names: missing.into_iter().collect(),
        reservations: holders.into_iter().collect(),
    })
}

macro_rules! nodes {
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

            pub(crate) async fn load_nodes(&self) -> Result<Option<StoredNodes>, StorageError> {
                let mut transaction = self.begin_read().await?;
                let nodes = Self::newest_nodes(&mut transaction).await?;
                transaction.commit().await?;
                Ok(nodes)
            }

            async fn newest_nodes(
                connection: &mut Connection<$engine>,
            ) -> Result<Option<StoredNodes>, StorageError> {
                let Some(epoch) = Self::newest_epoch(connection).await? else { return Ok(None) };
                let rows: Vec<NodeRow> =
                    sqlx::query_as(sql::NODES).bind(epoch.id).fetch_all(connection).await?;
                stored_nodes(&epoch, rows).map(Some)
            }

            pub(crate) async fn replace_nodes(
                &self,
                nodes: &Nodes,
                calibrations: &[Calibration],
                based_on: Option<EpochId>,
                now: Timestamp,
            ) -> Result<EpochId, StorageError> {
                let ranks = ranks_by_ordinal(&draw_order(nodes));
                let mut transaction = self.begin_write().await?;
                let connection = &mut *transaction;
                let newest = Self::newest_epoch(connection).await?.map(|row| row.id);
                if based_on.is_some() && based_on != newest {
                    return Err(StorageError::EpochChanged);
                }
                Self::expire_due(connection, now).await?;
                let upcoming = Self::upcoming_allocations(connection, now).await?;
                let moved = match Self::held_nodes(connection, &upcoming).await? {
                    Some(old) => remapped(upcoming, &old, nodes, &ranks, now)?,
                    None => Vec::new(),
                };
                let epoch = Self::insert_epoch(connection, nodes, &ranks, now).await?;
                Self::insert_calibrations(connection, epoch, calibrations).await?;
                Self::cut_allocations(connection, now).await?;
                Self::insert_allocations(connection, epoch, &moved).await?;
                Self::bump_version(connection).await?;
                transaction.commit().await?;
                Ok(epoch)
            }

            /// The nodes that `upcoming` counts in; not read where there is nothing to move.
            async fn held_nodes(
                connection: &mut Connection<$engine>,
                upcoming: &[Allocation],
            ) -> Result<Option<StoredNodes>, StorageError> {
                if upcoming.is_empty() {
                    return Ok(None);
                }
                Self::newest_nodes(connection).await
            }

            async fn insert_epoch(
                connection: &mut Connection<$engine>,
                nodes: &Nodes,
                ranks: &[u32],
                now: Timestamp,
            ) -> Result<EpochId, StorageError> {
                let epoch: EpochId = sqlx::query_scalar(sql::INSERT_EPOCH)
                    .bind(now.as_unix_seconds())
                    .bind(i64::from(nodes.count()))
                    .fetch_one(&mut *connection)
                    .await?;
                let mut rows = (0_u32..).zip(nodes.as_slice().iter().zip(ranks)).peekable();
                while rows.peek().is_some() {
                    let mut insert = QueryBuilder::<$engine>::new(sql::NODES_BULK);
                    let chunk = rows.by_ref().take(MAX_BOUND_VALUES / 7);
                    insert.push_values(chunk, |mut row, (ordinal, (node, &rank))| {
                        row.push_bind(epoch)
                            .push_bind(i64::from(ordinal))
                            .push_bind(i64::from(rank))
                            .push_bind(nodes.name(ordinal).into_owned())
                            .push_bind(node.idle().as_microwatts())
                            .push_bind(node.max().as_microwatts())
                            .push_bind(node.alpha().map(Fraction::as_f64));
                    });
                    insert.build().execute(&mut *connection).await?;
                }
                Ok(epoch)
            }

            async fn insert_calibrations(
                connection: &mut Connection<$engine>,
                epoch: EpochId,
                calibrations: &[Calibration],
            ) -> Result<(), StorageError> {
                for chunk in calibrations.chunks(MAX_BOUND_VALUES / 10) {
                    let mut insert = QueryBuilder::<$engine>::new(sql::CALIBRATIONS_BULK);
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
                            .push_bind(i64::from(calibration.outliers));
                    });
                    insert.build().execute(&mut *connection).await?;
                }
                Ok(())
            }

            pub(crate) async fn calibrations(
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
    };
}

nodes!(Sqlite);
nodes!(Postgres);
