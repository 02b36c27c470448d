//! What is newer than what somebody has in memory.

use planner::dialogue::{Grant, GrantState};
use planner::identity::ReservationId;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::request::MAX_DURATION;
use planner::time::{Seconds, Span, Timestamp};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::access::repository::Tokens;
use crate::agendas::Quantity;
use crate::agendas::history::AgendaHistory;
use crate::agendas::repository::Agendas;
use crate::book::Marks;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::Dialect;
use crate::error::StorageError;
use crate::grants::repository::Grants;
use crate::held_spans::sql as held_spans;
use crate::identity::EpochId;
use crate::nodes::repository::ClusterNodes;
use crate::outages::repository::Outages;
use crate::people::repository::People;
use crate::projects::repository::ProjectTables;
use crate::quota_adjustments::repository::QuotaAdjustments;
use crate::state::row::{HolderRow, HoldingRow, held, typed};
use crate::state::{AgendaPieces, BookChanges, Changes, Holder, KnownCallers};

/// Agendas are read from this long before the instant of reading: plans look a little back.
const AGENDA_MARGIN: Seconds = Seconds::new(3600);

/// Quota adjustments are read that ended so long ago: what runs is judged as a whole, from its start on.
const ADJUSTMENT_MARGIN: Seconds = MAX_DURATION;

repository!(
    /// What is newer than what is known.
    impl Database for StateChanges {
        /// What is newer than what is known, everything where nothing is, as one consistent state. The
        /// nodes of an epoch that is known or `prepared` are not read, and whose reservations are only `with_holders`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn changes(
            &self,
            known: Option<Marks>,
            prepared: Option<EpochId>,
            now: Timestamp,
            with_holders: bool,
        ) -> Result<Changes, StorageError> {
            let mut transaction = self.begin_read().await?;
            let connection = &mut *transaction;
            let marks: Marks = sqlx::query_as(book::MARKS).fetch_one(&mut *connection).await?;
            let newer = |part: fn(&Marks) -> i64| {
                known.as_ref().is_none_or(|known| part(known) < part(&marks))
            };
            let known_epoch = known.and_then(|known| known.epoch);
            let nodes = match marks.epoch {
                Some(epoch) if ![known_epoch, prepared].contains(&Some(epoch)) => {
                    ClusterNodes::<Engine>::newest(connection).await?
                }
                _ => None,
            };
            let agendas = if newer(|marks| marks.agendas) {
                Some(Self::agendas_in_force(connection, now).await?)
            } else {
                None
            };
            let outages = if newer(|marks| marks.outages) || known_epoch != marks.epoch {
                Some(Outages::<Engine>::upcoming(connection, now).await?)
            } else {
                None
            };
            let grants = if newer(|marks| marks.grants) {
                Some(Self::standing_grants(connection, now).await?)
            } else {
                None
            };
            let quota_adjustments = if newer(|marks| marks.quotas) {
                Some(
                    QuotaAdjustments::<Engine>::lasting(connection, now - ADJUSTMENT_MARGIN)
                        .await?,
                )
            } else {
                None
            };
            let access = if newer(|marks| marks.tokens) {
                let tokens = Tokens::<Engine>::all(&mut *connection).await?;
                Some(KnownCallers {
                    tokens,
                    people: People::<Engine>::all(&mut *connection).await?,
                    projects: ProjectTables::<Engine>::all(&mut *connection).await?,
                })
            } else {
                None
            };
            let since = known.filter(|known| known.epoch == marks.epoch);
            let epoch = marks.epoch;
            let (book, holders) = match (epoch, with_holders) {
                (None, _) => (BookChanges::All(Vec::new()), Vec::new()),
                (Some(epoch), true) => {
                    Self::held_and_holders(connection, since, epoch, now).await?
                }
                (Some(epoch), false) => {
                    (Self::held_changes(connection, since, epoch, now).await?, Vec::new())
                }
            };
            transaction.commit().await?;
            Ok(Changes {
                marks,
                nodes,
                agendas,
                book,
                holders,
                outages,
                grants,
                quota_adjustments,
                access,
            })
        }
    }

    /// Parts of transactions.
    impl StateChanges {
        async fn standing_grants(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<Vec<Grant>, StorageError> {
            let mut grants = Grants::<Engine>::upcoming(connection, now - AGENDA_MARGIN).await?;
            grants.retain(|grant| grant.state != GrantState::Revoked);
            Ok(grants)
        }

        async fn agendas_in_force(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<AgendaPieces, StorageError> {
            let from = now - AGENDA_MARGIN;
            let mut proven = Vec::new();
            if let Some(window) = Span::new(from, Timestamp::MAX) {
                for quantity in Quantity::ALL {
                    let pieces =
                        AgendaHistory::<Engine>::proven_now(connection, quantity, window).await?;
                    proven.push((quantity, pieces));
                }
            }
            let of = |wanted| {
                let found = proven.iter().find(|(quantity, _)| *quantity == wanted);
                found.map_or_else(Vec::new, |(_, pieces)| {
                    pieces.iter().map(|proven| proven.piece).collect()
                })
            };
            let capped = Agendas::<Engine>::ever_announced(connection, Quantity::PowerCap).await?;
            let power = |microwatts| Some(Power::from_microwatts(microwatts));
            Ok(AgendaPieces {
                price: typed(of(Quantity::Price), EnergyPrice::from_millionths_per_mwh)?,
                co2: typed(of(Quantity::Co2), CarbonIntensity::from_millionths_g_per_kwh)?,
                power_cap: if capped { Some(typed(of(Quantity::PowerCap), power)?) } else { None },
                proven,
            })
        }

        /// All that is held where nothing is known, else what changed since; and whose that is.
        async fn held_and_holders(
            connection: &mut Connection<Engine>,
            since: Option<Marks>,
            epoch: EpochId,
            now: Timestamp,
        ) -> Result<(BookChanges, Vec<Holder>), StorageError> {
            let holders: Vec<HolderRow> = match since {
                None => {
                    sqlx::query_as(sql::HOLDERS)
                        .bind(epoch)
                        .bind(now.as_unix_seconds())
                        .fetch_all(&mut *connection)
                        .await?
                }
                Some(since) => {
                    sqlx::query_as(sql::CHANGED_RESERVATIONS)
                        .bind(since.changes)
                        .fetch_all(&mut *connection)
                        .await?
                }
            };
            let changes = Self::held_changes(connection, since, epoch, now).await?;
            Ok((changes, holders.into_iter().map(Holder::from).collect()))
        }

        /// All that is held where nothing is known, else what changed since.
        async fn held_changes(
            connection: &mut Connection<Engine>,
            since: Option<Marks>,
            epoch: EpochId,
            now: Timestamp,
        ) -> Result<BookChanges, StorageError> {
            let Some(since) = since else {
                let rows: Vec<HoldingRow> = sqlx::query_as(sql::HOLDINGS)
                    .bind(epoch)
                    .bind(now.as_unix_seconds())
                    .fetch_all(connection)
                    .await?;
                return Ok(BookChanges::All(held(&rows)?));
            };
            let ids: Vec<Uuid> = sqlx::query_scalar(held_spans::CHANGED_IDS)
                .bind(since.changes)
                .fetch_all(&mut *connection)
                .await?;
            let rows = if ids.is_empty() {
                Vec::new()
            } else {
                Self::holdings_of(connection, &ids, epoch, now).await?
            };
            let ids = ids.into_iter().map(ReservationId::new).collect();
            Ok(BookChanges::Of(ids, held(&rows)?))
        }

        async fn holdings_of(
            connection: &mut Connection<Engine>,
            ids: &[Uuid],
            epoch: EpochId,
            now: Timestamp,
        ) -> Result<Vec<HoldingRow>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::HOLDINGS_OF_WHERE);
            Engine::push_among(&mut query, ids);
            query.push(sql::HOLDINGS_OF_IN_EPOCH).push_bind(epoch);
            query.push(sql::HOLDINGS_OF_AFTER).push_bind(now.as_unix_seconds());
            query.push(sql::HOLDINGS_OF_ORDER);
            Ok(query.build_query_as().fetch_all(connection).await?)
        }
    }
);
