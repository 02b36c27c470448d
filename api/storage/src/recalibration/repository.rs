//! What nodes were found to draw and what is proposed for them. No part of the book: only a calibration that is taken is.

use std::sync::Arc;

use planner::identity::ReservationId;
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::recalibration::{Estimate, NodeFault, ProposalState};
use planner::time::{Span, Timestamp};
use sqlx::QueryBuilder;

use super::sql;
use crate::book::PlanBasis;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::blocking::blocking;
use crate::engine::connections::Connection;
use crate::engine::dialect::{Dialect, MAX_BOUND_VALUES};
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::EpochId;
use crate::nodes::Calibration;
use crate::nodes::packed::PackedNodes;
use crate::nodes::repository::ClusterNodes;
use crate::recalibration::row::{JudgedNodeRow, OccupiedQuarterRow, RecalibrationRow, proposed_s};
use crate::recalibration::{
    JudgedCounts, JudgedNode, JudgedStanding, MeasuredRun, NewJudgement, OccupiedQuarter,
    RecalibrationState, ReservationSum,
};
use crate::row::set_text;

/// Columns of a node that are written.
const COLUMNS: usize = 17;

repository!(
    /// Calibration that follows what meters measure.
    impl Database for Recalibrations {
        /// How calibration stands, with all nodes as they were judged last, as one state of the database.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn judged_nodes(
            &self,
        ) -> Result<(RecalibrationState, Vec<JudgedNode>), StorageError> {
            let mut transaction = self.begin_read().await?;
            let state: RecalibrationRow =
                sqlx::query_as(sql::RECALIBRATION).fetch_one(&mut *transaction).await?;
            let rows: Vec<JudgedNodeRow> =
                sqlx::query_as(sql::FINDINGS).fetch_all(&mut *transaction).await?;
            transaction.commit().await?;
            let nodes = rows.into_iter().map(JudgedNode::try_from).collect::<Result<_, _>>()?;
            Ok((state.into(), nodes))
        }

        /// How calibration stands, and how many nodes there are of each standing.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn judged_counts(
            &self,
        ) -> Result<(RecalibrationState, JudgedCounts), StorageError> {
            let mut transaction = self.begin_read().await?;
            let state: RecalibrationRow =
                sqlx::query_as(sql::RECALIBRATION).fetch_one(&mut *transaction).await?;
            let counts = sqlx::query_as(sql::JUDGED_COUNTS).fetch_one(&mut *transaction).await?;
            transaction.commit().await?;
            Ok((state.into(), counts))
        }

        /// A page of nodes by name, after a name, at most `limit`; of one standing where that is said.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn judged_page(
            &self,
            standing: Option<JudgedStanding>,
            after: &str,
            limit: u16,
        ) -> Result<Vec<JudgedNode>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::FINDINGS_WHERE);
            query.push_bind(after.to_owned());
            query.push(match standing {
                None => "",
                Some(JudgedStanding::Drifted) => " AND drifted",
                Some(JudgedStanding::Outlying) => " AND outlying",
                Some(JudgedStanding::Failing) => " AND fault IS NOT NULL",
                Some(JudgedStanding::Proposed) => " AND proposal = 'open'",
                Some(JudgedStanding::Rejected) => " AND proposal = 'rejected'",
            });
            query.push(" ORDER BY node_name LIMIT ").push_bind(i64::from(limit));
            let rows: Vec<JudgedNodeRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(JudgedNode::try_from).collect()
        }

        /// The nodes with the greatest error without its sign, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn worst_judged(&self, limit: u16) -> Result<Vec<JudgedNode>, StorageError> {
            let query = sqlx::query_as(sql::WORST_FINDINGS).bind(i64::from(limit));
            let rows: Vec<JudgedNodeRow> = query.fetch_all(&self.reader).await?;
            rows.into_iter().map(JudgedNode::try_from).collect()
        }

        /// What the rows of the ledger amount to of each reservation that has some in a window, whenever its others count;
        /// of one owner where that is said.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn measured_reservations(
            &self,
            window: Span,
            owner: Option<&str>,
        ) -> Result<Vec<ReservationSum>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::RESERVATION_SUMS);
            query.push_bind(window.start().as_unix_seconds());
            query.push(" AND counted_s < ").push_bind(window.end().as_unix_seconds());
            match owner {
                Some(owner) => query.push(sql::RESERVATION_SUMS_OWNER).push_bind(owner.to_owned()),
                None => query.push(sql::RESERVATION_SUMS_OF_ALL),
            };
            query.push(sql::RESERVATION_SUMS_END);
            Ok(query.build_query_as().fetch_all(&self.reader).await?)
        }

        /// Writes nodes as they were judged, in the place of all before, unless anything was written since; `false` then,
        /// and nothing changes.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_judgement(&self, new: &NewJudgement) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            let counted = sqlx::query(sql::JUDGE)
                .bind(new.version)
                .bind(new.judged.as_unix_seconds())
                .bind(new.window.start().as_unix_seconds())
                .bind(new.window.end().as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            if counted.rows_affected() == 0 {
                return Ok(false);
            }
            sqlx::query(sql::DELETE_FINDINGS).execute(&mut *connection).await?;
            Self::insert_findings(connection, &new.nodes).await?;
            for run in &new.runs {
                Self::put_run(connection, run).await?;
            }
            sqlx::query(sql::FORGET_RUNS)
                .bind(new.forget_before.as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            if !new.events.is_empty() {
                Events::<Engine>::record_beside(connection, &new.events, new.judged).await?;
            }
            transaction.commit().await?;
            Ok(true)
        }

        /// Notes of nodes for which a calibration is proposed that it was rejected.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn reject_proposals(
            &self,
            nodes: &[String],
            events: &[NewEvent],
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            Self::decide(&mut transaction, sql::REJECT_WHERE, nodes).await?;
            Events::<Engine>::record_beside(&mut transaction, events, now).await?;
            Ok(transaction.commit().await?)
        }

        /// Opens a new epoch with nodes of which some have the powers that were proposed for them, by name, unless the
        /// book's version is another one than what they were judged by.
        ///
        /// # Errors
        /// [`StorageError::EpochChanged`] where it is another one.
        pub async fn take_proposals(
            &self,
            basis: PlanBasis,
            nodes: &Arc<Nodes>,
            calibrations: &[Calibration],
            now: Timestamp,
        ) -> Result<EpochId, StorageError> {
            let new = Arc::clone(nodes);
            let packed = Arc::new(blocking(move || PackedNodes::new(new)).await);
            let names: Vec<String> = calibrations.iter().map(|it| it.node_name.clone()).collect();
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            if BookRow::<Engine>::version(connection).await? != basis.version {
                return Err(StorageError::EpochChanged);
            }
            let epoch =
                ClusterNodes::<Engine>::open_epoch(connection, &packed, calibrations, now).await?;
            Self::decide(connection, sql::TAKE_WHERE, &names).await?;
            transaction.commit().await?;
            Ok(epoch)
        }

        /// The utilisations of the newest runs of an application that were measured for so many quarter-hours of nodes,
        /// in millionths, newest first, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn runs_of_application(
            &self,
            application: &str,
            least_quarters: u32,
            limit: u16,
        ) -> Result<Vec<i64>, StorageError> {
            let found = sqlx::query_scalar(sql::RUNS_OF_APPLICATION)
                .bind(application)
                .bind(i64::from(least_quarters))
                .bind(i64::from(limit));
            Ok(found.fetch_all(&self.reader).await?)
        }

        /// Notes that other people's jobs are on these nodes of an epoch, by ordinal, in a quarter-hour, beside those
        /// that were noted before. Those of another epoch are forgotten. What is older than `oldest` is, too.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn note_occupied(
            &self,
            quarter: i64,
            epoch: EpochId,
            ordinals: &NodeSet,
            oldest: i64,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            let known: Option<OccupiedQuarterRow> = sqlx::query_as(sql::OCCUPIED_QUARTER)
                .bind(quarter)
                .fetch_optional(&mut *connection)
                .await?;
            let known = known.map(OccupiedQuarter::try_from).transpose()?;
            let (looks, ordinals) = match known.filter(|it| it.epoch == epoch) {
                Some(known) => (known.looks + 1, known.ordinals.union(ordinals)),
                None => (1, ordinals.clone()),
            };
            sqlx::query(sql::PUT_OCCUPIED_QUARTER)
                .bind(quarter)
                .bind(epoch)
                .bind(i64::from(looks))
                .bind(set_text(&ordinals))
                .execute(&mut *connection)
                .await?;
            sqlx::query(sql::FORGET_OCCUPIED).bind(oldest).execute(&mut *connection).await?;
            Ok(transaction.commit().await?)
        }

        /// Which nodes had other people's jobs on them in the quarter-hours from one number on and before another.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn occupied_quarters(
            &self,
            from: i64,
            to: i64,
        ) -> Result<Vec<OccupiedQuarter>, StorageError> {
            let query = sqlx::query_as(sql::OCCUPIED_QUARTERS).bind(from).bind(to);
            let rows: Vec<OccupiedQuarterRow> = query.fetch_all(&self.reader).await?;
            rows.into_iter().map(OccupiedQuarter::try_from).collect()
        }
    }

    /// Parts of transactions.
    impl Recalibrations {
        /// Decides on the open proposals of these nodes.
        async fn decide(
            connection: &mut Connection<Engine>,
            decision: &'static str,
            nodes: &[String],
        ) -> Result<(), StorageError> {
            sqlx::query(sql::COUNT_DECISION).execute(&mut *connection).await?;
            let names: Vec<&str> = nodes.iter().map(String::as_str).collect();
            let mut query = QueryBuilder::<Engine>::new(decision);
            Engine::push_texts(&mut query, &names);
            query.build().execute(&mut *connection).await?;
            Ok(())
        }

        async fn insert_findings(
            connection: &mut Connection<Engine>,
            nodes: &[JudgedNode],
        ) -> Result<(), StorageError> {
            let power = |it: Option<Power>| it.map(Power::as_microwatts);
            for chunk in nodes.chunks(MAX_BOUND_VALUES / COLUMNS) {
                let mut insert = QueryBuilder::<Engine>::new(sql::FINDINGS_BULK);
                insert.push_values(chunk, |mut row, judged| {
                    let JudgedNode { node, finding, error, proposal } = judged;
                    row.push_bind(node);
                    for estimate in [finding.idle, finding.max] {
                        row.push_bind(power(estimate.map(|it: Estimate| it.power)))
                            .push_bind(power(estimate.map(|it| it.spread)))
                            .push_bind(estimate.map(|it| i64::from(it.quarters)));
                    }
                    let (word, powers) = match proposal {
                        None => (None, None),
                        Some((ProposalState::Open(powers), _)) => (Some("open"), Some(powers)),
                        Some((ProposalState::Rejected(powers), _)) => {
                            (Some("rejected"), Some(powers))
                        }
                    };
                    row.push_bind(finding.drifted)
                        .push_bind(finding.outlying)
                        .push_bind(finding.fault.map(NodeFault::word))
                        .push_bind(i64::from(error.count))
                        .push_bind(error.mean)
                        .push_bind(error.mean_absolute)
                        .push_bind(word)
                        .push_bind(proposed_s(judged))
                        .push_bind(power(powers.map(|it| it.idle)))
                        .push_bind(power(powers.map(|it| it.max)));
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }

        async fn put_run(
            connection: &mut Connection<Engine>,
            run: &MeasuredRun,
        ) -> Result<(), StorageError> {
            sqlx::query(sql::PUT_RUN)
                .bind(ReservationId::as_uuid(run.reservation))
                .bind(&run.owner)
                .bind(&run.application)
                .bind(run.span.start().as_unix_seconds())
                .bind(run.span.end().as_unix_seconds())
                .bind(i64::from(run.quarters))
                .bind(run.utilisation)
                .bind(run.alpha)
                .execute(&mut *connection)
                .await?;
            Ok(())
        }
    }
);
