//! Databases that vanish, and the things most tests need.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use planner::criterion::Values;
use planner::decision::Savings;
use planner::identity::{OfferId, ReservationId};
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::quantity::{CarbonMass, Currency, Energy, Money, Power};
use planner::ranking::Ranking;
use planner::reservation::{NamedNodes, Notice, NoticeKind, OfferTerms, Rejection};
use planner::slower_states::{SlowerState, Slowing, Speed};
use planner::time::{Seconds, Span, Timestamp};
use sqlx::{AssertSqlSafe, Executor, PgPool, SqlSafeStr, SqlitePool};
use storage::{
    Database, NewOffer, NewReservation, PlanBasis, ProposeError, StorageError, StoredNodes,
};
use tempfile::TempDir;
use uuid::Uuid;

use crate::left_out::postgres_server;

/// Runs plain async functions that take a [`Bench`] as tests on both engines.
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    $crate::bench::Bench::sqlite().await.run(super::$name).await;
                }
            )*
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    if let Some(bench) = $crate::bench::Bench::postgres(stringify!($name)).await {
                        bench.run(super::$name).await;
                    }
                }
            )*
        }
    };
}
pub(crate) use on_both_engines;

/// A database of its own for one test.
#[derive(Clone)]
pub struct Bench {
    pub database: Database,
    pub url: String,
    pub raw: Raw,
}

/// A way around the repositories.
#[derive(Clone)]
pub enum Raw {
    /// The folder is removed with the last clone.
    Sqlite {
        pool: SqlitePool,
        _folder: Arc<TempDir>,
    },
    Postgres {
        pool: PgPool,
        server: PgPool,
        name: String,
    },
}

impl Bench {
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let database = Database::connect(&url).await.unwrap();
        let pool = SqlitePool::connect(&url).await.unwrap();
        Self { database, url, raw: Raw::Sqlite { pool, _folder: folder.into() } }
    }

    /// `None` where no server was named, after saying so.
    pub async fn postgres(test: &str) -> Option<Self> {
        let server_url = postgres_server(test)?;
        let server = PgPool::connect(&server_url).await.unwrap();
        let name = format!("wattbook_test_{}", Uuid::now_v7().simple());
        let create = format!("CREATE DATABASE {name} TEMPLATE template0");
        server.execute(AssertSqlSafe(create)).await.unwrap();
        let (server_part, _) = server_url.rsplit_once('/').unwrap();
        // What is about to vanish need not wait for the disk.
        let url = format!("{server_part}/{name}?options=-csynchronous_commit%3Doff");
        let database = Database::connect(&url).await.unwrap();
        let pool = PgPool::connect(&url).await.unwrap();
        Some(Self { database, url, raw: Raw::Postgres { pool, server, name } })
    }

    /// Runs a test and removes its database, also when the test fails.
    pub async fn run<T, F>(self, test: T)
    where
        T: FnOnce(Self) -> F,
        F: Future<Output = ()> + Send + 'static,
    {
        let outcome = tokio::spawn(test(self.clone())).await;
        self.database.close().await;
        if let Raw::Postgres { pool, server, name } = &self.raw {
            pool.close().await;
            let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            server.execute(AssertSqlSafe(drop)).await.unwrap();
        }
        if let Err(failure) = outcome {
            std::panic::resume_unwind(failure.into_panic());
        }
    }
}

impl Raw {
    /// Executes a statement; the error as the crate sees it.
    ///
    /// In a transaction: after a refusal outside of one SQLite keeps the R-tree's snapshot open,
    /// and the connection cannot write once another one has.
    pub async fn execute(&self, sql: String) -> Result<(), StorageError> {
        match self {
            Self::Sqlite { pool, .. } => {
                let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
                match transaction.execute(AssertSqlSafe(sql)).await {
                    Ok(_) => transaction.commit().await?,
                    Err(error) => {
                        transaction.rollback().await?;
                        return Err(error.into());
                    }
                }
            }
            Self::Postgres { pool, .. } => {
                pool.execute(AssertSqlSafe(sql)).await?;
            }
        }
        Ok(())
    }

    /// Prepares a statement.
    pub async fn prepare(&self, sql: &'static str) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite { pool, .. } => {
                pool.acquire().await?.prepare(sql.into_sql_str()).await.map(drop)
            }
            Self::Postgres { pool, .. } => {
                pool.acquire().await?.prepare(sql.into_sql_str()).await.map(drop)
            }
        }
    }

    /// A UUID as a literal of the engine.
    pub fn literal(&self, id: Uuid) -> String {
        match self {
            Self::Sqlite { .. } => format!("X'{}'", id.simple()),
            Self::Postgres { .. } => format!("'{id}'"),
        }
    }

    /// `table.column` of all tables but the engine's and the migrator's own.
    pub async fn columns(&self) -> Vec<String> {
        match self {
            Self::Sqlite { pool, .. } => sqlx::query_scalar(
                "SELECT t.name || '.' || c.name FROM sqlite_schema AS t
                 JOIN pragma_table_info(t.name) AS c
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'
                   AND t.name NOT LIKE '\\_%' ESCAPE '\\'
                   -- SQLite's part of what is an exclusion constraint on PostgreSQL
                   AND t.name NOT LIKE 'allocation\\_boxes%' ESCAPE '\\'
                 ORDER BY t.name, c.cid",
            )
            .fetch_all(pool)
            .await
            .unwrap(),
            Self::Postgres { pool, .. } => sqlx::query_scalar(
                "SELECT table_name || '.' || column_name FROM information_schema.columns
                 WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%'
                 ORDER BY table_name, ordinal_position",
            )
            .fetch_all(pool)
            .await
            .unwrap(),
        }
    }
}

pub fn t(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(seconds)
}

pub fn span(start: i64, end: i64) -> Span {
    Span::new(t(start), t(end)).unwrap()
}

pub fn ranks(range: std::ops::Range<u32>) -> NodeSet {
    NodeSet::from_ranges([range].to_vec())
}

/// Ids in increasing order.
pub fn next_uuid() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u128(NEXT.fetch_add(1, Ordering::Relaxed).into())
}

/// Named nodes with these maximum powers in watts; they rank by it.
pub fn cluster(nodes: &[(&str, i64)]) -> Arc<Nodes> {
    let node = |watts: i64| {
        let max = Power::from_microwatts(watts * 1_000_000);
        Node::new(Power::ZERO, max, None).unwrap()
    };
    let nodes = nodes.iter().map(|&(name, watts)| (name.into(), node(watts)));
    Arc::new(Nodes::listed(nodes.collect()).unwrap())
}

/// Ten nodes that rank in the order of their names.
pub async fn install_ten_nodes(database: &Database) {
    let names: Vec<String> = (0..10).map(|n| format!("node-{n}")).collect();
    let nodes: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(100..).collect();
    database.replace_nodes(&cluster(&nodes), &[], None, t(0)).await.unwrap();
}

pub fn offer(nodes: NodeSet, span: Span) -> NewOffer {
    NewOffer { id: OfferId::new(next_uuid()), terms: terms(&nodes, span), ranks: nodes }
}

/// Terms with another value in each column, which need all 128 bits.
pub fn terms(nodes: &NodeSet, span: Span) -> OfferTerms {
    let money = |amount: i128| Money::from_exact(amount, Currency::EUR);
    let names = nodes.positions().map(|n| format!("node {n}")).collect();
    let values = Values {
        energy: Energy::from_microjoules(10_i128.pow(25)),
        cost: money(-(10_i128.pow(37))),
        co2: CarbonMass::from_exact(10_i128.pow(36) + 1),
    };
    OfferTerms {
        rankings: Ranking::ALL.to_vec(),
        is_compromise: true,
        span,
        nodes: NamedNodes { names: Some(names), ordinals: nodes.clone() },
        values,
        idle_change: Some(Values {
            energy: Energy::from_microjoules(-14),
            cost: money(15),
            co2: CarbonMass::from_exact(-16),
        }),
        extra_power_fee: Some(money(3)),
        peak_power: Power::from_microwatts(4),
        delay: Seconds::new(5),
        saves: Savings {
            energy: Energy::from_microjoules(-6),
            cost: money(7),
            co2: CarbonMass::from_exact(-8),
        },
        cost_band: Some((money(-9), money(10))),
        co2_band: Some((CarbonMass::from_exact(11), CarbonMass::from_exact(12))),
        basis: Some(vec![0, 13]),
        slowing: Some(Box::new(Slowing {
            state: SlowerState {
                name: "p1".into(),
                speed: Speed::from_millionths(800_000).unwrap(),
            },
            later: Seconds::new(17),
        })),
    }
}

/// A notice that tells of nothing in particular.
pub fn notice() -> Notice {
    Notice {
        kind: NoticeKind::Rejected(Rejection::Refused),
        at: t(1),
        detail: "no".to_owned(),
        way_out: "none".to_owned(),
    }
}

/// A reservation held until second 1000.
pub fn reservation(offers: Vec<NewOffer>) -> NewReservation {
    NewReservation {
        id: ReservationId::new(next_uuid()),
        owner: "ada".to_owned(),
        request: r#"{"nodes":1}"#.to_owned(),
        summary: "{}".to_owned(),
        created: t(0),
        expires: t(1000),
        priority: 0,
        replaces: None,
        gives_back: false,
        project: String::new(),
        share_factor: None,
        offers,
    }
}

/// Proposes against the version as it is.
pub async fn propose(
    database: &Database,
    reservation: &NewReservation,
    now: i64,
) -> Result<(), ProposeError> {
    let version = database.marks().await.unwrap().version;
    database.propose(newest(version), reservation, t(now), None).await
}

/// What is stored of the newest nodes.
pub async fn stored_nodes(database: &Database) -> Result<Option<StoredNodes>, StorageError> {
    Ok(database.changes(None, None, t(0), true).await?.nodes)
}

/// A plan of this version that saw all other changes.
pub const fn newest(version: i64) -> PlanBasis {
    PlanBasis { version, changes: i64::MAX }
}
